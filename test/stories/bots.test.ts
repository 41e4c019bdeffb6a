/**
 * The life of a bot, from its creation to its end.
 */
import { Alerts, Outbox, riskProfiles, type StrategyDefinition } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { definition, refusal, setTheScene, stopped, symbol, world } from "./scene.ts"
import { candleOf, makeScript } from "./scripted.ts"
import { botsOver, eventually, keepStrategy, makeAccount } from "./world.ts"

describe("a bot", () => {
  it.live("is made of three fields, and takes the rest from its strategy", () => {
    const script = { [symbol]: [99, 101, 102] }
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { bot, strategy } = yield* setTheScene(script, {
        definition: stopped,
        risk: riskProfiles.low
      })
      assert.strictEqual(bot.status, "created")
      assert.strictEqual(bot.desired_status, "stopped")
      assert.strictEqual(bot.mode, "paper")
      assert.deepStrictEqual(bot.symbols, [symbol])
      assert.strictEqual(bot.timeframe, "1h")
      assert.deepStrictEqual(bot.risk, strategy.risk_profile)
    }).pipe(Effect.provide(layer))
  })

  it.live("is refused for a strategy that is not there, or not ready, and for live trading", () => {
    const script = { [symbol]: [99, 101] }
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bots, strategy } = yield* setTheScene(script)
      const request = { name: "x", strategy_id: "str_nope", capital_allocation: 1 }
      assert.strictEqual((yield* refusal(bots.create(accountId, request))).code, "unknown_strategy")
      const unready = yield* keepStrategy(accountId, definition, { status: "generating" })
      assert.strictEqual(
        (yield* refusal(bots.create(accountId, { ...request, strategy_id: unready.id }))).code,
        "strategy_not_ready"
      )
      assert.strictEqual(
        (yield* refusal(
          bots.create(accountId, { ...request, strategy_id: strategy.id, mode: "live" })
        )).code,
        "unprocessable"
      )
      const { items } = yield* bots.list(accountId, { limit: 10 })
      assert.strictEqual(items.length, 1)
    }).pipe(Effect.provide(layer))
  })

  for (const [clock, firstIndex] of [
    ["replay", 0],
    ["live", 4]
  ] as const) {
    it.live(`begins with candle ${firstIndex} of a market whose clock is ${clock}`, () => {
      const script = { [symbol]: [99, 101, 102, 105, 99, 98] }
      const told = makeScript(script, clock)
      const left = { type: "price", field: "close" } as const
      const slow: StrategyDefinition = {
        ...definition,
        long: { enter: { type: "above", left, right: { type: "sma", period: 4 } } }
      }
      return Effect.gen(function* () {
        if (clock === "live") yield* told.tellUntil(firstIndex)
        const { accountId, bot, bots, reaches } = yield* setTheScene(script, { definition: slow })
        yield* bots.command(accountId, bot.id, "start")
        yield* told.tellUntil(6)
        yield* reaches(5)
        const { items } = yield* bots.equity(accountId, bot.id, { limit: 100 })
        const times = items.map(({ time }) => Date.parse(time))
        assert.strictEqual(Math.min(...times), candleOf(script[symbol], firstIndex).time)
      }).pipe(Effect.provide(botsOver(told.layer)))
    })
  }

  it.live("trades, and its orders, fills, equity and performance agree", () => {
    const script = { [symbol]: [99, 101, 102, 105, 99, 98, 101, 103] }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(8)
      const status = yield* reaches(7)
      const trades = yield* bots.trades(accountId, bot.id, { limit: 100 })
      // Decided at 101, bought at the next open, 101; decided at 99, sold at the next open, 99; and
      // again.
      assert.deepStrictEqual(
        trades.items.map(({ side, price, amount }) => [side, price, amount]).toReversed(),
        [
          ["buy", 101, 10],
          ["sell", 99, 10],
          ["buy", 101, 10]
        ]
      )
      const performance = yield* bots.performance(accountId, bot.id)
      assert.strictEqual(performance.realized_pnl, -20)
      assert.closeTo(performance.unrealized_pnl, 20, 1e-9)
      assert.closeTo(
        performance.realized_pnl + performance.unrealized_pnl,
        performance.equity - 10_000,
        1e-9
      )
      assert.strictEqual(status.open_positions[0]?.quantity, 10)
      const orders = yield* bots.orders(accountId, bot.id, { limit: 100 })
      assert.strictEqual(orders.items.filter((order) => order.status === "filled").length, 3)
      const logs = yield* bots.logs(accountId, bot.id, { limit: 100 })
      assert.isTrue(logs.items.some(({ event }) => event === "trade.executed"))
      assert.strictEqual(performance.equity_curve.length, 8)
      const first = yield* bots.equity(accountId, bot.id, { limit: 5 })
      const before = first.next ?? ""
      const rest = yield* bots.equity(accountId, bot.id, { limit: 5, before })
      assert.deepStrictEqual([...first.items, ...rest.items], performance.equity_curve.toReversed())
      assert.isNull(rest.next)
    }).pipe(Effect.provide(layer))
  })

  it.live("enters nothing while it is paused, still leaves, and goes on when it is started", () => {
    const script = { [symbol]: [99, 101, 102, 103, 99, 98, 101, 102, 103, 104] }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches, becomes } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(4)
      yield* reaches(3)
      const paused = yield* bots.command(accountId, bot.id, "pause")
      assert.isTrue(paused.changed)
      yield* becomes("paused")
      assert.isFalse((yield* bots.command(accountId, bot.id, "pause")).changed)
      yield* tellUntil(8)
      const held = yield* reaches(7)
      assert.strictEqual(held.open_positions.length, 0, "the exit was still managed")
      const quiet = yield* bots.trades(accountId, bot.id, { limit: 100 })
      assert.strictEqual(quiet.items.length, 2, "nothing was entered at 101")
      yield* bots.command(accountId, bot.id, "start")
      yield* becomes("running")
      yield* tellUntil(10)
      const again = yield* reaches(9)
      assert.strictEqual(again.open_positions.length, 1)
    }).pipe(Effect.provide(layer))
  })

  it.live("keeps its position when it is stopped, and says so", () => {
    const script = { [symbol]: [99, 101, 102, 103, 104] }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches, becomes } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(4)
      yield* reaches(3)
      const outcome = yield* bots.command(accountId, bot.id, "stop")
      assert.strictEqual(outcome.positions_kept.length, 1)
      assert.isTrue(outcome.unprotected)
      yield* becomes("stopped")
      const kept = yield* bots.status(accountId, bot.id)
      assert.strictEqual(kept.open_positions.length, 1)
      assert.strictEqual((yield* refusal(bots.remove(accountId, bot.id))).code, "open_positions")
      assert.isFalse((yield* bots.command(accountId, bot.id, "stop")).changed)
      const closed = yield* bots.closePositions(accountId, bot.id)
      assert.isTrue(closed.changed)
      const flat = yield* bots.status(accountId, bot.id)
      assert.strictEqual(flat.open_positions.length, 0)
      yield* bots.remove(accountId, bot.id)
      assert.strictEqual((yield* refusal(bots.get(accountId, bot.id))).code, "not_found")
    }).pipe(Effect.provide(layer))
  })

  it.live("closes what a stop has kept, although it was closing that already", () => {
    const script = { [symbol]: [99, 101, 102, 103, 104] }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches, becomes } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(4)
      yield* reaches(3)
      yield* bots.closePositions(accountId, bot.id)
      // No candle comes, so that the exit still waits, and ends with the stop.
      yield* bots.command(accountId, bot.id, "stop")
      yield* becomes("stopped")
      yield* bots.closePositions(accountId, bot.id)
      assert.lengthOf((yield* bots.status(accountId, bot.id)).open_positions, 0)
      const { items } = yield* bots.orders(accountId, bot.id, { limit: 2 })
      assert.deepStrictEqual(
        items.map(({ status }) => status),
        ["filled", "cancelled"]
      )
    }).pipe(Effect.provide(layer))
  })

  it.live("closes first when it is told to, at the next open", () => {
    const script = { [symbol]: [99, 101, 102, 103, 104, 105] }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches, becomes } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(4)
      yield* reaches(3)
      const outcome = yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
      assert.strictEqual(outcome.positions_closing.length, 1)
      yield* eventually(
        bots.status(accountId, bot.id),
        ({ open_orders }) => open_orders.length === 1
      )
      yield* tellUntil(5)
      yield* becomes("stopped")
      const [last] = (yield* bots.trades(accountId, bot.id, { limit: 1 })).items
      assert.strictEqual(last?.side, "sell")
      assert.strictEqual(last?.price, 103)
    }).pipe(Effect.provide(layer))
  })

  it.live(
    "closes at the last close where the recording has ended, so that closing always ends",
    () => {
      const script = { [symbol]: [99, 101, 102, 103] }
      const { layer, tellUntil } = world(script)
      return Effect.gen(function* () {
        const { accountId, bot, bots, becomes } = yield* setTheScene(script)
        yield* bots.command(accountId, bot.id, "start")
        yield* tellUntil(4)
        yield* eventually(bots.status(accountId, bot.id), ({ is_data_ended }) => is_data_ended)
        yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
        yield* becomes("stopped")
        const [last] = (yield* bots.trades(accountId, bot.id, { limit: 1 })).items
        assert.strictEqual(last?.price, 103)
      }).pipe(Effect.provide(layer))
    }
  )

  it.live("refuses a command that its state forbids, with what is allowed", () => {
    const script = { [symbol]: [99, 101] }
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, becomes } = yield* setTheScene(script)
      const early = yield* refusal(bots.command(accountId, bot.id, "pause"))
      assert.strictEqual(early.code, "invalid_transition")
      assert.strictEqual(early.current_state, "created")
      assert.deepStrictEqual(early.allowed, ["start", "stop", "delete"])
      yield* bots.command(accountId, bot.id, "start")
      yield* becomes("running")
      const running = yield* refusal(bots.remove(accountId, bot.id))
      assert.strictEqual(running.code, "invalid_transition")
      assert.strictEqual(
        (yield* refusal(bots.update(accountId, bot.id, { capital_allocation: 1 }))).code,
        "invalid_transition"
      )
    }).pipe(Effect.provide(layer))
  })

  it.live("changes its name at any time, and its capital only at rest", () => {
    const script = { [symbol]: [99, 101] }
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, becomes } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* becomes("running")
      const renamed = yield* bots.update(accountId, bot.id, { name: "another" })
      assert.strictEqual(renamed.name, "another")
      yield* bots.command(accountId, bot.id, "stop")
      yield* becomes("stopped")
      const richer = yield* bots.update(accountId, bot.id, { capital_allocation: 500 })
      assert.strictEqual(richer.capital_allocation, 500)
      assert.strictEqual((yield* bots.status(accountId, bot.id)).equity, 500)
      const stale = yield* refusal(bots.update(accountId, bot.id, { name: "late" }, 1))
      assert.strictEqual(stale.code, "precondition_failed")
    }).pipe(Effect.provide(layer))
  })

  it.live("is seen by its own account only", () => {
    const script = { [symbol]: [99, 101] }
    const { layer } = world(script)
    return Effect.gen(function* () {
      const { bot, bots } = yield* setTheScene(script)
      const other = yield* makeAccount
      for (const effect of [
        bots.get(other, bot.id),
        bots.status(other, bot.id),
        bots.command(other, bot.id, "start"),
        bots.remove(other, bot.id)
      ]) {
        assert.strictEqual((yield* refusal(effect)).code, "not_found")
      }
    }).pipe(Effect.provide(layer))
  })
})

describe("the risk gate", () => {
  const fall = [99, 101, 102, 90, 80, 99, 101, 102, 103, 104]
  const risk = {
    ...riskProfiles.low,
    max_drawdown: 0.01,
    daily_loss: 1,
    max_exposure: 10,
    risk_per_trade: 1,
    is_stop_loss_mandatory: false
  }

  it.live("halts entries at the drawdown cap until they are resumed", () => {
    const script = { [symbol]: fall }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script, { risk })
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(8)
      const halted = yield* reaches(7)
      assert.strictEqual(halted.trading_state, "halted")
      assert.strictEqual(halted.trading_state_reason, "max_drawdown")
      assert.strictEqual(halted.open_positions.length, 0, "the position was still closed")
      const resumed = yield* bots.resumeRisk(accountId, bot.id)
      assert.isTrue(resumed.changed)
      assert.strictEqual(resumed.trading_state, "active")
      yield* tellUntil(10)
      const again = yield* reaches(9)
      assert.strictEqual(again.open_positions.length, 1)
    }).pipe(Effect.provide(layer))
  })
})

describe("alerts", () => {
  it.live("fire once for each time a price or a drawdown crosses", () => {
    const script = { [symbol]: [99, 101, 104, 106, 107, 104, 106, 90, 89, 101, 102, 103] }
    const { layer, tellUntil } = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      const alerts = yield* Alerts
      const price = yield* alerts.create(accountId, {
        bot_id: bot.id,
        metric: "price",
        op: "gt",
        threshold: 105,
        cooldown_s: 0,
        rearm_percent: 0
      })
      const drawdown = yield* alerts.create(accountId, {
        bot_id: bot.id,
        metric: "drawdown",
        op: "gt",
        threshold: 0.01,
        cooldown_s: 0,
        rearm_percent: 0
      })
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(12)
      yield* reaches(11)
      assert.strictEqual((yield* alerts.get(accountId, price.id)).fired_count, 2)
      assert.strictEqual((yield* alerts.get(accountId, drawdown.id)).fired_count, 1)
      const logs = yield* bots.logs(accountId, bot.id, { limit: 100, level: "warn" })
      assert.strictEqual(logs.items.filter(({ event }) => event === "alert.triggered").length, 3)
      const outbox = yield* Outbox
      yield* eventually(outbox.peek(1), (waiting) => waiting.length === 0)
    }).pipe(Effect.provide(layer))
  })
})
