/**
 * The refusals of a write, as the ports name them.
 *
 * @since 0.1.0
 */
import { StoreError } from "@candlewick/core"

/** The id is taken, the record is missing, or its version changed. @since 0.1.0 */
export const { alreadyExists, notFound, versionConflict } = StoreError
