/**
 * Checks candles that come in, and keeps them with those that are there.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Option } from "effect"
import type { CandleSeries, ImportedSeries } from "../../domain/Candle.ts"
import { type Fault, marketOf, timeframeMs, toTimestamp } from "@candlewick/engine"
import { problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import {
  type CandleColumns,
  beginCheck,
  indexAt,
  makeColumns,
  sliceColumns
} from "@candlewick/engine/kernel"
import { type Owner, ownerOf, termsOf } from "../../domain/Market.ts"
import type { Transactor } from "../../ports/Transactor.ts"
import type { CandleImport } from "../../domain/operations/candleOperations.ts"
import { describeSeries } from "./describeSeries.ts"
import { type HidingPorts, tellHidden } from "./hiddenCandles.ts"
import { findMarket, keepMarket, type MarketPorts } from "../markets/marketRecords.ts"
import { mergeCandles } from "./mergeCandles.ts"
import { syntheticSymbol } from "./syntheticCandles.ts"

interface Ports extends MarketPorts, HidingPorts {}

/**
 * Locks an owner's candles of a symbol until the transaction around this ends, so that those who
 * merge what they have with what is kept follow one another.
 */
export const lockCandles = (
  { lock }: Transactor["Service"],
  owner: Owner,
  symbol: string
): Effect.Effect<void, StoreError> => lock(`candles of ${owner} ${symbol}`)

const faultsMax = 100
/** How many rows are checked in one turn of the event loop: about a millisecond. */
const rowsPerTurn = 16_384
// The years that a timestamp can name in four digits.
const timeMinMs = Date.parse("0001-01-01T00:00:00Z")
const timeMaxMs = Date.parse("9999-12-31T23:59:59Z")

const faultAt = (row: number, code: string, message: string): Fault => ({
  pointer: `/rows/${row}`,
  code,
  message: `Row ${row}: ${message}.`
})

const refuse = (faults: ReadonlyArray<Fault>) =>
  problem("validation_failed", "The candles are not sound; rows count from 0. Nothing was kept.", {
    errors: faults
  })

const timeFaults = ({ length, time }: CandleColumns): ReadonlyArray<Fault> =>
  [0, length - 1]
    .filter((row) => !(time[row]! >= timeMinMs && time[row]! <= timeMaxMs))
    .map((row) => faultAt(row, "time_out_of_range", `time ${time[row]} is in no year that we know`))

/** The sound candles among those that came in, without a last one that is not over yet. */
const soundColumns = Effect.fnUntraced(function* ({ columns, key }: CandleImport) {
  const durationMs = timeframeMs(key.timeframe)
  const check = beginCheck(columns, durationMs, faultsMax)
  while (!check.advance(rowsPerTurn)) yield* Effect.yieldNow
  const checked = check.result()
  const faults = checked.faults.map(({ code, message, row }) => faultAt(row, code, message))
  if (faults.length > 0) return yield* refuse(faults)
  const nowMs = yield* Clock.currentTimeMillis
  const { length } = checked.columns
  const isLastOpen = length > 0 && checked.columns.time[length - 1]! + durationMs > nowMs
  const sound = isLastOpen ? sliceColumns(checked.columns, 0, length - 1) : checked.columns
  if (sound.length === 0) {
    return yield* problem("validation_failed", "There is no complete candle among the rows.")
  }
  const outside = timeFaults(columns)
  return outside.length > 0 ? yield* refuse(outside) : sound
})

/**
 * Keeps what an import says of its market. Where it says nothing, a market that is there stays as
 * it is, and one that is not gets the usual terms.
 */
const keepTerms = Effect.fnUntraced(function* (
  ports: Ports,
  accountId: string,
  { key: { symbol }, market: named }: CandleImport,
  synthetic: boolean
): Effect.fn.Return<void, StoreError> {
  const counting = Option.getOrNull(yield* findMarket(ports, accountId, symbol))
  if (counting !== null && named === undefined) return
  yield* keepMarket(ports, { owner: ownerOf(accountId), symbol }, (before) => {
    const known = before ?? counting
    const terms = { ...(known === null ? { synthetic } : termsOf(known)), ...named }
    const source = named === undefined ? "inferred" : "given"
    return Effect.succeed({ source, terms: marketOf(symbol, terms) } as const)
  })
})

/** Checks, merges and keeps candles in one transaction, and says what is kept then. */
export const importCandles = Effect.fn("Candles.import")(function* (
  ports: Ports,
  accountId: string,
  request: CandleImport
) {
  const { store, transactor } = ports
  if (request.key.symbol === syntheticSymbol) {
    const message = `${syntheticSymbol} is the market of the generator; choose another symbol.`
    return yield* problem("unprocessable", message)
  }
  const key = { ...request.key, owner: ownerOf(accountId) }
  const sound = yield* soundColumns(request)
  return yield* transactor.transact(
    Effect.gen(function* () {
      yield* lockCandles(transactor, key.owner, key.symbol)
      const stored = Option.getOrNull(yield* store.describe(key))
      const kept = Option.getOrElse(yield* store.load(key), () => makeColumns(0))
      const synthetic = request.synthetic ?? stored?.synthetic ?? false
      if (stored !== null && stored.synthetic !== synthetic) {
        const message = "Recorded and synthetic candles don't go into one series."
        return yield* problem("unprocessable", message)
      }
      const { columns, conflicts } = yield* mergeCandles(kept, sound)
      if (conflicts.length > 0) {
        const message = "the candle of this time is kept already, with other values"
        return yield* refuse(
          conflicts
            .slice(0, faultsMax)
            .map((time) => faultAt(indexAt(request.columns, time), "contradicts_kept", message))
        )
      }
      const series: CandleSeries = yield* describeSeries(key, columns, {
        synthetic,
        source: request.source ?? stored?.source ?? null,
        updated_at: toTimestamp(yield* Clock.currentTimeMillis)
      })
      yield* keepTerms(ports, accountId, request, synthetic)
      const own = yield* store.list(key.owner)
      const isFirst = !own.some(({ symbol }) => symbol === key.symbol)
      yield* store.put(series, columns)
      const imported: ImportedSeries = {
        ...series,
        warnings: yield* tellHidden(ports, accountId, series, isFirst)
      }
      return imported
    })
  )
})
