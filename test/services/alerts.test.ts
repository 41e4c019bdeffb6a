import {
  Alerts,
  AlertStore,
  BotStore,
  Ids,
  Limits,
  MarketStore,
  toTimestamp
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { marketRecord } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { itIs2026, nowMs, refusal, refusalCode } from "./setting.ts"

const markets = Layer.effectDiscard(
  Effect.flatMap(MarketStore, ({ insert }) =>
    Effect.forEach(["BTC/USD", "ETH/USD"], (symbol) => insert(marketRecord({ symbol })))
  )
)

const App = Alerts.layer.pipe(
  Layer.provideMerge(Ids.layer),
  Layer.provideMerge(markets),
  Layer.provideMerge(MemoryStore.layer)
)

const makeBot = Effect.fnUntraced(function* (
  accountId: string,
  symbols: ReadonlyArray<string> = ["BTC/USD"]
) {
  const ids = yield* Ids
  const now = toTimestamp(nowMs)
  return yield* (yield* BotStore).insert({
    id: yield* ids.make("bot"),
    account_id: accountId,
    name: "Bot",
    strategy_id: yield* ids.make("strategy"),
    capital_allocation: 1_000,
    mode: "paper",
    exchange: null,
    symbols,
    timeframe: "1h",
    risk: null,
    status: "created",
    desired_status: "stopped",
    stop_positions: "keep",
    trading_state: "active",
    trading_state_reason: "none",
    error: null,
    version: 1,
    created_at: now,
    updated_at: now,
    started_at: null,
    stopped_at: null
  })
})

const priceAlert = { metric: "price", op: "gt", threshold: 50_000, symbol: "BTC/USD" } as const

const accountIds = Effect.flatMap(Ids, (ids) =>
  Effect.all([ids.make("account"), ids.make("account")])
)

describe("Alerts", () => {
  it.effect("makes an alert on a price, armed, repeating and calm", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const alerts = yield* Alerts
      const [mine] = yield* accountIds
      const alert = yield* alerts.create(mine, priceAlert)
      assert.deepInclude(alert, {
        ...priceAlert,
        account_id: mine,
        bot_id: null,
        kind: "price",
        once: false,
        cooldown_s: 900,
        rearm_percent: 0.5,
        is_enabled: true,
        is_armed: true,
        fired_count: 0,
        version: 1,
        created_at: "2026-01-15T09:30:12.345Z"
      })
      assert.deepStrictEqual(yield* alerts.get(mine, alert.id), alert)
    }).pipe(Effect.provide(App))
  )

  it.effect("makes an alert on a bot's performance", () =>
    Effect.gen(function* () {
      const alerts = yield* Alerts
      const [mine] = yield* accountIds
      const bot = yield* makeBot(mine)
      const alert = yield* alerts.create(mine, {
        metric: "drawdown",
        op: "gt",
        threshold: 0.1,
        bot_id: bot.id,
        once: true,
        cooldown_s: 60
      })
      assert.deepInclude(alert, {
        kind: "performance",
        bot_id: bot.id,
        symbol: null,
        once: true,
        cooldown_s: 60
      })
    }).pipe(Effect.provide(App))
  )

  it.effect("takes the price of a bot's only market where none is named", () =>
    Effect.gen(function* () {
      const alerts = yield* Alerts
      const [mine] = yield* accountIds
      const request = { metric: "price", op: "gt", threshold: 1 } as const
      const one = yield* makeBot(mine)
      assert.strictEqual(
        (yield* alerts.create(mine, { ...request, bot_id: one.id })).symbol,
        "BTC/USD"
      )
      const two = yield* makeBot(mine, ["BTC/USD", "SPY/USD"])
      for (const bot of [{}, { bot_id: two.id }]) {
        const error = yield* refusal(alerts.create(mine, { ...request, ...bot }))
        assert.strictEqual(error.code, "validation_failed")
        assert.strictEqual(error.errors?.[0]?.pointer, "/symbol")
      }
    }).pipe(Effect.provide(App))
  )

  it.effect("refuses a bot that is not there, or another account's", () =>
    Effect.gen(function* () {
      const alerts = yield* Alerts
      const [mine, theirs] = yield* accountIds
      const bot = yield* makeBot(theirs)
      for (const bot_id of [bot.id, "bot_nonsense"]) {
        const error = yield* refusal(alerts.create(mine, { ...priceAlert, bot_id }))
        assert.strictEqual(error.code, "unprocessable")
        assert.deepInclude(error.errors?.[0], { pointer: "/bot_id", code: "not_found" })
      }
      const needy = alerts.create(mine, { metric: "win_rate", op: "lt", threshold: 0.4 })
      assert.strictEqual((yield* refusal(needy)).errors?.[0]?.pointer, "/bot_id")
    }).pipe(Effect.provide(App))
  )

  it.effect("shows, changes and removes the account's own alerts only", () =>
    Effect.gen(function* () {
      const alerts = yield* Alerts
      const [mine, theirs] = yield* accountIds
      const { id } = yield* alerts.create(mine, priceAlert)
      assert.strictEqual(yield* refusalCode(alerts.get(theirs, id)), "not_found")
      assert.strictEqual(yield* refusalCode(alerts.update(theirs, id, {})), "not_found")
      assert.strictEqual(yield* refusalCode(alerts.remove(theirs, id)), "not_found")
      assert.lengthOf((yield* alerts.list(theirs, { limit: 10 })).items, 0)
      assert.lengthOf((yield* alerts.list(mine, { limit: 10 })).items, 1)
      yield* alerts.remove(mine, id)
      assert.strictEqual(yield* refusalCode(alerts.get(mine, id)), "not_found")
      assert.strictEqual(yield* refusalCode(alerts.remove(mine, id)), "not_found")
    }).pipe(Effect.provide(App))
  )

  it.effect("arms an alert again when it is changed, and forgets the value before", () =>
    Effect.gen(function* () {
      const alerts = yield* Alerts
      const store = yield* AlertStore
      const [mine] = yield* accountIds
      const made = yield* alerts.create(mine, priceAlert)
      const fired = { ...made, is_armed: false, last_value: 1, fired_count: 3 }
      yield* store.keepState(fired, made)
      const changed = yield* alerts.update(mine, made.id, { threshold: 60_000 }, made.version)
      assert.deepInclude(changed, {
        threshold: 60_000,
        op: "gt",
        is_armed: true,
        last_value: null,
        fired_count: 3,
        version: made.version + 1
      })
    }).pipe(Effect.provide(App))
  )

  it.effect("refuses a stale version and keeps the stored alert", () =>
    Effect.gen(function* () {
      const alerts = yield* Alerts
      const [mine] = yield* accountIds
      const made = yield* alerts.create(mine, priceAlert)
      const changed = yield* alerts.update(mine, made.id, { once: true })
      const stale = alerts.update(mine, made.id, { once: false }, made.version)
      assert.strictEqual(yield* refusalCode(stale), "precondition_failed")
      assert.deepStrictEqual(yield* alerts.get(mine, made.id), changed)
    }).pipe(Effect.provide(App))
  )

  it.effect("holds an account to its number of alerts", () =>
    Effect.gen(function* () {
      const alerts = yield* Alerts
      const [mine, theirs] = yield* accountIds
      for (let count = 0; count < Limits.alertsPerAccountMax; count++) {
        yield* alerts.create(mine, priceAlert)
      }
      assert.strictEqual(yield* refusalCode(alerts.create(mine, priceAlert)), "quota_exceeded")
      yield* alerts.create(theirs, priceAlert)
    }).pipe(Effect.provide(App))
  )
})
