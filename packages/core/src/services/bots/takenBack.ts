/**
 * Why a bot took orders back, as their records say it.
 *
 * @since 0.1.0
 */
import type { BotStatus } from "../../domain/BotMachine.ts"

/** The reason of an order that a halt of its account took back. */
export const haltReason = "the account is halted"

/** The reason of an order that ends with a fill of its group; a matcher on paper has the same. */
export const otherFilledReason = "another of its group was filled"

/** The reason of an order whose life in candles or whose `until` is over. */
export const outOfTimeReason = "its time is over"

/** The reason of an order that ended with the position that it belongs to. */
export const positionClosedReason = "the position is closed"

/** The reason of an entry whose rest is not asked for, because an exit closed its first part. */
export const partClosedReason = "the part that had filled was closed"

/** Whether an entry ended with its position. A later fill of it is to be closed too. */
export const isEndedByClose = (reason: string | null): boolean =>
  reason === positionClosedReason || reason === partClosedReason

const restPrefix = "the bot is "

/** The reason of an order that a bot took back on its way to rest. */
export const restReason = (status: BotStatus): string => restPrefix + status

/** Whether a command took an order back, by the reason of its record. */
export const isByCommand = (reason: string | null): boolean =>
  reason === haltReason || reason?.startsWith(restPrefix) === true
