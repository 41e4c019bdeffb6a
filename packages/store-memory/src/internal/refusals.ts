/**
 * The reasons for which a write is refused, as the ports name them.
 *
 * @since 0.1.0
 */
import { StoreError } from "@candlewick/core"

/** The id is taken. @category errors @since 0.1.0 */
export const alreadyExists = StoreError.alreadyExists

/** There is nothing to change. @category errors @since 0.1.0 */
export const notFound = StoreError.notFound

/** It changed since it was read. @category errors @since 0.1.0 */
export const versionConflict = StoreError.versionConflict
