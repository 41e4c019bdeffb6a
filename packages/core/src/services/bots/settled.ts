/**
 * The bot after its command is carried out.
 *
 * @since 0.1.0
 */
import type { Bot } from "../../domain/Bot.ts"
import { BotMachine } from "../../domain/BotMachine.ts"
import * as StateTable from "../../domain/StateTable.ts"

/** The bot as it is once it has settled. */
export const settled = (bot: Bot, now: string): Bot => {
  const status = StateTable.move(BotMachine, bot.status, "settled")
  return {
    ...bot,
    status,
    updated_at: now,
    stopped_at: status === "stopped" ? now : bot.stopped_at
  }
}
