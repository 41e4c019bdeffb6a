/**
 * The rules of a run on one market as bits, a word for 32 candles.
 *
 * @since 0.1.0
 */

/** Bits of each rule over all candles; null is a rule that never holds. */
export interface PortfolioSignals {
  readonly enterLong: Int32Array | null
  readonly exitLong: Int32Array | null
  readonly enterShort: Int32Array | null
  readonly exitShort: Int32Array | null
}

/** The rules of a market that is only read. */
export const noSignals: PortfolioSignals = {
  enterLong: null,
  exitLong: null,
  enterShort: null,
  exitShort: null
}

/** Whether a rule holds at a candle. */
export const holdsAt = (bits: Int32Array | null, candle: number): boolean =>
  bits !== null && ((bits[candle >> 5]! >> (candle & 31)) & 1) === 1

/** The first candle from `from` on where a rule holds, or `end`. */
const nextBit = (bits: Int32Array | null, from: number, end: number): number => {
  if (bits === null || from >= end) return end
  let at = from >> 5
  let word = bits[at]! & (-1 << (from & 31))
  const last = (end - 1) >> 5
  while (word === 0) {
    if (++at > last) return end
    word = bits[at]!
  }
  const found = (at << 5) + 31 - Math.clz32(word & -word)
  return found < end ? found : end
}

/**
 * The first candle from `from` on whose signals may change something, or `end`. Exits count beside
 * a position, entries beside none, and both where an entry rests.
 */
export const nextPortfolioSignal = (
  { enterLong, enterShort, exitLong, exitShort }: PortfolioSignals,
  held: number,
  hasOrder: boolean,
  from: number,
  end: number
): number => {
  if (held !== 0) return nextBit(held > 0 ? exitLong : exitShort, from, end)
  const entry = nextBit(enterShort, from, nextBit(enterLong, from, end))
  return hasOrder ? nextBit(exitShort, from, nextBit(exitLong, from, entry)) : entry
}
