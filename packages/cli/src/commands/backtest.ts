/**
 * `candlewick backtest`: one strategy on past candles.
 *
 * @since 0.1.0
 */
import {
  BacktestRequest,
  ImportSymbol,
  readOptionFields,
  StrategyRequest,
  TimeframeOrAlias
} from "@candlewick/core/domain"
import { isMultipleOf } from "@candlewick/engine"
import type { BacktestResults } from "@candlewick/http/api"
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { basename } from "node:path"
import { type Connection, type ConnectionTarget, withApi } from "../terminal/Connections.ts"
import { refused, wrongUse } from "../terminal/failures.ts"
import { DataFlag, UrlFlag } from "../terminal/flags.ts"
import { number, pairs, percent, say, show } from "../terminal/output.ts"
import { runToEnd } from "../terminal/runs.ts"
import {
  type CandlesGiven,
  candlesFlags,
  candlesNames,
  flagWithoutFile,
  refusedByFlags,
  sayNotes
} from "./candleFile.ts"
import { bytesOf } from "./candles.ts"
import { checkDetached } from "./generate.ts"
import {
  amount,
  detach,
  from,
  splitList,
  moment,
  parameters,
  parametersOf,
  request,
  symbolsFlag,
  textFlag,
  to
} from "./options.ts"
import { isFile, readStrategy } from "./strategyFile.ts"

/** A strategy of a file, or one that is kept. @category arguments @since 0.1.0 */
export const strategyArgument = Argument.String("strategy").pipe(
  Argument.withDescription("A strategy's file, or the id of one that is kept")
)

type Results = typeof BacktestResults.Type

const summary = (results: Results): string => {
  const { benchmark, config, data_quality: data = [], metrics = {} } = results
  const costs = config?.fees
  return [
    pairs([
      ["id", results.id],
      ["status", results.status],
      ...data.map(
        ({ candle_count, first_at, hash, last_at, symbol, timeframe }) =>
          [
            "candles",
            `${symbol} ${timeframe}, ${candle_count} from ${first_at.slice(0, 10)} to ${last_at.slice(0, 10)}, hash ${hash.slice(0, 12)}`
          ] as const
      ),
      ["total return", percent(metrics["total_return"])],
      ["holding", percent(benchmark?.buy_and_hold["total_return"])],
      ["maximum drawdown", percent(metrics["max_drawdown"])],
      ["sharpe ratio", number(metrics["sharpe"])],
      ["positions", results.position_count],
      ["win rate", percent(metrics["win_rate"])],
      ["time in the market", percent(metrics["exposure_time"])],
      ["fees paid", `${number(metrics["fees_paid"])} ${results.currency ?? ""}`.trim()],
      [
        "costs",
        costs === null || costs === undefined ? "the market's" : `taker ${percent(costs.taker)}`
      ]
    ])
  ].join("\n")
}

/** The id of a strategy: its own, or that of a file's, which is kept. @category conversions */
export const strategyIdOf = Effect.fnUntraced(function* ({ client }: Connection, strategy: string) {
  if (!isFile(strategy)) return strategy
  const { definition, name } = yield* readStrategy(strategy)
  const payload = yield* request(StrategyRequest, { name, definition })
  const { id } = yield* client.strategies.write({ payload })
  return id
})

const Imported = Schema.Struct({
  symbol: ImportSymbol,
  timeframe: Schema.optionalKey(TimeframeOrAlias),
  source: Schema.String,
  ...readOptionFields
})

const Wanted = Schema.Struct({ timeframe: TimeframeOrAlias })

/**
 * Imports the candles of a file under the one market of a strategy. Gives the timeframe of the
 * file, and fails where the candles that the run wants can't be built of the file's.
 *
 * @category conversions
 */
export const importUnder = Effect.fnUntraced(function* (
  { client }: Connection,
  [symbol, other]: ReadonlyArray<string>,
  path: string,
  given: CandlesGiven,
  wanted: string
) {
  if (other !== undefined) {
    return yield* wrongUse("--candles has one market: import the others with `candles import`")
  }
  const { candles_timeframe: length, entry, columns, date_order, decimal, time_unit, zone } = given
  const times = { date_order, time_unit, timeframe: length, zone }
  const reading = { columns, decimal, file: entry, ...times }
  const query = yield* request(Imported, { symbol, source: basename(path), ...reading })
  const { timeframe } = yield* request(Wanted, { timeframe: wanted })
  const payload = yield* bytesOf(path)
  const importing = client.candles.import({ query, payload })
  const imported = yield* refusedByFlags(candlesNames)(importing)
  yield* sayNotes(imported.reading, candlesNames)
  const { timeframe: fileTimeframe } = imported
  if (!isMultipleOf(timeframe, fileTimeframe)) {
    return yield* refused(
      `${path} has candles of ${fileTimeframe}: candles of ${timeframe} can't be built of these.`
    )
  }
  return fileTimeframe
})

/** Imports the candles of a file, if one is named, under the market of a strategy's file. */
export const importFor = Effect.fnUntraced(function* (
  connection: Connection,
  given: CandlesGiven & {
    readonly strategy: string
    readonly timeframe: Option.Option<string>
  }
) {
  const { candles, strategy, timeframe } = given
  if (Option.isNone(candles)) return undefined
  if (!isFile(strategy)) return yield* wrongUse("--candles goes with a strategy's file")
  const { definition } = yield* readStrategy(strategy)
  const wanted = Option.getOrElse(timeframe, () => definition.timeframe)
  return yield* importUnder(connection, definition.symbols, candles.value, given, wanted)
})

/**
 * The place where a command with a file of candles works: in memory and without sample candles. It
 * ignores the environment. So a run on a file is on that file alone. A server or a directory beside
 * the file is refused, because both would keep the candles.
 */
export const placeFor = (given: CandlesGiven) =>
  Effect.gen(function* () {
    const changed: Partial<ConnectionTarget> = {}
    const flag = flagWithoutFile(given)
    if (flag !== null) return yield* wrongUse(`${flag} goes with --candles`)
    if (Option.isNone(given.candles)) return changed
    if (Option.isSome(yield* UrlFlag) || Option.isSome(yield* DataFlag)) {
      return yield* wrongUse(
        "--candles works in memory: leave --url and --data out, or import the file there first " +
          "with `candles import`"
      )
    }
    return {
      url: null,
      directory: ":memory:",
      hasSampleCandles: false
    } satisfies Partial<ConnectionTarget>
  })

/** The flags of a backtest. @category flags @since 0.1.0 */
export const backtestFlags = {
  strategy: strategyArgument,
  ...candlesFlags,
  symbols: symbolsFlag,
  timeframe: textFlag("timeframe", "The length of a candle; the strategy's without it"),
  from,
  to,
  capital: amount("capital", "The capital at the start"),
  fill: textFlag("fill", "Where market orders fill: next_open or close"),
  slippage: amount("slippage", "The slippage of each fill, as a fraction"),
  version: Flag.Int("strategy-version").pipe(
    Flag.withDescription("A version of the strategy"),
    Flag.optional
  ),
  set: parameters,
  detach
}

type Given = Command.Command.Config.Infer<typeof backtestFlags>

/** Carries a backtest out, and gives its results. @category runs @since 0.1.0 */
export const requestBacktest = Effect.fnUntraced(function* (connection: Connection, given: Given) {
  const { client, isEmbedded } = connection
  yield* checkDetached(given.detach, isEmbedded)
  yield* importFor(connection, given)
  const payload = yield* request(BacktestRequest, {
    strategy_id: yield* strategyIdOf(connection, given.strategy),
    strategy_version: given.version,
    symbols: splitList(given.symbols),
    timeframe: given.timeframe,
    from: moment(given.from),
    to: moment(given.to),
    initial_capital: given.capital,
    fill: given.fill,
    slippage: given.slippage,
    parameters: parametersOf(given.set)
  })
  const start = client.backtests.start({ headers: {}, payload })
  const run = given.detach
    ? yield* start
    : yield* runToEnd({
        what: "backtest",
        start,
        read: (id) => client.backtests.get({ params: { id } }),
        cancel: (id) => client.backtests.cancel({ params: { id } }),
        isOver: ({ status }) => status !== "queued" && status !== "running"
      })
  return yield* client.backtests.results({ params: { id: run.id } })
})

/** `candlewick backtest`. @category commands @since 0.1.0 */
export const backtestCommand = Command.make("backtest", backtestFlags, (given) =>
  Effect.flatMap(placeFor(given), (place) =>
    withApi(
      (connection) =>
        Effect.gen(function* () {
          const results = yield* requestBacktest(connection, given)
          yield* Effect.forEach(results.warnings ?? [], (warning) => say(`warning: ${warning}`))
          yield* show(results, summary)
          if (!given.detach && results.status !== "completed") {
            return yield* refused(results.error?.message ?? `The backtest is ${results.status}.`)
          }
        }),
      place
    )
  )
).pipe(Command.withDescription("Run a strategy on past candles, with costs"))
