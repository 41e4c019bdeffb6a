/**
 * Candles and markets over HTTP.
 *
 * @since 0.1.0
 */
import { Candles, fromTimestamp, invalid, isEmptyRange, Limits, Problem } from "@candlewick/core"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { csvMediaType, ndjsonMediaType } from "../api/CandlesApi.ts"
import { writeCandles } from "./candleExport.ts"
import { readCandles } from "./candleImport.ts"
import { answered } from "./problemAnswers.ts"

const formatOf = (header: string | undefined): "csv" | "ndjson" =>
  header !== undefined && header.toLowerCase().includes(ndjsonMediaType) ? "ndjson" : "csv"

const timeOf = (timestamp: string | undefined): number | undefined =>
  timestamp === undefined ? undefined : fromTimestamp(timestamp)

const tooLarge = new Problem({
  code: "payload_too_large",
  detail: `An import may have at most ${Limits.candleImportMaxBytes} bytes.`
})

const emptyRange = invalid([
  { pointer: "#/query/to", code: "empty_range", message: "The range ends before it begins." }
])

/** Candles and markets over HTTP. @category layers @since 0.1.0 */
export const CandlesHandlers = HttpApiBuilder.group(
  Api,
  "candles",
  Effect.fnUntraced(function* (handlers) {
    const candles = yield* Candles

    return handlers.handleAll({
      import: ({ payload, query, request }) =>
        Number(request.headers["content-length"] ?? 0) > Limits.candleImportMaxBytes
          ? answered(Effect.fail(tooLarge))
          : readCandles(payload, formatOf(request.headers["content-type"]), query.timeframe).pipe(
              Effect.catchTag("HttpApiPayloadTooLarge", () => Effect.fail(tooLarge)),
              Effect.flatMap((columns) => {
                const key = { symbol: query.symbol, timeframe: query.timeframe }
                return candles.import({ key, columns, source: query.source })
              }),
              answered
            ),
      list: () => Effect.map(candles.list, (data) => ({ data })).pipe(answered),
      export: ({ query, request }) =>
        (isEmptyRange(query) ? Effect.fail(emptyRange) : Effect.void).pipe(
          Effect.andThen(
            candles.load(
              { symbol: query.symbol, timeframe: query.timeframe },
              { from: timeOf(query.from), to: timeOf(query.to) }
            )
          ),
          Effect.map((columns) => {
            const format = formatOf(request.headers["accept"])
            return HttpServerResponse.stream(writeCandles(columns, format), {
              contentType: format === "csv" ? `${csvMediaType}; charset=utf-8` : ndjsonMediaType
            })
          }),
          answered
        ),
      markets: () => Effect.map(candles.listMarkets, (data) => ({ data })).pipe(answered)
    })
  })
)
