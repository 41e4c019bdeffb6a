/**
 * The operations on candles: they import, check, list and load series.
 *
 * A run asks here for its candles and its market. An account's own series of a market stands before
 * the shared one. An import with one bad row keeps nothing, and no import fills a gap.
 *
 * **Example** (An import and its findings)
 *
 * ```ts setup=trend
 * import { Candlewick } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 *
 * const candlewick = await Candlewick.open({ store: MemoryStore.layer })
 * const key = { symbol: "BTC/USD", timeframe: "1d" } as const
 * const { candle_count } = await candlewick.candles.import({ key, columns })
 * const { close } = await candlewick.candles.load(key, { from: Date.UTC(2021, 0, 1) })
 * console.log(candle_count, close.length)
 * await candlewick.close()
 * ```
 *
 * ```text output
 * 1246 12
 * ```
 *
 * @since 0.1.0
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { CandleSeries, SeriesKey } from "../../domain/Candle.ts"
import {
  fromTimestamp,
  isMultipleOf,
  marketOf,
  type Timeframe,
  timeframeMs,
  timeframeNames,
  toTimestamp
} from "@candlewick/engine"
import { Limits } from "../../domain/Limits.ts"
import {
  isNamed,
  type MarketRevision,
  type NamedRevision,
  type Owner,
  ownerOf,
  ownersFor,
  sharedOwner
} from "../../domain/Market.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { type CandleColumns, sliceColumns } from "@candlewick/engine/kernel"
import { BotJournal } from "../../ports/BotJournal.ts"
import { BotStore } from "../../ports/BotStore.ts"
import { CandleStore } from "../../ports/CandleStore.ts"
import { MarketStore } from "../../ports/MarketStore.ts"
import { Transactor } from "../../ports/Transactor.ts"
import { findMarket, keepMarket, type MarketPorts, usualMarket } from "../markets/marketRecords.ts"
import type { MethodsOf } from "../methodsOf.ts"
import { columnsFrom } from "./columnsFrom.ts"
import { describeFindings } from "./describeFindings.ts"
import { describeQuality, describeCandleSeries } from "./describeCandleSeries.ts"
import { readImportFile } from "./files/readImportFile.ts"
import type { HidingPorts } from "./hiddenCandles.ts"
import { importCandles, lockCandles } from "./importCandles.ts"
import { required } from "../refusals.ts"
import { unknownRevision } from "./missingCandles.ts"
import { previewCandles } from "./previewCandles.ts"
import { removeSeries } from "./removeSeries.ts"
import { refuseRows } from "./soundCandles.ts"
import type {
  CandleLoad,
  candleOperations,
  CandleRange,
  Dataset
} from "../../domain/operations/candleOperations.ts"
import {
  syntheticCandles,
  syntheticSeed,
  syntheticSymbol,
  syntheticTick
} from "./syntheticCandles.ts"

/**
 * The candles that are there, and those that a run gets.
 *
 * @category services
 * @since 0.1.0
 */
export class Candles extends Context.Service<Candles, MethodsOf<typeof candleOperations>>()(
  "@candlewick/core/services/Candles"
) {
  /** Candles over the stores. */
  static readonly layer = Layer.effect(
    Candles,
    Effect.gen(function* () {
      const ports: Ports = {
        bots: yield* BotStore,
        journal: yield* BotJournal,
        store: yield* CandleStore,
        markets: yield* MarketStore,
        transactor: yield* Transactor
      }
      return Candles.of({
        import: (accountId, request) => importCandles(ports, accountId, request),
        importFile: (accountId, file) =>
          Effect.flatMap(readImportFile(file), ({ faults, ...read }) =>
            faults.length > 0 ? refuseRows(faults) : importCandles(ports, accountId, read)
          ),
        preview: (accountId, request, faults) => previewCandles(ports, accountId, request, faults),
        previewFile: (accountId, file) =>
          Effect.flatMap(readImportFile(file), ({ faults, ...read }) =>
            previewCandles(ports, accountId, read, faults)
          ),
        remove: (accountId, key) =>
          removeSeries({ ...ports, sourceOf: sourceFor(ports) }, accountId, key),
        inspect: (accountId, key, owner) => inspectSeries(ports, accountId, key, owner),
        list: (accountId) => listSeries(ports, accountId),
        load: (accountId, key, load) => loadSeries(ports, accountId, key, load),
        dataset: (accountId, key, range, revision) =>
          dataset(ports, accountId, key, range, revision),
        defaultDataset: (accountId, timeframe, candleCountMin = 1) =>
          defaultDataset(ports, accountId, timeframe, candleCountMin)
      })
    })
  )
}

interface Ports extends MarketPorts, HidingPorts {}

/** The kept series that candles of an account come from. */
const sourceFor = (ports: Ports) => (accountId: string, key: SeriesKey) =>
  Effect.map(listSeries(ports, accountId), (all) => countingSource(all, accountId, key))

const inspectSeries = Effect.fn("Candles.inspect")(function* (
  ports: Ports,
  accountId: string,
  key: SeriesKey,
  named: Owner | undefined
) {
  const owner = named ?? (yield* ownerOfSeries(ports, accountId, key))
  const columns = yield* loadSeries(ports, accountId, key, { owner })
  const series = yield* required(
    ports.store.describe({ symbol: key.symbol, timeframe: key.timeframe, owner }),
    "series of candles of",
    `${key.symbol} ${key.timeframe}`
  )
  return { series, ...(yield* describeFindings(columns, key.timeframe)) }
})

const orderOf = ({ symbol, timeframe }: SeriesKey): string =>
  `${symbol} ${String(timeframeNames.indexOf(timeframe)).padStart(2, "0")}`

/** The series that an account reads, by symbol and timeframe; its own come first of each. */
const listSeries = ({ store }: Ports, accountId: string) =>
  Effect.map(Effect.forEach(ownersFor(accountId), store.list), (lists) =>
    lists
      .flat()
      .map((series) => [orderOf(series), series] as const)
      // Equal ones stay in the order of their owners.
      .toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
      .map(([, series]) => series)
  )

/**
 * The series for runs and bots of an account. Where it has candles of a symbol, it uses those
 * alone, so that no run has candles of two origins.
 */
const countingSeries = (ports: Ports, accountId: string) =>
  Effect.map(listSeries(ports, accountId), (all) => countingOf(all, accountId))

const countingOf = (all: ReadonlyArray<CandleSeries>, accountId: string) => {
  const own = ownerOf(accountId)
  const shadowed = new Set(all.filter(({ owner }) => owner === own).map(({ symbol }) => symbol))
  return all.filter(({ owner, symbol }) => owner === own || !shadowed.has(symbol))
}

/** The owner of an account's series of this market and timeframe, as far as there is one. */
const ownerOfSeries = Effect.fnUntraced(function* (
  { store }: Ports,
  accountId: string,
  key: SeriesKey
): Effect.fn.Return<Owner, StoreError> {
  const own = ownerOf(accountId)
  if (own === sharedOwner || Option.isSome(yield* store.describe({ ...key, owner: own })))
    return own
  const isOwn = (yield* store.list(own)).some(({ symbol }) => symbol === key.symbol)
  return isOwn ? own : sharedOwner
})

const loadSeries = Effect.fn("Candles.load")(function* (
  ports: Ports,
  accountId: string,
  { symbol, timeframe }: SeriesKey,
  { owner: named, ...range }: CandleLoad = {}
): Effect.fn.Return<CandleColumns, Problem | StoreError> {
  const key = { symbol, timeframe }
  const owner = named ?? (yield* ownerOfSeries(ports, accountId, key))
  const found = ownersFor(accountId).includes(owner)
    ? ports.store.load({ ...key, owner }, range)
    : Effect.succeedNone
  return yield* required(found, "series of candles of", `${symbol} ${timeframe}`)
})

/**
 * The time that a series covers, without its gaps. The longer series is the one that covers more.
 */
const coveredMs = ({ candle_count, timeframe }: CandleSeries): number =>
  candle_count * timeframeMs(timeframe)

const longestOf = (series: ReadonlyArray<CandleSeries>): CandleSeries | null => {
  let longest: CandleSeries | null = null
  for (const one of series) {
    if (one.candle_count === 0) continue
    if (longest === null || coveredMs(one) > coveredMs(longest)) longest = one
  }
  return longest
}

/**
 * The series that candles of a timeframe come from: one of its own, else the longest that they can
 * be built from.
 */
const sourceOf = (series: ReadonlyArray<CandleSeries>, timeframe: Timeframe) =>
  longestOf(series.filter((one) => one.timeframe === timeframe)) ??
  longestOf(series.filter((one) => isMultipleOf(timeframe, one.timeframe)))

/**
 * The source of an account's candles of a market and timeframe, of all series that it reads. It is
 * null where none exists, or the series is yet to be generated.
 */
export const countingSource = (
  all: ReadonlyArray<CandleSeries>,
  accountId: string,
  { symbol, timeframe }: SeriesKey
): CandleSeries | null =>
  symbol === syntheticSymbol
    ? (all.find(
        (one) => one.owner === sharedOwner && one.symbol === symbol && one.timeframe === timeframe
      ) ?? null)
    : sourceOf(
        countingOf(all, accountId).filter((one) => one.symbol === symbol),
        timeframe
      )

/**
 * The source of each market's candles of a timeframe. A series of that timeframe comes before one
 * that is built, and the longer before the shorter.
 */
const sourcesOf = (
  series: ReadonlyArray<CandleSeries>,
  timeframe: Timeframe
): ReadonlyArray<CandleSeries> =>
  [...Map.groupBy(series, ({ symbol }) => symbol).values()]
    .map((ofMarket) => sourceOf(ofMarket, timeframe))
    .filter((source) => source !== null)
    .toSorted(
      (one, other) =>
        Number(other.timeframe === timeframe) - Number(one.timeframe === timeframe) ||
        coveredMs(other) - coveredMs(one)
    )

/** No fewer candles of a timeframe than can come of a series, so that few are not loaded for it. */
const candleCountMax = (
  { candle_count, first_at, last_at }: CandleSeries,
  timeframe: Timeframe
): number => {
  if (first_at === null || last_at === null) return 0
  const spanMs = fromTimestamp(last_at) - fromTimestamp(first_at)
  return Math.min(candle_count, Math.ceil(spanMs / timeframeMs(timeframe)) + 1)
}

/** The market that a run goes by: the newest revision that counts, or the one that is named. */
const marketFor = Effect.fnUntraced(function* (
  ports: Ports,
  accountId: string,
  { owner, symbol, synthetic }: CandleSeries,
  named: NamedRevision | undefined
): Effect.fn.Return<MarketRevision, Problem | StoreError> {
  const found = yield* findMarket(ports, accountId, symbol)
  const newest = Option.isSome(found) ? found.value : yield* usualMarket(owner, symbol, synthetic)
  if (named === undefined || isNamed(newest, named)) return newest
  const isNumber = typeof named === "number"
  const revision = isNumber ? named : named.revision
  // A number is of the market that counts; a pin says itself whose it is.
  for (const one of isNumber ? [newest.owner] : ownersFor(accountId)) {
    const kept = yield* ports.markets.get(one, symbol, revision)
    if (Option.isSome(kept) && isNamed(kept.value, named)) return kept.value
  }
  const which = isNumber ? "" : " with this id and these terms"
  const message = `The market ${symbol} has no revision ${revision}${which}.`
  return yield* problem("unprocessable", message, {
    errors: [{ pointer: "/revision", code: unknownRevision, message }]
  })
})

const toDataset = Effect.fnUntraced(function* (
  source: CandleSeries,
  timeframe: Timeframe,
  columns: CandleColumns,
  market: MarketRevision
) {
  const { symbol, synthetic } = source
  const isWhole = source.timeframe === timeframe && source.candle_count === columns.length
  const result: Dataset = {
    market,
    columns,
    quality: yield* describeQuality({ symbol, timeframe }, columns, {
      hash: isWhole ? source.hash : undefined,
      owner: source.owner,
      revision: source.revision ?? 1,
      synthetic,
      resampledFrom: source.timeframe === timeframe ? null : source.timeframe
    })
  }
  return result
})

/** The record of the generator's series, which is made and kept when it is first asked for. */
const ensureSynthetic = Effect.fnUntraced(function* (ports: Ports, timeframe: Timeframe) {
  const { store, transactor } = ports
  const owner = sharedOwner
  const key = { owner, symbol: syntheticSymbol, timeframe } as const
  const found = yield* store.describe(key)
  if (Option.isSome(found)) return found.value
  return yield* transactor.transact(
    Effect.gen(function* () {
      yield* lockCandles(transactor, owner, key.symbol)
      const stored = yield* store.describe(key)
      if (Option.isSome(stored)) return stored.value
      const columns = syntheticCandles(timeframe)
      const series: CandleSeries = yield* describeCandleSeries(key, columns, {
        revision: 1,
        synthetic: true,
        source: `generated, seed ${syntheticSeed}`,
        updated_at: toTimestamp(yield* Clock.currentTimeMillis)
      })
      const usual = marketOf(key.symbol, { synthetic: true, tick: syntheticTick })
      yield* keepMarket(ports, key, (before) =>
        Effect.succeed({ source: before?.source ?? "given", terms: before ?? usual } as const)
      )
      yield* store.put(series, columns)
      return series
    })
  )
})

const dataset = Effect.fn("Candles.dataset")(function* (
  ports: Ports,
  accountId: string,
  { symbol, timeframe }: SeriesKey,
  range: CandleRange = {},
  revision?: NamedRevision
) {
  const source =
    symbol === syntheticSymbol
      ? yield* ensureSynthetic(ports, timeframe)
      : countingSource(yield* listSeries(ports, accountId), accountId, { symbol, timeframe })
  const columns = source === null ? null : yield* columnsFrom(ports, source, timeframe, range)
  if (source === null || columns === null || columns.length === 0) {
    const where = range.from === undefined && range.to === undefined ? "" : " in this range"
    const message = `The server has no candles of ${symbol} ${timeframe}${where}.`
    return yield* problem("no_market_data", message)
  }
  if (columns.length > Limits.candlesPerRunMax) {
    const message =
      `A run takes at most ${Limits.candlesPerRunMax} candles of a market, and these are ` +
      `${columns.length}: narrow the range or take a longer timeframe.`
    return yield* problem("unprocessable", message)
  }
  const market = yield* marketFor(ports, accountId, source, revision)
  return yield* toDataset(source, timeframe, columns, market)
})

const defaultDataset = Effect.fn("Candles.defaultDataset")(function* (
  ports: Ports,
  accountId: string,
  timeframe: Timeframe,
  candleCountMin: number
) {
  const market = (source: CandleSeries) => marketFor(ports, accountId, source, undefined)
  const recorded = (yield* countingSeries(ports, accountId)).filter(
    ({ symbol }) => symbol !== syntheticSymbol
  )
  for (const source of sourcesOf(recorded, timeframe)) {
    if (candleCountMax(source, timeframe) < candleCountMin) continue
    const columns = yield* columnsFrom(ports, source, timeframe, {})
    if (columns === null || columns.length < Math.max(1, candleCountMin)) continue
    const newest = sliceColumns(columns, Math.max(0, columns.length - Limits.candlesPerRunMax))
    return yield* toDataset(source, timeframe, newest, yield* market(source))
  }
  const series = yield* ensureSynthetic(ports, timeframe)
  const columns = Option.getOrElse(yield* ports.store.load(series), () =>
    syntheticCandles(timeframe)
  )
  return yield* toDataset(series, timeframe, columns, yield* market(series))
})
