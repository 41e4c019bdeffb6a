/** `/metrics` of a server whose bots trade: what an operator watches is there, and adds up. */
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startBot, startServer } from "./servedBots.ts"

/** The samples of a Prometheus text, by name and labels. */
const samplesOf = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))])
  )

describe("the metrics of a server", () => {
  it.live(
    "tell of bots, equity, orders, fills, runs, deliveries and the process",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer(MemoryStore.layer, "one")
        const { path } = yield* startBot(server, [1, 2, 3, 4, 5], 2)
        const trades = yield* server.call("GET", `${path}/trades`)
        assert.lengthOf(trades.body.data, 1)
        const strategies = yield* server.call("GET", "/v1/mix/strategies")
        const strategy_id = strategies.body.data[0].id
        const run = yield* server.call("POST", "/v1/mix/backtest", { strategy_id })
        assert.strictEqual(run.status, 202)
        const samples = samplesOf(
          yield* Effect.promise(async () => {
            const headers = { authorization: `Bearer ${server.key}` }
            return (await fetch(`${server.baseUrl}/metrics`, { headers })).text()
          })
        )
        const group = '{mode="paper",currency="USD"}'
        assert.strictEqual(samples.get('candlewick_bots{mode="paper",status="running"}'), 1)
        assert.strictEqual(samples.get(`candlewick_fills${group}`), 1)
        assert.strictEqual(samples.get(`candlewick_capital_allocation${group}`), 10_000)
        const performance = yield* server.call("GET", "/v1/account/performance")
        assert.isAbove(samples.get(`candlewick_equity${group}`)!, 0)
        assert.strictEqual(performance.body.data[0].trade_count, 1)
        assert.strictEqual(samples.get("candlewick_account_halted"), 0)
        assert.strictEqual(
          samples.get('candlewick_orders_placed_total{mode="paper",leg="entry"}'),
          1
        )
        for (const name of [
          'candlewick_runs{state="queued"}',
          'candlewick_runs{state="running"}',
          "candlewick_webhooks_queued",
          "candlewick_webhook_lag_seconds",
          'candlewick_event_loop_delay_seconds{quantile="0.99"}',
          "candlewick_event_loop_utilization",
          "process_resident_memory_bytes",
          "process_cpu_seconds_total",
          `candlewick_last_candle_timestamp_seconds${group}`
        ]) {
          assert.isTrue(samples.has(name), name)
          assert.isAtLeast(samples.get(name)!, 0, name)
        }
      }).pipe(Effect.scoped),
    60_000
  )
})
