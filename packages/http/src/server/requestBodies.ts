/**
 * Reads the body of a request: its content type, its size, and the rules that hold for all JSON.
 *
 * @since 0.1.0
 */
import { Limits, Problem } from "@candlewick/core"
import { ByteSize, Clock, Context, Effect, Stream } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { createHash } from "node:crypto"
import { OperationBody } from "../api/Authorization.ts"
import { importMediaTypes } from "../api/CandlesApi.ts"
import { CurrentRequest } from "./CurrentRequest.ts"
import { problemOf } from "./problemAnswers.ts"
import { faultsOfJson } from "./jsonRules.ts"

/** The kind of body that an operation takes. @category models @since 0.1.0 */
export type BodyKind = "none" | "optional" | "required" | "stream"

/** The kind of body that an operation takes. @category conversions @since 0.1.0 */
export const bodyKindOf = (endpoint: HttpApiEndpoint.Top): BodyKind =>
  endpoint.method === "GET" || endpoint.method === "HEAD"
    ? "none"
    : (Context.get(endpoint.annotations, OperationBody) ??
      (endpoint.payload.size > 0 ? "required" : "none"))

const unsupported = (detail: string): Problem =>
  new Problem({ code: "unsupported_media_type", detail })

const mediaTypeOf = (value: string): { readonly type: string; readonly charset: string } => {
  const [type = "", ...parameters] = value.toLowerCase().split(";")
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith("charset="))
  return { type: type.trim(), charset: charset?.slice(8).replaceAll('"', "") ?? "utf-8" }
}

const checkMediaType = (
  request: HttpServerRequest.HttpServerRequest,
  allowed: ReadonlyArray<string>,
  encodings: ReadonlyArray<string> = ["identity"]
): Effect.Effect<void, Problem> => {
  const encoding = request.headers["content-encoding"]
  if (encoding !== undefined && !encodings.includes(encoding.toLowerCase())) {
    return Effect.fail(unsupported(`The content encoding ${encoding} is not supported.`))
  }
  const { charset, type } = mediaTypeOf(request.headers["content-type"] ?? "")
  if (!allowed.includes(type)) {
    const names = allowed.filter((name) => name !== "")
    return Effect.fail(unsupported(`The body has to be ${names.join(" or ")}.`))
  }
  return charset === "utf-8" || charset === "utf8"
    ? Effect.void
    : Effect.fail(unsupported("The text has to be in UTF-8."))
}

/** Files of candles are known by their first bytes where no header names their kind. */
const checkImport = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void, Problem> =>
  // A packed body is unpacked by its own marks, however it was announced.
  checkMediaType(request, ["", ...importMediaTypes], ["identity", "gzip", "x-gzip"])

const tooLarge = new Problem({
  code: "payload_too_large",
  detail: `A body may have at most ${Limits.bodyMaxBytes} bytes.`
})

// A wrong copy of a text in another encoding is worse than a refusal.
const decoder = new TextDecoder("utf-8", { fatal: true })
const notUtf8 = new Problem({ code: "malformed_json", detail: "The body is not UTF-8." })

const readText = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string, Problem> =>
  Number(request.headers["content-length"] ?? 0) > Limits.bodyMaxBytes
    ? Effect.fail(tooLarge)
    : request.arrayBuffer.pipe(
        Effect.flatMap((bytes) =>
          Effect.try({ try: () => decoder.decode(bytes), catch: () => notUtf8 })
        ),
        Effect.mapError(
          (error) =>
            problemOf(error) ??
            new Problem({ code: "malformed_json", detail: "The body can't be read." })
        ),
        Effect.provideService(
          HttpIncomingMessage.MaxBodySize,
          ByteSize.fromInputUnsafe(Limits.bodyMaxBytes)
        )
      )

const checkJson = (text: string): Effect.Effect<unknown, Problem> => {
  const parsed = faultsOfJson(text)
  if (parsed === undefined) {
    return Effect.fail(new Problem({ code: "malformed_json", detail: "The body is not JSON." }))
  }
  return parsed.faults.length === 0
    ? Effect.succeed(parsed.value)
    : Effect.fail(
        new Problem({
          code: "validation_failed",
          detail: "The body breaks the rules for JSON.",
          errors: parsed.faults
        })
      )
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length === 0

const mayHaveBody = (request: HttpServerRequest.HttpServerRequest): boolean =>
  Number(request.headers["content-length"] ?? 0) > 0 ||
  request.headers["transfer-encoding"] !== undefined

// The typed pipeline reads `text` once more; it gets the text that was read and checked here.
const withText = (
  request: HttpServerRequest.HttpServerRequest,
  text: string
): HttpServerRequest.HttpServerRequest =>
  Object.create(request, { text: { value: Effect.succeed(text), enumerable: true } })

const readJson = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  kind: BodyKind
) {
  if (kind === "required") yield* checkMediaType(request, ["application/json"])
  else if (!mayHaveBody(request)) return { request: withText(request, "{}"), text: "" }
  const text = yield* readText(request)
  if (text === "" && kind !== "required") return { request: withText(request, "{}"), text }
  if (kind !== "required") yield* checkMediaType(request, ["application/json"])
  const value = yield* checkJson(text)
  if (kind === "none" && !isEmptyObject(value)) {
    return yield* new Problem({
      code: "validation_failed",
      detail: "The operation takes no body.",
      errors: [{ pointer: "#", code: "unknown_field", message: "The operation takes no fields" }]
    })
  }
  const facts = yield* CurrentRequest
  facts.body = value
  return { request: withText(request, text), text }
})

const withStream = (
  request: HttpServerRequest.HttpServerRequest,
  stream: HttpServerRequest.HttpServerRequest["stream"]
): HttpServerRequest.HttpServerRequest =>
  Object.create(request, { stream: { value: stream, enumerable: true } })

// A caller that sends much over a slow line is not one whose answer takes too long.
const noteArrival = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.map(CurrentRequest, (facts) =>
    withStream(
      request,
      Stream.tap(request.stream, () =>
        Effect.map(Clock.currentTimeMillis, (nowMs) => {
          facts.heardAtMs = nowMs
        })
      )
    )
  )

/**
 * The request with its body read and checked, and the text that was sent; a streamed body is left
 * for the operation.
 *
 * @category combinators
 * @since 0.1.0
 */
export const readBody = (
  request: HttpServerRequest.HttpServerRequest,
  kind: BodyKind
): Effect.Effect<
  { readonly request: HttpServerRequest.HttpServerRequest; readonly text: string },
  Problem
> => {
  if (request.method === "GET" || request.method === "HEAD") {
    return Effect.succeed({ request, text: "" })
  }
  return kind === "stream"
    ? Effect.map(Effect.andThen(checkImport(request), noteArrival(request)), (noted) => ({
        request: noted,
        text: ""
      }))
    : readJson(request, kind)
}

/**
 * The same request, and a digest of its body as far as it was read.
 *
 * @category combinators
 * @since 0.1.0
 */
export const digestBody = (
  request: HttpServerRequest.HttpServerRequest
): { readonly request: HttpServerRequest.HttpServerRequest; readonly digest: () => string } => {
  const hash = createHash("sha256")
  const stream = Stream.tap(request.stream, (chunk) => Effect.sync(() => void hash.update(chunk)))
  return { request: withStream(request, stream), digest: () => hash.copy().digest("hex") }
}
