/**
 * The life cycle of an order at the paper venue.
 *
 * - `open`: the order rests. The venue answers at once, so an order is open from its first moment.
 *   A fill of a part leaves it open.
 * - `filled`, `cancelled`, `expired` and `rejected` are ends.
 *
 * No event follows an end, because the matcher forgets an order that is over. A record that says
 * otherwise is damaged: the venue dies with `IllegalMove`, and keeps the record as it was. A cancel
 * that comes too late is answered with `gone`.
 *
 * The matcher can expire an order, but the venue gives no order a time limit today.
 *
 * Paper accounts in stores have these names: a name that changes makes them unreadable.
 *
 * **Example** (A cancel that comes too late)
 *
 * ```ts
 * import { PaperOrderMachine, StateTable } from "@candlewick/core"
 *
 * const filled = StateTable.move(PaperOrderMachine, PaperOrderMachine.initial, "filled")
 * console.log(filled, StateTable.accepts(PaperOrderMachine, filled, "cancelled"))
 * ```
 *
 * ```text output
 * filled false
 * ```
 *
 * @since 0.1.0
 */
import * as StateTable from "./StateTable.ts"

const rows = [
  { from: "open", on: "filled", to: "filled" },
  { from: "open", on: "cancelled", to: "cancelled" },
  { from: "open", on: "expired", to: "expired" },
  { from: "open", on: "rejected", to: "rejected" }
] as const

/** The events of an order at the paper venue. @category models @since 0.1.0 */
export type PaperOrderFact = (typeof rows)[number]["on"]

/** A phase of an order at the paper venue. @category models @since 0.1.0 */
export type PaperOrderPhase = (typeof rows)[number]["from" | "to"]

/** The moves of an order at the paper venue. @category tables @since 0.1.0 */
export const PaperOrderMachine = StateTable.make<PaperOrderPhase, PaperOrderFact>(
  "paper order",
  "open",
  rows
)
