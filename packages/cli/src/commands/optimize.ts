/**
 * `candlewick optimize`: a search for better parameters.
 *
 * @since 0.1.0
 */
import { OptimizeRequest } from "@candlewick/core/domain"
import type { OptimizationResults } from "@candlewick/http/api"
import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { withApi } from "../terminal/Connections.ts"
import { refused } from "../terminal/failures.ts"
import { number, pairs, say, show, table } from "../terminal/output.ts"
import { carryOut } from "../terminal/runs.ts"
import { candlesFlag, importFor, placeFor, strategyArgument, strategyIdOf } from "./backtest.ts"
import { checkDetached } from "./generate.ts"
import { amount, detach, from, listed, moment, request, symbols, text, to } from "./options.ts"

type Results = typeof OptimizationResults.Type

const namesOf = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(" ")

const summary = (results: Results): string => {
  const { best, config, original } = results
  const objective = config?.objective ?? "objective"
  const row = (name: string, found: Results["best"]) =>
    found === null || found === undefined
      ? [name, null, null, null]
      : [
          name,
          namesOf(found.parameters),
          number(found.in_sample.metrics[objective]),
          number(found.out_of_sample.metrics[objective])
        ]
  return [
    pairs([
      ["id", results.id],
      ["status", results.status],
      ["trials", results.trial_count],
      ["eligible", results.eligible_count],
      ["judged from", config?.split_at]
    ]),
    table(
      ["", "parameters", `${objective} in sample`, "out of sample"],
      [row("best", best), row("original", original)]
    )
  ].join("\n")
}

const flags = {
  strategy: strategyArgument,
  candles: candlesFlag,
  objective: text("objective", "What the parameters are to be good at: sharpe, calmar, …"),
  method: text("method", "How parameters are proposed: grid or random"),
  trials: amount("trials", "How many sets of parameters are tried at most"),
  symbols,
  timeframe: text("timeframe", "The length of a candle; the strategy's without it"),
  from,
  to,
  capital: amount("capital", "The capital at the start"),
  seed: amount("seed", "Equal seeds try equal parameters"),
  detach
}

/** `candlewick optimize`. @category commands @since 0.1.0 */
export const optimize = Command.make("optimize", flags, (given) =>
  Effect.flatMap(placeFor(given.candles), (place) =>
    withApi(
      (connection) =>
        Effect.gen(function* () {
          const { client, isEmbedded } = connection
          yield* checkDetached(given.detach, isEmbedded)
          if (Option.isSome(given.candles)) {
            yield* importFor(connection, given.strategy, given.candles.value)
          }
          const payload = yield* request(OptimizeRequest, {
            strategy_id: yield* strategyIdOf(connection, given.strategy),
            objective: given.objective,
            method: given.method,
            max_trials: given.trials,
            symbols: listed(given.symbols),
            timeframe: given.timeframe,
            from: moment(given.from),
            to: moment(given.to),
            initial_capital: given.capital,
            seed: given.seed
          })
          const start = client.optimizations.start({ headers: {}, payload })
          const run = given.detach
            ? yield* start
            : yield* carryOut({
                what: "optimization",
                start,
                read: (id) => client.optimizations.status({ params: { id } }),
                cancel: (id) => client.optimizations.cancel({ params: { id } }),
                isOver: ({ status }) => status !== "queued" && status !== "running"
              })
          const results = yield* client.optimizations.results({ params: { id: run.id } })
          yield* Effect.forEach(results.warnings ?? [], (warning) => say(`warning: ${warning}`))
          yield* show(results, summary)
          if (!given.detach && results.status !== "completed") {
            return yield* refused(results.error?.message ?? `The search is ${results.status}.`)
          }
        }),
      place
    )
  )
).pipe(Command.withDescription("Search for better parameters, in and out of sample"))
