/**
 * The causes that keep a bot from acting.
 *
 * The bot's log, its status, its alerts and the metrics share these words. A hindrance has a kind
 * and the wall time at which it was seen first. Exits go on as far as the kind allows.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Timestamp } from "@candlewick/engine"

/** The kinds of hindrances. @category tables @since 0.1.0 */
export const hindranceKinds = [
  "slow_store",
  "damaged_store",
  "stale_data",
  "data_ended",
  "risk_gate",
  "mismatch",
  "account_halted",
  "unknown_order",
  "venue",
  "maintenance",
  "unprotected",
  "ownership"
] as const

/** A kind of hindrance. @category schemas @since 0.1.0 */
export const HindranceKind = Schema.Literals(hindranceKinds)

/** A kind of hindrance. @category models @since 0.1.0 */
export type HindranceKind = typeof HindranceKind.Type

/** Something that keeps a bot from acting. @category schemas @since 0.1.0 */
export const Hindrance = Schema.Struct({
  kind: HindranceKind,
  /** Wall time at which it was seen first. */
  since: Timestamp,
  message: Schema.String
})

/** Something that keeps a bot from acting. @category models @since 0.1.0 */
export type Hindrance = typeof Hindrance.Type
