/**
 * Bots' log lines and equity in SQL.
 *
 * @since 0.1.0
 */
import {
  BotJournal,
  type EquityPoint,
  fromTimestamp,
  Limits,
  LogEntry,
  logLevels,
  toPage
} from "@candlewick/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { decoderOf } from "./internal/decoderOf.ts"
import { columnText, filteredBy } from "./internal/filters.ts"
import { jsonText } from "./internal/jsonText.ts"
import { thinEquity } from "./internal/stepWrites.ts"
import { toStoreError } from "./internal/toStoreError.ts"

interface LineRow {
  readonly seq: number
  readonly record: object
}

const decodeLine = decoderOf(LogEntry)
const toLine = ({ record, seq }: LineRow): LogEntry => decodeLine({ ...record, seq })

// A key of a page is a line's number as text; one that is none begins where there are no lines.
const seqMax = 2_147_483_647
const toSeq = (before: string | undefined): number =>
  before === undefined ? seqMax : Math.max(0, Math.min(seqMax, Math.ceil(Number(before)) || 0))

/** The other way about: after none of a number are all. */
const afterSeq = (after: string | undefined): number =>
  Math.max(0, Math.min(seqMax, Math.floor(Number(after ?? 0)) || 0))

/** The same of an equity point's time, for which one that is no number is before all of them. */
const toAtMs = (before: string | undefined): number => {
  const { MAX_SAFE_INTEGER: newest, MIN_SAFE_INTEGER: none } = Number
  if (before === undefined) return newest
  const atMs = Math.ceil(Number(before))
  return Number.isNaN(atMs) ? none : Math.max(none, Math.min(newest, atMs))
}

/** A `BotJournal` over the client that is provided. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  BotJournal,
  Effect.map(SqlClient.SqlClient, (sql) =>
    BotJournal.of({ ...linesOf(sql), ...equityOf(sql), ...totalsOf(sql) })
  )
)

function linesOf(
  sql: SqlClient.SqlClient
): Pick<BotJournal["Service"], "append" | "list" | "removeOfBot"> {
  return {
    append: (entry) => {
      const { bot_id: botId, level, timestamp } = entry
      // The count of a bot is locked until the end of the transaction, so that numbers have no
      // holes. A line pushes out the one whose number is that many below its own. The search does
      // not begin at the oldest line, because dropped lines stay in the index until a vacuum takes
      // them.
      return toStoreError(
        Effect.map(
          sql<Pick<LineRow, "seq">>`with counted as (
              insert into bot_log_counts as counts (bot_id, line_count) values (${botId}, 1)
              on conflict (bot_id) do update set line_count = counts.line_count + 1
              returning line_count
            ), dropped as (
              delete from bot_logs where bot_id = ${botId} and seq =
                (select line_count - ${Limits.logsPerBotMaxCount}::integer from counted)
            )
            insert into bot_logs (bot_id, seq, level, at_ms, event, record)
            select ${botId}::text, line_count, ${logLevels.indexOf(level)}::smallint,
              ${fromTimestamp(timestamp)}::bigint, ${columnText(entry.event)}::text,
              ${jsonText(entry)}::text::json
            from counted returning seq`,
          ([row]) => ({ ...entry, seq: row!.seq })
        )
      )
    },
    list: (botId, { after, before, event, level, limit, since, until }) =>
      toStoreError(
        Effect.map(
          // Where fewer are kept than before, the oldest beyond that number count as gone.
          sql<LineRow>`select seq, record from bot_logs
            where bot_id = ${botId} and seq < ${toSeq(before)}
              and seq > greatest(${afterSeq(after)}::integer, (
                select line_count - ${Limits.logsPerBotMaxCount}::integer from bot_log_counts
                where bot_id = ${botId}
              ))
              and level >= ${level === undefined ? 0 : logLevels.indexOf(level)}
              and at_ms >= ${since === undefined ? Number.MIN_SAFE_INTEGER : fromTimestamp(since)}
              and at_ms < ${until === undefined ? Number.MAX_SAFE_INTEGER : fromTimestamp(until)}
              and ${event === undefined ? sql`true` : sql`event = ${columnText(event)}`}
            order by seq desc limit ${limit + 1}`,
          (rows) => toPage(rows.map(toLine), limit, ({ seq }) => String(seq))
        )
      ),
    removeOfBot: (botId) =>
      Effect.asVoid(
        toStoreError(
          sql`with counts as (delete from bot_log_counts where bot_id = ${botId}),
              lines as (delete from bot_logs where bot_id = ${botId})
            delete from bot_equity where bot_id = ${botId}`
        )
      )
  }
}

function equityOf(
  sql: SqlClient.SqlClient
): Pick<
  BotJournal["Service"],
  "appendEquity" | "listEquity" | "pageEquity" | "equityAt" | "thinEquity" | "clearEquity"
> {
  return {
    appendEquity: (botId, { equity, time }) =>
      Effect.asVoid(
        toStoreError(
          sql`insert into bot_equity (bot_id, at_ms, time, equity)
            values (${botId}, ${fromTimestamp(time)}, ${time}, ${jsonText(equity)}::text::float8)
            on conflict (bot_id, at_ms) do update set time = excluded.time, equity = excluded.equity`
        )
      ),
    listEquity: (botId, { after, limit }) =>
      toStoreError(
        sql<EquityPoint>`select time, equity from bot_equity
          where bot_id = ${botId} and at_ms > ${after ?? Number.MIN_SAFE_INTEGER}
          order by at_ms limit ${limit}`
      ),
    pageEquity: (botId, page) =>
      toStoreError(
        Effect.map(
          sql<EquityPoint>`select time, equity from bot_equity
            where bot_id = ${botId} and at_ms < ${toAtMs(page.before)} and ${filteredBy(sql, page)}
            order by at_ms desc limit ${page.limit + 1}`,
          (rows) => toPage(rows, page.limit, ({ time }) => String(fromTimestamp(time)))
        )
      ),
    equityAt: (botId, times) => {
      // As texts: a client takes the type of an array from its first number.
      const texts = times.map((time) => String(Math.floor(time)))
      return toStoreError(
        Effect.map(
          sql<EquityPoint>`select distinct on (point.at_ms) point.time, point.equity
            from unnest(${texts}::text[]::bigint[]) as asked (at_ms)
            cross join lateral (
              select at_ms, time, equity from bot_equity
              where bot_id = ${botId} and at_ms <= asked.at_ms
              order by at_ms desc limit 1
            ) point
            order by point.at_ms`,
          (rows) => rows.map(({ equity, time }) => ({ time, equity }))
        )
      )
    },
    thinEquity: (botId, range) => thinEquity(sql, [{ botId, ...range }]),
    clearEquity: (botId) =>
      Effect.asVoid(toStoreError(sql`delete from bot_equity where bot_id = ${botId}`))
  }
}

function totalsOf(sql: SqlClient.SqlClient): Pick<BotJournal["Service"], "equityTotals"> {
  return {
    equityTotals: (bots, times) => {
      if (bots.length === 0) return Effect.succeed(times.map(() => 0))
      const ids = bots.map(({ botId }) => botId)
      const others = bots.map(({ otherwise }) => jsonText(otherwise))
      const texts = times.map((time) => String(Math.floor(time)))
      return toStoreError(
        Effect.map(
          sql<{
            readonly total: number
          }>`select sum(coalesce(point.equity, bots.otherwise)) as total
            from unnest(${texts}::text[]::bigint[]) with ordinality as asked (at_ms, place)
            cross join unnest(${ids}::text[], ${others}::text[]::float8[]) as bots (id, otherwise)
            left join lateral (
              select equity from bot_equity
              where bot_id = bots.id and at_ms <= asked.at_ms
              order by at_ms desc limit 1
            ) point on true
            group by asked.place order by asked.place`,
          (rows) => rows.map(({ total }) => total)
        )
      )
    }
  }
}
