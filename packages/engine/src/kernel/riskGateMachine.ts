/**
 * The states of the risk gate and the moves between them, as data: the simulator and bots move
 * their gates by these rows alone.
 *
 * A state is named by its reason, because two states halt and are left by different events.
 *
 * @since 0.1.0
 */

/** The orders that the gate lets through. @category models @since 0.1.0 */
export type GateState = "active" | "reducing" | "halted"

/** The moves of a gate. @category tables @since 0.1.0 */
export const riskGateMoves = [
  { from: "none", on: "drawdown", to: "max_drawdown" },
  { from: "none", on: "loss", to: "daily_loss" },
  { from: "daily_loss", on: "drawdown", to: "max_drawdown" },
  { from: "daily_loss", on: "next_day", to: "none" },
  { from: "daily_loss", on: "resume", to: "none" },
  { from: "max_drawdown", on: "resume", to: "none" },
  { from: "none", on: "mismatch", to: "reconcile_mismatch" },
  { from: "daily_loss", on: "mismatch", to: "reconcile_mismatch" },
  { from: "max_drawdown", on: "mismatch", to: "reconcile_mismatch" },
  { from: "reconcile_mismatch", on: "mismatch", to: "reconcile_mismatch" },
  { from: "reconcile_mismatch", on: "match", to: "none" },
  { from: "reconcile_mismatch", on: "match_after_drawdown", to: "max_drawdown" }
] as const

/** Why a gate lets less through. @category models @since 0.1.0 */
export type GateReason = (typeof riskGateMoves)[number]["to" | "from"]

/** The events of a gate. @category models @since 0.1.0 */
export type GateEvent = (typeof riskGateMoves)[number]["on"]

/** The orders that a gate lets through for each reason. @category tables @since 0.1.0 */
export const gateStates: Readonly<Record<GateReason, GateState>> = {
  none: "active",
  daily_loss: "reducing",
  max_drawdown: "halted",
  reconcile_mismatch: "halted"
}

/**
 * The reason that an event leads to; throws where no row allows the event.
 *
 * @category tables
 * @since 0.1.0
 */
export const moveGate = (reason: GateReason, event: GateEvent): GateReason => {
  const row = riskGateMoves.find(({ from, on }) => from === reason && on === event)
  if (row === undefined) {
    throw new Error(`The table of the risk gate has no row from ${reason} on ${event}.`)
  }
  return row.to
}
