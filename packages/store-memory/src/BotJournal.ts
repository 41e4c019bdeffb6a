/**
 * Log lines and equity points of bots in memory.
 *
 * @since 0.1.0
 */
import { BotJournal, type EquityPoint, Limits, type LogEntry, logLevels } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { MemoryDatabase } from "./internal/MemoryDatabase.ts"
import { pageOf } from "./internal/recordTable.ts"

interface StoredPoint {
  readonly botId: string
  readonly point: EquityPoint
}

/** Keys whose order is that of the numbers. */
const seqKey = (seq: number): string => String(seq).padStart(12, "0")

/** A `BotJournal` in memory. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  BotJournal,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const lines = database.table<LogEntry>(({ bot_id }) => bot_id)
    const lastSeq = database.table<number>()
    const points = database.table<StoredPoint>(({ botId }) => botId)
    const lineKey = (botId: string, seq: number) => `${botId} ${seqKey(seq)}`
    return BotJournal.of({
      append: (entry) =>
        database.run(() => {
          const seq = (lastSeq.get(entry.bot_id) ?? 0) + 1
          const line = { ...entry, seq }
          lastSeq.put(entry.bot_id, seq)
          lines.put(lineKey(entry.bot_id, seq), line)
          const oldest = seq - Limits.logsPerBotMaxCount
          if (oldest > 0) lines.delete(lineKey(entry.bot_id, oldest))
          return line
        }),
      list: (botId, page) =>
        database.run(() => {
          const level = page.level === undefined ? 0 : logLevels.indexOf(page.level)
          const since = page.since === undefined ? -Infinity : Date.parse(page.since)
          const before = page.before === undefined ? undefined : lineKey(botId, Number(page.before))
          return pageOf(
            lines,
            botId,
            { limit: page.limit, before },
            ({ seq }) => String(seq),
            (line) => logLevels.indexOf(line.level) >= level && Date.parse(line.timestamp) >= since
          )
        }),
      appendEquity: (botId, point) =>
        database.run(() => points.put(`${botId} ${point.time}`, { botId, point })),
      listEquity: (botId) => database.run(() => points.ascending(botId).map(({ point }) => point)),
      removeOfBot: (botId) =>
        database.run(() => {
          for (const key of [...lines.keys(botId)]) lines.delete(key)
          for (const key of [...points.keys(botId)]) points.delete(key)
          lastSeq.delete(botId)
        })
    })
  })
)
