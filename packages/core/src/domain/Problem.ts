/**
 * Every refusal that a caller can meet, as one table, and the error that carries one.
 *
 * The same value fails a service's effect, rejects a promise of the embedded library and becomes
 * the RFC 9457 answer of the HTTP server.
 *
 * @since 0.1.0
 */
import { Schema, Struct } from "effect"
import { detailOf, Fault, messageOf } from "@candlewick/engine"
import { Limits } from "./Limits.ts"

/**
 * Status and title of each code; a title is constant, and `detail` describes the case.
 *
 * @category tables
 * @since 0.1.0
 */
export const problems = {
  malformed_json: { status: 400, title: "The body is not JSON" },
  validation_failed: { status: 400, title: "The request is not valid" },
  invalid_cursor: { status: 400, title: "The cursor is not valid" },
  unauthenticated: { status: 401, title: "A valid API key is required" },
  key_expired: { status: 401, title: "The API key has expired" },
  insufficient_scope: { status: 403, title: "The API key lacks a scope" },
  not_found: { status: 404, title: "The record or path does not exist" },
  method_not_allowed: { status: 405, title: "The method is not allowed here" },
  not_acceptable: { status: 406, title: "The server has no answer of this media type" },
  invalid_transition: { status: 409, title: "The state does not allow this" },
  open_positions: { status: 409, title: "The bot holds open positions" },
  already_exists: { status: 409, title: "The record exists already" },
  in_use: { status: 409, title: "A bot uses this record" },
  conflict: { status: 409, title: "Another request changed the record first" },
  idempotency_in_progress: { status: 409, title: "A request with this key is under way" },
  answer_not_kept: {
    status: 409,
    title: "The server executed the request, and keeps no answer"
  },
  precondition_failed: { status: 412, title: "The record changed since the named version" },
  payload_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "The content type is not supported" },
  unknown_strategy: { status: 422, title: "The strategy does not exist" },
  strategy_not_ready: { status: 422, title: "The strategy is not ready" },
  no_market_data: { status: 422, title: "The server has too few candles for this" },
  url_not_allowed: { status: 422, title: "This address can't receive webhooks" },
  idempotency_key_reused: { status: 422, title: "The key was used for another request" },
  unprocessable: { status: 422, title: "The server can't execute the request" },
  rate_limited: { status: 429, title: "Too many requests" },
  quota_exceeded: { status: 429, title: "A quota is used up" },
  internal: { status: 500, title: "The server met an unexpected error" },
  unavailable: { status: 503, title: "The service is unavailable" },
  timed_out: { status: 504, title: "The answer took too long" }
} as const satisfies Record<string, { readonly status: number; readonly title: string }>

/** The code of a problem; stable, for programs to switch on. @category models @since 0.1.0 */
export type ProblemCode = keyof typeof problems

/**
 * A refusal with everything that a caller needs to act on it.
 *
 * @category errors
 * @since 0.1.0
 */
export class Problem extends Schema.TaggedError<Problem>()("Problem", {
  code: Schema.Literals(Object.keys(problems) as ReadonlyArray<ProblemCode>),
  detail: Schema.String,
  errors: Schema.optionalKey(Schema.Array(Fault)),
  current_state: Schema.optionalKey(Schema.String),
  allowed: Schema.optionalKey(Schema.Array(Schema.String)),
  required_scopes: Schema.optionalKey(Schema.Array(Schema.String)),
  positions: Schema.optionalKey(Schema.Array(Schema.Json)),
  retry_after_seconds: Schema.optionalKey(Schema.Finite)
}) {
  /** The event of the problem; each fault with its place. */
  override get message(): string {
    return messageOf(this.detail, this.errors ?? [])
  }

  /** The HTTP status that this becomes. */
  get status(): number {
    return problems[this.code].status
  }
}

/** The fields of a problem beyond its code and detail. @category models @since 0.1.0 */
export interface ProblemFields {
  readonly errors?: ReadonlyArray<Fault>
  readonly current_state?: string
  readonly allowed?: ReadonlyArray<string>
  readonly required_scopes?: ReadonlyArray<string>
  readonly positions?: ReadonlyArray<Schema.Json>
  readonly retry_after_seconds?: number
}

/** Makes a problem. @category errors @since 0.1.0 */
export const problem = (code: ProblemCode, detail: string, more: ProblemFields = {}): Problem =>
  new Problem({ code, detail, ...more })

/** A request with faults; the detail lists all of them. @category errors @since 0.1.0 */
export const invalid = (errors: ReadonlyArray<Fault>): Problem =>
  problem("validation_failed", detailOf(errors), { errors })

const invalidCount = (count: number, isAll: boolean): string => {
  if (!isAll) return `More than ${count - 1} fields are not valid; the first faults are listed.`
  return count === 1 ? "1 field is not valid." : `${count} fields are not valid.`
}

/** A request whose fields a schema refuses, which are counted. @category errors @since 0.1.0 */
export const invalidFields = (errors: ReadonlyArray<Fault>): Problem => {
  const count = new Set(errors.map(({ pointer }) => pointer)).size
  const detail = invalidCount(count, errors.length < Limits.faultsMaxCount)
  return problem("validation_failed", detail, { errors })
}

/**
 * The problem as callers get it, whichever way they came: pointers are fragments, `#/symbols/0`,
 * wherever a service found the fault.
 *
 * @category errors
 * @since 0.1.0
 */
export const toCallers = (found: Problem): Problem => {
  const { errors = [] } = found
  if (errors.every(({ pointer }) => pointer.startsWith("#"))) return found
  const { _tag, ...fields } = Problem.fields
  const asFragments = errors.map((fault) =>
    fault.pointer.startsWith("#") ? fault : { ...fault, pointer: `#${fault.pointer}` }
  )
  return new Problem({ ...Struct.pick(found, Struct.keys(fields)), errors: asFragments })
}
