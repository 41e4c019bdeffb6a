/**
 * Checks candles that come in, and keeps them with those that are there.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Option } from "effect"
import type { CandleSeries } from "../../domain/Candle.ts"
import type { ImportedSeries, ImportOutcome } from "../../domain/CandleReading.ts"
import { marketOf, toTimestamp } from "@candlewick/engine"
import { problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { type CandleColumns, indexAt, makeColumns } from "@candlewick/engine/kernel"
import { type Owner, ownerOf, termsOf } from "../../domain/Market.ts"
import type { Transactor } from "../../ports/Transactor.ts"
import type { CandleImport } from "../../domain/operations/candleOperations.ts"
import { describeCandleSeries } from "./describeCandleSeries.ts"
import { type HidingPorts, reportHidden } from "./hiddenCandles.ts"
import { findMarket, keepMarket, type MarketPorts } from "../markets/marketRecords.ts"
import { mergeCandles } from "./mergeCandles.ts"
import {
  candleFaultsMax,
  refuseRows,
  rowFault,
  soundCandles,
  type SoundCandles
} from "./soundCandles.ts"
import { syntheticSymbol } from "./syntheticCandles.ts"

interface Ports extends MarketPorts, HidingPorts {}

/**
 * Locks an owner's candles of a symbol until the transaction around this ends. Two imports that
 * merge their candles with the stored ones so follow one another.
 */
export const lockCandles = (
  { lock }: Transactor["Service"],
  owner: Owner,
  symbol: string
): Effect.Effect<void, StoreError> => lock(`candles of ${owner} ${symbol}`)

/**
 * Keeps the terms that an import gives its market. Where it says nothing, a market that is there
 * stays as it is, and one that is not gets the usual terms.
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

/** The candles that are kept after an import, and the fate of the imported ones. */
export interface DecidedImport {
  readonly stored: CandleSeries | null
  readonly columns: CandleColumns
  readonly outcome: ImportOutcome
  readonly synthetic: boolean
}

/** Merges candles that came in with those that are kept; nothing is kept by that. */
export const decideImport = Effect.fnUntraced(function* (
  { store }: Pick<Ports, "store">,
  accountId: string,
  request: CandleImport,
  sound: SoundCandles
) {
  const key = { ...request.key, owner: ownerOf(accountId) }
  const stored = Option.getOrNull(yield* store.describe(key))
  const kept = Option.getOrElse(yield* store.load(key), () => makeColumns(0))
  const synthetic = request.synthetic ?? stored?.synthetic ?? false
  if (stored !== null && stored.synthetic !== synthetic) {
    const message = "Recorded and synthetic candles don't go into one series."
    return yield* problem("unprocessable", message)
  }
  const { on_conflict: onConflict } = request
  const winner = onConflict === "keep" ? "kept" : "incoming"
  const { addedCount, columns, conflicts } = yield* mergeCandles(kept, sound.columns, winner)
  if (conflicts.length > 0 && onConflict === undefined) {
    const message =
      "the candle of this time is kept already, with other values: " +
      "on_conflict=replace takes the new ones, on_conflict=keep leaves the old ones"
    return yield* refuseRows(
      conflicts
        .slice(0, candleFaultsMax)
        .map((time) =>
          rowFault(request, indexAt(request.columns, time), "contradicts_kept", message)
        )
    )
  }
  const decided: DecidedImport = {
    stored,
    columns,
    synthetic,
    outcome: {
      added_count: addedCount,
      same_count: sound.columns.length - addedCount - conflicts.length,
      conflict_count: conflicts.length,
      replaced_count: onConflict === "replace" ? conflicts.length : 0,
      conflicts: conflicts.slice(0, candleFaultsMax).map(toTimestamp),
      duplicate_count: sound.duplicateCount,
      held_back: sound.heldBack
    }
  }
  return decided
})

/** Refuses candles of the generator's market. */
export const refuseGenerated = ({ key }: CandleImport) =>
  key.symbol === syntheticSymbol
    ? Effect.fail(
        problem(
          "unprocessable",
          `${syntheticSymbol} is the market of the generator; choose another symbol.`
        )
      )
    : Effect.void

/** Checks, merges and keeps candles in one transaction, and returns the kept series. */
export const importCandles = Effect.fn("Candles.import")(function* (
  ports: Ports,
  accountId: string,
  request: CandleImport
) {
  const { store, transactor } = ports
  yield* refuseGenerated(request)
  const key = { ...request.key, owner: ownerOf(accountId) }
  const sound = yield* soundCandles(request)
  return yield* transactor.transact(
    Effect.gen(function* () {
      yield* lockCandles(transactor, key.owner, key.symbol)
      const { columns, outcome, stored, synthetic } = yield* decideImport(
        ports,
        accountId,
        request,
        sound
      )
      // A series that comes after a removed one is its next revision, for results name revisions.
      const before = stored?.revision ?? (yield* store.lastRevision(key))
      const isNext = stored === null || outcome.replaced_count > 0
      const series: CandleSeries = yield* describeCandleSeries(key, columns, {
        revision: before + (isNext ? 1 : 0),
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
        imported: outcome,
        reading: request.reading ?? null,
        warnings: yield* reportHidden(ports, accountId, series, isFirst)
      }
      return imported
    })
  )
})
