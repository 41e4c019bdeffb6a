/**
 * HMAC with SHA-256, in plain JavaScript: receivers run in hosts whose only other one is
 * asynchronous, and a notification is a few kilobytes.
 *
 * @since 0.1.0
 */

const blockBytes = 64

/** The first bits of the fractional parts of a root of the first primes. */
const rootsOf = (root: 2 | 3, count: number): Uint32Array => {
  const words: Array<number> = []
  for (let candidate = 2; words.length < count; candidate++) {
    let isPrime = true
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) {
      if (candidate % divisor === 0) isPrime = false
    }
    if (!isPrime) continue
    const value = root === 2 ? Math.sqrt(candidate) : Math.cbrt(candidate)
    words.push(Math.floor((value - Math.floor(value)) * 2 ** 32))
  }
  return Uint32Array.from(words)
}

const initial = rootsOf(2, 8)
const constants = rootsOf(3, 64)

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

const padded = (message: Uint8Array): DataView => {
  const length = Math.ceil((message.length + 9) / blockBytes) * blockBytes
  const bytes = new Uint8Array(length)
  bytes.set(message)
  bytes[message.length] = 0x80
  const view = new DataView(bytes.buffer)
  view.setUint32(length - 8, Math.floor(message.length / 2 ** 29))
  view.setUint32(length - 4, message.length << 3)
  return view
}

const compress = (state: Uint32Array, words: Uint32Array): void => {
  for (let at = 16; at < 64; at++) {
    const [early, late] = [words[at - 15]!, words[at - 2]!]
    const small = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
    const large = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
    words[at] = words[at - 16]! + small + words[at - 7]! + large
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number
  ]
  for (let at = 0; at < 64; at++) {
    const choice = (e & f) ^ (~e & g)
    const mixed = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const one = (h + mixed + choice + constants[at]! + words[at]!) | 0
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const two = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + two) | 0
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] = state[at]! + word
}

const sha256 = (message: Uint8Array): Uint8Array => {
  const state = Uint32Array.from(initial)
  const words = new Uint32Array(64)
  const view = padded(message)
  for (let from = 0; from < view.byteLength; from += blockBytes) {
    for (let at = 0; at < 16; at++) words[at] = view.getUint32(from + 4 * at)
    compress(state, words)
  }
  const digest = new Uint8Array(32)
  const out = new DataView(digest.buffer)
  for (const [at, word] of state.entries()) out.setUint32(4 * at, word)
  return digest
}

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** The HMAC of the parts, one after the other. @category signing @since 0.1.0 */
export const hmacSha256 = (key: Uint8Array, ...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const block = new Uint8Array(blockBytes)
  block.set(key.length > blockBytes ? sha256(key) : key)
  const inner = sha256(joined([block.map((byte) => byte ^ 0x36), ...parts]))
  return sha256(joined([block.map((byte) => byte ^ 0x5c), inner]))
}
