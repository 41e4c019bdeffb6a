/**
 * The failures of a store.
 *
 * Only after `StoreUnavailable` may the same call succeed later. `ContentRefused` lasts until the
 * content changes, and `StoreDamaged` until a back-up is restored. `AlreadyExists`, `NotFound` and
 * `VersionConflict` describe the record.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/** The id is taken. @category errors @since 0.1.0 */
export class AlreadyExists extends Schema.TaggedError<AlreadyExists>()("AlreadyExists", {
  entity: Schema.String,
  id: Schema.String
}) {}

/** There is nothing with this id to change. @category errors @since 0.1.0 */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  entity: Schema.String,
  id: Schema.String
}) {}

/** It changed since it was read at `version`. @category errors @since 0.1.0 */
export class VersionConflict extends Schema.TaggedError<VersionConflict>()("VersionConflict", {
  entity: Schema.String,
  id: Schema.String,
  version: Schema.Int
}) {}

/**
 * The store can't be reached or can't write; trying again later may help.
 *
 * @category errors
 * @since 0.1.0
 */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  cause: Schema.String
}) {}

/**
 * The store can't keep a value. It may be a text or a number without a form there, be too long, or
 * break a rule of its tables. The same content is refused again, however often it is tried.
 *
 * @category errors
 * @since 0.1.0
 */
export class ContentRefused extends Schema.TaggedError<ContentRefused>()("ContentRefused", {
  cause: Schema.String
}) {}

/**
 * The store can't read its own data: a page is damaged, or a file is gone. Trying again does not
 * help; a back-up does.
 *
 * @category errors
 * @since 0.1.0
 */
export class StoreDamaged extends Schema.TaggedError<StoreDamaged>()("StoreDamaged", {
  cause: Schema.String
}) {}

/** A store's failure, with its reason. @category errors @since 0.1.0 */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  reason: Schema.Union([
    AlreadyExists,
    NotFound,
    VersionConflict,
    StoreUnavailable,
    ContentRefused,
    StoreDamaged
  ])
}) {
  override get message(): string {
    const { reason } = this
    switch (reason._tag) {
      case "AlreadyExists":
        return `${reason.entity} ${reason.id} exists already`
      case "NotFound":
        return `the store has no ${reason.entity} ${reason.id}`
      case "VersionConflict":
        return `${reason.entity} ${reason.id} changed since version ${reason.version}`
      case "StoreUnavailable":
        return `the store is unavailable: ${reason.cause}`
      case "ContentRefused":
        return `the store refuses the content: ${reason.cause}`
      case "StoreDamaged":
        return `the store is damaged: ${reason.cause}`
    }
  }

  /** The id is taken. */
  static readonly alreadyExists = (entity: string, id: string): StoreError =>
    new StoreError({ reason: new AlreadyExists({ entity, id }) })

  /** There is nothing with this id to change. */
  static readonly notFound = (entity: string, id: string): StoreError =>
    new StoreError({ reason: new NotFound({ entity, id }) })

  /** It changed since it was read at `version`. */
  static readonly versionConflict = (entity: string, id: string, version: number): StoreError =>
    new StoreError({ reason: new VersionConflict({ entity, id, version }) })

  /** Whether trying again later may help. */
  get isRetryable(): boolean {
    return this.reason._tag === "StoreUnavailable"
  }

  /** Whether the store has lost the data that a call needs. */
  get isDamage(): boolean {
    return this.reason._tag === "StoreDamaged"
  }

  /** Whether the content is at fault, so that the store refuses the same call for ever. */
  get isContentRefused(): boolean {
    return this.reason._tag === "ContentRefused"
  }
}
