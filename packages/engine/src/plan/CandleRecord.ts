/**
 * The candles of one series as its followers have seen them, from the first one on.
 *
 * Two followers that have seen the same candles have the same values of every node. So a record
 * compares candles exactly, and not by a name or a hash: an import may replace any of them under
 * its name.
 *
 * @since 0.1.0
 */
import {
  candleAt,
  type CandleColumns,
  columnNames,
  makeColumns,
  sliceColumns
} from "../kernel/columns.ts"
import type { StepCandle } from "./candleLanes.ts"

/** Candles of one piece of the series after its beginning. */
const pieceLength = 1_024

/** Whether so many candles of two columns are equal, each from a place of its own. */
const areEqual = (
  one: CandleColumns,
  from: number,
  other: CandleColumns,
  otherFrom: number,
  count: number
): boolean => {
  for (const name of columnNames) {
    const [mine, theirs] = [one[name], other[name]]
    const isSameMemory =
      mine.buffer === theirs.buffer &&
      mine.byteOffset + 8 * from === theirs.byteOffset + 8 * otherFrom
    if (isSameMemory) continue
    for (let nth = 0; nth < count; nth++) {
      if (!Object.is(mine[from + nth], theirs[otherFrom + nth])) return false
    }
  }
  return true
}

/** Candles in their order, to which more are added. @category models @since 0.1.0 */
export class CandleRecord {
  /** Candles that were there at the beginning: a view of memory that others read too. */
  #first: CandleColumns
  readonly #pieces: Array<CandleColumns> = []
  #length: number

  constructor(first: CandleColumns) {
    this.#first = first
    this.#length = first.length
  }

  get length(): number {
    return this.#length
  }

  /** Adds a candle. */
  push(candle: StepCandle): void {
    const at = this.#length - this.#first.length
    const piece = (this.#pieces[Math.floor(at / pieceLength)] ??= makeColumns(pieceLength))
    for (const name of columnNames) piece[name][at % pieceLength] = candle[name]
    this.#length += 1
  }

  /** Whether a candle is that at a place. */
  isAt(index: number, candle: StepCandle): boolean {
    const [columns, at] = this.#placeOf(index)
    return columnNames.every((name) => Object.is(columns[name][at], candle[name]))
  }

  /** Whether the candles begin with these. */
  startsWith(columns: CandleColumns): boolean {
    const { length } = columns
    if (length > this.#length) return false
    let from = 0
    // The last candle first: of two revisions it is the one that differs most often.
    if (length > 0 && !this.isAt(length - 1, candleAt(columns, length - 1))) return false
    for (const part of this.#parts()) {
      const count = Math.min(part.length, length - from)
      if (count <= 0) break
      if (!areEqual(part, 0, columns, from, count)) return false
      from += count
    }
    return true
  }

  /** Calls with the candles before `end`, one after the other. */
  forEach(end: number, take: (candle: StepCandle) => void): void {
    let left = end
    for (const part of this.#parts()) {
      const count = Math.min(part.length, left)
      for (let at = 0; at < count; at++) take(candleAt(part, at))
      left -= count
      if (left <= 0) return
    }
  }

  /** The candles before `end`, in one piece. */
  toColumns(end: number): CandleColumns {
    if (end <= this.#first.length) return sliceColumns(this.#first, 0, end)
    const columns = makeColumns(end)
    let at = 0
    for (const part of this.#parts()) {
      const taken = sliceColumns(part, 0, end - at)
      for (const name of columnNames) columns[name].set(taken[name], at)
      at += taken.length
    }
    return columns
  }

  /** Has the candles that it begins with in memory that others read too. */
  shareFirst(columns: CandleColumns): void {
    const isKnown = columns.time.buffer === this.#first.time.buffer
    if (columns.length < this.#first.length || (isKnown && this.#pieces.length === 0)) return
    const rest = this.toColumns(this.#length)
    this.#first = columns
    this.#pieces.length = 0
    this.#length = columns.length
    for (let at = columns.length; at < rest.length; at++) this.push(candleAt(rest, at))
  }

  *#parts(): Iterable<CandleColumns> {
    yield this.#first
    const added = this.#length - this.#first.length
    for (const [nth, piece] of this.#pieces.entries()) {
      yield sliceColumns(piece, 0, Math.min(pieceLength, added - nth * pieceLength))
    }
  }

  #placeOf(index: number): readonly [CandleColumns, number] {
    const at = index - this.#first.length
    if (at < 0) return [this.#first, index]
    return [this.#pieces[Math.floor(at / pieceLength)]!, at % pieceLength]
  }
}
