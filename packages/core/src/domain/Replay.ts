/**
 * A replay, which sends many deliveries of one endpoint again: the request, its progress, and its
 * record.
 *
 * `ReplayMachine` moves its `status`. The deliveries keep their ids, so that a receiver finds those
 * that it has already.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { EventName } from "./DomainEvent.ts"
import { ReplayMachine } from "./ReplayMachine.ts"
import { AccountId, ReplayId, WebhookId } from "./Identifier.ts"
import { Timestamp } from "@candlewick/engine"

/**
 * The deliveries to be sent again. `failed`: failed, or cancelled after an attempt. `missing`:
 * skipped, or cancelled before one. `undelivered`: both. `all`: every finished one. Test deliveries
 * and those at the limit of attempts never count.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ReplayRequest = Schema.Struct({
  since: Timestamp,
  until: Schema.optionalKey(Timestamp),
  mode: Schema.Literals(["failed", "missing", "undelivered", "all"]),
  events: Schema.optionalKey(
    Schema.NonEmptyArray(EventName).check(Schema.isMaxLength(5), Schema.isUnique())
  )
})

/** Which deliveries are to be sent again. @category models @since 0.1.0 */
export type ReplayRequest = typeof ReplayRequest.Type

/**
 * A replay: its request, and the number of deliveries that wait again.
 *
 * @category schemas
 * @since 0.1.0
 */
export const ReplayView = Schema.Struct({
  id: ReplayId,
  webhook_id: WebhookId,
  mode: ReplayRequest.fields.mode,
  since: Timestamp,
  until: Timestamp,
  events: Schema.NullOr(Schema.Array(EventName)),
  /** `partial`: it reached its limit before `since`. */
  status: Schema.Literals(ReplayMachine.states),
  /** Why it was cancelled. */
  reason: Schema.NullOr(Schema.Literals(["caller", "webhook_disabled", "webhook_removed"])),
  /** The share of its time that was looked through. */
  progress: Schema.Finite,
  looked_count: Schema.Int,
  queued_count: Schema.Int,
  /** The `until` from which the next replay continues, if this one ended early. */
  continue_until: Schema.NullOr(Timestamp),
  version: Schema.Int,
  created_at: Timestamp,
  updated_at: Timestamp
})

/** A replay as it is shown. @category models @since 0.1.0 */
export type ReplayView = typeof ReplayView.Type

/** A replay as it is kept. @category schemas @since 0.1.0 */
export const Replay = Schema.Struct({
  ...ReplayView.fields,
  account_id: AccountId,
  /** The ids of deliveries between which it has still to look, both left out. */
  next_before: Schema.String,
  after: Schema.String
})

/** A replay as it is kept. @category models @since 0.1.0 */
export type Replay = typeof Replay.Type
