/**
 * The bytes of a matcher as they are kept, without the room of its log.
 *
 * The log is empty between candles, and its room is larger than the rest of a matcher.
 *
 * @since 0.1.0
 */
import { headerBytes, logAt, logCountAt } from "../match/matcherLayout.ts"

/**
 * Bytes of a matcher, up to its log where the log is empty, and how many bytes there are with the
 * log.
 *
 * @category models
 * @since 0.1.0
 */
export interface PackedMatcher {
  readonly bytes: Uint8Array
  readonly length: number
}

const wordAt = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getInt32(at, true)

/** Leaves the room of an empty log out. @category bytes @since 0.1.0 */
export const packMatcher = (bytes: Uint8Array): PackedMatcher => ({
  bytes: wordAt(bytes, logCountAt) === 0 ? bytes.slice(0, wordAt(bytes, logAt)) : bytes,
  length: bytes.length
})

/** No stored matcher is longer. */
const lengthMax = 1 << 28

/**
 * The bytes of a matcher with the room of its log; only the matcher can check whether they are
 * valid.
 *
 * @throws RangeError where the bytes were not packed.
 * @category bytes
 * @since 0.1.0
 */
export const unpackMatcher = ({ bytes, length }: PackedMatcher): Uint8Array => {
  const isPacked = bytes.length >= headerBytes && bytes.length <= length && length <= lengthMax
  if (!isPacked) throw new RangeError(`${bytes.length} bytes are no matcher of ${length}`)
  const whole = new Uint8Array(length)
  whole.set(bytes)
  return whole
}
