/**
 * The reasons for which a write is refused, as the ports name them.
 *
 * @since 0.1.0
 */
import { StoreError } from "@candlewick/core"

/** The id is taken, there is nothing to change, or it changed since. @since 0.1.0 */
export const { alreadyExists, notFound, versionConflict } = StoreError

/** The first refusal of a write of many records; undefined where all are written. @since 0.1.0 */
export const firstRefusal = <A>(
  records: ReadonlyArray<A>,
  write: (record: A) => StoreError | undefined
): StoreError | undefined => {
  for (const record of records) {
    const refusal = write(record)
    if (refusal !== undefined) return refusal
  }
  return undefined
}
