/**
 * The HTTP operations on candles: import, list, export.
 *
 * An export is CSV (`time,open,high,low,close,volume`), one JSON object a line, or a candle file.
 * An import takes these too, and the formats that exchanges and charts write.
 *
 * @since 0.1.0
 */
import {
  boundedText,
  candleOperations,
  ImportSymbol,
  MarketSymbol,
  Owner,
  readOptionFields,
  TimeframeOrAlias,
  Timestamp
} from "@candlewick/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, describeOperation, Validation } from "./Authorization.ts"
import { BooleanText, filteredQuery, PageOf } from "./Page.ts"
import {
  CandlePreviewRecord,
  ImportedSeriesRecord,
  SeriesFindingsRecord,
  SeriesRecord
} from "./records.ts"

/** The media type of candles as CSV. @category tables @since 0.1.0 */
export const csvMediaType = "text/csv"

/** The media type of candles as JSON lines. @category tables @since 0.1.0 */
export const ndjsonMediaType = "application/x-ndjson"

/** The media type of a candle file. @category tables @since 0.1.0 */
export const candleFileMediaType = "application/vnd.candlewick.candles"

/** The media type of a Parquet file. @category tables @since 0.1.0 */
export const parquetMediaType = "application/vnd.apache.parquet"

/** The formats of exported candles. @category tables @since 0.1.0 */
export const candleMediaTypes = [csvMediaType, ndjsonMediaType, candleFileMediaType] as const

/**
 * The media types of bodies whose first bytes show their format. Packed files have them, and so
 * have tools that name none and curl, which names a form.
 *
 * @category tables
 * @since 0.1.0
 */
export const plainMediaTypes = [
  "application/octet-stream",
  "application/x-www-form-urlencoded",
  "application/gzip",
  "application/x-gzip",
  "application/zip",
  "application/x-zip-compressed",
  "application/json",
  "text/plain",
  "text/tab-separated-values"
] as const

/** The formats of imported candles. @category tables @since 0.1.0 */
export const importMediaTypes = [...candleMediaTypes, parquetMediaType, ...plainMediaTypes] as const

/** How long the name of a source may be. @category tables @since 0.1.0 */
export const sourceMaxLength = 100

/** The source of candles, in the words of their sender. @category schemas @since 0.1.0 */
export const SourceName = boundedText(0, sourceMaxLength)

const series = { symbol: MarketSymbol, timeframe: TimeframeOrAlias }
const sent = {
  query: {
    symbol: ImportSymbol,
    timeframe: Schema.optionalKey(TimeframeOrAlias),
    source: Schema.optionalKey(SourceName),
    ...readOptionFields
  },
  payload: HttpApiSchema.StreamUint8Array({ contentType: importMediaTypes })
}
const readingHelp =
  "The server finds missing settings out, and reports them in `reading`: `timeframe` by the steps between rows, " +
  "`columns` by the header or as exchanges write them (`columns=time:date,open:2` names them, by " +
  "header or by number from 1), `time_unit` of epoch times, `date_order` of dates like 03/04/2024, " +
  "`decimal` (`comma` or `point`) of numbers like 75,300. " +
  "`zone` is that of times that name none, UTC by default. A symbol without a currency, such as " +
  "AAPL, needs `currency`. `file` names the file of a zip archive that has several. "
const candleStream = HttpApiSchema.StreamUint8Array({ contentType: candleMediaTypes })

/** Candles: imported, listed and exported. @category groups @since 0.1.0 */
export class CandlesApi extends HttpApiGroup.make("candles")
  .add(
    HttpApiEndpoint.post("import", "/candles", {
      ...sent,
      success: ImportedSeriesRecord
    }).annotateMerge(
      describeOperation("Imports candles", candleOperations.import, {
        body: "stream",
        moves: "imports",
        description:
          "A file of candles as exchanges, charts and libraries write it: CSV with or without a header, " +
          "JSON lists or one object a line, Parquet, or a candle file; the first three as they are, as " +
          "gzip or in a zip archive. " +
          readingHelp +
          "Nothing is kept when a row is at fault. A last candle that is not over is left out, and " +
          "the answer says so. A candle with other values than the kept one is at fault too, unless " +
          "`on_conflict` says `keep` or `replace`. `replace` makes the next `revision` of the series, " +
          "which results name. All accounts share the candles of the operator's account. Another " +
          "account's candles are its own. Where it has some of a symbol, its runs and bots use those " +
          "alone, and `warnings` names the shared ones that they use no more."
      })
    ),
    HttpApiEndpoint.post("preview", "/candles/preview", {
      ...sent,
      success: CandlePreviewRecord
    }).annotateMerge(
      describeOperation("Shows the effect of an import", candleOperations.preview, {
        body: "stream",
        moves: "imports",
        description:
          "Takes the body of `POST /candles`, and keeps nothing. The answer has the reading, the first " +
          "and last rows, the findings, and the effect of an import or the reason of its refusal. " +
          readingHelp
      })
    ),
    HttpApiEndpoint.delete("remove", "/candles", {
      query: series,
      success: HttpApiSchema.NoContent
    }).annotateMerge(
      describeOperation("Removes a series of the account's own", candleOperations.remove, {
        description: "409 `in_use` where a bot follows it that is not at rest."
      })
    ),
    HttpApiEndpoint.get("inspect", "/candles/findings", {
      query: { ...series, owner: Schema.optionalKey(Owner) },
      success: SeriesFindingsRecord
    }).annotateMerge(
      describeOperation("Shows gaps, outliers and repeats of a series", candleOperations.inspect, {
        description:
          "Of each kind the 100 largest. An outlier moves 20 times as far as is usual, and 2 % at " +
          "least; repeats are five equal candles or more. Without `owner`, the series is the one that " +
          "the account's runs use."
      })
    ),
    HttpApiEndpoint.get("list", "/candles", {
      query: {
        ...filteredQuery({ ...series, owner: Owner }),
        synthetic: Schema.optionalKey(BooleanText)
      },
      success: PageOf(SeriesRecord)
    }).annotateMerge(
      describeOperation(
        "Lists series with range, gaps and hash, by symbol",
        candleOperations.list,
        {
          description: "The account's own and the shared ones; its own come first of each."
        }
      )
    ),
    HttpApiEndpoint.get("export", "/candles/export", {
      query: {
        ...series,
        from: Schema.optionalKey(Timestamp),
        to: Schema.optionalKey(Timestamp),
        owner: Schema.optionalKey(Owner)
      },
      success: candleStream
    }).annotateMerge(
      describeOperation("Exports the candles of a series", candleOperations.load, {
        moves: "exports",
        types: candleMediaTypes,
        description:
          "CSV, one JSON object a line with `Accept: application/x-ndjson`, or a candle file with " +
          "`Accept: application/vnd.candlewick.candles`. `owner` is `shared` or the account; without " +
          "it, the series is the one that the account's runs use."
      })
    )
  )
  .middleware(Validation)
  .middleware(Authorization)
  .prefix("/api/v1") {}
