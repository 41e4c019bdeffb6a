/**
 * The typed client of the HTTP API, for Effect and for plain promises.
 *
 * Both derive from the API value: an operation that changes there changes here, and the compiler
 * says where.
 *
 * @since 0.1.0
 */
import { Effect, type Layer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Authorization } from "../api/Authorization.ts"

/** Where the server is, and the key to call it with. @category models @since 0.1.0 */
export interface ClientOptions {
  readonly baseUrl: string
  readonly apiKey: string
}

/** A client whose operations are effects. @category models @since 0.1.0 */
export type EffectClient = HttpApiClient.ForApi<typeof Api>

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
export const make = (
  options: ClientOptions
): Effect.Effect<EffectClient, never, HttpClient.HttpClient> =>
  HttpApiClient.make(Api, {
    transformClient: HttpClient.mapRequest(HttpClientRequest.prependUrl(options.baseUrl))
  }).pipe(Effect.provide(authorizationOf(options.apiKey)))

type Groups = (typeof Api)["groups"]

type Operation<E> = E extends HttpApiEndpoint.ConstraintRequest
  ? (
      request: HttpApiEndpoint.ClientRequest<
        E["~Params"],
        E["~Query"],
        E["~Payload"],
        E["~Headers"],
        "decoded-only"
      >,
      options?: { readonly signal?: AbortSignal }
    ) => Promise<HttpApiClient.SuccessType<E["~Success"]>>
  : never

/**
 * A client whose operations are promises; refusals reject them with `ApiProblem`.
 *
 * **Gotchas**
 *
 * Candles travel as streams of Effect here too; a plain `fetch` of `/v1/candles` suits files
 * better.
 *
 * @category models
 * @since 0.1.0
 */
export type PromiseClient = {
  readonly [Group in keyof Groups]: {
    readonly [Name in keyof Groups[Group]["endpoints"]]: Operation<Groups[Group]["endpoints"][Name]>
  }
}

type Call = (request?: unknown) => Effect.Effect<unknown, unknown>

const promised = (client: EffectClient): PromiseClient =>
  Object.fromEntries(
    Object.entries(client).map(([group, operations]) => [
      group,
      Object.fromEntries(
        Object.entries(operations as unknown as Record<string, Call>).map(([name, call]) => [
          name,
          (request?: unknown, options?: { readonly signal?: AbortSignal }) =>
            Effect.runPromise(call(request), options)
        ])
      )
    ])
  ) as never

/**
 * A client for plain promises.
 *
 * **Example**
 *
 * ```ts no-run setup=host
 * import { Client } from "@candlewick/http"
 *
 * const candlewick = await Client.connect({ baseUrl: "http://127.0.0.1:8080", apiKey })
 * const bots = await candlewick.bots.list({ query: { limit: 10 } })
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const connect = (options: ClientOptions): Promise<PromiseClient> =>
  Effect.runPromise(Effect.map(make(options), promised).pipe(Effect.provide(FetchHttpClient.layer)))

/** The services that `make` needs where the host has `fetch`. @category layers @since 0.1.0 */
export const layerFetch: Layer.Layer<HttpClient.HttpClient> = FetchHttpClient.layer
