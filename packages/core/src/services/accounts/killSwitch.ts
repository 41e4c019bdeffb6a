/**
 * Whether an account's kill switch is on, and how its bots are shown then.
 *
 * It is kept in the account, so that it holds for every bot in every process, also for one that is
 * started or made later. Letting go of it then changes no bot's own gate. Until the store has it, a
 * flag in memory holds for the process that was asked.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { killedFields } from "../../domain/TradingStateMachine.ts"
import type { BotPorts } from "../bots/botPorts.ts"

/** Whether the kill switch of an account is on, in this process or in the store. */
export const isHalted = Effect.fnUntraced(function* (
  { accounts, haltFlag }: Pick<BotPorts, "accounts" | "haltFlag">,
  accountId: string
): Effect.fn.Return<boolean, StoreError> {
  if (yield* haltFlag.isHaltedHere(accountId)) return true
  const account = Option.getOrNull(yield* accounts.get(accountId))
  return account !== null && account.is_halted
})

/**
 * Locks the kill switch until the transaction around this ends. Without it an order
 * could be written as sent by a transaction that read the switch before another one turned it.
 */
export const holdSwitch = (
  { transactor }: Pick<BotPorts, "transactor">,
  accountId: string
): Effect.Effect<void, StoreError> => transactor.lock(`kill switch of ${accountId}`)

/** A bot as it is shown: while its account is halted, its trading state says so. */
export const underHalt = <B extends Pick<Bot, "trading_state" | "trading_state_reason">>(
  bot: B,
  isOn: boolean
): B => (isOn ? { ...bot, ...killedFields } : bot)
