/**
 * The life cycle of an attempt to have an order at a venue.
 *
 * - `written`: the bot has decided, and no request has left.
 * - `sending`: the request is about to leave, or has left.
 * - `working`: the venue has the order.
 * - `unknown`: the answer proves nothing, or the venue shows an order no more that it has taken. A
 *   look-up or a trade shows more.
 * - `given_up`: no look-up has shown more for long, and a person is notified.
 * - `absent`, `refused` and `over` are ends. After `absent` another attempt with another id may
 *   follow.
 *
 * The agent ignores a fact that no row allows, because venues report facts late and twice. It never
 * sends an unknown attempt again. Trades may name an attempt after any end.
 *
 * **Example** (An answer that was lost)
 *
 * ```ts
 * import { AttemptMachine, StateTable } from "@candlewick/core"
 *
 * const unknown = StateTable.move(AttemptMachine, "sending", "lost")
 * console.log(unknown, StateTable.eventsFrom(AttemptMachine, unknown))
 * ```
 *
 * ```text output
 * unknown [ 'accepted', 'ended', 'absent', 'given_up' ]
 * ```
 *
 * @since 0.1.0
 */
import * as StateTable from "./StateTable.ts"

const rows = [
  { from: "written", on: "sent", to: "sending" },
  { from: "written", on: "withdrawn", to: "over" },
  { from: "sending", on: "not_sent", to: "written" },
  { from: "sending", on: "accepted", to: "working" },
  { from: "sending", on: "refused", to: "refused" },
  { from: "sending", on: "lost", to: "unknown" },
  { from: "sending", on: "ended", to: "over" },
  { from: "unknown", on: "accepted", to: "working" },
  { from: "unknown", on: "ended", to: "over" },
  { from: "unknown", on: "absent", to: "absent" },
  { from: "unknown", on: "given_up", to: "given_up" },
  { from: "working", on: "ended", to: "over" },
  { from: "working", on: "lost", to: "unknown" },
  { from: "given_up", on: "accepted", to: "working" },
  { from: "given_up", on: "ended", to: "over" }
] as const

/** The events of an attempt. @category models @since 0.1.0 */
export type AttemptFact = (typeof rows)[number]["on"]

/** A state of an attempt. @category models @since 0.1.0 */
export type AttemptState = (typeof rows)[number]["from" | "to"]

/** The moves of an attempt. @category tables @since 0.1.0 */
export const AttemptMachine = StateTable.make<AttemptState, AttemptFact>("attempt", "written", rows)

/**
 * The states in which a venue has the order of an attempt, or may have it, or is about to get it.
 *
 * @category tables
 * @since 0.1.0
 */
export const openAttemptStates: ReadonlyArray<AttemptState> = [
  "written",
  "sending",
  "unknown",
  "working",
  "given_up"
]
