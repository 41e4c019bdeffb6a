/**
 * Candles over HTTP.
 *
 * @since 0.1.0
 */
import {
  type CandlePreview,
  Candles,
  type CandleSeries,
  fromTimestamp,
  type ImportedSeries,
  isEmptyRange,
  passesFilter,
  type Market,
  Markets,
  type Owner,
  Problem,
  type SeriesKey,
  sharedOwner,
  timeframeMs,
  timeframeNames
} from "@candlewick/core"
import type { CandleColumns, CandleFileAbout } from "@candlewick/core/kernel"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, HttpApiError } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { candleFileMediaType, csvMediaType, ndjsonMediaType } from "../api/CandlesApi.ts"
import { CandlePreviewRecord, ImportedSeriesRecord } from "../api/records.ts"
import { AfterBody } from "./AfterBody.ts"
import { writeCandleFileOf, writeCandles } from "./candleExport.ts"
import { faultInQuery, marketOfAccount, inQuery, readSent } from "./candleImport.ts"
import { withCaller } from "./forCaller.ts"
import { importTooLarge } from "./importBytes.ts"
import { refusedRows } from "./importFaults.ts"
import { cutPage, listed } from "./lists.ts"

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

const timeOf = (timestamp: string | undefined): number | undefined =>
  timestamp === undefined ? undefined : fromTimestamp(timestamp)

/** By symbol and then from the shortest timeframe to the longest, an account's own first. */
const orderOf = ({ owner, symbol, timeframe }: CandleSeries): string => {
  const length = String(timeframeNames.indexOf(timeframe)).padStart(2, "0")
  return `${symbol} ${length} ${owner === sharedOwner ? 1 : 0}`
}

const toAnswer = (series: ImportedSeries) => Effect.orDie(seriesAnswer(series))
const seriesAnswer = HttpServerResponse.schemaJson(ImportedSeriesRecord)

const previewAnswer = HttpServerResponse.schemaJson(CandlePreviewRecord)
const toPreviewAnswer = (preview: CandlePreview) =>
  Effect.orDie(previewAnswer({ ...preview, errors: preview.errors.map(faultInQuery) }))

/** Refusals of the query, with its parameters. */
const refusedInQuery = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.mapError(work, (error) =>
    error instanceof Problem
      ? inQuery(error)
      : error instanceof HttpApiError.HttpApiPayloadTooLarge
        ? importTooLarge
        : (error as Exclude<E, HttpApiError.HttpApiPayloadTooLarge>)
  )

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

interface Services {
  readonly candles: Candles["Service"]
  readonly markets: Markets["Service"]
}

const exportFile = Effect.fnUntraced(function* (
  { candles, markets }: Services,
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
  const market = yield* marketOfAccount(markets, accountId, key.symbol)
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
      import: call((candles, accountId, { payload, query, request: { headers } }) =>
        Effect.gen(function* () {
          const { once } = yield* AfterBody
          const sent = { accountId, headers, payload, query }
          const { faults, ...read } = yield* readSent(markets, sent)
          if (faults.length > 0) return yield* refusedRows(faults)
          return yield* once(Effect.flatMap(candles.import(accountId, read), toAnswer))
        }).pipe(refusedInQuery)
      ),
      preview: call((candles, accountId, { payload, query, request: { headers } }) =>
        Effect.gen(function* () {
          const { once } = yield* AfterBody
          const sent = { accountId, headers, payload, query }
          const { faults, ...read } = yield* readSent(markets, sent)
          const previewing = candles.preview(accountId, read, faults)
          return yield* once(Effect.flatMap(previewing, toPreviewAnswer))
        }).pipe(refusedInQuery)
      ),
      remove: call((candles, accountId, { query }) => candles.remove(accountId, query)),
      inspect: call((candles, accountId, { query: { owner, symbol, timeframe } }) =>
        candles.inspect(accountId, { symbol, timeframe }, owner)
      ),
      list: call((candles, accountId, { query }) =>
        listed(query, (page) =>
          Effect.map(candles.list(accountId), (all) =>
            cutPage(all.filter(passesFilter(page)), page, orderOf)
          )
        )
      ),
      export: call(
        Effect.fnUntraced(function* (candles, accountId, { query, request }) {
          const key = { symbol: query.symbol, timeframe: query.timeframe }
          const { owner } = query
          const from = timeOf(query.from)
          // A range that ends before it begins has no candles, as a list has no rows there.
          const to = isEmptyRange(query) ? from : timeOf(query.to)
          const load = { from, to, owner }
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
