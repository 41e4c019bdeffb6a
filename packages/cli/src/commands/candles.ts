/**
 * `candlewick candles`: files of candles, and the series that are kept.
 *
 * @since 0.1.0
 */
import { readOptionFields, TimeframeOrAlias } from "@candlewick/core/domain"
import { Effect, Schema, Stream } from "effect"
import { Argument, Command } from "effect/cli"
import { createReadStream, existsSync } from "node:fs"
import { basename } from "node:path"
import { type Connection, withApi } from "../terminal/Connections.ts"
import { wrongUse } from "../terminal/failures.ts"
import { number, pairs, percent, say, show, table } from "../terminal/output.ts"
import { pathOf } from "./paths.ts"
import { importNames, readFlags, refusedByFlags, sayNotes, withFlags } from "./candleFile.ts"
import { outcomeRows, readingRows } from "./candleRows.ts"
import { file, limitFlag, request, textFlag } from "./options.ts"

const reading = {
  file: file("A file of candles: CSV, JSON, Parquet, gzip or zip"),
  symbol: textFlag("symbol", "The market: BTC/USD, or AAPL with --currency"),
  timeframe: textFlag("timeframe", "The length of a candle; else the steps between rows tell it"),
  source: textFlag("source", "Where the candles come from; the file's name without it"),
  currency: textFlag("currency", "The currency of the prices, where the symbol names none"),
  ...readFlags,
  on_conflict: textFlag("on-conflict", "Where kept candles differ: keep or replace")
}

const Query = Schema.Struct({
  symbol: Schema.String,
  timeframe: Schema.optionalKey(TimeframeOrAlias),
  source: Schema.optionalKey(Schema.String),
  ...readOptionFields
})

type Given = Command.Command.Config.Infer<typeof reading>

/** A market's name as a file name has it: `btc_usd_1d.csv` names none. */
const queryOf = Effect.fnUntraced(function* ({ entry, file: path, symbol, ...rest }: Given) {
  if (symbol._tag === "None") return yield* wrongUse("--symbol names the market: BTC/USD")
  const source = rest.source._tag === "None" ? basename(path) : rest.source
  return yield* request(Query, { ...rest, source, symbol, file: entry })
})

/** The bytes of a file, as they are read. @category conversions @since 0.1.0 */
export const bytesOf = (path: string) =>
  existsSync(pathOf(path))
    ? Effect.succeed(
        Stream.orDie(
          Stream.fromAsyncIterable(
            createReadStream(pathOf(path)) as AsyncIterable<Uint8Array>,
            (error) => error
          )
        )
      )
    : Effect.fail(wrongUse(`The file ${path} does not exist.`))

const inFlags = refusedByFlags(importNames)

const importCommand = Command.make("import", reading, (given) =>
  withApi(({ client }) =>
    Effect.gen(function* () {
      const query = yield* queryOf(given)
      const payload = yield* bytesOf(given.file)
      const series = yield* inFlags(client.candles.import({ query, payload }))
      yield* sayNotes(series.reading, importNames)
      yield* Effect.forEach(series.warnings, (warning) => say(`warning: ${warning}`))
      yield* show(series, ({ imported }) =>
        pairs([
          ["series", `${series.symbol} ${series.timeframe}`],
          ["candles", series.candle_count],
          ["from", series.first_at],
          ["to", series.last_at],
          ...outcomeRows(imported),
          ["gaps", series.gap_count],
          ["hash", series.hash]
        ])
      )
    })
  )
).pipe(Command.withDescription("Import a file of candles"))

const previewCommand = Command.make("preview", reading, (given) =>
  withApi(({ client }) =>
    Effect.gen(function* () {
      const query = yield* queryOf(given)
      const payload = yield* bytesOf(given.file)
      const preview = yield* inFlags(client.candles.preview({ query, payload }))
      const { candle_count, errors, findings, first, last, reading: read, would } = preview
      yield* sayNotes(read, importNames)
      yield* show(preview, () =>
        [
          pairs([
            ["series", `${preview.symbol} ${preview.timeframe}`],
            ["candles", candle_count],
            ...(read === null ? [] : readingRows(read)),
            ...(findings === null
              ? []
              : ([
                  ["gaps", `${findings.gap_count} (${findings.missing_count} candles missing)`],
                  ["outliers", findings.outlier_count],
                  ["repeats", findings.repeat_count]
                ] as const))
          ]),
          would === null
            ? "An import would be refused:"
            : `An import would do this:\n${pairs(outcomeRows(would))}`,
          ...errors.map(
            ({ message, pointer }) => `refused: ${pointer} ${withFlags(message, importNames)}`
          ),
          table(
            ["time", "open", "high", "low", "close", "volume"],
            [...first, ...last].map(({ close, high, low, open, time, volume }) => [
              new Date(time).toISOString(),
              open,
              high,
              low,
              close,
              volume
            ])
          )
        ].join("\n")
      )
    })
  )
).pipe(Command.withDescription("Show how the server reads a file of candles, without keeping it"))

const list = Command.make("list", { limit: limitFlag }, (given) =>
  withApi(({ client }) =>
    Effect.flatMap(client.candles.list({ query: { limit: given.limit } }), (page) =>
      show(page, ({ data }) =>
        table(
          ["symbol", "timeframe", "candles", "from", "to", "gaps", "owner"],
          data.map((series) => [
            series.symbol,
            series.timeframe,
            series.candle_count,
            series.first_at,
            series.last_at,
            series.gap_count,
            series.owner === "shared" ? "shared" : "own"
          ])
        )
      )
    )
  )
).pipe(Command.withDescription("List the series that are kept"))

const seriesArguments = {
  symbol: Argument.String("symbol").pipe(Argument.withDescription("The market: BTC/USD")),
  timeframe: Argument.String("timeframe").pipe(
    Argument.withDescription("The length of a candle: 1h")
  )
}
const Series = Schema.Struct({ symbol: Schema.String, timeframe: TimeframeOrAlias })

const check = Command.make("check", seriesArguments, (given) =>
  withApi(({ client }) =>
    Effect.gen(function* () {
      const found = yield* client.candles.inspect({ query: yield* request(Series, given) })
      yield* show(found, ({ gaps, outliers, repeats, series }) =>
        [
          pairs([
            ["series", `${series.symbol} ${series.timeframe}`],
            ["candles", series.candle_count],
            ["gaps", `${found.gap_count} (${found.missing_count} candles missing)`],
            ["outliers", found.outlier_count],
            ["repeats", found.repeat_count],
            ["usual move", percent(found.usual_move)]
          ]),
          ...gaps.map((gap) => `gap      ${gap.from}  ${gap.missing_count} missing`),
          ...outliers.map(
            ({ at, move, times_usual }) =>
              `outlier  ${at}  moves ${percent(move)}, ${number(times_usual)} times the usual`
          ),
          ...repeats.map((one) => `repeat   ${one.from}  ${one.candle_count} equal candles`)
        ].join("\n")
      )
    })
  )
).pipe(Command.withDescription("Show gaps, outliers and repeats of a series"))

const remove = Command.make("delete", seriesArguments, (given) =>
  withApi(({ client }: Connection) =>
    Effect.gen(function* () {
      const query = yield* request(Series, given)
      yield* client.candles.remove({ query })
      yield* show({ deleted: query }, () => `deleted  ${query.symbol} ${query.timeframe}`)
    })
  )
).pipe(Command.withDescription("Delete a series of one's own"))

/** `candlewick candles`. @category commands @since 0.1.0 */
export const candlesCommand = Command.make("candles").pipe(
  Command.withDescription("Candles: import, preview, list, check, delete"),
  Command.withSubcommands([importCommand, previewCommand, list, check, remove])
)
