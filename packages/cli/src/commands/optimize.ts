/**
 * `candlewick optimize`: a search for better parameters.
 *
 * @since 0.1.0
 */
import { OptimizeRequest } from "@candlewick/core/domain"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { withApi } from "../terminal/Connections.ts"
import { refused } from "../terminal/failures.ts"
import { say, show } from "../terminal/output.ts"
import { runToEnd } from "../terminal/runs.ts"
import { importFor, placeFor, strategyArgument, strategyIdOf } from "./backtest.ts"
import { candlesFlags } from "./candleFile.ts"
import { checkDetached } from "./generate.ts"
import {
  amount,
  detach,
  from,
  splitList,
  moment,
  dropMissing,
  request,
  symbolsFlag,
  textFlag,
  to
} from "./options.ts"
import { searchSummary } from "./searchSummary.ts"

/**
 * Walking forward as it was asked for, a part of it too, so that the command reports its faults.
 */
const walkForwardOf = (fields: Readonly<Record<string, unknown>>) => {
  const given = dropMissing(fields)
  return Object.keys(given).length === 0 ? undefined : given
}

const flags = {
  strategy: strategyArgument,
  ...candlesFlags,
  objective: textFlag("objective", "The metric to search for: sharpe, calmar, …"),
  method: textFlag("method", "How parameters are proposed: grid or random"),
  trials: amount("trials", "How many sets of parameters are tried at most"),
  symbols: symbolsFlag,
  timeframe: textFlag("timeframe", "The length of a candle; the strategy's without it"),
  from,
  to,
  constraint: Flag.String("constraint").pipe(
    Flag.withDescription("A condition on the parameters; once for each: --constraint fast<slow"),
    Flag.between(0, 50)
  ),
  walkForward: textFlag(
    "walk-forward",
    "Choose in windows, and test each choice on the next: rolling or anchored"
  ),
  windows: amount("windows", "How many windows walking forward has, 2 to 20"),
  trainRate: amount("train-rate", "The share of candles that the first window chooses on"),
  capital: amount("capital", "The capital at the start"),
  seed: amount("seed", "Equal seeds try equal parameters"),
  detach
}

/** `candlewick optimize`. @category commands @since 0.1.0 */
export const optimize = Command.make("optimize", flags, (given) =>
  Effect.flatMap(placeFor(given), (place) =>
    withApi(
      (connection) =>
        Effect.gen(function* () {
          const { client, isEmbedded } = connection
          yield* checkDetached(given.detach, isEmbedded)
          yield* importFor(connection, given)
          const payload = yield* request(OptimizeRequest, {
            strategy_id: yield* strategyIdOf(connection, given.strategy),
            objective: given.objective,
            method: given.method,
            max_trials: given.trials,
            constraints: given.constraint.length === 0 ? undefined : given.constraint,
            walk_forward: walkForwardOf({
              mode: given.walkForward,
              windows: given.windows,
              train_rate: given.trainRate
            }),
            symbols: splitList(given.symbols),
            timeframe: given.timeframe,
            from: moment(given.from),
            to: moment(given.to),
            initial_capital: given.capital,
            seed: given.seed
          })
          const start = client.optimizations.start({ headers: {}, payload })
          const run = given.detach
            ? yield* start
            : yield* runToEnd({
                what: "optimization",
                start,
                read: (id) => client.optimizations.status({ params: { id } }),
                cancel: (id) => client.optimizations.cancel({ params: { id } }),
                isOver: ({ status }) => status !== "queued" && status !== "running"
              })
          const results = yield* client.optimizations.results({ params: { id: run.id } })
          yield* Effect.forEach(results.warnings ?? [], (warning) => say(`warning: ${warning}`))
          yield* show(results, searchSummary)
          if (!given.detach && results.status !== "completed") {
            return yield* refused(results.error?.message ?? `The search is ${results.status}.`)
          }
        }),
      place
    )
  )
).pipe(Command.withDescription("Search for better parameters, in and out of sample"))
