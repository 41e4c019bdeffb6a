/**
 * Recorded series as the bots of a process read them: one copy of each, for as long as one of them
 * reads it.
 *
 * A copy goes by the hash of its candles, so that no reader gets the candles of before an import.
 * Parts of a copy are views of it, and keep it. So a bot that joins others on a market reads
 * nothing.
 *
 * @since 0.1.0
 */
import { Effect, Semaphore } from "effect"
import type { CandleSeries, SeriesKey } from "../../domain/Candle.ts"
import type { Problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { fromTimestamp } from "@candlewick/engine"
import { type CandleColumns, indexAt, makeColumns, sliceColumns } from "@candlewick/engine/kernel"
import { type Candles, countingSource } from "./Candles.ts"

/** A series, and whose bot asks for it. */
export interface AskedSeries extends SeriesKey {
  readonly accountId: string
}

type Failure = Problem | StoreError

/** Series that are read together. */
export interface SharedSeries {
  /** All candles of a series, as a backtest reads them. */
  readonly whole: (asked: AskedSeries) => Effect.Effect<CandleColumns, Failure>
  /** The newest of them up to a time, that one included. */
  readonly upTo: (
    asked: AskedSeries,
    until: number,
    count: number
  ) => Effect.Effect<CandleColumns, Failure>
  /** The candles after a time. */
  readonly after: (asked: AskedSeries, time: number) => Effect.Effect<CandleColumns, Failure>
}

/** Copies that somebody still holds, by name. */
const makeCopies = () => {
  const copies = new Map<string, WeakRef<CandleColumns>>()
  const wholes = new WeakMap<CandleColumns, CandleColumns>()
  const forgotten = new FinalizationRegistry<string>((name) => {
    if (copies.get(name)?.deref() === undefined) copies.delete(name)
  })
  return {
    get: (name: string): CandleColumns | undefined => copies.get(name)?.deref(),
    keep: (name: string, columns: CandleColumns): CandleColumns => {
      copies.set(name, new WeakRef(columns))
      forgotten.register(columns, name)
      return columns
    },
    /** Some of the candles, which keep the copy that they are a part of. */
    viewOf: (whole: CandleColumns, from: number, to?: number): CandleColumns => {
      const view = sliceColumns(whole, from, to)
      wholes.set(view, whole)
      return view
    }
  }
}

const nameOf = ({ hash, owner, symbol, timeframe }: CandleSeries, asked: SeriesKey): string =>
  `${owner} ${symbol} ${timeframe} ${hash} as ${asked.timeframe}`

/** Shares the series that `candles` reads. */
export const makeSharedSeries = (candles: Candles["Service"]): SharedSeries => {
  const copies = makeCopies()
  // Callers that ask for a series at once wait for the first of them.
  const reading = Semaphore.makeUnsafe(1)

  /** The copy of that name, or else the series that is read now. */
  const copyOf = (name: string, read: Effect.Effect<CandleColumns, Failure>) =>
    Effect.suspend(() => {
      const known = copies.get(name)
      if (known !== undefined) return Effect.succeed(known)
      return reading.withPermit(
        Effect.suspend(() => {
          const since = copies.get(name)
          if (since !== undefined) return Effect.succeed(since)
          return Effect.map(read, (columns) => copies.keep(name, columns))
        })
      )
    })

  const readWhole = ({ accountId, symbol, timeframe }: AskedSeries) =>
    Effect.map(candles.dataset(accountId, { symbol, timeframe }), ({ columns }) => columns)

  const wholeOf = (source: CandleSeries | null, asked: AskedSeries) =>
    source === null ? readWhole(asked) : copyOf(nameOf(source, asked), readWhole(asked))

  const whole = (asked: AskedSeries) =>
    Effect.flatMap(candles.list(asked.accountId), (all) =>
      wholeOf(countingSource(all, asked.accountId, asked), asked)
    )

  return {
    whole,
    upTo: (asked, until, count) =>
      Effect.map(whole(asked), (columns) => {
        const end = indexAt(columns, until + 1)
        return copies.viewOf(columns, Math.max(0, end - count), end)
      }),
    after: Effect.fnUntraced(function* (asked, time) {
      const { accountId, symbol, timeframe } = asked
      const source = countingSource(yield* candles.list(accountId), accountId, asked)
      // Where a series is kept as it is asked for, none but the candles that are still to be sent.
      if (source?.timeframe !== timeframe) {
        const copy = yield* wholeOf(source, asked)
        return copies.viewOf(copy, indexAt(copy, time + 1))
      }
      const { last_at: lastAt, owner } = source
      if (lastAt === null || fromTimestamp(lastAt) <= time) return makeColumns(0)
      const name = nameOf(source, asked)
      const copy = copies.get(name)
      if (copy !== undefined) return copies.viewOf(copy, indexAt(copy, time + 1))
      const rest = candles.load(accountId, { symbol, timeframe }, { owner, from: time + 1 })
      return yield* copyOf(`${name} after ${time}`, rest)
    })
  }
}
