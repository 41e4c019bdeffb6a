/**
 * The candles that a live bot counts since its entry and its exit, which fill between candles, and
 * an entry that it decides on beside the exit before it.
 */
import { Bots, type StrategyDefinition } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { liveWorld, makeModel, setLive, statusWhere } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { definition, symbol } from "./scene.ts"
import { eventually } from "./world.ts"

const closes = [100, 101, 101, 101, 101, 101, 101, 101, 101]

const limited: StrategyDefinition = {
  ...definition,
  long: { enter: definition.long!.enter },
  exits: { time_limit: 2 },
  sizing: { type: "fixed_quantity", quantity: 5 },
  reentry: { cooldown: 2 }
}

const kinds = [
  ["spot", {}],
  ["positions", { capabilities: { kind: "one_way", hasReduceOnly: true }, leverage: 3 }]
] as const

/** Has a bot start, and tells it each close; a venue has the time to fill before the next one. */
const followCloses = Effect.fnUntraced(function* (
  model: ReturnType<typeof makeModel>,
  world: Pick<ReturnType<typeof liveWorld>, "tellUntil">,
  strategy: StrategyDefinition
) {
  const { accountId, bots, request } = yield* setLive(strategy, closes)
  const bot = yield* bots.create(accountId, request)
  yield* bots.command(accountId, bot.id, "start")
  yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "running")
  yield* model.moveTo(symbol, "101")
  const held: Array<number> = []
  for (let count = 1; count <= closes.length; count++) {
    yield* world.tellUntil(count)
    yield* Effect.sleep("20 seconds")
    const { open_positions: positions } = yield* bots.status(accountId, bot.id)
    held.push(positions[0]?.quantity ?? 0)
  }
  return { accountId, bot, bots, held }
})

describe("a live bot with a time limit and a cooldown", () => {
  it.effect.each(kinds)("leaves and enters at the candles of its backtest: %s", ([, terms]) => {
    const model = makeModel(terms)
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* followCloses(model, world, limited)
      const { items } = yield* eventually(
        bots.trades(accountId, bot.id, { limit: 9 }),
        (trades) => trades.items.length === 3
      )
      const compared = yield* Effect.flatMap(Bots, ({ expected }) => expected(accountId, bot.id))
      assert.strictEqual(compared.expected_trade_count, 3)
      assert.strictEqual(compared.unexplained, 0)
      assert.deepStrictEqual(
        compared.differences.filter(({ expected_at: at, realized_at: made }) => at !== made),
        []
      )
      assert.deepStrictEqual(
        items.map(({ candle_time, leg }) => [leg, candle_time.slice(11, 13)]).toReversed(),
        [
          ["entry", "02"],
          ["exit", "05"],
          ["entry", "08"]
        ]
      )
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

/** Puts nearly all that it has into each position, whose stop rests at the exchange. */
const reentering: StrategyDefinition = {
  ...limited,
  exits: { stop_loss: { type: "fraction", value: 0.1 }, time_limit: 2 },
  sizing: { type: "equity_fraction", fraction: 0.95 },
  reentry: { cooldown: 0 }
}

describe("a live bot that enters at the open at which it leaves", () => {
  it.effect.each(kinds)("leaves first, and enters with what that has paid: %s", ([, terms]) => {
    const model = makeModel(terms)
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* followCloses(model, world, reentering)
      const compared = yield* eventually(
        bots.expected(accountId, bot.id),
        ({ realized_trade_count: count }) => count >= 5
      )
      assert.strictEqual(compared.realized_trade_count, compared.expected_trade_count)
      assert.strictEqual(compared.causes.refusal, 0)
      assert.strictEqual(compared.unexplained, 0)
      const { items } = yield* bots.orders(accountId, bot.id, { limit: 50 })
      assert.deepStrictEqual(
        items.filter(({ status }) => status === "rejected"),
        []
      )
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

describe("a live bot whose exit is refused at the open at which it enters again", () => {
  it.effect.each(kinds)("does not hold two positions for one: %s", ([, terms]) => {
    const state = { isRefusing: true }
    const model = makeModel({
      ...terms,
      drawFault: (call) => {
        const isExit = call.type === "submit" && call.order.side === "sell"
        if (!isExit || call.order.type !== "market" || !state.isRefusing) return {}
        state.isRefusing = false
        return { outcome: "refused" }
      }
    })
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const sizing = { type: "fixed_quantity", quantity: 5 } as const
      const strategy = { ...reentering, sizing }
      const { accountId, bot, bots, held } = yield* followCloses(model, world, strategy)
      assert.strictEqual(Math.max(...held), 5)
      assert.isFalse(state.isRefusing)
      const { items } = yield* bots.orders(accountId, bot.id, { limit: 50 })
      const reasons = items.map(({ reason }) => reason)
      assert.include(reasons, "the exit before it has come to nothing")
      assert.isAbove(
        items.filter(({ leg, status }) => leg === "exit" && status === "filled").length,
        0
      )
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

/** Is to sell two fifths at a price that the close reaches at which its time is over. */
const withTarget: StrategyDefinition = {
  ...limited,
  exits: { stop_loss: { type: "fraction", value: 0.1 }, time_limit: 2 },
  targets: [{ at: { type: "fraction", value: 0.01 }, portion: 0.4 }],
  reentry: { cooldown: 9 }
}

describe("a live bot whose target is reached as its time is over", () => {
  it.effect("sells all at once, and names the end of the target's order", () => {
    const reached = [100, 101, 101, 101, 103, 103, 103]
    const model = makeModel()
    const world = liveWorld(model, undefined, undefined, reached)
    return Effect.gen(function* () {
      const { accountId, bots, request } = yield* setLive(withTarget, reached)
      const bot = yield* bots.create(accountId, request)
      yield* bots.command(accountId, bot.id, "start")
      yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "running")
      for (const [count, price] of reached.entries()) {
        yield* model.moveTo(symbol, String(price))
        yield* world.tellUntil(count + 1)
        yield* Effect.sleep("20 seconds")
      }
      const compared = yield* eventually(
        bots.expected(accountId, bot.id),
        ({ realized_trade_count: count }) => count === 2
      )
      assert.strictEqual(compared.expected_trade_count, 3)
      assert.deepStrictEqual(
        compared.differences.map((one) => [one.leg, one.quantity, one.cause, one.follows]),
        [
          ["take_profit", 2, "part", false],
          ["exit", 2, "part", true]
        ]
      )
      assert.strictEqual(compared.unexplained, 0)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})
