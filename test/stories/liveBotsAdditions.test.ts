/**
 * Entries that add to a position at an exchange, and end with it.
 */
import { Bots, type StrategyDefinition } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { liveWorld, makeModel, ordersWhere, setLive, statusWhere } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { definition, symbol } from "./scene.ts"
import { eventually } from "./world.ts"

const closes = [100, 101, 101, 103, 103, 103]

const close = { type: "price", field: "close" } as const
const constant = (value: number) => ({ type: "constant", value }) as const

/** Enters at the close of 101 alone. */
const entering: StrategyDefinition = {
  ...definition,
  sizing: { type: "fixed_quantity", quantity: 5 },
  long: { enter: { type: "between", of: close, low: constant(100.5), high: constant(102) } }
}

/** A stop 2 % below the entry, and a further entry 3 % below it. */
const averaging: StrategyDefinition = {
  ...entering,
  exits: { stop_loss: { type: "fraction", value: 0.02 } },
  additions: [{ name: "dip", against: 0.03 }],
  reentry: { cooldown: 100 }
}

/** Wants an addition at the close at which it leaves the whole position. */
const leaving: StrategyDefinition = {
  ...entering,
  exits: { stop_loss: { type: "fraction", value: 0.1 } },
  additions: [
    {
      name: "more",
      enter: { type: "above", left: close, right: constant(102.5) },
      sizing: { type: "scaled", of: "first", factor: 0.5 }
    }
  ],
  reductions: [{ when: { type: "above", left: close, right: constant(102.5) }, portion: 1 }]
}

const kinds = [
  ["spot", {}],
  ["positions", { capabilities: { kind: "one_way", hasReduceOnly: true }, leverage: 3 }]
] as const

/** Has a bot enter, whose orders then rest as they are wanted. */
const enter = Effect.fnUntraced(function* (
  model: ReturnType<typeof makeModel>,
  world: ReturnType<typeof liveWorld>,
  strategy: StrategyDefinition
) {
  const { accountId, bots, request } = yield* setLive(strategy, closes)
  const bot = yield* bots.create(accountId, request)
  yield* bots.command(accountId, bot.id, "start")
  yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "running")
  yield* model.moveTo(symbol, "101")
  yield* world.tellUntil(2)
  yield* statusWhere(bots, accountId, bot.id, ({ open_positions }) => open_positions.length === 1)
  yield* world.tellUntil(3)
  return { accountId, bot }
})

describe("entries that add to a position", () => {
  it.effect.each(kinds)("are cancelled once its stop fills between candles: %s", ([, terms]) => {
    const model = makeModel(terms)
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const { accountId, bot } = yield* enter(model, world, averaging)
      yield* ordersWhere(model, (all) => all.filter(({ status }) => status === "open").length === 2)
      yield* model.moveTo(symbol, "98.9")
      yield* ordersWhere(
        model,
        (all) => all.every(({ status }) => status !== "open") && all.length >= 3
      )
      yield* model.moveTo(symbol, "90")
      yield* world.tellUntil(4)
      const bots = yield* Bots
      yield* statusWhere(
        bots,
        accountId,
        bot.id,
        ({ open_orders, open_positions }) => open_positions.length + open_orders.length === 0
      )
      const { items } = yield* bots.orders(accountId, bot.id, { limit: 20 })
      const [addition] = items.filter(({ leg, type }) => leg === "entry" && type === "limit")
      assert.deepInclude(addition, { status: "cancelled", reason: "the position is closed" })
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect.each(kinds)("are not sent after the exit of all of it: %s", ([, terms]) => {
    const model = makeModel(terms)
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const { accountId, bot } = yield* enter(model, world, leaving)
      yield* model.moveTo(symbol, "103")
      yield* world.tellUntil(4)
      const bots = yield* Bots
      yield* statusWhere(
        bots,
        accountId,
        bot.id,
        ({ open_orders, open_positions }) => open_positions.length + open_orders.length === 0
      )
      yield* Effect.sleep("1 minute")
      yield* world.tellUntil(5)
      const compared = yield* eventually(
        bots.expected(accountId, bot.id),
        ({ realized_trade_count: count }) => count >= 2
      )
      assert.strictEqual(compared.realized_trade_count, 2)
      assert.strictEqual(compared.expected_trade_count, 2)
      assert.strictEqual(compared.unexplained, 0)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})
