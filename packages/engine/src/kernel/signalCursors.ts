/**
 * Columns of signals, and the next candles whose signals may change a position or an order.
 *
 * @since 0.1.0
 */
/** The rules' answers, candle by candle: 1 where they hold. @category models @since 0.1.0 */
export interface SignalColumns {
  readonly enterLong: Uint8Array | null
  readonly exitLong: Uint8Array | null
  readonly enterShort: Uint8Array | null
  readonly exitShort: Uint8Array | null
}

/** Follows a column of signals. */
class SignalCursor {
  readonly #signals: Uint8Array
  #at = -1

  constructor(signals: Uint8Array) {
    this.#signals = signals
  }

  /** Index of the first signal from `from` on, or infinity; `from` never goes back. */
  next(from: number): number {
    if (this.#at < from) {
      const found = this.#signals.indexOf(1, from)
      this.#at = found < 0 ? Infinity : found
    }
    return this.#at
  }
}

/** A cursor for each column of signals. */
export type SignalCursors = { readonly [Name in keyof SignalColumns]: SignalCursor | null }

/** Makes cursors at the first candle. @category constructors @since 0.1.0 */
export const makeSignalCursors = (signals: SignalColumns): SignalCursors => {
  const cursorOf = (column: Uint8Array | null) => column && new SignalCursor(column)
  return {
    enterLong: cursorOf(signals.enterLong),
    exitLong: cursorOf(signals.exitLong),
    enterShort: cursorOf(signals.enterShort),
    exitShort: cursorOf(signals.exitShort)
  }
}

/**
 * Index of the first candle from `from` on that has a signal to exit, or one to enter where those
 * count; or infinity.
 *
 * @category simulating
 * @since 0.1.0
 */
export const nextOfAny = (
  { enterLong, enterShort, exitLong, exitShort }: SignalCursors,
  mayEnter: boolean,
  from: number
): number => {
  const asked = mayEnter ? [exitLong, exitShort, enterLong, enterShort] : [exitLong, exitShort]
  return Math.min(...asked.map((cursor) => cursor?.next(from) ?? Infinity))
}

/**
 * Index of the first candle from `from` on whose signals may change something, or infinity. Exits
 * count beside a position, entries beside none, and both where an entry rests.
 *
 * @category simulating
 * @since 0.1.0
 */
export const nextSignal = (
  { enterLong, enterShort, exitLong, exitShort }: SignalCursors,
  held: number,
  hasOrder: boolean,
  from: number
): number => {
  const next = (cursor: SignalCursor | null): number =>
    cursor === null ? Infinity : cursor.next(from)
  if (held !== 0) return next(held > 0 ? exitLong : exitShort)
  const entry = Math.min(next(enterLong), next(enterShort))
  return hasOrder ? Math.min(entry, next(exitLong), next(exitShort)) : entry
}
