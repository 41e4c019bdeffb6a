/**
 * The reasons for which a write is refused, as the ports name them.
 *
 * @since 0.1.0
 */
import { StoreError } from "@candlewick/core"

/** The id is taken, there is nothing to change, or it changed since. @since 0.1.0 */
export const { alreadyExists, notFound, versionConflict } = StoreError
