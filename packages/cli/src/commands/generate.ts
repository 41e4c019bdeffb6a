/**
 * `candlewick generate`: a search for a strategy.
 *
 * @since 0.1.0
 */
import { GenerateRequest } from "@candlewick/core/domain"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { withApi } from "../terminal/Connections.ts"
import { refused, wrongUse } from "../terminal/failures.ts"
import { pairs, say, show } from "../terminal/output.ts"
import { runToEnd } from "../terminal/runs.ts"
import { amount, detach, from, splitList, moment, request, symbolsFlag, to } from "./options.ts"

const flags = {
  objective: Flag.String("objective").pipe(
    Flag.withDescription("The metric to search for: sharpe, calmar, total_return, …"),
    Flag.withDefault("sharpe")
  ),
  risk: Flag.String("risk").pipe(
    Flag.withDescription("The tolerance of risk: low, medium or high"),
    Flag.withDefault("medium")
  ),
  timeframe: Flag.String("timeframe").pipe(Flag.withDescription("The length of a candle: 1h")),
  symbols: symbolsFlag,
  from,
  to,
  seed: amount("seed", "Equal seeds find equal strategies"),
  candidates: amount("max-candidates", "How many candidates are tried at most"),
  detach
}

/** Only a server goes on with a run after the command. @category checks @since 0.1.0 */
export const checkDetached = (isDetached: boolean, isEmbedded: boolean) =>
  isDetached && isEmbedded
    ? Effect.fail(wrongUse("--detach leaves the run to a server: name one with --url."))
    : Effect.void

/** `candlewick generate`. @category commands @since 0.1.0 */
export const generate = Command.make("generate", flags, (given) =>
  withApi(({ client, isEmbedded }) =>
    Effect.gen(function* () {
      yield* checkDetached(given.detach, isEmbedded)
      const payload = yield* request(GenerateRequest, {
        objective: given.objective,
        risk_tolerance: given.risk,
        timeframe: given.timeframe,
        symbols: splitList(given.symbols),
        from: moment(given.from),
        to: moment(given.to),
        seed: given.seed,
        max_candidates: given.candidates
      })
      const start = client.strategies.generate({ headers: {}, payload })
      const strategy = given.detach
        ? yield* start
        : yield* runToEnd({
            what: "generation",
            start,
            read: (id) => client.strategies.get({ params: { id } }),
            cancel: (id) => client.strategies.cancel({ params: { id } }),
            isOver: ({ status }) => status !== "generating"
          })
      yield* Effect.forEach(strategy.warnings, (warning) => say(`warning: ${warning}`))
      yield* show(strategy, ({ description, evidence, verdict }) =>
        [
          pairs([
            ["id", strategy.id],
            ["name", strategy.name],
            ["status", strategy.status],
            ["verdict", verdict]
          ]),
          ...(description ?? []),
          ...(evidence?.gates ?? []).map((gate) => `${gate.is_passed ? "+" : "-"} ${gate.sentence}`)
        ].join("\n")
      )
      if (!given.detach && strategy.status !== "ready") {
        return yield* refused(strategy.error?.message ?? `The generation is ${strategy.status}.`)
      }
    })
  )
).pipe(
  Command.withDescription(
    "Search for a strategy, and judge it on candles that the search never saw"
  )
)
