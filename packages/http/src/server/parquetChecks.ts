/**
 * Checks parts of a Parquet file before they are decoded.
 *
 * The decoder believes the numbers in them, and a few bytes can ask for more memory than there is.
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
 * Walks a structure in Thrift's compact form and returns its end. Fails where it is deeper, wider
 * or longer than its bytes can be.
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
    if (depth > depthMax || ++nodes > nodesMax)
      throw new Damaged("The metadata nest too deep or have too many values")
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
        throw new Damaged("The metadata name an unknown type")
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
 * be. Where the bytes end before that, the decoder finds it out.
 *
 * @category conversions
 * @since 0.1.0
 */
export const checkPackedRuns = (bytes: Uint8Array, count: number, width: number): void => {
  const reader = makeVarints(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  let seen = 0
  while (seen < count && reader.offset < bytes.length) {
    const head = reader.read(5)
    const length = Math.floor(head / 2)
    const isPacked = head % 2 === 1
    seen += isPacked ? length * 8 : length
    reader.offset += isPacked ? length * width : Math.ceil(width / 8)
    // Packed values are filled up to a multiple of eight.
    if (seen > count + 7) throw new Damaged("A run is longer than its page")
  }
}

/** How many of so many levels of one bit are 1: there are as many values. */
const countPresent = (bytes: Uint8Array, count: number): number => {
  const reader = makeVarints(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  let [seen, present] = [0, 0]
  while (seen < count) {
    const head = reader.read(5)
    const length = Math.floor(head / 2)
    if (head % 2 === 0) {
      const many = Math.min(length, count - seen)
      if (bytes[reader.offset++] === 1) present += many
      seen += many
      continue
    }
    for (let bit = 0; bit < length * 8 && seen < count; bit++, seen++) {
      present += ((bytes[reader.offset + (bit >> 3)] ?? 0) >> (bit & 7)) & 1
    }
    reader.offset += length
  }
  return present
}

/** As many as writers take, and a multiple of them besides. */
const deltaBlockMax = 65_536

/**
 * Looks through numbers that are written as differences; fails where a number has more digits than
 * it may. Their decoder takes as many as there are, and the square of that in time.
 *
 * @category conversions
 * @since 0.1.0
 */
export const checkDeltas = (bytes: Uint8Array, count: number): void => {
  const reader = makeVarints(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const [blockSize, partCount] = [reader.read(5), reader.read(5)]
  const partSize = blockSize / partCount
  if (blockSize > deltaBlockMax || !(partSize >= 32 && partSize % 32 === 0)) {
    throw new Damaged("A page has blocks of a size that there is not")
  }
  reader.read(5)
  reader.read(10)
  let seen = 1
  while (seen < count) {
    reader.read(10)
    const widths = bytes.subarray(reader.offset, reader.offset + partCount)
    reader.offset += partCount
    for (const width of widths) {
      if (width > 64) throw new Damaged("A page has numbers of too many bits")
      if (seen >= count) break
      reader.offset += (partSize * width) / 8
      seen += partSize
    }
  }
}

/** The description of its values in a page. @category models @since 0.1.0 */
export interface PageValues {
  /** With those that are missing, where levels stand before them. */
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
export const checkPageValues = (
  bytes: Uint8Array,
  { count, encoding, hasLevels }: PageValues
): void => {
  let [values, present] = [bytes, count]
  if (hasLevels) {
    const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true)
    const levels = bytes.subarray(4)
    checkPackedRuns(levels, count, 1)
    present = countPresent(levels, count)
    values = bytes.subarray(4 + length)
  }
  if (encoding === "DELTA_BINARY_PACKED") return checkDeltas(values, present)
  if (encoding === "DELTA_BYTE_ARRAY") {
    // Each value may repeat all of the one before it.
    throw new Damaged("The encoding DELTA_BYTE_ARRAY is not supported")
  }
  if (encoding !== "RLE" && encoding?.endsWith("_DICTIONARY") !== true) return
  const width = values[0] ?? 0
  if (width > widthMax) throw new Damaged("A page has indexes of too many bits")
  // Values that are missing have no index: there may be fewer, and no more.
  if (width > 0) checkPackedRuns(values.subarray(1), count, width)
}
