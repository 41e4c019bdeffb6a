/**
 * Tools for runs: generations, optimizations and backtests, which take their time.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Schema, Struct } from "effect"
import type { Ask, JsonObject } from "../askApi.ts"
import type { ToolRefusal } from "../ToolRefusal.ts"
import { tool, type ToolRow } from "../ToolRow.ts"
import { limit, limitDefault, optionalText, stretch, symbols, text, values } from "./parameters.ts"
import { heads } from "./strategyTools.ts"

const seed = Schema.optionalKey(
  Schema.Int.annotate({ description: "The same seed gives the same result." })
)

const objective = text(
  "What is best: total_return, sharpe, sortino, calmar, omega, profit_factor, expectancy, sqn or " +
    "max_drawdown."
)

const nextStep = "Call wait_for_run with this id until its status is no longer queued or running."

const begun = (record: JsonObject): JsonObject => ({
  ...Struct.pick(record, ["id", "status"]),
  next: nextStep
})

const kinds = ["generation", "optimization", "backtest"] as const

type Kind = (typeof kinds)[number]

const look = (ask: Ask, kind: Kind, id: string): Effect.Effect<JsonObject, ToolRefusal> => {
  const params = { id }
  if (kind === "generation") return ask("strategies", "get", { params })
  if (kind === "optimization") return ask("optimizations", "status", { params })
  return ask("backtests", "get", { params })
}

const underWay: ReadonlyArray<unknown> = ["queued", "running", "generating", "pending"]

const pollMs = 500
const waitMaxSeconds = 20

const waitFor = Effect.fnUntraced(function* (
  ask: Ask,
  kind: Kind,
  id: string,
  seconds: number
): Effect.fn.Return<JsonObject, ToolRefusal> {
  const untilMs = (yield* Clock.currentTimeMillis) + seconds * 1_000
  let record = yield* look(ask, kind, id)
  while (underWay.includes(record["status"]) && (yield* Clock.currentTimeMillis) < untilMs) {
    yield* Effect.sleep(pollMs)
    record = yield* look(ask, kind, id)
  }
  const fields = ["id", "name", "status", "progress", "step", "eta_seconds", "error", "verdict"]
  const shown = Object.fromEntries(Object.entries(record).filter(([name]) => fields.includes(name)))
  return underWay.includes(record["status"]) ? { ...shown, next: nextStep } : shown
})

const summaryFields = [
  "id",
  "strategy_id",
  "status",
  "error",
  "config",
  "metrics",
  "metric_reasons",
  "benchmark",
  "trade_count",
  "position_count",
  "overlaps_training",
  "warnings",
  "best_path_return",
  "worst_path_return"
]

const summaryOf = (results: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(results).filter(([name]) => summaryFields.includes(name)))

const compared = (all: ReadonlyArray<JsonObject>): JsonObject => {
  const metricsOf = (one: JsonObject) => (one["metrics"] ?? {}) as JsonObject
  const names = [...new Set(all.flatMap((one) => Object.keys(metricsOf(one))))]
  return {
    backtests: all.map((one) => Struct.pick(one, ["id", "strategy_id", "status", "warnings"])),
    metrics: Object.fromEntries(
      names.map((name) => [name, all.map((one) => metricsOf(one)[name] ?? null)])
    )
  }
}

/** Tools that read the results of runs. */
const readingTools: ReadonlyArray<ToolRow> = [
  tool({
    name: "wait_for_run",
    title: "Wait for a run",
    description: "Waits until a run is over, 20 seconds at most, and says how far it is.",
    kind: "reads",
    parameters: Schema.Struct({
      kind: Schema.Literals(kinds),
      id: text("The id that starting the run answered with."),
      seconds: Schema.optionalKey(
        Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: waitMaxSeconds }))
      )
    }),
    run: (ask, { id, kind, seconds = waitMaxSeconds }) => waitFor(ask, kind, id, seconds)
  }),
  tool({
    name: "read_backtest",
    title: "Read a backtest",
    description: "Shows the metrics of a backtest, beside buying and holding, with its warnings.",
    kind: "reads",
    parameters: Schema.Struct({ backtest_id: text("The id of a backtest, bt_…") }),
    run: (ask, { backtest_id }) =>
      Effect.map(ask("backtests", "results", { params: { id: backtest_id } }), summaryOf)
  }),
  tool({
    name: "compare_backtests",
    title: "Compare backtests",
    description: "Puts the metrics of two to five backtests side by side, in the order given.",
    kind: "reads",
    parameters: Schema.Struct({
      backtest_ids: Schema.Array(Schema.String).check(Schema.isMinLength(2), Schema.isMaxLength(5))
    }),
    run: (ask, { backtest_ids }) =>
      Effect.map(
        Effect.forEach(backtest_ids, (id) => ask("backtests", "results", { params: { id } })),
        compared
      )
  }),
  tool({
    name: "read_optimization",
    title: "Read an optimization",
    description:
      "Shows the best parameters of a search in and out of sample, with the doubts about them. " +
      "Report the figures out of sample, and the warnings.",
    kind: "reads",
    parameters: Schema.Struct({ optimization_id: text("The id of an optimization, opt_…") }),
    run: (ask, { optimization_id }) =>
      ask("optimizations", "results", { params: { id: optimization_id } })
  }),
  tool({
    name: "list_trials",
    title: "List trials",
    description: "Lists the trials of a search with their metrics, best first.",
    kind: "reads",
    parameters: Schema.Struct({
      optimization_id: text("The id of an optimization, opt_…"),
      limit,
      sort: optionalText("objective, index, parameters.<name> or the name of a metric.")
    }),
    run: (ask, { limit = 10, optimization_id, sort }) =>
      ask("optimizations", "trials", { params: { id: optimization_id }, query: { limit, sort } })
  }),
  tool({
    name: "list_candles",
    title: "List candles",
    description: "Lists the series of candles that runs may use: market, timeframe, range, gaps.",
    kind: "reads",
    parameters: Schema.Struct({ limit }),
    run: (ask, { limit = limitDefault }) =>
      Effect.map(ask("candles", "list", { query: { limit } }), (page) =>
        heads(page, [
          "symbol",
          "timeframe",
          "first_at",
          "last_at",
          "candle_count",
          "gap_count",
          "synthetic"
        ])
      )
  })
]

/** Tools for runs. @category tables @since 0.1.0 */
export const runTools: ReadonlyArray<ToolRow> = [
  ...readingTools,
  tool({
    name: "generate_strategy",
    title: "Generate a strategy",
    description:
      "Searches for a strategy and judges it on candles that chose nothing. no_edge_found is a " +
      "normal answer.",
    kind: "writes",
    parameters: Schema.Struct({
      objective,
      risk_tolerance: Schema.Literals(["low", "medium", "high"]),
      timeframe: text("Such as 1h or 1d."),
      symbols,
      ...stretch,
      seed,
      max_candidates: Schema.optionalKey(Schema.Int)
    }),
    run: (ask, body) => Effect.map(ask("strategies", "generate", { body }), begun)
  }),
  tool({
    name: "run_backtest",
    title: "Run a backtest",
    description: "Starts a backtest of a strategy, with its costs.",
    kind: "writes",
    parameters: Schema.Struct({
      strategy_id: text("The id of a strategy, str_…"),
      symbols,
      ...stretch,
      parameters: values,
      initial_capital: Schema.optionalKey(Schema.Finite)
    }),
    run: (ask, body) => Effect.map(ask("backtests", "start", { body }), begun)
  }),
  tool({
    name: "optimize_strategy",
    title: "Optimize a strategy",
    description: "Searches for better parameters, and judges the best on candles held out.",
    kind: "writes",
    parameters: Schema.Struct({
      strategy_id: text("The id of a strategy, str_…"),
      objective: Schema.optionalKey(objective),
      max_trials: Schema.optionalKey(Schema.Int),
      constraints: Schema.optionalKey(
        Schema.Array(Schema.String).annotate({
          description: "A condition on the parameters, such as fast < slow."
        })
      ),
      walk_forward: Schema.optionalKey(
        Schema.Struct({
          mode: Schema.Literals(["rolling", "anchored"]),
          windows: Schema.optionalKey(Schema.Int),
          train_rate: Schema.optionalKey(Schema.Finite)
        }).annotate({
          description: "Chooses in windows too, and tests each choice on the candles after it."
        })
      ),
      symbols,
      ...stretch,
      seed
    }),
    run: (ask, body) => Effect.map(ask("optimizations", "start", { body }), begun)
  }),
  tool({
    name: "apply_parameters",
    title: "Apply parameters",
    description:
      "Makes a trial's parameters the strategy's next version; the best trial's if none is named.",
    kind: "writes",
    parameters: Schema.Struct({
      optimization_id: text("The id of an optimization, opt_…"),
      trial_index: Schema.optionalKey(Schema.Int)
    }),
    run: (ask, { optimization_id, ...body }) =>
      Effect.map(
        ask("optimizations", "apply", { params: { id: optimization_id }, body }),
        (strategy) => Struct.omit(strategy, ["evidence"])
      )
  })
]
