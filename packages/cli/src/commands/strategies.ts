/**
 * `candlewick strategy`: files of strategies, and the strategies that are kept.
 *
 * @since 0.1.0
 */
import { describeStrategy } from "@candlewick/engine"
import { StrategyRequest } from "@candlewick/core/domain"
import { Effect, type Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { existsSync, writeFileSync } from "node:fs"
import { withApi } from "../terminal/Connections.ts"
import { refused } from "../terminal/failures.ts"
import { pairs, show, table } from "../terminal/output.ts"
import { pathOf } from "./paths.ts"
import { file, idArgument, limitFlag, request, textFlag } from "./options.ts"
import { starterOf } from "./starter.ts"
import { isFile, readStrategy } from "./strategyFile.ts"
import { apply } from "./trials.ts"

const write = (path: string, content: Schema.Json) =>
  existsSync(pathOf(path))
    ? Effect.fail(refused(`${path} is there already.`))
    : Effect.sync(() => writeFileSync(pathOf(path), `${JSON.stringify(content, null, 2)}\n`))

const fresh = {
  symbol: Flag.String("symbol").pipe(
    Flag.withDescription("The market that it trades"),
    Flag.withDefault("BTC/USD")
  ),
  timeframe: Flag.String("timeframe").pipe(
    Flag.withDescription("The length of a candle"),
    Flag.withDefault("1d")
  )
}

/** Writes a strategy to begin with. @category commands @since 0.1.0 */
export const newStrategy = (path: string, symbol: string, timeframe: string) =>
  Effect.gen(function* () {
    yield* write(path, starterOf(symbol, timeframe))
    const { definition } = yield* readStrategy(path)
    yield* show({ file: path, definition }, () =>
      [`wrote  ${path}`, ...describeStrategy(definition)].join("\n")
    )
  })

const create = Command.make(
  "new",
  { file: file("The file to write: my-strategy.json"), ...fresh },
  (given) => newStrategy(given.file, given.symbol, given.timeframe)
).pipe(Command.withDescription("Write a file with a strategy to begin with"))

const check = Command.make("check", { file: file("A strategy's file") }, (given) =>
  Effect.gen(function* () {
    const { definition } = yield* readStrategy(given.file)
    const { parameters, symbols, timeframe } = definition
    const found = { file: given.file, is_valid: true, symbols, timeframe, parameters }
    yield* show(found, () => `${given.file} can run: ${symbols.join(", ")} on ${timeframe} candles`)
  })
).pipe(Command.withDescription("Check a strategy's file, and tell every fault"))

const described = Argument.String("strategy").pipe(
  Argument.withDescription("A strategy's file, or the id of one that is kept")
)

const describe = Command.make("describe", { strategy: described }, ({ strategy }) =>
  Effect.gen(function* () {
    if (isFile(strategy)) {
      const { definition } = yield* readStrategy(strategy)
      const sentences = describeStrategy(definition)
      return yield* show({ description: sentences }, () => sentences.join("\n"))
    }
    return yield* withApi(({ client }) =>
      Effect.flatMap(client.strategies.get({ params: { id: strategy } }), (kept) =>
        show(kept, ({ description, name, status, verdict, version }) =>
          [
            pairs([
              ["name", name],
              ["status", status],
              ["version", version],
              ["verdict", verdict]
            ]),
            ...(description ?? [])
          ].join("\n")
        )
      )
    )
  })
).pipe(Command.withDescription("Tell a strategy in sentences"))

const add = Command.make(
  "add",
  { file: file("A strategy's file"), name: textFlag("name", "Its name; the file's without it") },
  (given) =>
    withApi(({ client }) =>
      Effect.gen(function* () {
        const { definition, name } = yield* readStrategy(given.file)
        const payload = yield* request(StrategyRequest, {
          name: given.name._tag === "Some" ? given.name.value : name,
          definition
        })
        yield* show(yield* client.strategies.write({ payload }), (kept) =>
          pairs([
            ["id", kept.id],
            ["name", kept.name],
            ["version", kept.version]
          ])
        )
      })
    )
).pipe(Command.withDescription("Keep the strategy of a file"))

const list = Command.make("list", { limit: limitFlag }, (given) =>
  withApi(({ client }) =>
    Effect.flatMap(client.strategies.list({ query: { limit: given.limit } }), (page) =>
      show(page, ({ data }) =>
        table(
          ["id", "name", "status", "symbols", "timeframe", "verdict", "version"],
          data.map((one) => [
            one.id,
            one.name,
            one.status,
            one.symbols.join(","),
            one.timeframe,
            one.verdict,
            one.version
          ])
        )
      )
    )
  )
).pipe(Command.withDescription("List the strategies that are kept, newest first"))

const versions = Command.make(
  "versions",
  { id: idArgument("A strategy's id"), limit: limitFlag },
  (given) =>
    withApi(({ client }) =>
      Effect.flatMap(
        client.strategies.versions({ params: { id: given.id }, query: { limit: given.limit } }),
        (page) =>
          show(page, ({ data }) =>
            table(
              ["version", "origin", "from", "definition", "made"],
              data.map(({ created_at, definition_hash, lineage, version }) => [
                version,
                lineage.origin,
                lineage.from_version,
                definition_hash.slice(0, 12),
                created_at
              ])
            )
          )
      )
    )
).pipe(Command.withDescription("List the versions of a strategy, newest first"))

/** `candlewick strategy`. @category commands @since 0.1.0 */
export const strategies = Command.make("strategy").pipe(
  Command.withDescription("Strategies: new, check, describe, add, list, versions, apply"),
  Command.withSubcommands([create, check, describe, add, list, versions, apply])
)
