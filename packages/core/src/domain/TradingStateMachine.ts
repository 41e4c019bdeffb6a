/**
 * The trading state of a bot, which is its risk gate, and the kill switch of its account.
 *
 * While a bot does not trade freely it enters nothing; its exits go on. Neither table closes a
 * position.
 *
 * @since 0.1.0
 */
import {
  type GateEvent,
  type GateReason,
  gateStates,
  riskGateMoves
} from "@candlewick/engine/kernel"
import type { Bot } from "./Bot.ts"
import * as StateTable from "./StateTable.ts"

/** The moves of a bot's risk gate, by its reasons. @category tables @since 0.1.0 */
export const TradingStateMachine = StateTable.make<GateReason, GateEvent>(
  "trading state",
  "none",
  riskGateMoves
)

/** The moves of an account's kill switch. @category tables @since 0.1.0 */
export const KillSwitchMachine = StateTable.make("kill switch", "off", [
  { from: "off", on: "halt", to: "on" },
  { from: "on", on: "resume", to: "off" }
])

type TradingFields = Pick<Bot, "trading_state" | "trading_state_reason">

/**
 * The fields of a bot whose gate is shut for a reason, or for none.
 *
 * @category tables
 * @since 0.1.0
 */
export const tradingFields = (reason: GateReason): TradingFields => ({
  trading_state: gateStates[reason],
  trading_state_reason: reason
})

/** The same fields while the kill switch is on. @category tables @since 0.1.0 */
export const killedFields: TradingFields = {
  trading_state: "halted",
  trading_state_reason: "kill_switch"
}
