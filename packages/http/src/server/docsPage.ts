/**
 * The page of the API's document, with a policy that lets it load nothing and run its own two
 * scripts alone.
 *
 * @since 0.1.0
 */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar } from "effect/http-api"
import { createHash } from "node:crypto"
import { Api } from "../api/Api.ts"

const hashOf = (script: string): string =>
  `'sha256-${createHash("sha256").update(script).digest("base64")}'`

/** The page adds styles as it runs; requests that a reader tries out go to this server. */
const policyFor = (page: string): string =>
  [
    "default-src 'none'",
    `script-src ${[...page.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(([, script]) => hashOf(script!)).join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

type Answer = HttpServerResponse.HttpServerResponse

const textOf = ({ body }: Answer): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

/** The page's policy is made when it is first asked for: its scripts have three megabytes. */
const withPolicy = <E, R>(page: Effect.Effect<Answer, E, R>): Effect.Effect<Answer, E, R> => {
  let policy: string | undefined
  return Effect.map(page, (answer) => {
    policy ??= policyFor(textOf(answer))
    return HttpServerResponse.setHeader(answer, "content-security-policy", policy)
  })
}

const guarded: Layer.Layer<HttpRouter.HttpRouter, never, HttpRouter.HttpRouter> = Layer.effect(
  HttpRouter.HttpRouter,
  Effect.map(HttpRouter.HttpRouter, (router) =>
    HttpRouter.HttpRouter.of({
      ...router,
      add: ((method: "GET", path: HttpRouter.PathInput, handler: Effect.Effect<Answer>) =>
        router.add(method, path, withPolicy(handler))) as never
    })
  )
)

/** The page of the API's document at `/docs`. @category layers @since 0.1.0 */
export const docsPage: Layer.Layer<never, never, HttpRouter.HttpRouter> = HttpApiScalar.layer(Api, {
  path: "/docs",
  scalar: {
    // The page asks nobody but this server.
    withDefaultFonts: false,
    authentication: { preferredSecurityScheme: "bearer" }
  }
}).pipe(Layer.provide(guarded))
