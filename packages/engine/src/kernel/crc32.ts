/**
 * The CRC-32 of zlib, PNG and Ethernet, sixteen bytes at a time.
 *
 * @since 0.1.0
 */

const stride = 16
const polynomial = 0xedb88320

// Row r holds the sum of a byte after r more bytes of zeros, so that sixteen bytes go in at once.
const tables = ((): Uint32Array => {
  const all = new Uint32Array(stride * 256)
  for (let byte = 0; byte < 256; byte++) {
    let rest = byte
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ polynomial : rest >>> 1
    all[byte] = rest
  }
  for (let at = 256; at < all.length; at++) {
    const before = all[at - 256]!
    all[at] = (before >>> 8) ^ all[before & 0xff]!
  }
  return all
})()

/** The checksum of four bytes before as many bytes of zeros as the rows say. */
const word = (bits: number, row: number): number =>
  tables[(row + 3) * 256 + (bits & 0xff)]! ^
  tables[(row + 2) * 256 + ((bits >>> 8) & 0xff)]! ^
  tables[(row + 1) * 256 + ((bits >>> 16) & 0xff)]! ^
  tables[row * 256 + (bits >>> 24)]!

/**
 * The CRC-32 of bytes; `before` is that of the bytes before them, so that parts may be added.
 *
 * @category models
 * @since 0.1.0
 */
export const crc32 = (bytes: Uint8Array, before = 0): number => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let crc = ~before
  let at = 0
  for (const end = bytes.length - stride; at <= end; at += stride) {
    crc =
      word(view.getUint32(at, true) ^ crc, 12) ^
      word(view.getUint32(at + 4, true), 8) ^
      word(view.getUint32(at + 8, true), 4) ^
      word(view.getUint32(at + 12, true), 0)
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ tables[(crc ^ bytes[at]!) & 0xff]!
  return ~crc >>> 0
}
