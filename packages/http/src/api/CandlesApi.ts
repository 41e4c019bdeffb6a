/**
 * Candles: imported, listed and exported.
 *
 * Candles travel as CSV (`time,open,high,low,close,volume`), as one JSON object a line, or as a
 * candle file, all streamed; they are taken as a Parquet file too.
 *
 * @since 0.1.0
 */
import {
  boundedText,
  candleOperations,
  MarketSymbol,
  Owner,
  TimeframeOrAlias,
  Timestamp
} from "@candlewick/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Authorization, operation, Validation } from "./Authorization.ts"
import { BooleanText, filteredQuery, PageOf } from "./Page.ts"
import { ImportedSeriesRecord, SeriesRecord } from "./records.ts"

/** The media type of candles as CSV. @category tables @since 0.1.0 */
export const csvMediaType = "text/csv"

/** The media type of candles as JSON lines. @category tables @since 0.1.0 */
export const ndjsonMediaType = "application/x-ndjson"

/** The media type of a candle file. @category tables @since 0.1.0 */
export const candleFileMediaType = "application/vnd.candlewick.candles"

/** The media type of a Parquet file. @category tables @since 0.1.0 */
export const parquetMediaType = "application/vnd.apache.parquet"

/** What candles are exported as. @category tables @since 0.1.0 */
export const candleMediaTypes = [csvMediaType, ndjsonMediaType, candleFileMediaType] as const

/** What candles are imported from. @category tables @since 0.1.0 */
export const importMediaTypes = [...candleMediaTypes, parquetMediaType] as const

/** How long the name of a source may be. @category tables @since 0.1.0 */
export const sourceMaxLength = 100

/** Where candles come from, in the words of who sent them. @category schemas @since 0.1.0 */
export const SourceName = boundedText(0, sourceMaxLength)

const series = { symbol: MarketSymbol, timeframe: TimeframeOrAlias }
const candleStream = HttpApiSchema.StreamUint8Array({ contentType: candleMediaTypes })

/** Candles: imported, listed and exported. @category groups @since 0.1.0 */
export class CandlesApi extends HttpApiGroup.make("candles")
  .add(
    HttpApiEndpoint.post("import", "/candles", {
      query: {
        ...series,
        source: Schema.optionalKey(SourceName)
      },
      payload: HttpApiSchema.StreamUint8Array({ contentType: importMediaTypes }),
      success: ImportedSeriesRecord
    }).annotateMerge(
      operation("Imports candles", candleOperations.import, {
        body: "stream",
        description:
          "`text/csv` with the header row `time,open,high,low,close,volume`, " +
          "`application/x-ndjson` with one object a line, `application/vnd.apache.parquet` with a " +
          "Parquet file of those columns, or `application/vnd.candlewick.candles` with a candle file " +
          "of this symbol and timeframe. `time` is the open time in epoch milliseconds, as ISO 8601 " +
          "text or, in Parquet, as a timestamp or a date. Nothing is kept when a row is at fault. " +
          "Candles of the operator's account are shared by all; another account's are its own, and where " +
          "it has some of a symbol, its runs and bots use those alone; `warnings` names the shared ones " +
          "that they use no more."
      })
    ),
    HttpApiEndpoint.get("list", "/candles", {
      query: {
        ...filteredQuery({ ...series, owner: Owner }),
        synthetic: Schema.optionalKey(BooleanText)
      },
      success: PageOf(SeriesRecord)
    }).annotateMerge(
      operation("Lists series with range, gaps and hash, by symbol", candleOperations.list, {
        description: "The account's own and the shared ones; its own come first of each."
      })
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
      operation("Exports the candles of a series", candleOperations.load, {
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
