/**
 * A page of a list, newest first, and where the next one begins.
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
