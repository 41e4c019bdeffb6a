/**
 * Entries of live bots that fill in parts, and whose position is left meanwhile.
 */
import {
  type BotStatusView,
  type StrategyDefinition,
  type Venue,
  VenueError,
  VenueRefused
} from "@candlewick/core"
import type { ModelVenueOptions } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { liveWorld, makeModel, market, ordersWhere, setLive, statusWhere } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { definition, symbol } from "./scene.ts"

const spot = {}
const oneWay = { capabilities: { kind: "one_way", hasReduceOnly: true } } as const

/** Enters by a limit a hundredth below the close. */
const below = { ...definition, entry: { type: "limit", offset: 0.01 } } as const

const refused = new VenueError({
  reason: new VenueRefused({ code: "market_closed", why: "not now" })
})

interface Parts {
  readonly terms?: Partial<ModelVenueOptions>
  readonly strategy?: StrategyDefinition
  readonly closes?: ReadonlyArray<number>
  readonly venueOf?: (venue: Venue) => Venue
}

/** An exchange that fills half of an order at a time, or all of it. */
const setParts = ({ closes, strategy = below, terms, venueOf }: Parts) => {
  const part = { random: 0.99 }
  const habits = { rejectChance: 0, fillDelayMs: 0, tellDelayMs: 0, repeatChance: 0 }
  const model = makeModel({
    ...terms,
    habits: { ...habits, partChance: 0.6 },
    random: () => part.random
  })
  const world = liveWorld(model, venueOf, undefined, closes)
  const begin = Effect.gen(function* () {
    const { accountId, bots, request } = yield* setLive(strategy, closes)
    const bot = yield* bots.create(accountId, request)
    yield* bots.command(accountId, bot.id, "start")
    const becomes = (isWanted: (status: BotStatusView) => boolean) =>
      statusWhere(bots, accountId, bot.id, isWanted)
    yield* becomes(({ status }) => status === "running")
    const traded = Effect.map(bots.trades(accountId, bot.id, { limit: 20 }), ({ items }) =>
      items.map(({ amount, side }) => [side, amount] as const).toReversed()
    )
    const orders = Effect.map(bots.orders(accountId, bot.id, { limit: 20 }), ({ items }) => items)
    /** Lets the price touch a limit, which fills half of an order. */
    const fillHalf = Effect.fnUntraced(function* (limit: string, back: string) {
      part.random = 0.5
      yield* model.moveTo(symbol, limit)
      yield* model.moveTo(symbol, back)
      part.random = 0.99
    })
    return { accountId, becomes, bot, bots, fillHalf, orders, traded }
  })
  return { begin, model, world }
}

const isFlat = ({ open_positions }: BotStatusView) => open_positions.length === 0

const holds = (quantity: number) => (status: BotStatusView) =>
  status.open_positions[0]?.quantity === quantity

describe("the rest of an entry that fills in parts", () => {
  const kinds = [
    ["spot", spot],
    ["positions", oneWay]
  ] as const

  it.effect.each(kinds)("ends with the part that was closed: %s", ([, terms]) => {
    const { begin, model, world } = setParts({ terms })
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots, fillHalf, traded } = yield* begin
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* ordersWhere(model, ([first]) => first?.status === "open")
      yield* fillHalf("99.9", "101")
      yield* becomes(holds(5))
      yield* bots.closePositions(accountId, bot.id)
      yield* becomes(isFlat)
      yield* ordersWhere(model, ([first]) => first?.status === "cancelled")
      yield* model.moveTo(symbol, "99.5")
      yield* Effect.sleep("5 seconds")
      assert.deepStrictEqual(
        (yield* traded).map(([side]) => side),
        ["buy", "sell"]
      )
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect.each(kinds)("is closed at once where it fills before its cancel: %s", ([, terms]) => {
    const venueOf = (venue: Venue): Venue => ({
      ...venue,
      cancel: (...asked) => Effect.delay(venue.cancel(...asked), "3 seconds")
    })
    const { begin, model, world } = setParts({ terms, venueOf })
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots, fillHalf, orders, traded } = yield* begin
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* ordersWhere(model, ([first]) => first?.status === "open")
      yield* fillHalf("99.9", "101")
      yield* becomes(holds(5))
      yield* bots.closePositions(accountId, bot.id)
      yield* Effect.sleep("1 second")
      yield* model.moveTo(symbol, "99.5")
      yield* Effect.sleep("20 seconds")
      yield* becomes(isFlat)
      assert.sameDeepMembers(
        [...(yield* traded)],
        [
          ["buy", 5],
          ["buy", 5],
          ["sell", 5],
          ["sell", 5]
        ]
      )
      const [entry] = (yield* orders).filter(({ leg }) => leg === "entry")
      assert.strictEqual(entry?.reason, "the position is closed")
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect.each(["running", "stopped"] as const)(
    "is closed though its exchange refuses the exit at first: %s",
    (status) => {
      let sellCount = 0
      const venueOf = (venue: Venue): Venue => ({
        ...venue,
        cancel: (...asked) => Effect.delay(venue.cancel(...asked), "3 seconds"),
        submit: (order) =>
          order.side === "sell" && order.type === "market" && ++sellCount === 2
            ? Effect.fail(refused)
            : venue.submit(order)
      })
      const { begin, model, world } = setParts({ terms: spot, venueOf })
      return Effect.gen(function* () {
        const { accountId, becomes, bot, bots, fillHalf, orders } = yield* begin
        yield* model.moveTo(symbol, "101")
        yield* world.tellUntil(3)
        yield* ordersWhere(model, ([first]) => first?.status === "open")
        yield* fillHalf("99.9", "101")
        yield* becomes(holds(5))
        yield* bots.closePositions(accountId, bot.id)
        yield* becomes(isFlat)
        if (status === "stopped") yield* bots.command(accountId, bot.id, "stop")
        yield* Effect.sleep("1 second")
        yield* model.moveTo(symbol, "99.5")
        yield* Effect.sleep("5 seconds")
        yield* becomes(holds(5))
        const exits = Effect.map(orders, (items) =>
          items.filter(({ leg }) => leg === "exit").map((one) => one.status)
        )
        assert.deepStrictEqual(yield* exits, ["rejected", "filled"])
        yield* Effect.sleep("10 seconds")
        yield* becomes(isFlat)
        assert.deepStrictEqual(yield* exits, ["filled", "rejected", "filled"])
      }).pipe(Effect.provide(world.layer), whileTimePasses)
    }
  )

  it.effect("is closed with a first part that was too small to be sold alone", () => {
    const terms = { markets: [{ ...market, minNotional: "600" }] }
    const venueOf = (venue: Venue): Venue => ({
      ...venue,
      cancel: (...asked) => Effect.delay(venue.cancel(...asked), "3 seconds")
    })
    const { begin, model, world } = setParts({ terms, venueOf })
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots, fillHalf, traded } = yield* begin
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* ordersWhere(model, ([first]) => first?.status === "open")
      yield* fillHalf("99.9", "101")
      yield* becomes(holds(5))
      yield* bots.closePositions(accountId, bot.id)
      yield* Effect.sleep("1 second")
      yield* model.moveTo(symbol, "99.5")
      yield* Effect.sleep("20 seconds")
      yield* becomes(isFlat)
      assert.deepStrictEqual((yield* traded).at(-1), ["sell", 10])
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect.each(kinds)(
    "waits for no stop while its part is too small for one: %s",
    ([, terms]) => {
      const strategy: StrategyDefinition = {
        ...below,
        exits: { stop_loss: { type: "fraction", value: 0.1 } }
      }
      const markets = [{ ...market, minNotional: "600" }]
      const { begin, model, world } = setParts({ strategy, terms: { ...terms, markets } })
      return Effect.gen(function* () {
        const { accountId, becomes, bot, bots, fillHalf, traded } = yield* begin
        yield* model.moveTo(symbol, "101")
        yield* world.tellUntil(3)
        yield* ordersWhere(model, ([first]) => first?.status === "open")
        yield* fillHalf("99.9", "101")
        yield* becomes(holds(5))
        yield* Effect.sleep("3 minutes")
        yield* model.moveTo(symbol, "99.9")
        yield* becomes(holds(10))
        yield* becomes(({ protection }) => protection === "venue")
        yield* Effect.sleep("10 seconds")
        assert.deepStrictEqual(yield* traded, [
          ["buy", 5],
          ["buy", 5]
        ])
        const { items } = yield* bots.logs(accountId, bot.id, { limit: 100 })
        // Where orders only reduce, the part might have been sold: its lack was told.
        const isTold = items.some(({ event }) => event === "protection.missing")
        assert.strictEqual(isTold, "capabilities" in terms)
      }).pipe(Effect.provide(world.layer), whileTimePasses)
    }
  )

  it.effect("ends where its target has filled but for less than can be sold", () => {
    const strategy: StrategyDefinition = {
      ...below,
      exits: { take_profit: { type: "fraction", value: 0.02 } }
    }
    const terms = { markets: [{ ...market, minNotional: "300" }] }
    const { begin, model, world } = setParts({ strategy, terms })
    return Effect.gen(function* () {
      const { becomes, fillHalf, orders } = yield* begin
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* ordersWhere(model, ([first]) => first?.status === "open")
      yield* fillHalf("99.9", "101")
      yield* becomes(holds(5))
      yield* ordersWhere(model, ([, target]) => target?.status === "open")
      yield* fillHalf("103", "101")
      yield* becomes(holds(2.5))
      yield* ordersWhere(model, ([first]) => first?.status === "cancelled")
      const [entry] = (yield* orders).filter(({ leg }) => leg === "entry")
      assert.strictEqual(entry?.reason, "the position is closed")
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("ends with its own lot, whatever other lots are held", () => {
    const strategy: StrategyDefinition = {
      ...below,
      overlap: true,
      max_positions: 2,
      exits: {
        // Beside a stop, a target is watched on spot, and leaves after a close.
        stop_loss: { type: "fraction", value: 0.1 },
        take_profit: { type: "fraction", value: 0.02 }
      },
      sizing: { type: "fixed_quantity", quantity: 8 }
    }
    const closes = [100, 99, 104, 101, 102.5, 99.9, 99.9]
    const { begin, model, world } = setParts({ closes, strategy })
    return Effect.gen(function* () {
      const { becomes, fillHalf, orders, traded } = yield* begin
      yield* model.moveTo(symbol, "104")
      yield* world.tellUntil(3)
      yield* ordersWhere(model, ([first]) => first?.status === "open")
      yield* model.moveTo(symbol, "102")
      yield* becomes(holds(8))
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(4)
      yield* ordersWhere(model, (all) =>
        all.some(({ status, type }) => status === "open" && type === "limit")
      )
      yield* fillHalf("99.9", "102.5")
      yield* becomes(({ open_positions: [held] }) => held?.quantity === 12)
      yield* world.tellUntil(5)
      yield* becomes(holds(8))
      const second = (yield* orders).find(({ leg, reason }) => leg === "entry" && reason !== null)
      assert.deepInclude(second, { reason: "the position is closed", filled_quantity: 4 })
      assert.deepStrictEqual(yield* traded, [
        ["buy", 8],
        ["buy", 4],
        ["sell", 4]
      ])
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("goes on where another lot is closed, and its own part is too small to be sold", () => {
    const strategy: StrategyDefinition = {
      ...below,
      overlap: true,
      max_positions: 2,
      exits: {
        // Beside a stop, a target is watched on spot, and leaves after a close.
        stop_loss: { type: "fraction", value: 0.1 },
        take_profit: { type: "fraction", value: 0.02 }
      },
      sizing: { type: "fixed_quantity", quantity: 8 }
    }
    const closes = [100, 99, 104, 101, 105.5, 99.9, 99.9]
    const terms = { markets: [{ ...market, minNotional: "450" }] }
    const { begin, model, world } = setParts({ closes, strategy, terms })
    return Effect.gen(function* () {
      const { becomes, fillHalf, orders } = yield* begin
      yield* model.moveTo(symbol, "104")
      yield* world.tellUntil(3)
      yield* ordersWhere(model, ([first]) => first?.status === "open")
      yield* model.moveTo(symbol, "102")
      yield* becomes(holds(8))
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(4)
      yield* ordersWhere(model, (all) =>
        all.some(({ status, type }) => status === "open" && type === "limit")
      )
      yield* fillHalf("99.9", "105.5")
      yield* becomes(holds(12))
      yield* world.tellUntil(5)
      yield* becomes(holds(4))
      yield* Effect.sleep("10 seconds")
      const entries = (yield* orders).filter(({ leg }) => leg === "entry")
      assert.isTrue(entries.some(({ status }) => status === "partially_filled"))
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})

describe("a target that fills in parts", () => {
  it.effect("goes on where less than can be sold is left of it", () => {
    const strategy: StrategyDefinition = {
      ...below,
      targets: [{ at: { type: "fraction", value: 0.02 }, portion: 1 }]
    }
    const capabilities = { ...oneWay.capabilities, canShareQuantity: true }
    const terms = { capabilities, markets: [{ ...market, minNotional: "600" }] }
    const { begin, model, world } = setParts({ strategy, terms })
    return Effect.gen(function* () {
      const { becomes, fillHalf, orders } = yield* begin
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* ordersWhere(model, ([first]) => first?.status === "open")
      yield* model.moveTo(symbol, "99.5")
      yield* becomes(holds(10))
      yield* world.tellUntil(5)
      yield* ordersWhere(model, ([, target]) => target?.status === "open")
      yield* fillHalf("103", "101")
      yield* becomes(holds(5))
      yield* Effect.sleep("10 seconds")
      yield* model.moveTo(symbol, "103")
      yield* becomes(isFlat)
      const sold = (yield* orders).filter(({ side }) => side === "sell")
      assert.deepStrictEqual(
        sold.map(({ reason, status }) => [status, reason]),
        [["filled", "take_profit"]]
      )
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("leaves the others where orders that only reduce may be small", () => {
    const half = { portion: 0.5 } as const
    const strategy: StrategyDefinition = {
      ...below,
      targets: [
        { at: { type: "fraction", value: 0.02 }, ...half },
        { at: { type: "fraction", value: 0.04 }, ...half }
      ]
    }
    const capabilities = { ...oneWay.capabilities, canShareQuantity: true }
    // The least notional holds for entries alone.
    const venueOf = (venue: Venue): Venue => ({
      ...venue,
      market: (name) =>
        Effect.map(
          venue.market(name),
          Option.map((found) => ({ ...found, minNotional: "600" }))
        )
    })
    const { begin, model, world } = setParts({ strategy, terms: { capabilities }, venueOf })
    return Effect.gen(function* () {
      const { becomes, orders } = yield* begin
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* ordersWhere(model, ([first]) => first?.status === "open")
      yield* model.moveTo(symbol, "99.5")
      yield* becomes(holds(10))
      yield* world.tellUntil(5)
      yield* ordersWhere(model, (all) => all.length === 3)
      yield* model.moveTo(symbol, "103")
      yield* becomes(holds(5))
      yield* Effect.sleep("10 seconds")
      yield* model.moveTo(symbol, "105")
      yield* becomes(isFlat)
      const sold = (yield* orders).filter(({ side }) => side === "sell")
      assert.deepStrictEqual(
        sold.map(({ status }) => status),
        ["filled", "filled"]
      )
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("ends with the position that its fill closes", () => {
    const over: StrategyDefinition = {
      ...definition,
      targets: [
        { at: { type: "fraction", value: 0.03 }, portion: 0.5 },
        { at: { type: "fraction", value: 0.04 }, portion: 0.5 }
      ],
      reductions: [
        {
          when: {
            type: "above",
            left: { type: "price", field: "close" },
            right: { type: "constant", value: 103 }
          },
          portion: 0.75
        }
      ]
    }
    const closes = [100, 99, 101, 101, 103.5, 103.5, 103.5]
    const capabilities = { ...oneWay.capabilities, canShareQuantity: true }
    const { begin, model, world } = setParts({ closes, strategy: over, terms: { capabilities } })
    return Effect.gen(function* () {
      const { becomes } = yield* begin
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(3)
      yield* becomes(holds(10))
      yield* world.tellUntil(4)
      yield* ordersWhere(model, (all) => all.length === 3)
      yield* model.moveTo(symbol, "103.5")
      yield* world.tellUntil(5)
      yield* becomes(holds(2.5))
      yield* model.moveTo(symbol, "104.1")
      yield* model.moveTo(symbol, "103.5")
      yield* becomes(isFlat)
      yield* ordersWhere(model, (all) =>
        all.every(({ status }) => status === "filled" || status === "cancelled")
      )
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })
})
