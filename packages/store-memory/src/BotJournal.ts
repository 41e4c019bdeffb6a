/**
 * Keeps bots' log lines and equity in memory.
 *
 * @since 0.1.0
 */
import {
  BotJournal,
  type EquityPoint,
  fromTimestamp,
  passesFilter,
  type LogEntry,
  logLevels
} from "@candlewick/core"
import { Effect, Layer } from "effect"
import { appendLine } from "./internal/appendLine.ts"
import { keyOf, sortable } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { pageOf } from "./internal/pages.ts"
import type { Tables } from "./internal/tables.ts"
import { thinPoints } from "./internal/thinPoints.ts"

const removeEquity = (tables: Tables, botId: string): void => {
  for (const { point } of tables.equityPoints.oldest(keyOf("bot", botId))) {
    const time = sortable(fromTimestamp(point.time))
    tables.equityPoints = tables.equityPoints.remove(keyOf(botId, time))
  }
}

/** A time, as a collection sorts it, beyond which the next millisecond begins. */
const beyond = (time: number): string => sortable(time + 1)

/** Lines that come newest first, up to a number. */
function* numberedAfter(after: string | undefined, lines: Iterable<LogEntry>) {
  for (const line of lines) {
    if (after !== undefined && line.seq <= Number(after)) return
    yield line
  }
}

const readsOf = (
  database: Database["Service"]
): Pick<BotJournal["Service"], "listEquity" | "pageEquity" | "equityAt" | "equityTotals"> => ({
  listEquity: (botId, { after, limit }) =>
    database.read(({ equityPoints }) => {
      const from = after === undefined ? undefined : beyond(after)
      const points: Array<EquityPoint> = []
      for (const { point } of equityPoints.oldest(keyOf("bot", botId), from)) {
        if (points.length >= limit) break
        points.push(point)
      }
      return points
    }),
  pageEquity: (botId, page) =>
    database.read(({ equityPoints }) => {
      const until = page.before === undefined ? undefined : sortable(Number(page.before))
      const isWanted = passesFilter(page, "time")
      const { items, next } = pageOf(
        equityPoints.newest(keyOf("bot", botId), until),
        page.limit,
        ({ point }) => String(fromTimestamp(point.time)),
        ({ point }) => isWanted(point)
      )
      return { items: items.map(({ point }) => point), next }
    }),
  equityAt: (botId, times) =>
    database.read(({ equityPoints }) => {
      const found = new Set<EquityPoint>()
      for (const time of times.toSorted((one, other) => one - other)) {
        const [newest] = equityPoints.newest(keyOf("bot", botId), beyond(time))
        if (newest !== undefined) found.add(newest.point)
      }
      return [...found]
    }),
  equityTotals: (bots, times) =>
    database.read(({ equityPoints }) =>
      times.map((time) => {
        let total = 0
        for (const { botId, otherwise } of bots) {
          const [newest] = equityPoints.newest(keyOf("bot", botId), beyond(time))
          total += newest?.point.equity ?? otherwise
        }
        return total
      })
    )
})

/**
 * `BotJournal` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<BotJournal, never, Database> = Layer.effect(
  BotJournal,
  Effect.map(Database, (database) => ({
    append: (entry) => database.write((tables) => appendLine(tables, entry)),
    list: (botId, { after, before, event, level, limit, since, until }) =>
      database.read(({ logEntries }) => {
        const lowest = level === undefined ? 0 : logLevels.indexOf(level)
        const sinceMs = since === undefined ? Number.NEGATIVE_INFINITY : fromTimestamp(since)
        const untilMs = until === undefined ? Number.POSITIVE_INFINITY : fromTimestamp(until)
        return pageOf(
          numberedAfter(
            after,
            logEntries.newest(
              keyOf("bot", botId),
              before === undefined ? undefined : sortable(Number(before))
            )
          ),
          limit,
          ({ seq }) => String(seq),
          (entry) =>
            logLevels.indexOf(entry.level) >= lowest &&
            (event === undefined || entry.event === event) &&
            fromTimestamp(entry.timestamp) >= sinceMs &&
            fromTimestamp(entry.timestamp) < untilMs
        )
      }),
    appendEquity: (botId, point) =>
      database.write((tables) => {
        tables.equityPoints = tables.equityPoints.put({ bot_id: botId, point })
      }),
    ...readsOf(database),
    thinEquity: (botId, range) => database.write((tables) => thinPoints(tables, botId, range)),
    clearEquity: (botId) => database.write((tables) => removeEquity(tables, botId)),
    removeOfBot: (botId) =>
      database.write((tables) => {
        const group = keyOf("bot", botId)
        for (const { seq } of tables.logEntries.oldest(group)) {
          tables.logEntries = tables.logEntries.remove(keyOf(botId, String(seq)))
        }
        removeEquity(tables, botId)
      })
  }))
)
