/**
 * A bot and its exchange that differ, as callers and receivers see it. It goes over HTTP, with real
 * services and a real receiver, and from two servers over one store.
 */
import { PaperBooks } from "@candlewick/core"
import { orderRequest } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import {
  eventually,
  type Server,
  startBot,
  startReceiver,
  startServer,
  stores,
  symbol
} from "./servedBots.ts"

/** A bot that has followed all candles, and five units that somebody else bought for ten each. */
const setTheScene = Effect.fnUntraced(function* (server: Server) {
  // It never trades by itself, so that whatever is held was bought behind its back.
  const closes = Array.from({ length: 20 }, () => 100)
  const { botId, path } = yield* startBot(server, closes, 1_000)
  const broker = yield* Effect.provide(PaperBooks, server.services)
  yield* broker.place(botId, 0, orderRequest({ id: "foreign", quantity: 5 })).pipe(Effect.orDie)
  const candle = { symbol, time: 0, open: 10, high: 10, low: 10, close: 10 }
  yield* Effect.orDie(broker.settle(botId, [candle]))
  return { path, botId, broker }
})

const differences = [
  { kind: "position", symbol, own: null, exchange: { quantity: 5, entry_price: 10 } },
  { kind: "cash", own: 10_000, exchange: 9_950 }
]

describe("POST /bots/:id/reconcile", () => {
  for (const [name, store] of Object.entries(stores)) {
    it.live(
      `reports what differs, sends an alert, and accepts the exchange's truth once (${name})`,
      () =>
        Effect.gen(function* () {
          const receiver = yield* startReceiver
          const server = yield* startServer(store, "one")
          const { call } = server
          const { botId, path } = yield* setTheScene(server)
          const events = ["alert.triggered"]
          const hook = yield* call("POST", "/v1/webhooks", { url: receiver.url, events })
          assert.strictEqual(hook.status, 201, JSON.stringify(hook.body))

          const found = yield* call("POST", `${path}/reconcile`)
          assert.strictEqual(found.status, 200, JSON.stringify(found.body))
          assert.deepInclude(found.body, {
            id: botId,
            changed: true,
            trading_state: "halted",
            trading_state_reason: "reconcile_mismatch",
            adjustment: null
          })
          assert.deepStrictEqual(found.body.differences, differences)
          const tag = found.headers.get("etag")
          assert.strictEqual(tag, `"${String(found.body.version)}"`)
          const status = yield* call("GET", `${path}/status`)
          assert.deepStrictEqual(status.body.mismatch.differences, differences)
          const logs = yield* call("GET", `${path}/logs?level=error`)
          assert.strictEqual(logs.body.data[0].event, "reconcile.mismatch")

          yield* eventually(
            Effect.sync(() => receiver.bodies),
            (bodies) => bodies.length > 0
          )
          const [{ data, event }] = receiver.bodies
          assert.strictEqual(event, "alert.triggered")
          assert.deepInclude(data, { bot_id: botId, metric: "reconcile_mismatch", value: 2 })
          const alert = yield* call("GET", `/v1/alerts/${String(data.alert_id)}`)
          assert.deepInclude(alert.body, { metric: "reconcile_mismatch", fired_count: 1 })

          const resumed = yield* call("POST", `${path}/risk/resume`)
          assert.strictEqual(resumed.status, 409)
          assert.deepInclude(resumed.body, { code: "invalid_transition", allowed: ["reconcile"] })

          const refused = yield* call("POST", `${path}/reconcile`, { accept: "yes" })
          assert.strictEqual(refused.status, 400)
          const accept = (headers: Readonly<Record<string, string>>) =>
            call("POST", `${path}/reconcile`, { accept: true }, headers)
          const stale = yield* accept({ "if-match": '"1"' })
          assert.deepInclude(stale, { status: 412 })
          assert.strictEqual(stale.body.code, "precondition_failed")

          const once = { "if-match": tag!, "idempotency-key": "accept-once" }
          const accepted = yield* accept(once)
          assert.strictEqual(accepted.status, 200, JSON.stringify(accepted.body))
          assert.deepInclude(accepted.body, { changed: true, trading_state: "active" })
          assert.deepInclude(accepted.body.adjustment, { amount: 0, differences })
          assert.deepStrictEqual((yield* accept(once)).body, accepted.body, "the same answer")
          assert.deepInclude((yield* accept({})).body, {
            changed: false,
            differences: [],
            adjustment: null
          })
          const after = yield* call("GET", `${path}/performance`)
          assert.deepStrictEqual(after.body.adjustments, [accepted.body.adjustment])
          const { adjusted, capital_allocation, equity, realized_pnl, unrealized_pnl } = after.body
          assert.strictEqual(equity, 9_950 + 5 * 100)
          const points = yield* call("GET", `${path}/equity?limit=1`)
          assert.strictEqual(points.body.data[0].equity, equity)
          assert.strictEqual(capital_allocation + realized_pnl + adjusted + unrealized_pnl, equity)
          assert.lengthOf(receiver.bodies, 1, "one mismatch, one alert")
          const foreign = `/v1/bots/bot_01ARZ3NDEKTSV4RRFFQ69G5FAV/reconcile`
          assert.strictEqual((yield* call("POST", foreign)).status, 404)
        }).pipe(Effect.scoped),
      120_000
    )
  }

  it.live(
    "and closing positions are taken by a server that does not run the bot",
    () =>
      Effect.gen(function* () {
        const kept = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
        const one = yield* startServer(kept, "one")
        const other = yield* startServer(kept, "other")
        const { broker, botId, path } = yield* setTheScene(one)
        const found = yield* other.call("POST", `${path}/reconcile`)
        assert.deepStrictEqual(found.body.differences, differences)
        const accepted = yield* other.call("POST", `${path}/reconcile`, { accept: true })
        assert.deepInclude(accepted.body, { changed: true, trading_state: "active" })
        const closing = yield* other.call("POST", `${path}/positions/close`)
        assert.strictEqual(closing.status, 200, JSON.stringify(closing.body))
        assert.deepInclude(closing.body, { changed: true, status: "running" })
        assert.strictEqual(closing.body.positions_closing[0].quantity, 5)
        // The one that runs it tells the broker.
        const flat = yield* eventually(
          one.call("GET", `${path}/status`),
          ({ body }) => body.open_positions.length === 0
        )
        // The last price that the broker has heard of is that of the trade behind the bot's back.
        assert.deepInclude(flat.body, { equity: 9_950 + 5 * 10, cash: 9_950 + 5 * 10 })
        assert.deepStrictEqual((yield* Effect.orDie(broker.account(botId))).positions, [])
      }).pipe(Effect.scoped),
    180_000
  )
})
