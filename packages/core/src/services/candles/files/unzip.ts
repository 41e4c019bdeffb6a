/**
 * One file out of a zip archive, as its bytes come.
 *
 * The streaming reader of fflate unpacks it, and knows no checksums. These stand in the table of
 * contents at the end, so that the last bytes are kept until the archive is over.
 *
 * @since 0.1.0
 */
import { crc32 } from "@candlewick/engine/kernel"
import { Unzip, type UnzipDecoder, UnzipInflate } from "fflate"

/** Takes the bytes of an archive; each method names its fault. */
export interface ZipReader {
  readonly add: (bytes: Uint8Array) => string | null
  readonly end: () => string | null
}

/** How long a table of contents may be: some ten thousand files. */
const tailMaxBytes = 4_194_304
const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const endBytes = 22
const entryBytes = 46

const isHidden = (name: string): boolean =>
  name.endsWith("/") || name.startsWith("__MACOSX/") || /(?:^|\/)\.[^/]*$/.test(name)

/** The last bytes of an archive, and how many came before them. */
const makeTail = () => {
  let kept: Array<Uint8Array> = []
  let length = 0
  let total = 0
  return {
    add: (bytes: Uint8Array) => {
      kept.push(bytes.slice())
      length += bytes.length
      total += bytes.length
      while (length - (kept[0]?.length ?? 0) >= tailMaxBytes) length -= kept.shift()!.length
    },
    take: () => {
      const bytes = new Uint8Array(length)
      let at = 0
      for (const part of kept) {
        bytes.set(part, at)
        at += part.length
      }
      kept = [bytes]
      return { bytes, before: total - length }
    }
  }
}

/** The checksum of a file, by the table of contents; or why there is none. */
const checksumIn = (bytes: Uint8Array, before: number, name: string): number | string => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = bytes.length - endBytes
  while (end >= 0 && view.getUint32(end, true) !== endSignature) end--
  if (end < 0) return "The archive ends before its table of contents"
  const size = view.getUint32(end + 12, true)
  let at = Math.min(view.getUint32(end + 16, true) - before, end - size)
  if (at < 0) return "The archive's table of contents is too long"
  const decoder = new TextDecoder()
  while (at + entryBytes <= end && view.getUint32(at, true) === entrySignature) {
    const nameLength = view.getUint16(at + 28, true)
    const named = decoder.decode(bytes.subarray(at + entryBytes, at + entryBytes + nameLength))
    if (named === name) return view.getUint32(at + 16, true)
    at += entryBytes + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return `The archive's table of contents has no ${name}`
}

const isWanted = (name: string, wanted: string | undefined): boolean =>
  wanted === undefined ? !isHidden(name) : name === wanted || name.endsWith(`/${wanted}`)

/** Inflates the files that are wanted, and lets the others go by. */
const inflating = (wanted: string | undefined) =>
  class implements UnzipDecoder {
    static readonly compression = 8
    ondata: UnzipDecoder["ondata"] = () => undefined
    readonly #inflate: UnzipInflate | null
    constructor(name: string) {
      this.#inflate = isWanted(name, wanted) ? new UnzipInflate() : null
    }
    push(bytes: Uint8Array, isLast: boolean): void {
      if (this.#inflate === null) return
      this.#inflate.ondata = this.ondata
      this.#inflate.push(bytes, isLast)
    }
  }

/**
 * Reads the one file of an archive, or the one that is named, and gives its bytes to `emit`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeZipReader = (
  wanted: string | undefined,
  emit: (bytes: Uint8Array) => void
): ZipReader => {
  const names: Array<string> = []
  const tail = makeTail()
  let found: string | null = null
  let isOver = false
  let failure: string | null = null
  let checksum = 0
  const unzip = new Unzip((file) => {
    if (!isHidden(file.name) && names.length < 10) names.push(file.name)
    const isOne = isWanted(file.name, wanted)
    if (isOne && found !== null) {
      failure ??= `The archive has several files: name one with file=${found} or file=${file.name}`
    }
    if (isOne) found ??= file.name
    file.ondata = (error, bytes, isLast) => {
      if (!isOne || failure !== null) return
      if (error !== null) {
        failure = `The file ${file.name} of the archive can't be unpacked`
        return
      }
      checksum = crc32(bytes, checksum)
      isOver ||= isLast
      emit(bytes)
    }
    file.start()
  })
  unzip.register(inflating(wanted))
  const push = (bytes: Uint8Array, isLast: boolean): string | null => {
    try {
      unzip.push(bytes, isLast)
    } catch {
      failure ??= "The archive is damaged or cut off"
    }
    return failure
  }
  return {
    add: (bytes) => {
      tail.add(bytes)
      return push(bytes, false)
    },
    end: () => {
      const last = push(new Uint8Array(0), true)
      if (last !== null) return last
      if (found === null) {
        return wanted === undefined
          ? "The archive has no file"
          : `The archive has no file ${wanted}; it has ${names.join(", ")}`
      }
      if (!isOver) return `The file ${found} of the archive is cut off`
      const { before, bytes } = tail.take()
      const expected = checksumIn(bytes, before, found)
      if (typeof expected === "string") return expected
      return expected === checksum ? null : `The checksum of ${found} does not match`
    }
  }
}
