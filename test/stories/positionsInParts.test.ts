/**
 * The fate of additions and targets that rest, where the user pauses, stops, halts or closes a bot
 * of positions in parts. The exchange may also hold other units than the bot.
 */
import { type BotStatusView, PaperBooks, type StrategyDefinition } from "@candlewick/core"
import { orderRequest } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { whileTimePasses } from "./passingTime.ts"
import { definition, setTheScene, symbol, world } from "./scene.ts"
import { type Script, scriptStart } from "./scripted.ts"
import { eventually } from "./world.ts"

/** Ten units above 100, ten more a tenth below the first, and half sold a fifth above. */
const ladder: StrategyDefinition = {
  ...definition,
  exits: { stop_loss: { type: "fraction", value: 0.5 } },
  additions: [{ name: "dip", against: 0.1 }],
  targets: [{ at: { type: "fraction", value: 0.2 }, portion: 0.5 }]
}

/** Bought at 101, with an addition and a target at rest from the next close on. */
const closes = [99, 101, 101, 101, 101, 101, 101, 101]
const script = { [symbol]: closes }

const legs = ({ open_orders }: BotStatusView) => open_orders.map(({ leg }) => leg).toSorted()

const lasting = { ...definition, long: { enter: definition.long!.enter } }

/** The same entries as lots of their own, which no rule leaves. */
const apart: StrategyDefinition = {
  ...lasting,
  lots: "by_name",
  exits: { stop_loss: { type: "fraction", value: 0.5 } },
  additions: [{ name: "dip", against: 0.1 }]
}

const quantities = ({ open_positions }: BotStatusView) =>
  open_positions.flatMap(({ lots, quantity }) => lots?.map((lot) => lot.quantity) ?? [quantity])

/** Sells at the exchange, without a word to the bot. */
const sellBehindItsBack = Effect.fnUntraced(function* (
  botId: string,
  quantity: number,
  price = 101
) {
  const broker = yield* PaperBooks
  const order = { id: "foreign", side: -1, leg: "exit", quantity } as const
  yield* broker.place(botId, 0, orderRequest(order))
  const time = scriptStart - 3_600_000
  const candle = { symbol, time, open: price, high: price, low: price, close: price }
  yield* broker.settle(botId, [candle])
})

/** A bot that holds ten units, with all that rests beside them. */
const holding = (
  told: ReturnType<typeof world>,
  candles: Script = script,
  rules: StrategyDefinition["long"] = definition.long
) =>
  Effect.gen(function* () {
    const scene = yield* setTheScene(candles, { definition: { ...ladder, long: rules! } })
    const { accountId, bot, bots } = scene
    yield* bots.command(accountId, bot.id, "start")
    yield* told.tellUntil(4)
    yield* scene.reaches(3)
    const status = yield* eventually(
      bots.status(accountId, bot.id),
      (now) => now.open_orders.length === 3
    )
    assert.deepStrictEqual(legs(status), ["entry", "exit", "stop_loss"])
    assert.deepInclude(status.open_positions[0], { quantity: 10, entry_price: 101 })
    return scene
  })

describe("a bot of positions in parts", () => {
  it.effect("takes its additions back when it pauses, and keeps target and stop", () => {
    const told = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* holding(told)
      yield* bots.command(accountId, bot.id, "pause")
      const paused = yield* eventually(
        bots.status(accountId, bot.id),
        ({ status }) => status === "paused"
      )
      assert.deepStrictEqual(legs(paused), ["exit", "stop_loss"])
      yield* told.tellUntil(6)
      assert.deepStrictEqual(legs(yield* reaches(5)), ["exit", "stop_loss"])
    }).pipe(Effect.provide(told.layer), whileTimePasses)
  })

  it.effect("closes its position when it is stopped so, and nothing rests any more", () => {
    const told = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots } = yield* holding(told)
      const outcome = yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
      assert.lengthOf(outcome.positions_closing, 1)
      yield* told.tellUntil(6)
      const stopped = yield* eventually(
        bots.status(accountId, bot.id),
        ({ status }) => status === "stopped"
      )
      assert.deepInclude(stopped, { open_positions: [], open_orders: [] })
      const { positions_closed } = yield* bots.performance(accountId, bot.id)
      assert.strictEqual(positions_closed, 1)
    }).pipe(Effect.provide(told.layer), whileTimePasses)
  })

  it.effect("keeps its position and the target when it is stopped so, without additions", () => {
    const told = world({ [symbol]: [...closes.slice(0, 4), 130, 130, 130, 130] })
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* holding(told)
      const outcome = yield* bots.command(accountId, bot.id, "stop")
      assert.deepInclude(outcome, { positions_closing: [], unprotected: false })
      assert.strictEqual(outcome.orders_cancelled, 1)
      const stopped = yield* eventually(
        bots.status(accountId, bot.id),
        ({ status }) => status === "stopped"
      )
      assert.deepStrictEqual(legs(stopped), ["exit", "stop_loss"])
      assert.lengthOf(stopped.open_positions, 1)
      yield* bots.command(accountId, bot.id, "start")
      yield* told.tellUntil(8)
      // The first candle after the start comes to the target.
      const status = yield* reaches(7)
      assert.deepInclude(status.open_positions[0], { quantity: 5, entry_price: 101 })
    }).pipe(Effect.provide(told.layer), whileTimePasses)
  })

  it.effect("closes its position when somebody forces it, though a target rests", () => {
    const told = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* holding(told)
      yield* bots.closePositions(accountId, bot.id)
      yield* told.tellUntil(5)
      const status = yield* reaches(4)
      assert.deepStrictEqual(status.open_positions, [])
      const { items } = yield* bots.trades(accountId, bot.id, { limit: 10 })
      assert.deepInclude(items[0], { leg: "exit", amount: 10, position_effect: "close" })
      const logs = yield* bots.logs(accountId, bot.id, { limit: 50 })
      const placed = logs.items.filter(({ event }) => event === "order.placed")
      const parts = placed.map(({ message }) => /at [\d.]+ \(([^)]*)\)/.exec(message)?.[1])
      assert.includeMembers(parts, ["dip", "target 1"])
    }).pipe(Effect.provide(told.layer), whileTimePasses)
  })

  it.effect("takes its additions back when the account is halted, and rests them again", () => {
    const told = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* holding(told)
      const halted = yield* bots.haltAll(accountId, { reason: "markets are mad" })
      assert.deepInclude(halted, { changed: true, orders_cancelled: 1 })
      assert.deepStrictEqual(legs(yield* bots.status(accountId, bot.id)), ["exit", "stop_loss"])
      yield* told.tellUntil(6)
      assert.deepStrictEqual(legs(yield* reaches(5)), ["exit", "stop_loss"])
      yield* bots.resumeAll(accountId)
      yield* told.tellUntil(7)
      assert.deepStrictEqual(legs(yield* reaches(6)), ["entry", "exit", "stop_loss"])
    }).pipe(Effect.provide(told.layer), whileTimePasses)
  })

  it.effect("rests its additions again once it goes on after a pause", () => {
    const told = world(script)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* holding(told)
      yield* bots.command(accountId, bot.id, "pause")
      yield* told.tellUntil(5)
      assert.deepStrictEqual(legs(yield* reaches(4)), ["exit", "stop_loss"])
      yield* bots.command(accountId, bot.id, "start")
      yield* told.tellUntil(6)
      assert.deepStrictEqual(legs(yield* reaches(5)), ["entry", "exit", "stop_loss"])
    }).pipe(Effect.provide(told.layer), whileTimePasses)
  })

  it.effect("goes on with the ladder that it held when it is stopped and started again", () => {
    const falling = { [symbol]: [99, 101, 101, 101, 101, 101, 90, 90, 116, 116] }
    const told = world(falling)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* holding(told, falling, lasting.long)
      yield* bots.command(accountId, bot.id, "stop")
      yield* eventually(bots.status(accountId, bot.id), ({ status }) => status === "stopped")
      yield* bots.command(accountId, bot.id, "start")
      yield* told.tellUntil(6)
      assert.deepStrictEqual(legs(yield* reaches(5)), ["entry", "exit", "stop_loss"])
      yield* told.tellUntil(8)
      const [added] = (yield* reaches(7)).open_positions
      assert.deepInclude(added, { quantity: 20, entry_price: 95.95 })
      yield* told.tellUntil(9)
      // Half of the largest size is sold a fifth above the average price.
      assert.deepInclude((yield* reaches(8)).open_positions[0], { quantity: 10 })
      const { items } = yield* bots.trades(accountId, bot.id, { limit: 10 })
      assert.deepStrictEqual(
        items.map(({ amount, leg, price }) => [leg, amount, price]),
        [
          ["take_profit", 10, 115.14],
          ["entry", 10, 90.9],
          ["entry", 10, 101]
        ]
      )
    }).pipe(Effect.provide(told.layer), whileTimePasses)
  })

  it.effect("builds on from the holdings that it adopts from the exchange", () => {
    const rising = { [symbol]: [99, 101, 101, 101, 101, 101, 122, 122] }
    const told = world(rising)
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* holding(told, rising)
      yield* sellBehindItsBack(bot.id, 4)
      const found = yield* bots.reconcile(accountId, bot.id)
      assert.strictEqual(found.trading_state_reason, "reconcile_mismatch")
      yield* told.tellUntil(5)
      assert.deepStrictEqual(legs(yield* reaches(4)), ["exit", "stop_loss"])
      const accepted = yield* bots.reconcile(accountId, bot.id, { accept: true })
      assert.deepInclude(accepted, { changed: true, trading_state: "active" })
      const adopted = yield* bots.status(accountId, bot.id)
      assert.deepInclude(adopted.open_positions[0], { quantity: 6, entry_price: 101 })
      yield* told.tellUntil(6)
      assert.deepStrictEqual(legs(yield* reaches(5)), ["entry", "exit", "stop_loss"])
      yield* told.tellUntil(8)
      // The target sells half of the ten units that the position had at most.
      assert.deepInclude((yield* reaches(7)).open_positions[0], { quantity: 1, entry_price: 101 })
    }).pipe(Effect.provide(told.layer), whileTimePasses)
  })

  it.effect("adopts each of the lots that it keeps apart", () => {
    const falling = { [symbol]: [99, 101, 101, 90, 90, 90, 90, 90] }
    const told = world(falling)
    return Effect.gen(function* () {
      const scene = yield* setTheScene(falling, { definition: apart })
      const { accountId, bot, bots, reaches } = scene
      yield* bots.command(accountId, bot.id, "start")
      yield* told.tellUntil(5)
      const held = yield* reaches(4)
      assert.deepStrictEqual(quantities(held), [10, 10])
      yield* sellBehindItsBack(bot.id, 4, 90)
      const found = yield* bots.reconcile(accountId, bot.id)
      assert.strictEqual(found.trading_state_reason, "reconcile_mismatch")
      yield* bots.reconcile(accountId, bot.id, { accept: true })
      assert.deepStrictEqual(quantities(yield* bots.status(accountId, bot.id)), [6, 10])
      yield* told.tellUntil(7)
      const later = yield* reaches(6)
      assert.deepStrictEqual(quantities(later), [6, 10])
      assert.isNull(later.mismatch)
    }).pipe(Effect.provide(told.layer), whileTimePasses)
  })
})
