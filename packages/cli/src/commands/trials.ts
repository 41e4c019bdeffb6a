/**
 * `candlewick trials`: every trial of a search, and the one that becomes a version.
 *
 * @since 0.1.0
 */
import { ApplyRequest } from "@candlewick/core/domain"
import { Effect, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { withApi } from "../terminal/Connections.ts"
import { pairs, show, table } from "../terminal/output.ts"
import { idArgument, limitFlag, request, textFlag } from "./options.ts"
import { output, writeOutput } from "./report.ts"

const search = idArgument("An optimization's id")

const list = Command.make(
  "list",
  {
    id: search,
    limit: limitFlag,
    sort: textFlag("sort", "By objective, index, position_count, parameters.NAME or a metric")
  },
  (given) =>
    withApi(({ client }) =>
      Effect.gen(function* () {
        const sort = given.sort._tag === "Some" ? { sort: given.sort.value } : {}
        const query = { limit: given.limit, ...sort }
        const page = yield* client.optimizations.trials({ params: { id: given.id }, query })
        yield* show(page, ({ data }) => {
          const names = Object.keys(data[0]?.parameters ?? {})
          return table(
            ["trial", ...names, "objective", "positions", "eligible"],
            data.map(({ index, is_eligible, objective, parameters, position_count }) => [
              index,
              ...names.map((name) => parameters[name]),
              objective,
              position_count,
              is_eligible ? "yes" : "no"
            ])
          )
        })
      })
    )
).pipe(Command.withDescription("List the trials of a search, best first"))

const exportCommand = Command.make(
  "export",
  { id: search, output: output("trials.csv") },
  (given) =>
    withApi(({ client }) =>
      Effect.gen(function* () {
        const params = { id: given.id }
        const bytes = yield* client.optimizations.exportTrials({ params, query: {} })
        const pieces = yield* Stream.runCollect(bytes)
        yield* writeOutput(given.output, Buffer.concat([...pieces]))
      })
    )
).pipe(Command.withDescription("Write every trial with all metrics as CSV"))

/** Makes a trial's parameters a version; `strategy apply` too. @category commands @since 0.1.0 */
export const apply = Command.make(
  "apply",
  {
    id: search,
    trial: Flag.Int("trial").pipe(
      Flag.withDescription("A trial's number; the best without it"),
      Flag.optional
    )
  },
  (given) =>
    withApi(({ client }) =>
      Effect.gen(function* () {
        const payload = yield* request(ApplyRequest, { trial_index: given.trial })
        const strategy = yield* client.optimizations.apply({ params: { id: given.id }, payload })
        yield* show(strategy, (kept) =>
          pairs([
            ["strategy", kept.id],
            ["version", kept.version],
            ...kept.parameters.map((one) => [one.name, one.value] as const)
          ])
        )
      })
    )
).pipe(Command.withDescription("Make a trial's parameters the next version of its strategy"))

/** `candlewick trials`. @category commands @since 0.1.0 */
export const trials = Command.make("trials").pipe(
  Command.withDescription("Trials of a search: list, export, apply"),
  Command.withSubcommands([list, exportCommand, apply])
)
