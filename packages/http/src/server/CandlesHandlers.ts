/**
 * Candles over HTTP.
 *
 * @since 0.1.0
 */
import {
  Candles,
  type CandleSeries,
  type ImportedSeries,
  fromTimestamp,
  invalid,
  isEmptyRange,
  isLeft,
  Limits,
  type Market,
  Markets,
  type Owner,
  type SeriesKey,
  sharedOwner,
  timeframeMs,
  timeframeNames
} from "@candlewick/core"
import type { CandleColumns, CandleFileAbout } from "@candlewick/core/kernel"
import { Effect, type Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import {
  candleFileMediaType,
  csvMediaType,
  ndjsonMediaType,
  parquetMediaType
} from "../api/CandlesApi.ts"
import { ImportedSeriesRecord } from "../api/records.ts"
import { AfterBody } from "./AfterBody.ts"
import { writeCandleFileOf, writeCandles } from "./candleExport.ts"
import { readCandleFileOf } from "./candleFileImport.ts"
import { readCandles } from "./candleImport.ts"
import { withCaller } from "./forCaller.ts"
import { importTooLarge } from "./importBytes.ts"
import { cutPage, listed } from "./lists.ts"
import { readParquet } from "./parquetImport.ts"

type Format = "csv" | "ndjson" | "file"

const mediaTypes: Record<Format, string> = {
  csv: `${csvMediaType}; charset=utf-8`,
  ndjson: ndjsonMediaType,
  file: candleFileMediaType
}

const formatOf = (header = ""): Format =>
  header.toLowerCase().includes(candleFileMediaType)
    ? "file"
    : header.toLowerCase().includes(ndjsonMediaType)
      ? "ndjson"
      : "csv"

const isParquet = (header = ""): boolean => header.toLowerCase().includes(parquetMediaType)

const timeOf = (timestamp: string | undefined): number | undefined =>
  timestamp === undefined ? undefined : fromTimestamp(timestamp)

const emptyRange = invalid([
  { pointer: "#/query/to", code: "empty_range", message: "The range ends before it begins." }
])

/** The market that counts for an account, as far as there is one. */
const findMarket = (markets: Markets["Service"], accountId: string, symbol: string) =>
  markets.get(accountId, symbol).pipe(
    Effect.catchIf(
      (error) => error._tag === "Problem" && error.code === "not_found",
      () => Effect.undefined
    )
  )

/** By symbol and then from the shortest timeframe to the longest, an account's own first. */
const orderOf = ({ owner, symbol, timeframe }: CandleSeries): string => {
  const length = String(timeframeNames.indexOf(timeframe)).padStart(2, "0")
  return `${symbol} ${length} ${owner === sharedOwner ? 1 : 0}`
}

const readFile = Effect.fnUntraced(function* <E>(
  markets: Markets["Service"],
  accountId: string,
  payload: Stream.Stream<Uint8Array, E>,
  key: SeriesKey,
  source: string | undefined
) {
  const { about, columns } = yield* readCandleFileOf(payload, key)
  const known = yield* findMarket(markets, accountId, key.symbol)
  // What is known of a market is kept: the file only fills in a step of prices that nobody has set.
  const isTickNew = about.tick > 0 && (known?.tick ?? null) === null
  return {
    key,
    columns,
    source: source ?? (about.source === "" ? undefined : about.source),
    synthetic: about.isSynthetic,
    market: isTickNew ? { tick: about.tick } : undefined
  }
})

const toAnswer = (series: ImportedSeries) => Effect.orDie(seriesAnswer(series))
const seriesAnswer = HttpServerResponse.schemaJson(ImportedSeriesRecord)

const aboutOf = (
  key: SeriesKey,
  series: CandleSeries | undefined,
  market: Market | undefined
): CandleFileAbout => ({
  symbol: key.symbol,
  timeframeMs: timeframeMs(key.timeframe),
  tick: market?.tick ?? 0,
  isSynthetic: series?.synthetic ?? false,
  source: series?.source ?? ""
})

interface World {
  readonly candles: Candles["Service"]
  readonly markets: Markets["Service"]
}

const exportFile = Effect.fnUntraced(function* (
  { candles, markets }: World,
  accountId: string,
  columns: CandleColumns,
  key: SeriesKey,
  owner: Owner | undefined
) {
  const series = (yield* candles.list(accountId)).find(
    (one) =>
      one.symbol === key.symbol &&
      one.timeframe === key.timeframe &&
      (owner === undefined || one.owner === owner)
  )
  const market = yield* findMarket(markets, accountId, key.symbol)
  return writeCandleFileOf(columns, aboutOf(key, series, market))
})

/** Candles over HTTP. @category layers @since 0.1.0 */
export const CandlesHandlers = HttpApiBuilder.group(
  Api,
  "candles",
  Effect.fnUntraced(function* (handlers) {
    const call = yield* withCaller(Candles)
    const markets = yield* Markets

    return handlers.handleAll({
      import: call((candles, accountId, { payload, query, request }) => {
        if (Number(request.headers["content-length"] ?? 0) > Limits.candleImportMaxBytes) {
          return Effect.fail(importTooLarge)
        }
        const key = { symbol: query.symbol, timeframe: query.timeframe }
        const type = request.headers["content-type"]
        const format = formatOf(type)
        const rows = () =>
          isParquet(type)
            ? readParquet(payload, key.timeframe)
            : readCandles(payload, format === "ndjson" ? format : "csv", key.timeframe)
        const read =
          format === "file"
            ? readFile(markets, accountId, payload, key, query.source)
            : Effect.map(rows(), (columns) => ({ key, columns, source: query.source }))
        return Effect.gen(function* () {
          const { once } = yield* AfterBody
          const sent = yield* read
          return yield* once(Effect.flatMap(candles.import(accountId, sent), toAnswer))
        }).pipe(Effect.catchTag("HttpApiPayloadTooLarge", () => Effect.fail(importTooLarge)))
      }),
      list: call((candles, accountId, { query }) =>
        listed(query, (page) =>
          Effect.map(candles.list(accountId), (all) =>
            cutPage(all.filter(isLeft(page)), page, orderOf)
          )
        )
      ),
      export: call(
        Effect.fnUntraced(function* (candles, accountId, { query, request }) {
          if (isEmptyRange(query)) return yield* emptyRange
          const key = { symbol: query.symbol, timeframe: query.timeframe }
          const { owner } = query
          const load = { from: timeOf(query.from), to: timeOf(query.to), owner }
          const columns = yield* candles.load(accountId, key, load)
          const format = formatOf(request.headers["accept"])
          const bytes =
            format === "file"
              ? yield* exportFile({ candles, markets }, accountId, columns, key, owner)
              : writeCandles(columns, format)
          return HttpServerResponse.stream(bytes, { contentType: mediaTypes[format] })
        })
      )
    })
  })
)
