/**
 * A list that comes in pages, as one.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { Limits } from "../domain/Limits.ts"
import type { Page, PageRequest } from "../domain/Page.ts"

/** Every item of a list, newest first. */
export const allPages = <A, E>(
  list: (page: PageRequest) => Effect.Effect<Page<A>, E>
): Effect.Effect<ReadonlyArray<A>, E> =>
  Effect.gen(function* () {
    const items: Array<A> = []
    let before: string | undefined
    do {
      const page: Page<A> = yield* list({ limit: Limits.pageSizeMax, before })
      items.push(...page.items)
      before = page.next ?? undefined
    } while (before !== undefined)
    return items
  })
