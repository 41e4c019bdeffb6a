/**
 * How a list that a filter narrows is tried: page by page, one record each.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Page, PageRequest } from "../domain/Page.ts"
import { pagesOf } from "./versionedTests.ts"

/** A filter, and the places of the records that it leaves. @category models @since 0.1.0 */
export type NarrowedList<P> = readonly [
  filter: Omit<P, keyof PageRequest>,
  left: ReadonlyArray<number>
]

/**
 * Asks for a list under each filter, and expects the matching records newest first and in full
 * pages. The records come oldest first.
 *
 * @category testing
 * @since 0.1.0
 */
export const assertNarrowed = <A, P extends PageRequest, E>(
  list: (page: P) => Effect.Effect<Page<A>, E>,
  records: ReadonlyArray<A>,
  asked: ReadonlyArray<NarrowedList<P>>
): Effect.Effect<void, E> =>
  Effect.gen(function* () {
    for (const [filter, left] of asked) {
      const pages = yield* pagesOf((page) => list({ ...filter, ...page } as P), 1)
      const wanted = left.toReversed().map((place) => records[place]!)
      assert.deepStrictEqual(pages.flat(), wanted, JSON.stringify(filter))
      // A page that is full says that there is more only where there is.
      assert.lengthOf(pages, Math.max(1, left.length), JSON.stringify(filter))
    }
  })
