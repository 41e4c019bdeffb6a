/**
 * Lists a page at a time: the opaque cursor, the answer and its `Link`.
 *
 * A cursor belongs to one list with one filter. Another list or filter refuses it, and so does a
 * cursor that a caller has changed. It holds no secret and never expires.
 *
 * **Example** (A cursor that no list has given)
 *
 * ```ts
 * import { Candlewick } from "@candlewick/core"
 * import { mount } from "@candlewick/http"
 * import { MemoryStore } from "@candlewick/store-memory"
 *
 * const apiKey = "an-admin-key-of-at-least-32-characters"
 * const candlewick = await Candlewick.open({ store: MemoryStore.layer })
 * const api = await mount(candlewick, { apiKey })
 * const headers = { authorization: `Bearer ${apiKey}` }
 * const refused = await api.fetch(
 *   new Request("http://localhost/v1/bots?cursor=abc", { headers })
 * )
 * const { code } = (await refused.json()) as { code: string }
 * console.log(refused.status, code)
 * await candlewick.close()
 * ```
 *
 * ```text output
 * 400 invalid_cursor
 * ```
 *
 * @since 0.1.0
 */
import { Limits, type Page, type PageRequest, Problem, toPage } from "@candlewick/core"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { PageAnswer } from "../api/Page.ts"
import { CurrentRequest, type RequestFacts } from "./CurrentRequest.ts"

const digest = (text: string): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 10)

const toCursor = (filter: string, key: string): string =>
  Buffer.from(`${digest(`${filter}\n${key}`)}${key}`).toString("base64url")

/** The key that a cursor of the same list and filter has. @category combinators @since 0.1.0 */
export const fromCursor = (filter: string, cursor: string): Effect.Effect<string, Problem> => {
  const text = /^[\w-]{1,512}$/.test(cursor) ? Buffer.from(cursor, "base64url").toString() : ""
  const key = text.slice(10)
  return key !== "" && text.slice(0, 10) === digest(`${filter}\n${key}`)
    ? Effect.succeed(key)
    : Effect.fail(
        new Problem({
          code: "invalid_cursor",
          detail: "The cursor belongs to another list, or was changed.",
          errors: [
            {
              pointer: "#/query/cursor",
              code: "not_allowed",
              message: "Take `next_cursor` as it is"
            }
          ]
        })
      )
}

/** Which page a query asks for. @category models @since 0.1.0 */
export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** The filters of a query besides a page. @category conversions @since 0.1.0 */
export const filterOf = <Q extends PageQuery>({
  cursor: _cursor,
  limit: _limit,
  ...filter
}: Q): Omit<Q, keyof PageQuery> => filter

/** The list of a cursor, with its filter. @category conversions @since 0.1.0 */
export const listOf = (facts: RequestFacts, query: PageQuery): string => {
  const path = facts.path.replace(/^(\/api)?\/v1/, "")
  return `${facts.accountId} ${path} ${JSON.stringify(filterOf(query))}`
}

const linkOf = (facts: RequestFacts, cursor: string): string => {
  const query = new URLSearchParams(facts.target.slice(facts.path.length))
  query.set("cursor", cursor)
  return `<${facts.path}?${query.toString()}>; rel="next"`
}

/**
 * Answers a list with the page that the query asks for, of the records that its other parameters
 * leave.
 *
 * @category combinators
 * @since 0.1.0
 */
export const listed = Effect.fnUntraced(function* <Q extends PageQuery, A, E>(
  query: Q,
  list: (page: Omit<Q, keyof PageQuery> & PageRequest) => Effect.Effect<Page<A>, E>
): Effect.fn.Return<PageAnswer<A>, E | Problem> {
  const facts = yield* CurrentRequest
  const filter = listOf(facts, query)
  const before = query.cursor === undefined ? undefined : yield* fromCursor(filter, query.cursor)
  const limit = query.limit ?? Limits.pageSizeDefault
  const page = yield* list({ ...filterOf(query), limit, before })
  const next = page.next === null ? null : toCursor(filter, page.next)
  if (next !== null) facts.answerHeaders["link"] = linkOf(facts, next)
  return { data: page.items, has_more: next !== null, next_cursor: next }
})

/**
 * The page of a list that is kept whole, by rising keys. Records that all accounts share come so:
 * they have no account whose newest came first, and every run reads them whole anyway.
 *
 * @category combinators
 * @since 0.1.0
 */
export const cutPage = <A>(
  all: ReadonlyArray<A>,
  { before, limit }: PageRequest,
  keyOf: (item: A) => string
): Page<A> => {
  const rest = all
    .map((item) => [keyOf(item), item] as const)
    .filter(([key]) => before === undefined || key > before)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return toPage(
    rest.map(([, item]) => item),
    limit,
    keyOf
  )
}
