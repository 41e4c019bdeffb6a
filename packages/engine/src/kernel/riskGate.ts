/**
 * Stops entries after too large a loss, on stale data, or at the command of an operator.
 *
 * The simulator and bots run the same gate. It is `active`, `reducing` after a day's loss, or
 * `halted` after a drawdown or a mismatch. It never closes positions; it only decides whether
 * exposure may grow.
 *
 * **Example** (A drawdown at the cap)
 *
 * ```ts
 * import { makeRiskGate, noRiskLimits, observeEquity } from "@candlewick/engine/kernel"
 *
 * const gate = makeRiskGate(1_000)
 * const limits = { ...noRiskLimits, drawdownMax: 0.2 }
 * observeEquity(gate, limits, 0, 1_100)
 * observeEquity(gate, limits, 3_600_000, 880)
 * console.log(gate.state, gate.reason)
 * ```
 *
 * ```text output
 * halted max_drawdown
 * ```
 *
 * @since 0.1.0
 */
import { dayOf } from "./calendar.ts"
import {
  type GateEvent,
  type GateReason,
  type GateState,
  gateStates,
  moveGate
} from "./riskGateMachine.ts"

/**
 * The largest allowed losses, as fractions; null where there is no limit. @category models @since
 * 0.1.0
 */
export interface RiskLimits {
  readonly drawdownMax: number | null
  readonly dailyLossMax: number | null
  readonly exposureMax: number | null
  readonly riskPerTrade: number | null
}

/** No limits at all. @category models @since 0.1.0 */
export const noRiskLimits: RiskLimits = {
  drawdownMax: null,
  dailyLossMax: null,
  exposureMax: null,
  riskPerTrade: null
}

/** Limits that take the place of others. @category models @since 0.1.0 */
export interface LimitChange {
  /** Open time of the last candle for which the others hold. */
  readonly after: number
  readonly limits: RiskLimits
}

/** The gate's memory: plain data, changed in place. @category models @since 0.1.0 */
export interface RiskGate {
  state: GateState
  reason: GateReason
  peakEquity: number
  dayStartEquity: number
  /** Days since 1970-01-01 UTC. */
  dayIndex: number
  lastEquity: number
}

/** A gate that is open, with this equity as its first peak. @category models @since 0.1.0 */
export const makeRiskGate = (equity: number): RiskGate => ({
  state: gateStates.none,
  reason: "none",
  peakEquity: equity,
  dayStartEquity: equity,
  dayIndex: -1,
  lastEquity: equity
})

/**
 * Shows the gate the equity at a candle's close; true where its state changed.
 *
 * **Details**
 *
 * A drawdown at the cap halts until `resumeRiskGate`. A loss since the day's first equity at the
 * limit stops entries until the next UTC day. `time` is the open time of the candle.
 *
 * @category models
 * @since 0.1.0
 */
export const observeEquity = (
  gate: RiskGate,
  limits: RiskLimits,
  time: number,
  equity: number
): boolean => {
  const before = gate.state
  const day = dayOf(time)
  if (day !== gate.dayIndex) {
    gate.dayIndex = day
    gate.dayStartEquity = gate.lastEquity
    if (gate.reason === "daily_loss") move(gate, "next_day")
  }
  gate.lastEquity = equity
  if (equity > gate.peakEquity) gate.peakEquity = equity
  if (gate.state === "active") {
    const { drawdownMax, dailyLossMax } = limits
    if (drawdownMax !== null && gate.peakEquity - equity >= drawdownMax * gate.peakEquity) {
      move(gate, "drawdown")
    } else if (
      dailyLossMax !== null &&
      gate.dayStartEquity - equity >= dailyLossMax * gate.dayStartEquity
    ) {
      move(gate, "loss")
    }
  } else if (
    gate.reason === "daily_loss" &&
    limits.drawdownMax !== null &&
    gate.peakEquity - equity >= limits.drawdownMax * gate.peakEquity
  ) {
    move(gate, "drawdown")
  }
  return gate.state !== before
}

const move = (gate: RiskGate, event: GateEvent): void => {
  gate.reason = moveGate(gate.reason, event)
  gate.state = gateStates[gate.reason]
}

/**
 * Opens a gate that losses have shut; losses are measured from the present equity on.
 *
 * @category models
 * @since 0.1.0
 */
export const resumeRiskGate = (gate: RiskGate): void => {
  move(gate, "resume")
  gate.peakEquity = gate.lastEquity
  gate.dayStartEquity = gate.lastEquity
}

/**
 * Halts because the broker holds something else than the books say.
 *
 * @category models
 * @since 0.1.0
 */
export const haltForMismatch = (gate: RiskGate): void => move(gate, "mismatch")

/**
 * Ends a mismatch that came when the gate was shut for a reason, or for none.
 *
 * **Details**
 *
 * A halt goes on. A day's loss is looked at again with the next candle, for that day may be over.
 *
 * @category models
 * @since 0.1.0
 */
export const endMismatch = (gate: RiskGate, before: GateReason): void =>
  move(gate, before === "max_drawdown" ? "match_after_drawdown" : "match")

/** Whether an order that increases exposure may pass. @category models @since 0.1.0 */
export const allowsEntry = (gate: RiskGate): boolean => gate.state === "active"

/**
 * Whether a candle is too old to enter on: opened more than 1.5 timeframes before `nowMs`, on the
 * market's clock.
 *
 * @category models
 * @since 0.1.0
 */
export const isStale = (candleTime: number, timeframeMs: number, nowMs: number): boolean =>
  nowMs - candleTime > 1.5 * timeframeMs
