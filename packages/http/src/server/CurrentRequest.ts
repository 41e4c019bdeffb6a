/**
 * The facts of the request under way: its id, its origin, and the headers of its answer.
 *
 * The edge makes one for each request; admission and handlers add to it.
 *
 * @since 0.1.0
 */
import { Context, Effect } from "effect"
import type { AnswerRows } from "../api/Authorization.ts"

/** The facts of the request under way. @category models @since 0.1.0 */
export interface RequestFacts {
  readonly id: string
  readonly method: string
  /** The path as it was asked for, without the query. */
  readonly path: string
  /** The path with the query. */
  readonly target: string
  readonly address: string
  /**
   * The prefix of the caller's path before `path`, where a proxy or the server's settings add it.
   */
  readonly prefix: string
  readonly startedAtMs: number
  /** When the last of a body that is streamed came; when it started where none is. */
  heardAtMs: number
  readonly traceparent: string
  /** The JSON that was sent, once it was read: refusals quote it. */
  body: unknown
  /** Headers that the answer will carry, also where it is a refusal. */
  readonly answerHeaders: Record<string, string>
  /** The path's pattern, once an operation was found. */
  route: string | undefined
  /** The rows of the answer where the caller wants a table. */
  table?: AnswerRows | undefined
  accountId: string | undefined
  keyId: string | undefined
}

const outside: RequestFacts = {
  id: "req_none",
  method: "GET",
  path: "/",
  target: "/",
  address: "",
  prefix: "",
  startedAtMs: 0,
  heardAtMs: 0,
  traceparent: "",
  body: undefined,
  answerHeaders: {},
  route: undefined,
  accountId: undefined,
  keyId: undefined
}

/** The request under way. @category references @since 0.1.0 */
export const CurrentRequest = Context.Reference<RequestFacts>(
  "@candlewick/http/server/CurrentRequest",
  { defaultValue: () => outside }
)

/** Adds a header to the answer. @category combinators @since 0.1.0 */
export const answerHeader = (name: string, value: string): Effect.Effect<void> =>
  Effect.map(CurrentRequest, (facts) => {
    facts.answerHeaders[name] = value
  })
