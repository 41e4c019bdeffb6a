/**
 * SHA-256 (FIPS 180-4) of short texts, at once and on any host.
 *
 * Web Crypto answers from another thread, which costs more than the digest of a key does, for every
 * request.
 *
 * @since 0.1.0
 */

const blockBytes = 64
const wordsOfDigest = 8

/** The first 32 bits of the fractions of a root of the first primes. */
const fractions = (count: number, root: (prime: number) => number): Int32Array<ArrayBuffer> => {
  const found: Array<number> = []
  for (let candidate = 2; found.length < count; candidate++) {
    let isPrime = true
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) {
      if (candidate % divisor === 0) isPrime = false
    }
    if (isPrime) found.push((root(candidate) % 1) * 2 ** 32)
  }
  return Int32Array.from(found, (fraction) => Math.floor(fraction) | 0)
}

const initial = fractions(wordsOfDigest, Math.sqrt)
const constants = fractions(blockBytes, Math.cbrt)

// Reused from call to call: a digest is finished before another begins.
const schedule = new Int32Array(blockBytes)
const state = new Int32Array(wordsOfDigest)

const addBlock = (view: DataView, at: number): void => {
  for (let index = 0; index < 16; index++) schedule[index] = view.getInt32(at + 4 * index)
  for (let index = 16; index < 64; index++) {
    const early = schedule[index - 15]!
    const late = schedule[index - 2]!
    const first = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3)
    const second = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10)
    schedule[index] = (schedule[index - 16]! + first + schedule[index - 7]! + second) | 0
  }
  let [a, b, c, d] = [state[0]!, state[1]!, state[2]!, state[3]!]
  let [e, f, g, h] = [state[4]!, state[5]!, state[6]!, state[7]!]
  for (let index = 0; index < 64; index++) {
    const ofE = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const choice = (e & f) ^ (~e & g)
    const added = (h + ofE + choice + constants[index]! + schedule[index]!) | 0
    const ofA = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const majority = (a & b) ^ (a & c) ^ (b & c)
    h = g
    g = f
    f = e
    e = (d + added) | 0
    d = c
    c = b
    b = a
    a = (added + ofA + majority) | 0
  }
  state[0] = (state[0]! + a) | 0
  state[1] = (state[1]! + b) | 0
  state[2] = (state[2]! + c) | 0
  state[3] = (state[3]! + d) | 0
  state[4] = (state[4]! + e) | 0
  state[5] = (state[5]! + f) | 0
  state[6] = (state[6]! + g) | 0
  state[7] = (state[7]! + h) | 0
}

/** The digest of bytes, in lower-case hex. */
export const sha256Of = (bytes: Uint8Array): string => {
  // One bit, zeros, and the length in bits as 64 bits fill the last block.
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / blockBytes) * blockBytes)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29))
  view.setUint32(padded.length - 4, bytes.length << 3)
  state.set(initial)
  for (let at = 0; at < padded.length; at += blockBytes) addBlock(view, at)
  let text = ""
  for (const word of state) text += (word >>> 0).toString(16).padStart(8, "0")
  return text
}
