/**
 * Exits of one lot of a live bot that keeps its lots apart: they sell no other lot.
 */
import type { StrategyDefinition } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { liveWorld, makeModel, setLive, statusWhere } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { definition, symbol } from "./scene.ts"

const above = (value: number) =>
  ({
    type: "above",
    left: { type: "price", field: "close" },
    right: { type: "constant", value }
  }) as const

const fraction = (value: number) => ({ type: "fraction", value }) as const

/** Buys 10, and 5 more on a dip; these have a target, and a rule that sells two fifths of them. */
const apart: StrategyDefinition = {
  ...definition,
  long: { enter: above(101.5) },
  lots: "by_name",
  exits: { stop_loss: fraction(0.1) },
  additions: [
    {
      name: "dip",
      against: 0.005,
      sizing: { type: "scaled", of: "first", factor: 0.5 },
      exits: { stop_loss: fraction(0.1), take_profit: fraction(0.01) }
    }
  ],
  reductions: [{ when: above(103), portion: 0.4, lot: "dip" }]
}

/** A bot that holds both lots at an exchange, which then goes through further closes. */
const goThrough = Effect.fnUntraced(function* (
  model: ReturnType<typeof makeModel>,
  world: ReturnType<typeof liveWorld>,
  closes: ReadonlyArray<number>,
  { toldMs, stepMs }: { readonly toldMs: number; readonly stepMs: number }
) {
  const { accountId, bots, request } = yield* setLive(apart, closes)
  const bot = yield* bots.create(accountId, request)
  yield* bots.command(accountId, bot.id, "start")
  yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "running")
  const heldCount = 3
  for (const [count, close] of closes.entries()) {
    yield* model.moveTo(symbol, String(close))
    yield* world.tellUntil(count + 1)
    yield* Effect.sleep(count < heldCount ? toldMs : stepMs)
  }
  yield* Effect.sleep(toldMs)
  const { open_positions: held } = yield* statusWhere(
    bots,
    accountId,
    bot.id,
    ({ open_orders, protection }) =>
      protection === "venue" && open_orders.every(({ leg }) => leg === "stop_loss")
  )
  const { items } = yield* bots.trades(accountId, bot.id, { limit: 10 })
  const { items: orders } = yield* bots.orders(accountId, bot.id, { limit: 20 })
  return {
    held: held.map(({ quantity }) => quantity),
    sold: items.flatMap(({ amount, leg, side }) => (side === "sell" ? [[leg, amount]] : [])),
    rejected: orders.flatMap(({ reason, status }) => (status === "rejected" ? [reason] : []))
  }
})

describe("a live bot that keeps its lots apart", () => {
  it.effect("sells a lot once, where its target and a reduction of it come at one close", () => {
    const closes = [99, 102, 101.2, 103.5, 103.5, 103.5]
    const model = makeModel()
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const times = { toldMs: 20_000, stepMs: 20_000 }
      const { held, rejected, sold } = yield* goThrough(model, world, closes, times)
      assert.deepStrictEqual(held, [10])
      assert.deepStrictEqual(
        sold.toSorted((one, other) => (String(one) < String(other) ? -1 : 1)),
        [
          ["exit", 2],
          ["take_profit", 3]
        ]
      )
      assert.deepStrictEqual(rejected, [])
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("has no reduction sell another lot, where it hears late of the target's fill", () => {
    const closes = [99, 102, 101.2, 102.5, 103.5]
    // Orders and holdings are told at once, and trades after a minute.
    const habits = { tellDelayMs: 60_000 }
    const model = makeModel({ habits, random: () => 0.99 })
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const times = { toldMs: 90_000, stepMs: 10_000 }
      const { held, rejected, sold } = yield* goThrough(model, world, closes, times)
      assert.deepStrictEqual(held, [10])
      assert.deepStrictEqual(sold, [["take_profit", 5]])
      assert.deepStrictEqual(rejected, [
        "exceeds_holdings: the lot has less than the order would close"
      ])
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})
