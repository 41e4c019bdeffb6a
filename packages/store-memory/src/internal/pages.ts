/**
 * Pages cut from the newest records of a group.
 *
 * @since 0.1.0
 */
import { type Page, toPage } from "@candlewick/core"

/**
 * A page of the wanted records; reads no further than it must.
 *
 * @category models
 * @since 0.1.0
 */
export const pageOf = <A>(
  records: Iterable<A>,
  limit: number,
  keyOf: (record: A) => string,
  isWanted: (record: A) => boolean = () => true
): Page<A> => {
  const fetched: Array<A> = []
  for (const record of records) {
    if (!isWanted(record)) continue
    fetched.push(record)
    if (fetched.length > limit) break
  }
  return toPage(fetched, limit, keyOf)
}
