/**
 * `candlewick report`: results as one HTML file.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { writeFile } from "node:fs/promises"
import { type Connection, withApi } from "../terminal/Connections.ts"
import { refused } from "../terminal/failures.ts"
import { pairs, show } from "../terminal/output.ts"
import { pathOf } from "./paths.ts"
import { backtestFlags, placeFor, requestBacktest } from "./backtest.ts"

/** The file that a command writes. @category flags @since 0.1.0 */
export const output = (usual: string) =>
  Flag.String("output").pipe(
    Flag.withAlias("o"),
    Flag.withDescription("The file to write"),
    Flag.withDefault(usual)
  )

/** Writes a file, and says which. @category output @since 0.1.0 */
export const writeOutput = Effect.fnUntraced(function* (
  path: string,
  content: string | Uint8Array
) {
  const file = pathOf(path)
  yield* Effect.tryPromise({
    try: () => writeFile(file, content),
    catch: (error) => refused(`${path} can't be written: ${(error as Error).message}`)
  })
  const bytes = Buffer.byteLength(content)
  yield* show({ file, bytes }, () =>
    pairs([
      ["wrote", path],
      ["size", `${Math.ceil(bytes / 1_000)} kB`]
    ])
  )
})

const pageOf = Effect.fnUntraced(function* (connection: Connection, given: Given) {
  const { client } = connection
  const { of } = given
  if (/^opt_\w+$/.test(of)) return yield* client.optimizations.report({ params: { id: of } })
  if (/^bt_\w+$/.test(of)) return yield* client.backtests.report({ params: { id: of } })
  const request = { ...given, strategy: of, detach: false }
  const { error, id, status } = yield* requestBacktest(connection, request)
  if (status !== "completed") {
    return yield* refused(error?.message ?? `The backtest is ${status}.`)
  }
  return yield* client.backtests.report({ params: { id } })
})

const { detach: _detach, strategy: _strategy, ...runFlags } = backtestFlags

const flags = {
  of: Argument.String("of").pipe(
    Argument.withDescription("The id of a backtest or an optimization, or a strategy's file to run")
  ),
  output: output("report.html"),
  ...runFlags
}

type Given = Command.Command.Config.Infer<typeof flags>

/** `candlewick report`. @category commands @since 0.1.0 */
export const report = Command.make("report", flags, (given) =>
  Effect.flatMap(placeFor(given), (place) =>
    withApi(
      (connection) =>
        Effect.flatMap(pageOf(connection, given), (page) => writeOutput(given.output, page)),
      place
    )
  )
).pipe(Command.withDescription("Write results as one HTML file that opens anywhere"))
