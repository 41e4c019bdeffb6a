/**
 * The API inside a server of the host: one handler for Node's requests, one for the Web's.
 *
 * A host that has a server of its own mounts the API there; `candlewick` on the command line brings a
 * server along. The mounted API opens no port, and ends with the Candlewick that it serves.
 *
 * **Example** (A request without a network)
 *
 * ```ts
 * import { Candlewick } from "@candlewick/core"
 * import { mount } from "@candlewick/http"
 * import { MemoryStore } from "@candlewick/store-memory"
 *
 * const candlewick = await Candlewick.open({ store: MemoryStore.layer })
 * const api = await mount(candlewick)
 * const response = await api.fetch(new Request("http://localhost/healthz"))
 * console.log(response.status, await response.json())
 * await candlewick.close()
 * ```
 *
 * ```text output
 * 200 { status: 'ok' }
 * ```
 *
 * @since 0.1.0
 */
import { Accounts, type CandlewickHost } from "@candlewick/core"
import { layerHttpServices, makeHandler } from "@effect/platform-node/NodeHttpServer"
import { Context, Deferred, Effect, Layer, Option, Scope } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Closing } from "./Closing.ts"
import { dashboardFolder } from "./dashboardFolder.ts"
import * as HttpApp from "./HttpApp.ts"
import { routerConfig } from "./knownPaths.ts"
import { processMetrics } from "./processMetrics.ts"
// Schemas become functions; where the host forbids that, they are interpreted as before.
import "effect/schema/SchemaJITCompiler/enable"

/** How the API is mounted. @category models @since 0.1.0 */
export interface MountOptions extends HttpApp.HttpAppOptions {
  /** Admin key of the host's account, of 32 characters or more. Without it no key is made. */
  readonly apiKey?: string | undefined
  /** How long requests under way may take to finish at the end; 20 s by default. */
  readonly shutdownTimeoutMs?: number
}

/** The API, for a server of the host. @category models @since 0.1.0 */
export interface MountedApi {
  /** Answers a request of Node's HTTP server, whose body was not read yet. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void
  /**
   * Answers a request of the Web. `address` is the caller's: callers without a key are counted by
   * it, and together where it is left out.
   */
  readonly fetch: (
    request: Request,
    caller?: { readonly address?: string | undefined }
  ) => Promise<Response>
}

/** The headers that Effect itself gives the answer of a request. */
type Asked = HttpServerRequest.HttpServerRequest | Scope.Scope

const CallerAddress = Context.Reference<string | undefined>(
  "@candlewick/http/server/mount/CallerAddress",
  { defaultValue: () => undefined }
)

/** A request of the Web comes without an address: it is the host that knows it. */
const withAddress = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  R | HttpServerRequest.HttpServerRequest
> =>
  Effect.flatMap(CallerAddress, (address) =>
    address === undefined
      ? app
      : Effect.updateService(app, HttpServerRequest.HttpServerRequest, (request) =>
          request.modify({ remoteAddress: Option.some(address) })
        )
  )

// Without its body a request would be refused for a field that the caller did send.
const bodyWasRead =
  "The body of this request was read before the API got it: mount the API before body parsers."

const makeMounted = (options: MountOptions) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    if (options.apiKey !== undefined) yield* accounts.ensureAdmin(options.apiKey)
    const closing = yield* Deferred.make<void>()
    const app = HttpApp.layer({
      dashboard: dashboardFolder(),
      // The host has a log of its own.
      accessLog: { write: () => undefined },
      ...options
    }).pipe(Layer.provide(Layer.succeed(Closing, closing)))
    const routed = yield* Effect.provideService(
      HttpRouter.toHttpEffect(app),
      HttpRouter.RouterConfig,
      routerConfig
    )
    const answered = withAddress(routed)
    // Requests under way outlive the beginning of the end, and no more than that.
    const scope = yield* Effect.acquireRelease(Scope.make(), Scope.close)
    const context = yield* Effect.context<never>()
    const onNodeRequest = yield* makeHandler(answered, { scope })
    const onWebRequest = HttpEffect.toWebHandlerWith<never, Asked>(context)(answered)
    let openCount = 0
    const untilOver = Effect.sleep(20).pipe(
      Effect.repeat({ until: () => openCount === 0 }),
      Effect.timeoutOption(options.shutdownTimeoutMs ?? 20_000)
    )
    // Added last, and so the first to run: answers that wait for a run come at once then.
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Deferred.succeed(closing, undefined),
        openCount === 0 ? Effect.void : untilOver
      )
    )
    return Mounted.of({
      onRequest: (request, response) => {
        if (request.readableDidRead) throw new Error(bodyWasRead)
        openCount++
        response.once("close", () => openCount--)
        onNodeRequest(request, response)
      },
      fetch: (request, { address } = {}) => {
        openCount++
        const answer = onWebRequest(request, Context.make(CallerAddress, address))
        return answer.finally(() => openCount--)
      }
    })
  })

class Mounted extends Context.Service<Mounted, MountedApi>()("@candlewick/http/server/Mounted") {
  static readonly layer = (options: MountOptions) =>
    Layer.effect(Mounted, makeMounted(options)).pipe(
      Layer.merge(processMetrics),
      Layer.provide(layerHttpServices)
    )
}

/**
 * Puts the API over an opened Candlewick into a server of the host, until that is closed.
 *
 * The host mounts it under `basePath`, before anything that reads bodies. The host's server bounds
 * connections and slow callers.
 *
 * **Example** (Inside Express)
 *
 * ```ts no-run setup=host
 * import { mount } from "@candlewick/http"
 *
 * const api = await mount(candlewick, { basePath: "/candlewick", apiKey })
 * express().use("/candlewick", api.onRequest).listen(3000)
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const mount = async (
  candlewick: CandlewickHost,
  options: MountOptions = {}
): Promise<MountedApi> => Context.get(await candlewick.build(Mounted.layer(options)), Mounted)
