/**
 * Stops of a bot's own code at an exchange that refuses them, or the exit that they make way for.
 */
import { BotStateStore, layerCodeStrategies, type StrategyDefinition } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { openOrdersOf } from "../../packages/core/src/testing/modelVenue/Exchange.ts"
import { decimalText } from "../../packages/core/src/domain/decimals.ts"
import { ownStop, reducedStop, twoStops } from "./hostGroups.ts"
import { liveWorld, makeModel, setLive, statusWhere } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { symbol } from "./scene.ts"
import { eventually } from "./world.ts"

const hostCode = layerCodeStrategies(new URL("./hostGroups.ts", import.meta.url))
const quiet = [100, 101, 101.5, 101.5, 101.5, 101.5]

const kinds = [
  ["spot", {}],
  [
    "positions",
    { capabilities: { kind: "one_way", hasReduceOnly: true, canShareQuantity: true }, leverage: 3 }
  ]
] as const

type Refusing = (order: { readonly type: string; readonly stopPrice: string | null }) => boolean

/** A bot by code that holds 10 with its stop at 99, at an exchange that refuses some orders. */
const holdWithStop = (
  definition: StrategyDefinition,
  terms: Parameters<typeof makeModel>[0],
  isRefused: Refusing,
  closes: ReadonlyArray<number> = quiet
) => {
  const model = makeModel({
    ...terms,
    drawFault: (call) =>
      call.type === "submit" && isRefused(call.order) ? { outcome: "refused" } : {}
  })
  const world = liveWorld(model, undefined, undefined, closes)
  const open = Effect.map(model.truth, (exchange) =>
    openOrdersOf(exchange).map(({ quantity, type }) => `${type} ${decimalText(quantity)}`)
  )
  const opens = (wanted: ReadonlyArray<string>) =>
    eventually(open, (found) => JSON.stringify(found) === JSON.stringify(wanted))
  const begin = Effect.gen(function* () {
    const { accountId, bots, request } = yield* setLive(definition, closes)
    const bot = yield* bots.create(accountId, request)
    const becomes = (isWanted: Parameters<typeof statusWhere>[3]) =>
      statusWhere(bots, accountId, bot.id, isWanted)
    yield* bots.command(accountId, bot.id, "start")
    yield* becomes(({ status }) => status === "running")
    yield* model.moveTo(symbol, "101")
    yield* world.tellUntil(2)
    yield* becomes(({ open_positions: [held] }) => held?.quantity === 10)
    return { accountId, becomes, bot, bots }
  })
  const layer = Layer.provideMerge(Layer.provide(world.services, hostCode), MemoryStore.layer)
  return { begin, layer, model, open, opens, tellUntil: world.tellUntil }
}

describe("a stop of code that makes way for the closing of its position", () => {
  const standing = ["running", "stopped"] as const
  const cases = kinds.flatMap(([kind, terms]) =>
    standing.map((status) => [`${kind}, ${status}`, terms, status] as const)
  )

  it.effect.each(cases)("rests again where that is refused: %s", ([, terms, status]) => {
    const { begin, layer, model, opens, tellUntil } = holdWithStop(
      ownStop.definition,
      terms,
      ({ type }) => type === "market" && isClosing
    )
    let isClosing = false
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* begin
      yield* tellUntil(3)
      yield* opens(["stop 10"])
      yield* becomes(({ open_positions: [held] }) => held?.protection === "venue")
      if (status === "stopped") yield* bots.command(accountId, bot.id, "stop")
      yield* becomes((now) => now.status === status)
      isClosing = true
      yield* bots.closePositions(accountId, bot.id)
      yield* eventually(bots.orders(accountId, bot.id, { limit: 9 }), ({ items }) =>
        items.some((order) => order.status === "rejected")
      )
      yield* opens(["stop 10"])
      yield* model.moveTo(symbol, "98.5")
      yield* becomes(({ open_positions }) => open_positions.length === 0)
    }).pipe(Effect.provide(layer), whileTimePasses)
  })

  it.effect.each(kinds)("ends with it: %s", ([, terms]) => {
    const { begin, layer, opens, tellUntil } = holdWithStop(ownStop.definition, terms, () => false)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* begin
      yield* tellUntil(3)
      yield* opens(["stop 10"])
      yield* bots.closePositions(accountId, bot.id)
      yield* becomes(
        ({ open_orders, open_positions }) => open_orders.length + open_positions.length === 0
      )
      yield* opens([])
    }).pipe(Effect.provide(layer), whileTimePasses)
  })
})

describe("a stop of code at an exchange without stops", () => {
  it.effect("is watched, and leaves at the close that has passed it", () => {
    const { begin, layer, model, open, tellUntil } = holdWithStop(
      ownStop.definition,
      { capabilities: { hasStops: false } },
      () => false,
      [100, 101, 101.5, 98, 98, 98]
    )
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* begin
      yield* tellUntil(3)
      yield* becomes(({ open_orders: [stop] }) => stop?.status === "submitted")
      assert.deepStrictEqual(yield* open, [])
      yield* model.moveTo(symbol, "98")
      yield* tellUntil(4)
      yield* becomes(({ open_positions }) => open_positions.length === 0)
      const { items } = yield* bots.orders(accountId, bot.id, { limit: 9 })
      assert.deepStrictEqual(
        items.map(({ status }) => status),
        ["filled", "filled"]
      )
    }).pipe(Effect.provide(layer), whileTimePasses)
  })
})

describe("a stop of code that its exchange refuses", () => {
  it.effect("is not said to rest, and is asked for again, also of a bot at rest", () => {
    let stopCount = 0
    const { begin, layer, open, opens, tellUntil } = holdWithStop(
      reducedStop.definition,
      {},
      // The second one is to be the smaller one after the sale.
      ({ type }) => type === "stop" && ++stopCount === 2
    )
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* begin
      yield* tellUntil(3)
      yield* opens(["stop 10"])
      yield* tellUntil(4)
      yield* becomes(({ open_positions: [held] }) => held?.quantity === 6)
      yield* becomes(({ open_orders: [stop] }) => stop?.status === "submitted")
      yield* bots.command(accountId, bot.id, "stop")
      yield* becomes(({ status }) => status === "stopped")
      yield* Effect.sleep("15 seconds")
      assert.deepStrictEqual(yield* open, [])
      yield* Effect.sleep("10 seconds")
      yield* opens(["stop 6"])
      yield* becomes(({ open_orders: [stop] }) => stop?.status === "accepted")
    }).pipe(Effect.provide(layer), whileTimePasses)
  })

  it.effect.each(kinds)("again and again leaves, and is told of: %s", ([, terms]) => {
    let exitCount: number | null = null
    const { begin, layer, model, tellUntil } = holdWithStop(
      ownStop.definition,
      terms,
      ({ type }) =>
        type === "stop" || (type === "market" && exitCount !== null && ++exitCount === 1)
    )
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* begin
      exitCount = 0
      yield* tellUntil(3)
      yield* Effect.sleep("50 seconds")
      yield* becomes(({ open_positions: [held] }) => held?.protection === "local")
      yield* model.moveTo(symbol, "98.5")
      yield* Effect.sleep("12 seconds")
      yield* becomes(({ hindrances: [found], open_positions }) => {
        return open_positions.length === 1 && found?.kind === "unprotected"
      })
      yield* Effect.sleep("25 seconds")
      yield* becomes(
        ({ hindrances, open_positions }) => hindrances.length + open_positions.length === 0
      )
      const { items } = yield* bots.logs(accountId, bot.id, { limit: 50 })
      const events = items.map(({ event }) => event)
      assert.includeMembers(events, ["protection.missing", "alert.triggered"])
      yield* tellUntil(4)
      yield* eventually(bots.expected(accountId, bot.id), ({ causes }) => causes.refusal !== 0)
    }).pipe(Effect.provide(layer), whileTimePasses)
  })

  it.effect("is told of in its time while it waits for its exchange, and only then", () => {
    let stopCount = 0
    const { begin, layer, model, opens, tellUntil } = holdWithStop(
      ownStop.definition,
      {},
      ({ type }) => type === "stop" && ++stopCount === 1
    )
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* begin
      const tellings = Effect.map(bots.logs(accountId, bot.id, { limit: 50 }), ({ items }) =>
        items.flatMap(({ event }) => (event === "protection.missing" ? [event] : []))
      )
      yield* tellUntil(3)
      yield* Effect.sleep("5 seconds")
      yield* model.act({ type: "maintenance", isDown: true })
      yield* Effect.sleep("50 seconds")
      assert.lengthOf(yield* tellings, 0)
      yield* Effect.sleep("10 seconds")
      assert.lengthOf(yield* tellings, 1)
      yield* becomes(({ hindrances }) => hindrances.some(({ kind }) => kind === "unprotected"))
      yield* model.act({ type: "maintenance", isDown: false })
      yield* Effect.sleep("10 seconds")
      yield* opens(["stop 10"])
      yield* becomes(
        ({ hindrances, open_positions: [held] }) =>
          hindrances.length === 0 && held?.protection === "venue"
      )
      assert.lengthOf(yield* tellings, 1)
    }).pipe(Effect.provide(layer), whileTimePasses)
  })

  it.effect.each(kinds)("leaves in its time beside a farther one that rests: %s", ([, terms]) => {
    const { begin, layer, opens, tellUntil } = holdWithStop(
      twoStops.definition,
      terms,
      ({ stopPrice }) => stopPrice === "99"
    )
    return Effect.gen(function* () {
      const { becomes } = yield* begin
      yield* tellUntil(3)
      yield* Effect.sleep("50 seconds")
      yield* opens(["stop 10"])
      yield* becomes(({ open_positions }) => open_positions.length === 1)
      yield* Effect.sleep("15 seconds")
      yield* becomes(({ open_positions }) => open_positions.length === 0)
    }).pipe(Effect.provide(layer), whileTimePasses)
  })

  it.effect.each(kinds)("stays while a nearer one rests, and leaves in its time: %s", (row) => {
    const { begin, layer, model, opens, tellUntil } = holdWithStop(
      twoStops.definition,
      row[1],
      ({ stopPrice }) => stopPrice === "97"
    )
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* begin
      yield* tellUntil(3)
      yield* Effect.sleep("80 seconds")
      yield* opens(["stop 10"])
      yield* becomes(({ open_positions: [held] }) => held?.protection === "venue")
      const { items } = yield* bots.logs(accountId, bot.id, { limit: 50 })
      assert.isFalse(items.some(({ event }) => event === "protection.missing"))
      for (const { id } of openOrdersOf(yield* model.truth)) {
        yield* model.act({ type: "end", id: id!, status: "cancelled" })
      }
      yield* Effect.sleep("55 seconds")
      yield* becomes(({ open_positions }) => open_positions.length === 1)
      yield* Effect.sleep("10 seconds")
      yield* becomes(({ open_positions }) => open_positions.length === 0)
    }).pipe(Effect.provide(layer), whileTimePasses)
  })

  it.effect("is not asked for without a pause where its position was sold by hand", () => {
    let stopCount = 0
    const { begin, layer, model, tellUntil } = holdWithStop(
      ownStop.definition,
      {},
      ({ type }) => type === "stop" && ++stopCount === 1
    )
    return Effect.gen(function* () {
      const { bots, accountId, becomes, bot } = yield* begin
      yield* tellUntil(3)
      yield* eventually(bots.logs(accountId, bot.id, { limit: 50 }), ({ items }) =>
        items.some(({ event }) => event === "order.refused")
      )
      yield* model.act({ type: "deposit", coin: "STY", amount: "-10" })
      yield* bots.command(accountId, bot.id, "stop")
      yield* becomes(({ status }) => status === "stopped")
      const states = yield* BotStateStore
      const version = Effect.map(states.get(bot.id), (kept) => Option.getOrThrow(kept).version)
      const before = yield* version
      yield* Effect.sleep("5 minutes")
      assert.isBelow((yield* version) - before, 30)
    }).pipe(Effect.provide(layer), whileTimePasses)
  })

  it.effect("at first is asked for again, and is over with its position", () => {
    let stopCount = 0
    const { begin, layer, model, opens, tellUntil } = holdWithStop(
      ownStop.definition,
      {},
      ({ type }) => type === "stop" && ++stopCount === 1
    )
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* begin
      yield* tellUntil(3)
      yield* eventually(bots.logs(accountId, bot.id, { limit: 50 }), ({ items }) =>
        items.some(({ event }) => event === "order.refused")
      )
      yield* Effect.sleep("25 seconds")
      yield* opens(["stop 10"])
      yield* model.moveTo(symbol, "98.5")
      yield* becomes(
        ({ open_orders, open_positions }) => open_orders.length + open_positions.length === 0
      )
    }).pipe(Effect.provide(layer), whileTimePasses)
  })
})
