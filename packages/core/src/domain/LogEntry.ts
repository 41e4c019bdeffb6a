/**
 * A line of a bot's log.
 *
 * `seq` rises by one within a bot. `event` is a name for programs; `message` is the same for
 * people, and `data` holds its figures.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { BotId } from "./Identifier.ts"
import { Timestamp } from "@candlewick/engine"

/** How much a log line matters, least first. @category tables @since 0.1.0 */
export const logLevels = ["debug", "info", "warn", "error"] as const

/** How much a log line matters. @category schemas @since 0.1.0 */
export const LogEntryLevel = Schema.Literals(logLevels)

/** A line of a bot's log; `seq` rises by one within a bot. @category schemas @since 0.1.0 */
export const LogEntry = Schema.Struct({
  bot_id: BotId,
  seq: Schema.Int,
  timestamp: Timestamp,
  level: LogEntryLevel,
  event: Schema.String,
  message: Schema.String,
  data: Schema.Record(Schema.String, Schema.Json)
})

/** A line of a bot's log. @category models @since 0.1.0 */
export type LogEntry = typeof LogEntry.Type
