/**
 * Where the API is: a server, or this process over a data directory.
 *
 * @since 0.1.0
 */
import type { EffectClient } from "@candlewick/http/client"
import { Config, Context, Effect, Option, type Redacted, type Scope } from "effect"
import { type CommandFailed, wrongUse } from "./failures.ts"
import { DataFlag, KeyFlag, UrlFlag } from "./flags.ts"

/** The target of a command. @category models @since 0.1.0 */
export interface ConnectionTarget {
  /** A server, or null for this process. */
  readonly url: string | null
  readonly key: Redacted.Redacted<string> | null
  /** A data directory, or null for the one of the settings. */
  readonly directory: string | null
  /** Whether this process begins with sample candles; it does without this. */
  readonly hasSampleCandles?: boolean
}

/** The API, opened. @category models @since 0.1.0 */
export interface Connection {
  readonly client: EffectClient
  /** Whether this process answers, so that runs end with it and no bot is run. */
  readonly isEmbedded: boolean
}

/** Opens the API. @category services @since 0.1.0 */
export class Connections extends Context.Service<
  Connections,
  {
    readonly open: (
      target: ConnectionTarget
    ) => Effect.Effect<Connection, CommandFailed, Scope.Scope>
  }
>()("@candlewick/cli/terminal/Connections") {}

const urlOfEnvironment = Config.option(Config.NonEmptyString("CANDLEWICK_URL"))
const keyOfEnvironment = Config.option(Config.Redacted("CANDLEWICK_KEY"))

/**
 * The target that the flags name, else the environment. A directory that is named stands before a
 * server of the environment.
 *
 * @category conversions
 * @since 0.1.0
 */
export const targetOf = Effect.gen(function* () {
  const directory = Option.getOrNull(yield* DataFlag)
  const flag = yield* UrlFlag
  if (Option.isSome(flag) && directory !== null) {
    return yield* wrongUse("--url is a server and --data a directory of this machine: give one.")
  }
  const url = directory === null && Option.isNone(flag) ? yield* urlOfEnvironment : flag
  const key = yield* KeyFlag
  const target: ConnectionTarget = {
    url: Option.getOrNull(url),
    key: Option.getOrNull(Option.isSome(key) ? key : yield* keyOfEnvironment),
    directory
  }
  return target
}).pipe(Effect.catchTag("ConfigError", ({ message }) => Effect.fail(wrongUse(message))))

/** Opens the API that the flags name while something uses it. @category conversions @since 0.1.0 */
export const withApi = <A, E, R>(
  use: (connection: Connection) => Effect.Effect<A, E, R>,
  changed: Partial<ConnectionTarget> = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { open } = yield* Connections
      const target = yield* targetOf
      return yield* use(yield* open({ ...target, ...changed }))
    })
  )
