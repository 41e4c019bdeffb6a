/**
 * Whether an account's kill switch is on, and how its bots are shown then.
 *
 * It is kept in the account and nowhere else, so that it holds for every bot in every process, also
 * for one that is started or made later, and so that letting go of it changes no bot's own gate.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { killedFields } from "../../domain/TradingStateMachine.ts"
import type { BotPorts } from "../bots/botPorts.ts"

/** Whether the kill switch of an account is on. */
export const isHalted = (
  { accounts }: Pick<BotPorts, "accounts">,
  accountId: string
): Effect.Effect<boolean, StoreError> =>
  Effect.map(
    accounts.get(accountId),
    (account) => Option.isSome(account) && account.value.is_halted
  )

/** A bot as it is shown: while its account is halted, that is what its trading state says. */
export const underHalt = <B extends Pick<Bot, "trading_state" | "trading_state_reason">>(
  bot: B,
  isOn: boolean
): B => (isOn ? { ...bot, ...killedFields } : bot)
