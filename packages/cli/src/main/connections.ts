/**
 * Opens the API: a server over HTTP, or the server's services in this process.
 *
 * @since 0.1.0
 */
import { make as makeClient } from "@candlewick/http/client"
import type { ServerSettings } from "@candlewick/http/main"
import { Effect, Layer, Logger, Redacted, References } from "effect"
import { FetchHttpClient } from "effect/http"
import { dataPathOf } from "../commands/paths.ts"
import { Connections, type ConnectionTarget } from "../terminal/Connections.ts"
import { unreachable, wrongUse } from "../terminal/failures.ts"

/** The modules of a server, which take longer to load than a command to an open one takes. */
export const serverModules = Effect.promise(() => import("@candlewick/http/main"))

/** The settings of the server that would work on the same data. @category conversions */
export const settingsOf = ({ directory }: Pick<ConnectionTarget, "directory">) =>
  Effect.flatMap(serverModules, ({ readSettings }) =>
    Effect.try({
      try: (): ServerSettings =>
        readSettings(
          directory === null
            ? process.env
            : // A directory that is named stands before a database of the environment.
              { ...process.env, DATABASE_URL: "", CANDLEWICK_DATA_DIR: dataPathOf(directory) }
        ),
      catch: (error) => wrongUse(error instanceof Error ? error.message : String(error))
    })
  )

/** Services in this process, with their warnings on standard error. @category constructors */
export const openHere = Effect.fnUntraced(function* (
  target: Pick<ConnectionTarget, "directory" | "hasSampleCandles">
) {
  const { hasSampleCandles = true } = target
  const { openEmbedded } = yield* serverModules
  const settings = yield* settingsOf(target)
  return yield* openEmbedded(settings, { hasSampleCandles }).pipe(
    Effect.provide(
      Layer.mergeAll(
        Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
        Layer.succeed(References.MinimumLogLevel, "Error")
      )
    ),
    Effect.catchTag("StoreNotOpened", ({ message }) =>
      Effect.fail(unreachable(message.replace(/^Candlewick ends: /, "")))
    )
  )
})

const clientOf = (baseUrl: string, apiKey: string, fetch: typeof globalThis.fetch) =>
  makeClient({ baseUrl, apiKey }).pipe(
    Effect.provide(
      Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.Fetch, fetch))
    )
  )

const openServer = Effect.fnUntraced(function* (url: string, key: ConnectionTarget["key"]) {
  if (!URL.canParse(url) || !/^https?:/.test(url)) return yield* wrongUse(`${url} is no URL.`)
  if (key === null) {
    return yield* wrongUse("A server wants a key: set CANDLEWICK_KEY, or give --key.")
  }
  const client = yield* clientOf(url.replace(/\/+$/, ""), Redacted.value(key), globalThis.fetch)
  return { client, isEmbedded: false }
})

/** Opens servers and data directories. @category layers @since 0.1.0 */
export const connections: Layer.Layer<Connections> = Layer.succeed(Connections, {
  open: ({ key, url, ...target }) =>
    url === null
      ? Effect.gen(function* () {
          const { apiKey, baseUrl, fetch } = yield* openHere(target)
          return { client: yield* clientOf(baseUrl, apiKey, fetch), isEmbedded: true }
        })
      : openServer(url, key)
})
