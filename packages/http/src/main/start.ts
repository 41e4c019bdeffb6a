/**
 * The server: settings from the environment, every adapter wired, samples loaded, and a first
 * greeting.
 *
 * @since 0.1.0
 */
import { runMain } from "@effect/platform-node/NodeRuntime"
import { operatorAccountId, Accounts, Candles, StoreHealth } from "@candlewick/core"
import { DispatcherHealth } from "@candlewick/webhooks"
import { Cause, Console, Effect, Exit, Layer, Logger, type Runtime } from "effect"
import { HttpServer } from "effect/http"
import { serve } from "../server/serve.ts"
import { backUp, refuseBackUp } from "./backUp.ts"
import { dashboardFolder } from "../server/dashboardFolder.ts"
import { endInTime, requestsEndWithinMs } from "./endInTime.ts"
import { faultText } from "./faultText.ts"
import { greeting } from "./greeting.ts"
import { jsonLog } from "./jsonLog.ts"
import { loadSamples } from "./samples.ts"
import { portIsFree } from "./portIsFree.ts"
import { servicesOf } from "./services.ts"
import { readSettings, type ServerSettings } from "./settings.ts"
import { telemetry } from "./telemetry.ts"
import { unknownVariables } from "./unknownVariables.ts"

/** Prints the address of the server, its key if that is new, and a request to try. */
const greet = (settings: ServerSettings, secret: string | null) =>
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const candles = yield* Candles
    const port = address._tag === "UnixPathAddress" ? settings.port : address.port
    const series = yield* candles.list(operatorAccountId)
    yield* Console.log(
      greeting({ host: settings.host, port, secret, series, store: settings.store })
    )
  })

const program = (settings: ServerSettings) =>
  Effect.gen(function* () {
    yield* loadSamples
    const accounts = yield* Accounts
    const { secret } = yield* accounts.ensureAdmin(settings.apiKey)
    const store = yield* StoreHealth
    const dispatcher = yield* DispatcherHealth
    const checks = { store: store.check, dispatcher: dispatcher.check }
    const { basePath, host, port, trustedProxies } = settings
    const server = serve({
      host,
      port,
      checks,
      dashboard: dashboardFolder(),
      basePath,
      trustedProxies,
      rates: {
        reads: settings.readsPerMinute,
        writes: settings.writesPerMinute,
        runs: settings.runsPerMinute
      },
      mcpOrigins: settings.mcpOrigins,
      shutdownTimeoutMs: requestsEndWithinMs
    })
    return yield* Layer.launch(
      Layer.effectDiscard(greet(settings, secret)).pipe(Layer.provide(server))
    )
  }).pipe(Effect.provide(servicesOf(settings)))

/** A request to end is no failure. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  onExit(Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? 1 : 0)

const tellFault =
  (settings: ServerSettings) =>
  (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
    Cause.hasInterruptsOnly(cause) ? Effect.void : Console.error(faultText(cause, settings))

/** The command that the arguments ask for: a back-up where they say so, the server otherwise. */
const asked = Effect.fnUntraced(function* (
  settings: ServerSettings,
  [command, target]: ReadonlyArray<string>
) {
  if (command === undefined) {
    yield* portIsFree({ host: settings.host, port: settings.port })
    return yield* program(settings)
  }
  if (command !== "backup" || target === undefined) {
    return yield* refuseBackUp("usage: candlewick-server [backup <directory>]")
  }
  yield* backUp(settings.store, target)
  return yield* Console.log(`The back-up is in ${target}.`)
})

/**
 * Starts the server, or makes a back-up, with settings from the environment; the process ends with
 * it.
 *
 * @category models
 * @since 0.1.0
 */
export const start = (args: ReadonlyArray<string>): void => {
  const unknown = unknownVariables(process.env)
  let settings: ServerSettings
  try {
    settings = readSettings(process.env)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    for (const sentence of unknown) console.error(sentence)
    process.exitCode = 1
    return
  }
  const warn = Effect.forEach(unknown, (sentence) => Effect.logWarning(sentence))
  const server = Effect.andThen(warn, asked(settings, args)).pipe(
    Effect.provide(Layer.provideMerge(telemetry(process.env), Logger.layer([jsonLog])))
  )
  endInTime()
  runMain(Effect.tapCause(server, tellFault(settings)), { teardown, disableErrorReporting: true })
}
