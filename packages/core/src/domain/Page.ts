/**
 * A page of a list, newest first, and the place where the next one begins.
 *
 * A store fetches one record more than the limit. That record shows whether another page follows,
 * and is not shown itself. A page counts no total, and keeps its place while records come and go:
 * the key of its last record is a place in the order, and no number of records.
 *
 * **Example** (A list of three in pages of two)
 *
 * ```ts
 * import { toPage } from "@candlewick/core"
 *
 * const newestFirst = ["bot_3", "bot_2", "bot_1"]
 * const limit = 2
 * console.log(toPage(newestFirst.slice(0, limit + 1), limit, (id) => id))
 * ```
 *
 * ```text output
 * { items: [ 'bot_3', 'bot_2' ], next: 'bot_2' }
 * ```
 *
 * @since 0.1.0
 */

/**
 * Which page a caller wants; `before` is the sort key after which it begins.
 *
 * @category models
 * @since 0.1.0
 */
export interface PageRequest {
  readonly limit: number
  readonly before?: string | undefined
}

/**
 * A page of a list; `next` is the key to ask for the following one with, or null at the end.
 *
 * @category models
 * @since 0.1.0
 */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly next: string | null
}

/**
 * Cuts a page from items that were fetched with one more than the limit.
 *
 * @category models
 * @since 0.1.0
 */
export const toPage = <A>(
  fetched: ReadonlyArray<A>,
  limit: number,
  keyOf: (item: A) => string
): Page<A> => {
  const items = fetched.slice(0, limit)
  const last = items.at(-1)
  return { items, next: fetched.length > limit && last !== undefined ? keyOf(last) : null }
}
