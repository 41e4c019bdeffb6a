/**
 * Bits of a tile, for hosts without SIMD. A rule has 32 candles a word.
 *
 * The 64 bits after its words mark the words that are not 0. Where kernels are built for
 * WebAssembly, `assembly/bits.as` stands in this file's place.
 *
 * @since 0.1.0
 */
import { lowestBit, readDouble, readWord, writeWord } from "./memory.ts"
import { bitsBytes, tileWords } from "./tileLayout.ts"

/** Says which words are not 0. */
const summarize = (bits: number): void => {
  for (let half = 0; half < 2; half++) {
    let summary = 0
    for (let bit = 0; bit < 32; bit++) {
      if (readWord(bits + ((half * 32 + bit) << 2)) !== 0) summary |= 1 << bit
    }
    writeWord(bits + bitsBytes + half * 4, summary)
  }
}

/** Index of the first set bit from `from` on, or `end`; 0 is an address without bits. */
export function nextBit(bits: number, from: number, end: number): number {
  if (bits === 0 || from >= end) return end
  let at = from >> 5
  let word = readWord(bits + (at << 2)) & (-1 << (from & 31))
  while (word === 0) {
    at++
    if (at >= tileWords) return end
    word = readWord(bits + (at << 2))
  }
  const found = (at << 5) + lowestBit(word)
  return found < end ? found : end
}

/** Whether a bit is set, as 1 or 0; 0 is an address without bits. */
export function hasBit(bits: number, offset: number): number {
  return bits === 0 ? 0 : (readWord(bits + ((offset >> 5) << 2)) >> (offset & 31)) & 1
}

/** The same bits in another place, with the marks of words that are not 0. */
export function copyBits(from: number, into: number): void {
  for (let at = 0; at < bitsBytes; at += 4) writeWord(into + at, readWord(from + at))
  summarize(into)
}

/** Both at once, as a part of a rule: nothing says which words are not 0. */
export function andBits(left: number, right: number, into: number): void {
  for (let at = 0; at < bitsBytes; at += 4) {
    writeWord(into + at, readWord(left + at) & readWord(right + at))
  }
}

/** One or the other, as a part of a rule. */
export function orBits(left: number, right: number, into: number): void {
  for (let at = 0; at < bitsBytes; at += 4) {
    writeWord(into + at, readWord(left + at) | readWord(right + at))
  }
}

/**
 * Where both of the left hold and none of the right does, and where one of the right does and not
 * both of the left.
 */
export function netBits(
  left: number,
  otherLeft: number,
  right: number,
  otherRight: number,
  into: number,
  opposite: number
): void {
  for (let at = 0; at < bitsBytes; at += 4) {
    const one = readWord(left + at) & readWord(otherLeft + at)
    const against = readWord(right + at) | readWord(otherRight + at)
    writeWord(into + at, one & ~against)
    writeWord(opposite + at, against & ~one)
  }
  summarize(into)
  summarize(opposite)
}

/**
 * Where `above` holds and did not one candle earlier, and where both are known but that is not so.
 * The last bits of the tile are kept at `carry` for the next one.
 */
export function crossBits(
  above: number,
  notAbove: number,
  carry: number,
  crossed: number,
  notCrossed: number
): void {
  let wasAbove = readWord(carry)
  let wasNot = readWord(carry + 4)
  for (let at = 0; at < bitsBytes; at += 4) {
    const isAbove = readWord(above + at)
    const isNot = readWord(notAbove + at)
    const beforeAbove = (isAbove << 1) | wasAbove
    const beforeNot = (isNot << 1) | wasNot
    writeWord(crossed + at, isAbove & beforeNot)
    writeWord(notCrossed + at, (isNot & (beforeAbove | beforeNot)) | (isAbove & beforeAbove))
    wasAbove = isAbove >>> 31
    wasNot = isNot >>> 31
  }
  writeWord(carry, wasAbove)
  writeWord(carry + 4, wasNot)
  summarize(crossed)
  summarize(notCrossed)
}

/** Where left is above right. */
export function compareAbove(left: number, right: number, above: number): void {
  let at = 0
  for (let word = 0; word < bitsBytes; word += 4) {
    let isAbove = 0
    for (let bit = 0; bit < 32; bit++) {
      if (readDouble(left + at) > readDouble(right + at)) isAbove |= 1 << bit
      at += 8
    }
    writeWord(above + word, isAbove)
  }
  summarize(above)
}

/** Where left is above right (`above`) and where it is not (`notAbove`); NaN is neither. */
export function compareDoubles(left: number, right: number, above: number, notAbove: number): void {
  let at = 0
  for (let word = 0; word < bitsBytes; word += 4) {
    let isAbove = 0
    let isNot = 0
    for (let bit = 0; bit < 32; bit++) {
      const one = readDouble(left + at)
      const other = readDouble(right + at)
      if (one > other) isAbove |= 1 << bit
      else if (one <= other) isNot |= 1 << bit
      at += 8
    }
    writeWord(above + word, isAbove)
    writeWord(notAbove + word, isNot)
  }
  summarize(above)
  summarize(notAbove)
}

/** The same where it is likely to be among the next 57: that many can be asked at once. */
export { nextBit as nextBitSoon }
