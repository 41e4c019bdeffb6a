/**
 * Entries of one group at an exchange, which ties no orders together.
 */
import type { Order, StrategyDefinition } from "@candlewick/core"
import { Bots } from "@candlewick/core"
import type { VenueCall } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  liveWorld,
  makeModel,
  ordersWhere,
  processesOver,
  setLive,
  statusWhere
} from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { definition, symbol } from "./scene.ts"
import { eventually } from "./world.ts"

/** The bot enters at the close of 101: with a stop at 102.01, or a limit at 99.99. */
const closes = [100, 101, 102.5, 101.5, 101.5, 101.5]

/** Of the two, the backtest fills the stop in the candle of 102.5. */
const eitherOf = (stopLife?: number, limitLife = stopLife): StrategyDefinition => {
  const life = (count?: number) => ({
    offset: 0.01,
    ...(count !== undefined && { expires_after: count })
  })
  const orders = [
    { type: "stop", ...life(stopLife) },
    { type: "limit", ...life(limitLife) }
  ] as const
  const sizing = { type: "fixed_quantity", quantity: 5 } as const
  return { ...definition, sizing, entry: { type: "one_cancels_other", orders } }
}

const spot = {}
const oneWay = {
  capabilities: { kind: "one_way", hasReduceOnly: true, canShareQuantity: true },
  leverage: 3
} as const

type World = Pick<ReturnType<typeof liveWorld>, "tellUntil">

/** Has a bot rest both entries at an exchange. */
const restBoth = Effect.fnUntraced(function* (
  model: ReturnType<typeof makeModel>,
  world: World,
  strategy: StrategyDefinition
) {
  const { accountId, bots, request } = yield* setLive(strategy, closes)
  const bot = yield* bots.create(accountId, request)
  yield* bots.command(accountId, bot.id, "start")
  yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "running")
  yield* model.moveTo(symbol, "101")
  yield* world.tellUntil(2)
  yield* ordersWhere(model, (all) => all.filter(({ status }) => status === "open").length === 2)
  return { accountId, bot }
})

/** The type and the status of each order at an exchange, the oldest first. */
const restingAs = (model: ReturnType<typeof makeModel>, wanted: string) =>
  ordersWhere(
    model,
    (all) => all.map(({ status, type }) => `${type} ${status}`).join(", ") === wanted
  )

/** The entries of a bot once they are as wanted, the newest first. */
const entriesAre = Effect.fnUntraced(function* (
  { accountId, bot }: Effect.Success<ReturnType<typeof restBoth>>,
  wanted: string
) {
  const bots = yield* Bots
  const orders = Effect.map(bots.orders(accountId, bot.id, { limit: 10 }), ({ items }) => items)
  const statusesOf = (items: ReadonlyArray<Order>) => items.map(({ status }) => status).join(", ")
  return yield* eventually(orders, (items) => statusesOf(items) === wanted)
})

const holds = Effect.fnUntraced(function* (
  { accountId, bot }: Effect.Success<ReturnType<typeof restBoth>>,
  quantity: number
) {
  const bots = yield* Bots
  yield* statusWhere(
    bots,
    accountId,
    bot.id,
    ({ open_positions }) => open_positions[0]?.quantity === quantity
  )
})

const silentCancels = () => {
  const state = { isSilent: false }
  const drawFault = ({ type }: VenueCall) =>
    state.isSilent && type === "cancel" ? ({ outcome: "lost_before" } as const) : {}
  return { drawFault, state }
}

describe("an entry of a group that fills at an exchange", () => {
  const kinds = [
    ["spot, until cancelled", spot, undefined],
    ["spot, for five candles", spot, 5],
    ["positions, until cancelled", oneWay, undefined],
    ["positions, for five candles", oneWay, 5]
  ] as const

  it.effect.each(kinds)("has the other cancelled before the next candle: %s", ([, terms, life]) => {
    const model = makeModel(terms)
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const scene = yield* restBoth(model, world, eitherOf(life))
      yield* model.moveTo(symbol, "102.5")
      yield* restingAs(model, `${terms === spot ? "stop_limit" : "stop"} filled, limit cancelled`)
      const [limit] = yield* entriesAre(scene, "cancelled, filled")
      assert.strictEqual(limit?.reason, "another of its group was filled")
      yield* model.moveTo(symbol, "99")
      yield* model.moveTo(symbol, "101.5")
      yield* world.tellUntil(5)
      const bots = yield* Bots
      const { accountId, bot } = scene
      const compared = yield* eventually(
        bots.expected(accountId, bot.id),
        ({ until }) => until === "2024-01-01T04:00:00.000Z"
      )
      assert.strictEqual(compared.realized_trade_count, 1)
      assert.strictEqual(compared.expected_trade_count, 1)
      assert.strictEqual(compared.unexplained, 0)
      yield* holds(scene, 5)
      // The words of the exchange about the cancel do not take the place of the bot's reason.
      const [kept] = yield* entriesAre(scene, "cancelled, filled")
      assert.strictEqual(kept?.reason, "another of its group was filled")
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("has the other cancelled where only a part of it has filled", () => {
    // A half of the first order is left once the price has been reached.
    const model = makeModel({ habits: { partChance: 1 }, random: () => 0.5 })
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const scene = yield* restBoth(model, world, eitherOf())
      yield* model.moveTo(symbol, "99.5")
      yield* restingAs(model, "stop_limit cancelled, limit open")
      yield* entriesAre(scene, "partially_filled, cancelled")
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("has the other cancelled by the next process, where none ran at the fill", () => {
    const model = makeModel()
    return Effect.gen(function* () {
      const process = yield* processesOver(model, undefined, closes)
      const one = yield* process()
      const scene = yield* Effect.provide(restBoth(model, one.world, eitherOf(5)), one.services)
      yield* one.end
      yield* model.moveTo(symbol, "102.5")
      const other = yield* process()
      yield* restingAs(model, "stop_limit filled, limit cancelled")
      yield* Effect.provide(entriesAre(scene, "cancelled, filled"), other.services)
      yield* other.end
    }).pipe(whileTimePasses)
  })

  it.effect("has the other cancelled by the next process, where the cancel did not leave", () => {
    const { drawFault, state } = silentCancels()
    const model = makeModel({ drawFault })
    return Effect.gen(function* () {
      const process = yield* processesOver(model, undefined, closes)
      const one = yield* process()
      const scene = yield* Effect.provide(restBoth(model, one.world, eitherOf()), one.services)
      state.isSilent = true
      yield* model.moveTo(symbol, "102.5")
      yield* Effect.provide(entriesAre(scene, "cancelled, filled"), one.services)
      yield* one.end
      yield* restingAs(model, "stop_limit filled, limit open")
      state.isSilent = false
      const other = yield* process()
      yield* restingAs(model, "stop_limit filled, limit cancelled")
      yield* other.end
    }).pipe(whileTimePasses)
  })

  it.effect("has the other cancelled, although its own time was over", () => {
    const { drawFault, state } = silentCancels()
    const model = makeModel({ drawFault })
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const scene = yield* restBoth(model, world, eitherOf(1, 5))
      state.isSilent = true
      yield* world.tellUntil(3)
      yield* entriesAre(scene, "accepted, expired")
      yield* model.moveTo(symbol, "102.5")
      yield* entriesAre(scene, "cancelled, filled")
      state.isSilent = false
      yield* restingAs(model, "stop_limit filled, limit cancelled")
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("is held beside the other, where that fills before its cancel arrives", () => {
    const { drawFault, state } = silentCancels()
    const model = makeModel({ drawFault })
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const scene = yield* restBoth(model, world, eitherOf())
      state.isSilent = true
      yield* model.moveTo(symbol, "102.5")
      yield* entriesAre(scene, "cancelled, filled")
      yield* model.moveTo(symbol, "99")
      yield* restingAs(model, "stop_limit filled, limit filled")
      yield* entriesAre(scene, "filled, filled")
      yield* holds(scene, 10)
      yield* world.tellUntil(5)
      const { accountId, bot } = scene
      const bots = yield* Bots
      const { differences, unexplained } = yield* eventually(
        bots.expected(accountId, bot.id),
        ({ realized_trade_count: count }) => count === 2
      )
      assert.strictEqual(unexplained, 0)
      const alone = differences.filter(({ expected_at: at }) => at === null)
      assert.deepStrictEqual(
        alone.map(({ cause }) => cause),
        ["delay"]
      )
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})
