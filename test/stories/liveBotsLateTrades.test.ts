/**
 * Trades that an exchange reports only after the bot's next decisions.
 */
import type { Order, StrategyDefinition } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { liveWorld, makeModel, ordersWhere, setLive, statusWhere } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { definition, symbol } from "./scene.ts"
import { eventually } from "./world.ts"

const closes = [100, 99, 101, 99, 101, 101, 99, 101]

/** The newest first. */
const statusesOf = (orders: ReadonlyArray<Order>, leg: Order["leg"]): string =>
  orders
    .filter((order) => order.leg === leg)
    .map(({ status }) => status)
    .join(" ")

describe("an entry that fills, of which its bot hears late", () => {
  it.effect("is the only one, although the bot took it back and decided on another", () => {
    // Orders and holdings are told at once, and trades after a minute.
    const habits = { tellDelayMs: 60_000 }
    const model = makeModel({ habits, random: () => 0.99 })
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const { accountId, bots, request } = yield* setLive(definition, closes)
      const bot = yield* bots.create(accountId, request)
      yield* bots.command(accountId, bot.id, "start")
      const becomes = (isWanted: Parameters<typeof statusWhere>[3]) =>
        statusWhere(bots, accountId, bot.id, isWanted)
      yield* becomes(({ status }) => status === "running")
      yield* model.moveTo(symbol, "101")
      const orders = Effect.map(bots.orders(accountId, bot.id, { limit: 10 }), ({ items }) => items)
      const entriesAre = (wanted: string) =>
        eventually(orders, (items) => statusesOf(items, "entry") === wanted)
      yield* world.tellUntil(3)
      yield* ordersWhere(model, (all) => all.some(({ status }) => status === "filled"))
      yield* world.tellUntil(5)
      yield* entriesAre("submitted cancelled")
      yield* Effect.sleep("20 seconds")
      yield* entriesAre("submitted cancelled")
      assert.lengthOf(yield* ordersWhere(model, () => true), 1)
      yield* Effect.sleep("1 minute")
      yield* becomes(({ open_positions }) => open_positions[0]?.quantity === 10)
      yield* entriesAre("cancelled filled")
      yield* Effect.sleep("20 seconds")
      assert.lengthOf(yield* ordersWhere(model, () => true), 1)
      const [last] = yield* orders
      assert.include(last?.reason, "an entry that the bot took back has filled")
      // From here on the bot decides by what it holds.
      yield* model.moveTo(symbol, "99")
      yield* world.tellUntil(7)
      yield* Effect.sleep("1 minute")
      yield* becomes(({ open_positions }) => open_positions.length === 0)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

const grid: StrategyDefinition = {
  format: 1,
  symbols: [symbol],
  timeframe: "1h",
  parameters: {},
  grid: { lower: 98, upper: 106, lines: 5, spacing: "arithmetic" }
}

describe("a report with an exit and the entry after it", () => {
  it.effect("takes the entry for one of the next position", () => {
    const capabilities = { kind: "one_way", hasReduceOnly: true, canShareQuantity: true } as const
    const flat = [101, 101, 101, 101, 101, 101]
    const habits = { fillDelayMs: 0, tellDelayMs: 5_000 }
    const model = makeModel({ capabilities, habits, random: () => 0.99 })
    const world = liveWorld(model, undefined, undefined, flat)
    return Effect.gen(function* () {
      const { accountId, bots, request } = yield* setLive(grid, flat)
      const bot = yield* bots.create(accountId, request)
      yield* bots.command(accountId, bot.id, "start")
      const becomes = (isWanted: Parameters<typeof statusWhere>[3]) =>
        statusWhere(bots, accountId, bot.id, isWanted)
      yield* becomes(({ status }) => status === "running")
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* ordersWhere(model, (all) => all.length === 2)
      yield* model.moveTo(symbol, "99.5")
      yield* becomes(({ open_positions }) => open_positions.length === 1)
      yield* ordersWhere(model, (all) => all.some(({ side }) => side === "sell"))
      // Both lines trade before the exchange tells of the first.
      yield* model.moveTo(symbol, "102.5")
      yield* model.moveTo(symbol, "97.9")
      yield* Effect.sleep("1 minute")
      const { items } = yield* bots.orders(accountId, bot.id, { limit: 20 })
      const lines = items.filter(({ leg }) => leg === "entry")
      assert.deepStrictEqual(
        lines.map(({ reason, status }) => [status, reason]),
        lines.map(() => ["filled", null])
      )
      assert.isTrue(items.every(({ reason }) => reason !== "force_exit"))
      const { open_positions } = yield* bots.status(accountId, bot.id)
      assert.strictEqual(open_positions[0]?.entry_price, 98)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})
