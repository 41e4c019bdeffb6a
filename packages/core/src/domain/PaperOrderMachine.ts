/**
 * The life cycle of an order at the paper venue.
 *
 * The venue answers at once, so an order is `open` from its first moment. A fill of a part leaves
 * it open. No event follows its end, because the matcher forgets an order that is over.
 *
 * The matcher can expire an order, but the venue gives none a time limit today.
 *
 * Paper accounts in stores have these names: one that changes makes them unreadable.
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
