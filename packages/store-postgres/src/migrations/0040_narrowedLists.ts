/**
 * The filters of lists as columns, with indexes where an account may have very many.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  alertColumns,
  botColumns,
  orderColumns,
  runColumns,
  strategyColumns,
  tradeColumns
} from "../internal/listColumns.ts"

type Columns = Readonly<Record<string, string | number | null>>

const typeOf = (name: string): string => (name === "at_ms" ? "bigint" : 'text collate "C"')

/** Tables with the columns that each gets, and what is in these. */
const tables: ReadonlyArray<{
  readonly name: string
  readonly added: ReadonlyArray<string>
  readonly columnsOf: (record: never) => Columns
}> = [
  {
    name: "bots",
    added: ["desired_status", "mode", "strategy_id", "name", "symbols"],
    columnsOf: (bot: Parameters<typeof botColumns>[0]) => ({
      ...botColumns(bot),
      desired_status: bot.desired_status
    })
  },
  {
    name: "archived_bots",
    added: ["mode", "strategy_id", "name", "symbols"],
    columnsOf: botColumns
  },
  {
    name: "strategies",
    added: ["status", "origin", "timeframe", "name", "symbols"],
    columnsOf: strategyColumns
  },
  { name: "backtests", added: ["status", "strategy_id"], columnsOf: runColumns },
  { name: "optimizations", added: ["status", "strategy_id"], columnsOf: runColumns },
  { name: "alerts", added: ["kind", "metric", "symbol"], columnsOf: alertColumns },
  {
    name: "orders",
    added: ["symbol", "side", "leg", "status", "at_ms"],
    columnsOf: orderColumns
  },
  { name: "trades", added: ["symbol", "side", "leg", "at_ms"], columnsOf: tradeColumns }
]

const indexes = {
  bots: { of_strategy: "account_id, strategy_id, id" },
  backtests: { of_strategy: "account_id, strategy_id, id", of_status: "account_id, status, id" },
  optimizations: {
    of_strategy: "account_id, strategy_id, id",
    of_status: "account_id, status, id"
  },
  orders: {
    of_account: "account_id, id",
    of_symbol: "account_id, symbol, id",
    of_time: "account_id, at_ms",
    of_bot_by_time: "bot_id, at_ms"
  },
  trades: {
    of_account: "account_id, id",
    of_symbol: "account_id, symbol, id",
    of_time: "account_id, at_ms",
    of_bot_by_time: "bot_id, at_ms"
  }
} as const

const rowsAtOnce = 500

/** Fills the columns in, some rows at a time. */
const fillIn = Effect.fnUntraced(function* ({ added, columnsOf, name }: (typeof tables)[number]) {
  const sql = yield* SqlClient.SqlClient
  const listed = added.map((column) => `"${column}"`).join(", ")
  const typed = added
    .map((column) => `"${column}" ${column === "at_ms" ? "bigint" : "text"}`)
    .join(", ")
  const set = added.map((column) => `"${column}" = filled."${column}"`).join(", ")
  let after = ""
  while (true) {
    const rows = yield* sql<{ readonly id: string; readonly record: unknown }>`
      select id, record from ${sql(name)} where id > ${after} order by id limit ${rowsAtOnce}`
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
    const filled = rows.map(({ id, record }) => ({ id, ...columnsOf(record as never) }))
    yield* sql`update ${sql(name)} set ${sql.literal(set)}
      from (select id as of_id, ${sql.literal(listed)} from json_to_recordset(
        ${JSON.stringify(filled)}::text::json
      ) as each (id text, ${sql.literal(typed)})) as filled
      where id = filled.of_id`
  }
})

/** Migration 40. @category migrations @since 0.1.0 */
export const narrowedLists = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const table of tables) {
    for (const column of table.added) {
      yield* sql`alter table ${sql(table.name)}
        add column ${sql(column)} ${sql.literal(typeOf(column))}`
    }
    yield* fillIn(table)
  }
  // SQL can't look into JSON that has a NUL in it, but into its text; `event` is before the data.
  yield* sql`alter table bot_logs add column event text collate "C"`
  yield* sql`update bot_logs set event = substring(record::text from '"event": *"([^"]+)"')`
  for (const [table, each] of Object.entries(indexes)) {
    for (const [name, columns] of Object.entries(each)) {
      yield* sql`create index ${sql(`${table}_${name}`)} on ${sql(table)}
        (${sql.literal(columns)})`
    }
  }
})
