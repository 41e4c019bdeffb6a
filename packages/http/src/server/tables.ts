/**
 * Answers a list as a table in CSV: all of its rows, where the query has no limit.
 *
 * Pages are read while the answer is sent, each in a turn of the event loop of its own. The first
 * one is there before the answer begins, so that a refusal is sent as one.
 *
 * @since 0.1.0
 */
import { Limits, type Page, type PageRequest, type Problem } from "@candlewick/core"
import { Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { AnswerRows } from "../api/Authorization.ts"
import type { PageAnswer } from "../api/Page.ts"
import { csvContentType, toCsv, toCsvRows } from "./acceptable.ts"
import { CurrentRequest } from "./CurrentRequest.ts"
import { filterOf, fromCursor, listed, listOf, type PageQuery } from "./lists.ts"

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** The pages that the most rows of a table take. */
const pagesMax = Math.ceil(Limits.tableRowsMax / Limits.pageSizeMax)

/** Answers a list as CSV with all that the query leaves, from its cursor on. */
const tabled = Effect.fnUntraced(function* <Q extends PageQuery, A, E>(
  query: Q,
  { columns }: AnswerRows,
  list: (page: Omit<Q, keyof PageQuery> & PageRequest) => Effect.Effect<Page<A>, E>
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, E | Problem> {
  const facts = yield* CurrentRequest
  const { cursor } = query
  const start = cursor === undefined ? undefined : yield* fromCursor(listOf(facts, query), cursor)
  const read = (before: string | undefined) =>
    list({ ...filterOf(query), limit: Limits.pageSizeMax, before })
  const first = yield* read(start)
  const texts = Stream.paginate(first, ({ items, next }) =>
    Effect.map(
      next === null ? Effect.succeedNone : Effect.map(read(next), Option.some),
      (following) => [[toCsvRows(columns, items as Rows)], following] as const
    )
  )
  const body = texts.pipe(
    Stream.take(pagesMax),
    Stream.tap(() => Effect.yieldNow)
  )
  return HttpServerResponse.stream(
    Stream.encodeText(Stream.concat(Stream.make(toCsv(columns, [])), body)),
    { contentType: csvContentType }
  )
})

/**
 * Answers a list as the request asks: with a page, or as CSV with all that the query leaves.
 *
 * @category combinators
 * @since 0.1.0
 */
export const listedOrTabled = <Q extends PageQuery, A, E>(
  query: Q,
  list: (page: Omit<Q, keyof PageQuery> & PageRequest) => Effect.Effect<Page<A>, E>
): Effect.Effect<PageAnswer<A> | HttpServerResponse.HttpServerResponse, E | Problem> =>
  Effect.flatMap(
    CurrentRequest,
    ({
      table
    }): Effect.Effect<PageAnswer<A> | HttpServerResponse.HttpServerResponse, E | Problem> =>
      table === undefined || query.limit !== undefined
        ? listed(query, list)
        : tabled(query, table, list)
  )
