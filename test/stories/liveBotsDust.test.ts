/**
 * The rest of a live bot's position that is too little for its exchange to sell.
 */
import type { StrategyDefinition } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { openOrdersOf, ordersOf } from "../../packages/core/src/testing/modelVenue/Exchange.ts"
import {
  holdLive,
  liveWorld,
  makeModel,
  market,
  protectedDefinition,
  setLive,
  statusWhere
} from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { definition, symbol } from "./scene.ts"
import { eventually } from "./world.ts"

/** Sells six of ten at 103.02. */
const mostly = {
  ...protectedDefinition,
  targets: [{ at: { type: "fraction", value: 0.02 }, portion: 0.6 }]
} as const

/** A bot that is left with four, of which its exchange sells six at least. */
const leftWithDust = Effect.fnUntraced(function* (
  least: Partial<typeof market> = { minQuantity: "6" }
) {
  const model = makeModel({ markets: [{ ...market, ...least }] })
  const world = liveWorld(model)
  const story = Effect.gen(function* () {
    const scene = yield* holdLive(model, world, mostly)
    yield* model.moveTo(symbol, "103")
    yield* world.tellUntil(5)
    yield* scene.becomes(({ open_orders }) => open_orders.some(({ leg }) => leg === "exit"))
    yield* model.moveTo(symbol, "104")
    yield* world.tellUntil(6)
    yield* scene.becomes(({ open_positions }) => open_positions[0]?.quantity === 4)
    const status = yield* scene.becomes(({ open_positions }) => open_positions[0]?.is_dust === true)
    return { ...scene, status }
  })
  return { model, story, world }
})

describe("a position that is too small to be sold", () => {
  const small = [
    ["in quantity", { minQuantity: "6" }],
    ["in worth", { minNotional: "600" }]
  ] as const

  it.effect.each(small)("is told of once, and nothing is asked for: too small %s", ([, least]) =>
    Effect.gen(function* () {
      const { model, story, world } = yield* leftWithDust(least)
      const told = Effect.gen(function* () {
        const { accountId, bot, bots, status } = yield* story
        assert.isNull(status.protection)
        assert.deepInclude(status.open_positions[0], { is_dust: true, protection: "none" })
        yield* Effect.sleep("5 minutes")
        const { items } = yield* bots.logs(accountId, bot.id, { limit: 100 })
        const lines = items.filter(({ event }) => event === "position.dust")
        assert.lengthOf(lines, 1)
        assert.deepInclude(lines[0], { level: "warn" })
        assert.include(lines[0]!.message, "4 of STY/USD is too little")
        assert.isFalse(items.some(({ event }) => event.startsWith("protection.")))
        assert.deepStrictEqual(
          ordersOf(yield* model.truth).map(({ status, type }) => [type, status]),
          [
            ["limit", "filled"],
            ["stop", "cancelled"],
            ["market", "filled"]
          ]
        )
      })
      yield* Effect.provide(told, world.layer)
    }).pipe(whileTimePasses)
  )

  it.effect("is not opened where its stop would be too small at once", () => {
    const model = makeModel({ markets: [{ ...market, minNotional: "950" }] })
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId, bots, request } = yield* setLive()
      const bot = yield* bots.create(accountId, request)
      yield* bots.command(accountId, bot.id, "start")
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      const { items } = yield* eventually(
        bots.orders(accountId, bot.id, { limit: 1 }),
        ({ items: [order] }) => order?.status === "rejected"
      )
      assert.match(items[0]?.reason ?? "", /the venue would refuse its stop$/)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("is not opened where what its bot can pay leaves the stop too small", () => {
    // The exchange takes more than the market's record says, so that the sender cuts the entry.
    const dear = { ...market, takerRate: "0.05", minNotional: "1700" }
    const model = makeModel({ markets: [dear] })
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const sizing = { type: "equity_fraction", fraction: 1 } as const
      const { accountId, bots, request } = yield* setLive({ ...protectedDefinition, sizing })
      const bot = yield* bots.create(accountId, request)
      yield* bots.command(accountId, bot.id, "start")
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      const { items } = yield* eventually(
        bots.orders(accountId, bot.id, { limit: 1 }),
        ({ items: [order] }) => order?.status === "rejected"
      )
      assert.match(items[0]?.reason ?? "", /^allocation: /)
      assert.lengthOf(ordersOf(yield* model.truth), 0)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("keeps nothing from a stop that closes positions", () =>
    Effect.gen(function* () {
      const { model, story, world } = yield* leftWithDust()
      const closed = Effect.gen(function* () {
        const { accountId, becomes, bot, bots } = yield* story
        yield* bots.closePositions(accountId, bot.id)
        yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
        const stopped = yield* becomes(({ status }) => status === "stopped")
        assert.deepInclude(stopped.open_positions[0], { is_dust: true, quantity: 4 })
        const { items } = yield* bots.orders(accountId, bot.id, { limit: 100 })
        assert.isFalse(items.some(({ status }) => status === "rejected"))
        assert.lengthOf(ordersOf(yield* model.truth), 3)
      })
      yield* Effect.provide(closed, world.layer)
    }).pipe(whileTimePasses)
  )

  it.effect("ends its target where a stop closes positions", () => {
    const closes = [100, 99, 101, 101, 95, 95]
    const model = makeModel({ markets: [{ ...market, minNotional: "400" }] })
    const world = liveWorld(model, undefined, undefined, closes)
    const strategy: StrategyDefinition = {
      ...definition,
      long: { enter: definition.long!.enter },
      sizing: { type: "fixed_quantity", quantity: 4 },
      targets: [{ at: { type: "fraction", value: 0.1 }, portion: 1 }]
    }
    return Effect.gen(function* () {
      const { accountId, bots, request } = yield* setLive(strategy, closes)
      const bot = yield* bots.create(accountId, request)
      const becomes = (isWanted: Parameters<typeof statusWhere>[3]) =>
        statusWhere(bots, accountId, bot.id, isWanted)
      yield* bots.command(accountId, bot.id, "start")
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* becomes(({ open_positions }) => open_positions.length === 1)
      yield* world.tellUntil(4)
      yield* becomes(({ open_orders: [target] }) => target?.status === "accepted")
      yield* model.moveTo(symbol, "95")
      yield* world.tellUntil(6)
      yield* becomes(({ open_positions: [held] }) => held?.is_dust === true)
      yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
      const { open_orders } = yield* becomes(({ status }) => status === "stopped")
      assert.deepStrictEqual(open_orders, [])
      assert.deepStrictEqual(openOrdersOf(yield* model.truth), [])
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})
