/**
 * The whole command line.
 *
 * @since 0.1.0
 */
import { Context, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { halt, resume } from "../commands/account.ts"
import { analyze } from "../commands/analyze.ts"
import { backtestCommand } from "../commands/backtest.ts"
import { botsCommand } from "../commands/bots.ts"
import { candlesCommand } from "../commands/candles.ts"
import { generate } from "../commands/generate.ts"
import { file } from "../commands/options.ts"
import { optimize } from "../commands/optimize.ts"
import { report } from "../commands/report.ts"
import { newStrategy, strategies } from "../commands/strategies.ts"
import { trials } from "../commands/trials.ts"
import { webhooksCommand } from "../commands/webhooks.ts"
import { targetOf } from "../terminal/Connections.ts"
import { wrongUse } from "../terminal/failures.ts"
import { sharedFlags } from "../terminal/flags.ts"
import { dataPathOf, pathOf } from "../commands/paths.ts"
import { accountsCommand, keys } from "./accounts.ts"
import { serverModules } from "./connections.ts"
import { doctor } from "./doctor.ts"
import { mcp } from "./mcp.ts"

/** The work of the process once the command is over. @category services @since 0.1.0 */
export class Afterwards extends Context.Service<
  Afterwards,
  { readonly run: (work: () => void) => void }
>()("@candlewick/cli/main/Afterwards") {}

const serve = Command.make(
  "serve",
  {
    port: Flag.Int("port").pipe(Flag.withDescription("The port (PORT, else 8080)"), Flag.optional),
    host: Flag.String("host").pipe(
      Flag.withDescription("The address (HOST, else 127.0.0.1)"),
      Flag.optional
    )
  },
  (given) =>
    Effect.gen(function* () {
      const { directory, url } = yield* targetOf
      if (url !== null) return yield* wrongUse("serve starts a server here: leave --url out.")
      const { run } = yield* Afterwards
      if (Option.isSome(given.port)) process.env["PORT"] = String(given.port.value)
      if (Option.isSome(given.host)) process.env["HOST"] = given.host.value
      if (directory !== null) process.env["CANDLEWICK_DATA_DIR"] = dataPathOf(directory)
      const { start } = yield* serverModules
      // The server has the process, and its signals, to itself.
      run(() => start([]))
    })
).pipe(Command.withDescription("Start a server"))

const init = Command.make(
  "init",
  { folder: file("The folder; made where it is missing") },
  (given) =>
    Effect.gen(function* () {
      yield* Effect.sync(() => mkdirSync(pathOf(given.folder), { recursive: true }))
      yield* newStrategy(join(given.folder, "strategy.json"), "BTC/USD", "1d")
    })
).pipe(Command.withDescription("Make a folder with a strategy to begin with"))

/** The whole command line. @category commands @since 0.1.0 */
export const command = Command.make("candlewick").pipe(
  Command.withDescription(
    "Trading strategies: generate, optimise, backtest, and run them as bots. " +
      "Works on a data directory in its own process, or on a server with --url."
  ),
  Command.withSubcommands([
    serve,
    init,
    doctor,
    candlesCommand,
    strategies,
    generate,
    backtestCommand,
    optimize,
    analyze,
    trials,
    report,
    botsCommand,
    halt,
    resume,
    accountsCommand,
    keys,
    webhooksCommand,
    mcp
  ]),
  Command.withGlobalFlags(sharedFlags)
)
