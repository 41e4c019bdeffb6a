/**
 * The reads of a method depend on its answer and not on how much was ever kept. The database's own
 * counts give the rows and index entries that it looked at, over tables with a long history.
 */
import {
  AlertStore,
  BacktestStore,
  BotJournal,
  BotStore,
  DeliveryQueue,
  DeliveryStore,
  EndpointStore,
  IdempotencyStore,
  Limits,
  OrderStore,
  Outbox,
  RunCheckpoints,
  StrategyStore
} from "@candlewick/core"
import {
  alertRecord,
  backtestRecord,
  botRecord,
  deliveryRecord,
  endpointRecord,
  eventRecord,
  evidenceRecord,
  logEntryRecord,
  orderRecord,
  recordTime,
  strategyRecord,
  testId,
  tradeRecord
} from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { PostgresStore } from "../src/index.ts"
import { onEveryDatabase } from "./databases/onEveryDatabase.ts"

/** Rows of every history. */
const size = 20_000
/** More than any answer here needs, and far less than a history. */
const readMax = 400

const accountId = testId("account")
const endpoint = endpointRecord({ account_id: accountId })
const nowMs = Date.parse(recordTime)

/** The id of the n-th row, as SQL: older than every id that a test makes. */
const idOf = (prefix: string) => `'${prefix}_' || lpad(n::text, 26, '0')`

/** Many rows of a table like a record that was kept; SQL says of each column what it holds. */
const repeat = (table: string, columns: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const names = Object.keys(columns).join(", ")
    const values = Object.values(columns).join(", ")
    yield* sql.unsafe(
      `insert into ${table} (${names}) select ${values} from generate_series(1, ${size}) as n`
    )
    yield* sql.unsafe(`vacuum (analyze) ${table}`)
  })

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
const recordWith = (record: { readonly id: string }, id: string): string =>
  `replace(${text(JSON.stringify(record))}, '${record.id}', ${id})::json`

const history = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const bot = testId("bot")
  const run = backtestRecord({ account_id: accountId, status: "completed" })
  for (const table of ["backtests", "optimizations", "strategies"]) {
    yield* repeat(table, {
      id: idOf("bt"),
      account_id: text(accountId),
      is_unfinished: "false",
      ...(table === "strategies" ? {} : { finished_ms: "n" }),
      version: "1",
      record: recordWith(run, idOf("bt"))
    })
  }
  yield* repeat("bots", {
    id: idOf("bot"),
    account_id: text(accountId),
    status: "'stopped'",
    version: "1",
    record: recordWith(botRecord(), idOf("bot"))
  })
  const order = orderRecord({ account_id: accountId, bot_id: bot, status: "filled" })
  yield* repeat("orders", {
    bot_id: text(bot),
    client_order_id: "n::text",
    id: idOf("ord"),
    account_id: text(accountId),
    is_open: "false",
    version: "1",
    record: recordWith(order, idOf("ord"))
  })
  const trade = tradeRecord({ account_id: accountId, bot_id: bot })
  yield* repeat("trades", {
    id: idOf("trd"),
    account_id: text(accountId),
    bot_id: text(bot),
    record: recordWith(trade, idOf("trd"))
  })
  yield* sql`insert into bot_log_counts (bot_id, line_count) values (${bot}, ${size})`
  yield* repeat("bot_logs", {
    bot_id: text(bot),
    seq: "n",
    level: "1",
    at_ms: `${nowMs} + n`,
    record: `${text(JSON.stringify(logEntryRecord({ bot_id: bot })))}::json`
  })
  yield* repeat("bot_equity", {
    bot_id: text(bot),
    at_ms: `${nowMs} + 3600000::bigint * n`,
    time: text(recordTime),
    equity: "n"
  })
  // A line that was pushed out stays in the index until a vacuum may take it. An old snapshot such
  // as a backup's puts that off. The next line pushes out one, and reads none of those.
  yield* sql`delete from bot_logs where seq <= ${size} - 10000`
  yield* repeat("alerts", {
    id: idOf("alr"),
    account_id: text(accountId),
    version: "1",
    price_symbol: "'OLD' || n",
    is_enabled: "true",
    seen: "'{}'",
    record: recordWith(alertRecord({ account_id: accountId }), idOf("alr"))
  })
  const { body: _body, ...delivery } = deliveryRecord(endpoint, { status: "succeeded" })
  yield* repeat("webhook_deliveries", {
    id: idOf("dlv"),
    webhook_id: text(endpoint.id),
    event_id: idOf("msg"),
    event: text(delivery.event),
    sequence: "n",
    status: "'succeeded'",
    due_at_ms: "0",
    version: "1",
    updated_at: text(recordTime),
    body: "to_json('{}'::text)",
    record: recordWith(delivery, idOf("dlv"))
  })
  const event = eventRecord({ account_id: accountId })
  yield* repeat("outbox", { id: idOf("msg"), record: recordWith(event, idOf("msg")) })
  yield* sql`insert into event_counts (account_id, event_count) values (${accountId}, ${size})`
  yield* repeat("published_events", {
    account_id: text(accountId),
    seq: "n",
    record: recordWith(event, idOf("msg"))
  })
  yield* sql`delete from published_events where seq <= ${size} - 10000`
  yield* repeat("run_checkpoints", { run_id: idOf("bt"), step: "'a'", value: "'1'" })
  yield* repeat("idempotency_keys", {
    scope: "'POST /bots'",
    key: "n::text",
    fingerprint: "''",
    expires_at_ms: `${nowMs} + 1000 * n`
  })
  return bot
})

interface ReadRow {
  readonly rows: number
}

onEveryDatabase("a long history", (name, database) => {
  // With the database's own time: an index is searched by it as by a number.
  const stores = PostgresStore.layerAlone.pipe(Layer.provideMerge(database), Layer.orDie)
  describe(name, () => {
    it.live(
      "is not read by what asks for a little of it",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const webhooks = yield* EndpointStore
          const deliveries = yield* DeliveryStore
          const queue = yield* DeliveryQueue
          yield* webhooks.insert(endpoint)
          const bot = yield* history
          const backtests = yield* BacktestStore
          const strategies = yield* StrategyStore
          const orders = yield* OrderStore
          const journal = yield* BotJournal
          const alerts = yield* AlertStore
          const outbox = yield* Outbox
          const checkpoints = yield* RunCheckpoints
          const keys = yield* IdempotencyStore

          const bots = yield* BotStore
          const active = yield* bots.insert(botRecord({ status: "running" }))
          const queued = yield* backtests.insert(backtestRecord({ account_id: accountId }))
          yield* strategies.insert(strategyRecord({ account_id: accountId, status: "generating" }))
          const open = orderRecord({ account_id: accountId, bot_id: bot })
          yield* orders.insert(open)
          const alert = yield* alerts.insert(alertRecord({ account_id: accountId }))
          const first = deliveryRecord(endpoint)
          const [made] = yield* deliveries.insertMany([first])
          yield* deliveries.insertMany([deliveryRecord(endpoint, { status: "failed" })])

          const counted = sql<ReadRow>`
            select sum(pg_stat_get_xact_tuples_returned(class.oid)
              + pg_stat_get_xact_tuples_fetched(class.oid))::int as rows
            from pg_class class join pg_namespace space on space.oid = class.relnamespace
            where space.nspname = current_schema() and class.relkind in ('r', 'i')`
          const found: Array<string> = []
          const reads = <A, E>(what: string, effect: Effect.Effect<A, E>) =>
            sql.withTransaction(
              Effect.gen(function* () {
                const [before] = yield* counted
                const answer = yield* effect
                const [after] = yield* counted
                const rows = after!.rows - before!.rows
                if (rows <= 0) found.push(`${what} was not counted`)
                if (rows > readMax) found.push(`${what} reads ${rows}`)
                return answer
              })
            )
          const page = { limit: 50 }
          const middle = (prefix: string) => ({
            limit: 50,
            before: `${prefix}_${String(size / 2).padStart(26, "0")}`
          })

          yield* reads("a backtest", backtests.get(accountId, queued.id))
          yield* reads("backtests", backtests.list(accountId, page))
          yield* reads("older backtests", backtests.list(accountId, middle("bt")))
          const unfinished = yield* reads("unfinished backtests", backtests.listUnfinished)
          assert.deepStrictEqual(unfinished, [queued])
          assert.strictEqual(
            yield* reads("queued backtests", backtests.countQueued({ accountId })),
            1
          )
          const before = `bt_${"Z".repeat(26)}`
          assert.strictEqual(yield* reads("the queue", backtests.countQueued({ before })), 1)
          const old = { beforeMs: size / 2, limit: 5 }
          assert.strictEqual(yield* reads("old backtests", backtests.removeFinished(old)), 5)
          const newest = `bt_${"Y".repeat(26)}`
          const recent = yield* reads("recent runs", backtests.listRecent(accountId, newest))
          assert.deepStrictEqual(recent, [queued])
          assert.lengthOf(yield* reads("unfinished strategies", strategies.listUnfinished), 1)

          const { account_id, id, mode, status, version } = active
          yield* reads("the mark of active bots", bots.markActive)
          const listed = yield* reads("active bots", bots.listActive)
          assert.deepStrictEqual(listed, [
            { account_id, exchange: null, id, mode, status, version }
          ])

          assert.lengthOf(yield* reads("open orders", orders.listOpen(bot)), 1)
          yield* reads("an order", orders.get(bot, open.client_order_id))
          yield* reads("orders", orders.list(accountId, bot, page))
          yield* reads("older orders", orders.list(accountId, bot, middle("ord")))
          yield* reads("trades", orders.listTrades(accountId, bot, page))
          yield* reads("older trades", orders.listTrades(accountId, bot, middle("trd")))

          yield* reads("a log line", journal.append(logEntryRecord({ bot_id: bot })))
          yield* reads("log lines", journal.list(bot, page))
          yield* reads("older log lines", journal.list(bot, { ...page, before: "15000" }))

          // No line is as loud as that, and the new ones are all that is looked at.
          const loud = { ...page, after: String(size - 20), level: "error" } as const
          assert.lengthOf((yield* reads("new log lines", journal.list(bot, loud))).items, 0)
          yield* reads("equity", journal.pageEquity(bot, page))
          const midway = String(nowMs + (3_600_000 * size) / 2)
          const earlier = yield* reads(
            "earlier equity",
            journal.pageEquity(bot, { ...page, before: midway })
          )
          assert.lengthOf(earlier.items, 50)

          assert.lengthOf(yield* reads("alerts", alerts.listOfSymbol(alert.symbol!)), 1)

          const due = yield* reads("when one is due", queue.nextDueInMs)
          assert.isAtMost(Option.getOrThrow(due), 0)
          const claim = {
            leaseMs: 60_000,
            slowAfterMs: 60_000,
            limit: 10,
            accountMax: 10,
            accountKept: 2
          }
          const claimed = yield* reads(
            "due deliveries",
            queue.claim({ ...claim, allowances: new Map() })
          )
          assert.deepStrictEqual(
            claimed.map(({ id }) => id),
            [made!.id]
          )
          yield* reads("a delivery made", deliveries.insertMany([deliveryRecord(endpoint)]))
          const delivery = { ...claimed[0]!, status: "succeeded" as const }
          const outcome = { delivery, evidence: evidenceRecord() }
          assert.lengthOf(yield* reads("an outcome", queue.keepOutcomes([outcome])), 1)
          yield* reads("deliveries", deliveries.list(endpoint.id, page))
          const older = { ...middle("dlv") }
          yield* reads("older deliveries", deliveries.list(endpoint.id, older))
          const failed = yield* reads(
            "failed deliveries",
            deliveries.list(endpoint.id, { ...page, status: "failed" })
          )
          assert.lengthOf(failed.items, 1)
          const pending = yield* reads(
            "pending deliveries",
            deliveries.list(endpoint.id, { ...page, status: "pending" })
          )
          assert.lengthOf(pending.items, 1)
          yield* reads("what waits", queue.cancelWaiting(endpoint.id))
          const done = { before: made!.id, limit: 5 }
          assert.strictEqual(yield* reads("old deliveries", deliveries.removeFinished(done)), 5)

          assert.lengthOf(yield* reads("events", outbox.take(10)), 10)
          const out = (yield* outbox.peek(5)).map(({ id }) => id)
          yield* reads("events published", outbox.acknowledgeAll(out))
          const [published] = yield* sql<ReadRow>`
            select count(*)::int as rows from published_events`
          assert.strictEqual(published!.rows, Limits.eventsPerAccountMaxCount)
          const late = { after: size, limit: 25 }
          assert.lengthOf(yield* reads("new events", outbox.listPublished(accountId, late)), 5)
          const middleOfAll = { after: size - 5_000, limit: 25 }
          yield* reads("older events", outbox.listPublished(accountId, middleOfAll))
          const seq = yield* reads("the newest event", outbox.newestSeq(accountId))
          assert.strictEqual(seq, size + 5)
          yield* reads("checkpoints", checkpoints.list(`bt_${"0".repeat(25)}1`))
          const key = { scope: "POST /bots", key: "new", fingerprint: "" }
          yield* reads("a key", keys.claim({ ...key, keptForMs: 60_000 }))

          assert.deepStrictEqual(found, [])
        }).pipe(Effect.provide(stores)),
      180_000
    )
  })
})
