/**
 * The rest of a live bot's position that is too little for its exchange to sell.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ordersOf } from "../../packages/core/src/testing/modelVenue/Exchange.ts"
import { holdLive, liveWorld, makeModel, market, protectedDefinition } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { symbol } from "./scene.ts"

/** Sells six of ten at 103.02. */
const mostly = {
  ...protectedDefinition,
  targets: [{ at: { type: "fraction", value: 0.02 }, portion: 0.6 }]
} as const

/** A bot that is left with four, of which its exchange sells six at least. */
const leftWithDust = Effect.fnUntraced(function* () {
  const model = makeModel({ markets: [{ ...market, minQuantity: "6" }] })
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
  it.effect("is told of once, shown as dust, and nothing is asked for", () =>
    Effect.gen(function* () {
      const { model, story, world } = yield* leftWithDust()
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
})
