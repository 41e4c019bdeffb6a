#!/usr/bin/env node
/**
 * The server: settings from the environment, every adapter wired, samples loaded, and a first
 * greeting.
 *
 * @since 0.1.0
 */
import { runMain } from "@effect/platform-node/NodeRuntime"
import {
  Accounts,
  Candles,
  Candlewick,
  PaperBroker,
  RecordedMarketData,
  ReplayRate
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { Webhooks } from "@candlewick/webhooks"
import { Cause, Console, Effect, Exit, Layer, Logger, type Runtime } from "effect"
import { HttpServer } from "effect/http"
import { serve } from "../server/serve.ts"
import { greeting } from "./greeting.ts"
import { loadSamples } from "./samples.ts"
import { readSettings, type ServerSettings } from "./settings.ts"

/** Every service and port of the server, but for HTTP. */
const servicesOf = (settings: ServerSettings) => {
  const webhooks = Webhooks.layerWith({
    allowCidrs: settings.webhookAllowCidrs,
    ports: settings.webhookPorts,
    allowHttp: settings.webhookAllowHttp
  })
  const ports = Layer.mergeAll(PaperBroker.layer, RecordedMarketData.layer, webhooks).pipe(
    Layer.provide(Layer.succeed(ReplayRate, settings.replayRate))
  )
  return Candlewick.layerWith({ size: settings.workers }).pipe(
    Layer.provide(ports),
    Layer.provideMerge(MemoryStore.layer)
  )
}

/** Prints where the server is, its key if that is new, and what to try. */
const greet = (settings: ServerSettings, secret: string | null) =>
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const candles = yield* Candles
    const port = address._tag === "UnixPathAddress" ? settings.port : address.port
    const series = yield* candles.list
    yield* Console.log(greeting({ host: settings.host, port, secret, series }))
  })

const program = (settings: ServerSettings) =>
  Effect.gen(function* () {
    yield* loadSamples
    const accounts = yield* Accounts
    const { secret } = yield* accounts.ensureAdmin(settings.apiKey)
    const server = serve({ host: settings.host, port: settings.port })
    return yield* Layer.launch(
      Layer.effectDiscard(greet(settings, secret)).pipe(Layer.provide(server))
    )
  }).pipe(Effect.provide(servicesOf(settings)))

/** Being told to end is no failure. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  onExit(Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) ? 1 : 0)

const start = (): void => {
  let settings: ServerSettings
  try {
    settings = readSettings(process.env)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
    return
  }
  runMain(program(settings).pipe(Effect.provide(Logger.layer([Logger.consoleJson]))), { teardown })
}

start()
