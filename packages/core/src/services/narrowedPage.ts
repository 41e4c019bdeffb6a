/**
 * A page of a list that a filter narrows, where the store of the list knows no filter.
 *
 * Such lists are short: an account's keys, the versions of a strategy, the revisions of a market.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { Limits } from "../domain/Limits.ts"
import { askedOf } from "../domain/listFilters.ts"
import { type Page, type PageRequest, toPage } from "../domain/Page.ts"

/** A page of those items that the filter of a page leaves, newest first. */
export const narrowedPage = Effect.fnUntraced(function* <A, E>(
  list: (page: PageRequest) => Effect.Effect<Page<A>, E>,
  page: PageRequest,
  keyOf: (item: A) => string,
  isLeft: (item: A) => boolean
): Effect.fn.Return<Page<A>, E> {
  const { limit } = page
  if (askedOf(page).length === 0) return yield* list({ limit, before: page.before })
  const found: Array<A> = []
  let { before } = page
  do {
    const part: Page<A> = yield* list({ limit: Limits.pageSizeMax, before })
    found.push(...part.items.filter(isLeft))
    before = part.next ?? undefined
  } while (before !== undefined && found.length <= limit)
  return toPage(found.slice(0, limit + 1), limit, keyOf)
})
