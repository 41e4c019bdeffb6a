/**
 * Looks through parts of a Parquet file before they are decoded: what decodes them believes the
 * numbers in them, and few bytes can ask for more memory than there is.
 *
 * @since 0.1.0
 */

/** Part of a file that is not as it should be. @category errors @since 0.1.0 */
export class Damaged extends Error {}

const depthMax = 32
const nodesMax = 1_000_000

/** Reads a number of at most so many bytes, seven bits in each. */
const makeVarints = (view: DataView) => {
  const reader = {
    offset: 0,
    read: (bytesMax: number): number => {
      let value = 0
      for (let count = 0; count < bytesMax; count++) {
        const byte = view.getUint8(reader.offset++)
        value += (byte & 127) * 2 ** (7 * count)
        if (byte < 128) return value
      }
      throw new Damaged("A number has too many digits")
    }
  }
  return reader
}

const thrift = { stop: 0, true: 1, false: 2, byte: 3, double: 7, binary: 8, list: 9, struct: 12 }

/**
 * Looks through a structure in Thrift's compact form and gives where it ends; fails where it is
 * deeper, wider or longer than its bytes can be.
 *
 * @category conversions
 * @since 0.1.0
 */
export const checkThrift = (view: DataView, start: number): number => {
  const reader = makeVarints(view)
  reader.offset = start
  let nodes = 0
  const skip = (count: number) => {
    reader.offset += count
    if (reader.offset > view.byteLength) throw new Damaged("A text is cut off")
  }
  const element = (type: number, depth: number, isInList: boolean): void => {
    if (depth > depthMax || ++nodes > nodesMax) throw new Damaged("It is too deep or too wide")
    switch (type) {
      case thrift.true:
      case thrift.false:
        return isInList ? skip(1) : undefined
      case thrift.byte:
        return skip(1)
      case 4:
      case 5:
      case 6:
        reader.read(10)
        return
      case thrift.double:
        return skip(8)
      case thrift.binary:
        return skip(reader.read(5))
      case thrift.list:
        return list(depth)
      case thrift.struct:
        return struct(depth)
      default:
        throw new Damaged("There is no such type")
    }
  }
  const list = (depth: number): void => {
    const head = view.getUint8(reader.offset++)
    const size = head >> 4 === 15 ? reader.read(5) : head >> 4
    // A member takes a byte at least.
    if (size > view.byteLength - reader.offset) throw new Damaged("A list is cut off")
    for (let index = 0; index < size; index++) element(head & 15, depth + 1, true)
  }
  const struct = (depth: number): void => {
    while (true) {
      const head = view.getUint8(reader.offset++)
      if ((head & 15) === thrift.stop) return
      if (head >> 4 === 0) reader.read(3)
      element(head & 15, depth + 1, false)
    }
  }
  struct(0)
  return reader.offset
}

/**
 * Looks through runs of numbers of so many bits; fails where they are more numbers than they may
 * be. Where the bytes end before that, whoever decodes them finds it out.
 *
 * @category conversions
 * @since 0.1.0
 */
export const checkRuns = (bytes: Uint8Array, count: number, width: number): void => {
  const reader = makeVarints(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  let seen = 0
  while (seen < count && reader.offset < bytes.length) {
    const head = reader.read(5)
    const length = Math.floor(head / 2)
    const isPacked = head % 2 === 1
    seen += isPacked ? length * 8 : length
    reader.offset += isPacked ? length * width : Math.ceil(width / 8)
    // What is packed is filled up to a multiple of eight.
    if (seen > count + 7) throw new Damaged("A run is longer than its page")
  }
}

/** What a page says of its values. @category models @since 0.1.0 */
export interface PageValues {
  readonly count: number
  readonly encoding: string | undefined
  /** Whether runs stand before the values that say which of them there are. */
  readonly hasLevels: boolean
}

const widthMax = 32

/**
 * Looks through the values of a data page that is not compressed, or no more.
 *
 * @category conversions
 * @since 0.1.0
 */
export const checkValues = (
  bytes: Uint8Array,
  { count, encoding, hasLevels }: PageValues
): void => {
  let values = bytes
  if (hasLevels) {
    const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true)
    checkRuns(bytes.subarray(4), count, 1)
    values = bytes.subarray(4 + length)
  }
  if (encoding === "DELTA_BYTE_ARRAY") {
    // Each value may repeat all of the one before it.
    throw new Damaged("The encoding DELTA_BYTE_ARRAY is not supported")
  }
  if (encoding !== "RLE" && encoding?.endsWith("_DICTIONARY") !== true) return
  const width = values[0] ?? 0
  if (width > widthMax) throw new Damaged("A page has indexes of too many bits")
  // Values that are missing have no index: there may be fewer, and no more.
  if (width > 0) checkRuns(values.subarray(1), count, width)
}
