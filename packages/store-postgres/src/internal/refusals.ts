/**
 * The reasons for which a write is refused, as the ports name them.
 *
 * @since 0.1.0
 */
import { AlreadyExists, NotFound, StoreError, VersionConflict } from "@candlewick/core"

/** The id is taken. @category errors @since 0.1.0 */
export const alreadyExists = (entity: string, id: string): StoreError =>
  new StoreError({ reason: new AlreadyExists({ entity, id }) })

/** There is nothing to change. @category errors @since 0.1.0 */
export const notFound = (entity: string, id: string): StoreError =>
  new StoreError({ reason: new NotFound({ entity, id }) })

/** It changed since it was read. @category errors @since 0.1.0 */
export const versionConflict = (entity: string, id: string, version: number): StoreError =>
  new StoreError({ reason: new VersionConflict({ entity, id, version }) })
