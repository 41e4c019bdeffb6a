/**
 * The MCP server at `/mcp`: the same keys and quotas as everywhere, in the same process.
 *
 * A tool asks operations as any caller does, by a request that never leaves the process. So scopes,
 * limits and the access log hold for agents too.
 *
 * @since 0.1.0
 */
import { Accounts } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { Headers, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Transport } from "../mcp/askApi.ts"
import { httpServer } from "../mcp/mcpServer.ts"
import { ToolRefusal } from "../mcp/ToolRefusal.ts"
import { authenticate } from "./authorise.ts"
import { CurrentRequest } from "./CurrentRequest.ts"
import { refuseWith } from "./problemAnswers.ts"
import { checkRate, RateLimits } from "./RateLimits.ts"

type Handler = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, any>

const bearer = /^Bearer\s+(\S+)$/i

/** Lets a request in whose key is good, and counts it. */
const makeGuard = Effect.gen(function* () {
  const services = { accounts: yield* Accounts, limits: yield* RateLimits }
  return (handler: Handler): Handler =>
    Effect.gen(function* () {
      const facts = yield* CurrentRequest
      facts.route = "/mcp"
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const token = bearer.exec(headers["authorization"] ?? "")?.[1] ?? ""
      const { keyId } = yield* authenticate(services, token, facts)
      yield* checkRate(yield* services.limits.take("reads", keyId), facts)
    }).pipe(
      Effect.matchEffect({
        onFailure: (refusal) => refuseWith(refusal),
        onSuccess: () => handler
      })
    )
})

type Add = (
  method: string,
  path: string,
  handler: Handler | ((request: HttpServerRequest.HttpServerRequest) => Handler),
  options?: unknown
) => Effect.Effect<void>

const asEffect = (handler: Parameters<Add>[2]): Handler =>
  typeof handler === "function"
    ? Effect.flatMap(HttpServerRequest.HttpServerRequest, handler)
    : handler

/** A router whose routes ask for a key first. */
const guardedRouter = Layer.effect(
  HttpRouter.HttpRouter,
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const guard = yield* makeGuard
    const add = router.add as unknown as Add
    return HttpRouter.HttpRouter.of({
      ...router,
      add: ((method, path, handler, options) =>
        add(method, path, guard(asEffect(handler)), options)) as Add as never
    })
  })
)

/** A request as the router gets one: its headers say that there is a body, where there is one. */
const arriving = (request: Request): HttpServerRequest.HttpServerRequest => {
  const given = HttpServerRequest.fromWeb(request)
  return request.body === null
    ? given
    : given.modify({ headers: Headers.set(given.headers, "transfer-encoding", "chunked") })
}

/** Sends requests to the router itself. */
const withinProcess =
  (router: HttpRouter.HttpRouter): Transport =>
  (request) =>
    router.asHttpEffect().pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, arriving(request)),
      Effect.map((answer) => HttpServerResponse.toWeb(answer)),
      Effect.scoped,
      Effect.catchCause((cause) =>
        Effect.andThen(
          Effect.logError("a tool's request failed", cause),
          Effect.fail(new ToolRefusal({ detail: "Something went wrong in the server." }))
        )
      )
    )

/** The MCP server at `/mcp`, for requests without an origin or from one of these. */
export const mcpRoutes = (
  allowedOrigins: ReadonlyArray<string>
): Layer.Layer<never, never, HttpRouter.HttpRouter | Accounts | RateLimits> =>
  Layer.unwrap(
    Effect.map(HttpRouter.HttpRouter, (router) =>
      httpServer({ transport: withinProcess(router), allowedOrigins }).pipe(
        Layer.provide(guardedRouter)
      )
    )
  ) as never
