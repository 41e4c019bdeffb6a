/**
 * `candlewick analyze`: shows whether a strategy uses later candles, and how many earlier ones it
 * needs.
 *
 * @since 0.1.0
 */
import {
  fromTimestamp,
  InvalidInput,
  ParameterValues,
  type Timeframe,
  Timestamp,
  toTimestamp
} from "@candlewick/engine"
import { candles, type CandleRow } from "@candlewick/engine/research"
import { Effect, Option, Schema, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { analyzeLookAhead } from "../analysis/lookAhead.ts"
import {
  type Analyzed,
  builtOf,
  analyzedDefinition,
  type CandlesByMarket
} from "../analysis/markets.ts"
import { analyzeWarmup, type WarmupReport } from "../analysis/warmup.ts"
import { type Connection, withApi } from "../terminal/Connections.ts"
import { type CommandFailed, refused, wrongUse } from "../terminal/failures.ts"
import { pairs, say, show, table } from "../terminal/output.ts"
import { importUnder, placeFor } from "./backtest.ts"
import { candlesFlags } from "./candleFile.ts"
import { from, moment, parameters, parametersOf, request } from "./options.ts"
import { isFile, readStrategy } from "./strategyFile.ts"
import { isModule, loadStrategy } from "./strategyModule.ts"

const flags = {
  strategy: Argument.String("strategy").pipe(
    Argument.withDescription(
      "The file of a strategy, a module that exports a strategy of `define`, or the id of a kept strategy"
    )
  ),
  ...candlesFlags,
  set: parameters
}

type Given = Command.Command.Config.Infer<typeof flags>

const strategyOf = Effect.fnUntraced(function* ({ client }: Connection, given: string) {
  if (isModule(given)) return yield* loadStrategy(given)
  if (isFile(given)) return (yield* readStrategy(given)).definition
  const { definition, status } = yield* client.strategies.get({ params: { id: given } })
  if (definition === null) return yield* refused(`The strategy is ${status} and has no rules yet.`)
  return definition
})

const rowOf = (line: string): CandleRow => {
  const [time = "", ...values] = line.split(",")
  const [open = 0, high = 0, low = 0, close = 0, volume = 0] = values.map(Number)
  return { time: /^\d+$/.test(time) ? Number(time) : time, open, high, low, close, volume }
}

const columnsOf = Effect.fnUntraced(function* (
  { client }: Connection,
  symbol: string,
  timeframe: Timeframe
) {
  const bytes = yield* client.candles.export({ query: { symbol, timeframe } })
  const pieces = yield* Stream.runCollect(bytes)
  const [, ...lines] = Buffer.concat([...pieces])
    .toString()
    .trim()
    .split(/\r?\n/)
  return candles(lines.map(rowOf))
})

/**
 * Computes in this process. A refusal of the engine fails the command; any other error is a defect.
 */
const compute = <A>(make: () => A): Effect.Effect<A, CommandFailed> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(make())
    } catch (error) {
      if (error instanceof InvalidInput) return Effect.fail(refused(error.message))
      throw error
    }
  })

const Values = Schema.Struct({ set: Schema.optionalKey(ParameterValues) })

/** The parameters of the command line. A value that is no number is wrong use. */
const valuesOf = (given: Given) =>
  Effect.map(request(Values, { set: parametersOf(given.set) }), ({ set }) => set)

/** Reads the strategy and its candles, and computes in this process. */
const analyzed = <A, E, R>(
  given: Given,
  use: (markets: CandlesByMarket, strategy: Analyzed) => Effect.Effect<A, E, R>
) =>
  Effect.flatMap(placeFor(given), (place) =>
    withApi(
      (connection) =>
        Effect.gen(function* () {
          if (Option.isSome(given.candles) && !isFile(given.strategy)) {
            return yield* wrongUse("--candles goes with a strategy's file")
          }
          const strategy = yield* strategyOf(connection, given.strategy)
          const { symbols, timeframe } = analyzedDefinition(strategy)
          const kept = Option.isSome(given.candles)
            ? yield* importUnder(connection, symbols, given.candles.value, given, timeframe)
            : timeframe
          const markets: Record<string, CandlesByMarket[string]> = {}
          for (const symbol of symbols) {
            const columns = yield* columnsOf(connection, symbol, kept)
            markets[symbol] = builtOf(columns, kept, timeframe)
          }
          return yield* use(markets, strategy)
        }),
      place
    )
  )

const dayOf = (time: number): string => toTimestamp(time).slice(0, 10)

const candlesLine = (markets: CandlesByMarket, strategy: Analyzed): string => {
  const { symbols, timeframe } = analyzedDefinition(strategy)
  const { length, time } = markets[symbols[0]]!
  const range = length === 0 ? "" : ` from ${dayOf(time[0]!)} to ${dayOf(time[length - 1]!)}`
  return `${symbols.join(", ")} ${timeframe}, ${length}${range}`
}

const tellFewFills = (count: number) =>
  count === 0
    ? say("warning: The strategy made no fill, so the analysis compared none.")
    : Effect.void

const lookAhead = Command.make(
  "lookahead",
  {
    ...flags,
    cuts: Flag.Int("cuts").pipe(
      Flag.withDescription("The number of earlier ends at which the candles are cut, at least 1"),
      Flag.filter(
        (count) => count >= 1 && count <= 1_000,
        () => "a whole number from 1 to 1000"
      ),
      Flag.withDefault(12)
    )
  },
  (given) =>
    analyzed(given, (markets, strategy) =>
      Effect.gen(function* () {
        const values = yield* valuesOf(given)
        const { cutCount, fillCount, found } = yield* compute(() =>
          analyzeLookAhead(markets, strategy, values, given.cuts)
        )
        yield* tellFewFills(fillCount)
        const shown = found.map(({ indicator, time }) => ({ indicator, at: toTimestamp(time) }))
        const result = { cut_count: cutCount, fill_count: fillCount, look_ahead: shown }
        yield* show(result, () =>
          [
            pairs([
              ["candles", candlesLine(markets, strategy)],
              ["compared", `${cutCount} earlier ends of the candles, ${fillCount} fills`],
              ["look-ahead", found.length === 0 ? "none found" : found.length]
            ]),
            ...shown.map(
              ({ at, indicator }) =>
                `${indicator === null ? "a decision" : `indicator ${indicator}`} changes at ${at}`
            )
          ].join("\n")
        )
        if (found.length > 0) return yield* refused("Later candles change its earlier decisions.")
      })
    )
).pipe(Command.withDescription("Look for decisions that use later candles"))

const warmupText = (report: WarmupReport, line: string): string =>
  [
    pairs([
      ["candles", line],
      ["judged", `${report.judgedCount} candles from ${dayOf(report.judgedFrom)} on`],
      ["warm-up", `${report.warmupCount} candles until all is defined`],
      ["settled", report.settledCount === null ? "not yet" : `${report.settledCount} candles`]
    ]),
    table(
      ["history", "fills", "candles that differ", "first"],
      [
        ...report.rows.map((row) => [
          row.candleCount,
          row.fillCount,
          row.differingCount,
          row.firstDifferenceAt === null ? null : dayOf(row.firstDifferenceAt)
        ]),
        [report.historyCount, report.fillCount, 0, null]
      ]
    )
  ].join("\n")

const warmupJson = (report: WarmupReport) => ({
  warmup_candles: report.warmupCount,
  judged_from: toTimestamp(report.judgedFrom),
  judged_candles: report.judgedCount,
  history_candles: report.historyCount,
  fill_count: report.fillCount,
  settled_candles: report.settledCount,
  rows: report.rows.map((row) => ({
    history_candles: row.candleCount,
    fill_count: row.fillCount,
    differing_count: row.differingCount,
    first_difference_at: row.firstDifferenceAt && toTimestamp(row.firstDifferenceAt)
  }))
})

const Judged = Schema.Struct({ from: Schema.optionalKey(Timestamp) })

const warmup = Command.make("warmup", { ...flags, from }, (given) =>
  analyzed(given, (markets, strategy) =>
    Effect.gen(function* () {
      const judged = yield* request(Judged, { from: moment(given.from) })
      const first = judged.from === undefined ? null : fromTimestamp(judged.from)
      const clock = markets[analyzedDefinition(strategy).symbols[0]]!
      if (first !== null && !(first > clock.time[0]! && first <= clock.time[clock.length - 1]!)) {
        return yield* refused(`--from lies outside the candles: ${candlesLine(markets, strategy)}`)
      }
      const values = yield* valuesOf(given)
      const report = yield* compute(() => analyzeWarmup(markets, strategy, values, first))
      yield* tellFewFills(report.fillCount)
      yield* show(warmupJson(report), () => warmupText(report, candlesLine(markets, strategy)))
    })
  )
).pipe(Command.withDescription("Show how many earlier candles change a strategy's decisions"))

/** `candlewick analyze`. @category commands @since 0.1.0 */
export const analyze = Command.make("analyze").pipe(
  Command.withDescription("Analyses of a strategy: lookahead, warmup"),
  Command.withSubcommands([lookAhead, warmup])
)
