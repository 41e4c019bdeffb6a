/**
 * Exits of live bots that together ask for more than their position.
 */
import type { StrategyDefinition } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { liveWorld, makeModel, market, ordersWhere, setLive, statusWhere } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { definition, symbol } from "./scene.ts"

const fraction = (value: number) => ({ type: "fraction", value }) as const

const at = (value: number) =>
  ({
    type: "above",
    left: { type: "price", field: "close" },
    right: { type: "constant", value }
  }) as const

/** Two targets for all of it, and a rule that sells three fifths, without a stop. */
const crowded: StrategyDefinition = {
  ...definition,
  targets: [
    { at: fraction(0.02), portion: 0.5 },
    { at: fraction(0.03), portion: 0.5 }
  ],
  reductions: [{ when: at(102), portion: 0.6 }]
}

describe("exits of a position without a stop", () => {
  const kinds = [
    ["spot", {}],
    ["positions, without orders that only reduce", { capabilities: { kind: "one_way" } }]
  ] as const

  it.effect.each(kinds)("close no more than their bot holds: %s", ([kind, terms]) => {
    const closes = [100, 99, 101, 101, 102.5, 101.5, 101.5]
    const model = makeModel({ ...terms, balances: { USD: "10000", STY: "20" } })
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const { accountId, bots, request } = yield* setLive(crowded, closes)
      const bot = yield* bots.create(accountId, request)
      yield* bots.command(accountId, bot.id, "start")
      const becomes = (isWanted: Parameters<typeof statusWhere>[3]) =>
        statusWhere(bots, accountId, bot.id, isWanted)
      yield* becomes(({ status }) => status === "running")
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* becomes(({ open_positions }) => open_positions.length === 1)
      yield* world.tellUntil(4)
      yield* ordersWhere(
        model,
        (all) =>
          all.filter(({ status, type }) => type === "limit" && status === "open").length === 2
      )
      yield* model.moveTo(symbol, "102.5")
      yield* world.tellUntil(5)
      yield* becomes(({ open_positions: [held] }) => held === undefined || held.quantity < 10)
      // A leap over both targets.
      yield* model.moveTo(symbol, "106")
      yield* Effect.sleep("5 seconds")
      yield* world.tellUntil(6)
      yield* Effect.sleep("5 seconds")
      const { items } = yield* bots.trades(accountId, bot.id, { limit: 20 })
      const sold = items.filter(({ side }) => side === "sell")
      assert.isAtMost(
        sold.reduce((sum, { amount }) => sum + amount, 0),
        10
      )
      const { balances, positions } = yield* model.venue.holdings
      const held =
        kind === "spot" ? Number(balances.get("STY")) - 20 : Number(positions.get(symbol) ?? 0)
      assert.isAtLeast(held, 0)
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("sell what fees in the coin have left, where a target asks for a step more", () => {
    const closes = [100, 99, 101, 101, 104, 104]
    const fees = { takerRate: "0.001", makerRate: "0.001" }
    const steps = { quantityStep: "0.001", minQuantity: "0.001" }
    const model = makeModel({ markets: [{ ...market, ...fees, ...steps }], feeCoin: "received" })
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const { accountId, bots, request } = yield* setLive(
        {
          ...definition,
          sizing: { type: "fixed_quantity", quantity: 10.1 },
          exits: { stop_loss: fraction(0.05) },
          targets: [{ at: fraction(0.02), portion: 1 }]
        },
        closes,
        { lot: 0.001 }
      )
      const bot = yield* bots.create(accountId, request)
      yield* bots.command(accountId, bot.id, "start")
      const becomes = (isWanted: Parameters<typeof statusWhere>[3]) =>
        statusWhere(bots, accountId, bot.id, isWanted)
      yield* becomes(({ status }) => status === "running")
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* becomes(({ protection }) => protection === "venue")
      yield* world.tellUntil(4)
      yield* Effect.sleep("2 seconds")
      yield* model.moveTo(symbol, "104")
      yield* world.tellUntil(5)
      yield* becomes(({ open_positions }) => open_positions.length === 0)
      const { items } = yield* bots.orders(accountId, bot.id, { limit: 20 })
      assert.deepStrictEqual(
        items.filter(({ status }) => status === "rejected"),
        []
      )
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})
