/**
 * The one shape of every answer that refuses: RFC 9457 problem details.
 *
 * A client switches on `code`; `detail` is for people, `errors` says where a request is at fault.
 *
 * @since 0.1.0
 */
import { Fault } from "@candlewick/core/domain"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The media type of a problem. @category schemas @since 0.1.0 */
export const problemMediaType = "application/problem+json"

/**
 * A refusal as it is answered, and as the typed client fails with it.
 *
 * @category errors
 * @since 0.1.0
 */
export class ApiProblem extends Schema.Error<ApiProblem>("ApiProblem")({
  type: Schema.String,
  title: Schema.String,
  status: Schema.Int,
  detail: Schema.String,
  instance: Schema.String,
  code: Schema.String,
  request_id: Schema.String,
  errors: Schema.Array(Fault),
  current_state: Schema.optionalKey(Schema.String),
  allowed: Schema.optionalKey(Schema.Array(Schema.String)),
  required_scopes: Schema.optionalKey(Schema.Array(Schema.String)),
  positions: Schema.optionalKey(Schema.Array(Schema.Json))
}) {
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

/** Every status that a refusal can have, with when it is given. @category tables @since 0.1.0 */
export const refusalStatuses = {
  400: "The body is not JSON, or a field or a query parameter is unknown or not valid; `errors` has every fault.",
  401: "The request has no valid API key.",
  403: "The key lacks a scope; `required_scopes` names the scopes that the operation needs.",
  404: "The record or path does not exist, or belongs to another account.",
  405: "The path does not know this method; `Allow` names its methods.",
  406: "The operation has no answer of a media type in `Accept`; `allowed` names its media types.",
  409: "The record's state does not allow this, a bot uses it, or another request changed it first.",
  412: "The record changed since the version in `If-Match`.",
  413: "The body is too large.",
  415: "The content type is not supported.",
  422: "The request is well formed, but the server can't execute it.",
  429: "Too many requests, or a quota is used up; `Retry-After` says when to try again.",
  500: "The server met an unexpected error; its log has the request id.",
  503: "The service is unavailable for now; `Retry-After` says when to try again.",
  504: "The answer took too long."
} as const

/**
 * The schema by which the typed client reads refusals with this status.
 *
 * @category schemas
 * @since 0.1.0
 */
export const refusalSchema = (status: keyof typeof refusalStatuses) =>
  ApiProblem.pipe(
    HttpApiSchema.asJson({ contentType: problemMediaType }),
    HttpApiSchema.status(status as number)
  )

/**
 * The schemas by which the typed client reads refusals, one for each status.
 *
 * @category schemas
 * @since 0.1.0
 */
export const refusals = Object.keys(refusalStatuses).map((status) =>
  refusalSchema(Number(status) as keyof typeof refusalStatuses)
)
