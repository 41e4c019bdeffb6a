/**
 * The typed client of the HTTP API, for Effect and for plain promises.
 *
 * Both derive from the API value: an operation that changes there changes here, and the compiler says where.
 *
 * @since 0.1.0
 */
import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Authorization } from "../api/Authorization.ts"

/** Where the server is, and the key to call it with. @category models @since 0.1.0 */
export interface ClientOptions {
  readonly baseUrl: string
  readonly apiKey: string
}

const authorizationOf = (apiKey: string) =>
  HttpApiMiddleware.layerClient(Authorization, ({ next, request }) =>
    next(HttpClientRequest.bearerToken(request, apiKey))
  )

/**
 * A client whose operations are effects; refusals fail it with `ApiProblem`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: ClientOptions) =>
  HttpApiClient.make(Api, {
    transformClient: HttpClient.mapRequest(HttpClientRequest.prependUrl(options.baseUrl))
  }).pipe(Effect.provide(authorizationOf(options.apiKey)))

/** A client whose operations are effects. @category models @since 0.1.0 */
export type EffectClient = Effect.Success<ReturnType<typeof make>>

type Call = (request?: unknown) => unknown

type Promised<F> = F extends (...parameters: infer P) => Effect.Effect<infer A, infer _E, infer _R>
  ? (...parameters: P) => Promise<A>
  : never

/** A client whose operations are promises; refusals reject them with `ApiProblem`. @category models @since 0.1.0 */
export type PromiseClient = {
  readonly [Group in keyof EffectClient]: {
    readonly [Operation in keyof EffectClient[Group]]: Promised<EffectClient[Group][Operation]>
  }
}

const promised = (client: EffectClient): PromiseClient =>
  Object.fromEntries(
    Object.entries(client).map(([group, operations]) => [
      group,
      Object.fromEntries(
        Object.entries(operations as Record<string, Call>).map(([name, call]) => [
          name,
          (request?: unknown) =>
            Effect.runPromise(call(request) as Effect.Effect<unknown, unknown>)
        ])
      )
    ])
  ) as never

/**
 * A client for plain promises.
 *
 * **Example**
 *
 * ```ts
 * const candlewick = await connect({ baseUrl: "http://127.0.0.1:8080", apiKey })
 * const bots = await candlewick.bots.list({ query: { limit: 10 } })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const connect = (options: ClientOptions): Promise<PromiseClient> =>
  Effect.runPromise(Effect.map(make(options), promised).pipe(Effect.provide(FetchHttpClient.layer)))

/** What `make` needs where the host has `fetch`. @category layers @since 0.1.0 */
export const fetchLayer: Layer.Layer<HttpClient.HttpClient> = FetchHttpClient.layer
