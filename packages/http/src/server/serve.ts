/**
 * The server on Node's HTTP server, with bounds for slow callers and a graceful end.
 *
 * @since 0.1.0
 */
import { Ids } from "@candlewick/core"
import { layer as nodeHttpServer } from "@effect/platform-node/NodeHttpServer"
import { Deferred, Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
// Schemas become functions; where the host forbids that, they are interpreted as before.
import "effect/schema/SchemaJITCompiler/enable"
import { Closing } from "./Closing.ts"
import * as HttpApp from "./HttpApp.ts"
import { routerConfig } from "./knownPaths.ts"
import { processMetrics } from "./processMetrics.ts"
import { makeNodeServer, type SlownessLimits } from "./nodeServer.ts"

/** Where and how to serve. @category models @since 0.1.0 */
export interface ServeOptions extends HttpApp.HttpAppOptions, SlownessLimits {
  readonly host: string
  /** 0 takes a free one; `HttpServer` shows which. */
  readonly port: number
  /** How long requests under way may take to finish at the end; 20 s by default. */
  readonly shutdownTimeoutMs?: number
}

/**
 * A listening server, around services that the caller provides. When its scope ends, it takes no
 * new requests and lets those under way finish. Answers that wait for a run come at once then.
 *
 * @category layers
 * @since 0.1.0
 */
export const serve = (options: ServeOptions) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const closing = yield* Deferred.make<void>()
      const { make: makeId } = yield* Ids
      // Built last, so that it is the first to hear of the end.
      const tellOfEnd = Layer.effectDiscard(
        Effect.addFinalizer(() => Deferred.succeed(closing, undefined))
      )
      const server = HttpRouter.serve(HttpApp.layer(options), {
        disableLogger: true,
        disableListenLog: true,
        routerConfig
      }).pipe(Layer.provide(Layer.succeed(Closing, closing)))
      return tellOfEnd.pipe(
        Layer.provideMerge(server),
        Layer.merge(processMetrics),
        Layer.provideMerge(
          nodeHttpServer(() => makeNodeServer(options, () => Effect.runSync(makeId("request"))), {
            host: options.host,
            port: options.port,
            gracefulShutdownTimeout: options.shutdownTimeoutMs ?? 20_000
          })
        )
      )
    })
  )
