/**
 * Entries of a live bot that end at a time, at an exchange whose orders have no such time.
 */
import { type StrategyDefinition, VenueAccountStore } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sendingWork } from "../../packages/core/src/services/venues/agent/attemptWork.ts"
import { ordersOf } from "../../packages/core/src/testing/modelVenue/Exchange.ts"
import { liveWorld, makeModel, ordersWhere, setLive, statusWhere } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { definition, symbol } from "./scene.ts"
import { scriptStart } from "./scripted.ts"
import { eventually } from "./world.ts"

const hourMs = 3_600_000

/** The close of 101 is that of the third candle, and enters. */
const enteredMs = scriptStart + 3 * hourMs

const closes = [100, 99, 101, 101, 101]

type Life = { readonly until: string } | { readonly expires_after: number }

/** Buys a tenth below the close. */
const buysFor = (life: Life): StrategyDefinition => ({
  ...definition,
  entry: { type: "limit", offset: 0.1, ...life }
})

/** Buys until so long after the first entry is decided. */
const buysUntil = (afterMs: number): StrategyDefinition =>
  buysFor({ until: new Date(enteredMs + afterMs).toISOString() })

const setRunning = Effect.fnUntraced(function* (strategy: StrategyDefinition, imported = closes) {
  const { accountId, bots, request } = yield* setLive(strategy, imported)
  const bot = yield* bots.create(accountId, request)
  yield* bots.command(accountId, bot.id, "start")
  yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "running")
  const ordersAre = (wanted: ReadonlyArray<string>) =>
    eventually(bots.orders(accountId, bot.id, { limit: 10 }), ({ items }) => {
      const found = items.map(({ reason, status }) => [status, reason].join(": "))
      return found.join() === wanted.join()
    })
  return { accountId, bot, bots, ordersAre }
})

describe("an entry of a live bot with a time", () => {
  it.effect("is not sent where no candle opens before that time", () => {
    const model = makeModel()
    const world = liveWorld(model, undefined, undefined, closes)
    return Effect.gen(function* () {
      const { accountId, bot, bots, ordersAre } = yield* setRunning(buysUntil(0))
      yield* model.moveTo(symbol, "101")
      yield* world.tellUntil(4)
      const expired = "expired: its time is over"
      yield* ordersAre([expired, expired])
      yield* Effect.sleep("5 seconds")
      yield* model.moveTo(symbol, "80")
      yield* world.tellUntil(5)
      yield* ordersAre([expired, expired, expired])
      assert.deepStrictEqual(ordersOf(yield* model.truth), [])
      const { expected_trade_count, realized_trade_count } = yield* bots.expected(accountId, bot.id)
      assert.deepStrictEqual([expected_trade_count, realized_trade_count], [0, 0])
      const { items } = yield* bots.logs(accountId, bot.id, { limit: 100 })
      const levels = items
        .filter(({ event }) => event === "order.expired")
        .map(({ level }) => level)
      assert.deepStrictEqual(levels, ["info", "info", "info"])
    }).pipe(Effect.provide(world.layer), whileTimePasses)
  })

  it.effect("is cancelled there at that time, inside the candle", () => {
    const model = makeModel()
    const world = liveWorld(model, undefined, undefined, closes, "live")
    return Effect.gen(function* () {
      yield* world.tellUntil(2)
      const { ordersAre } = yield* setRunning(buysUntil(30_000), closes.slice(0, 2))
      yield* model.moveTo(symbol, "101")
      yield* Effect.sleep("10 seconds")
      yield* world.tellUntil(3)
      yield* ordersWhere(model, ([first]) => first?.status === "open")
      yield* ordersAre(["accepted: "])
      yield* Effect.sleep("30 seconds")
      yield* model.moveTo(symbol, "80")
      yield* ordersWhere(model, ([first]) => first?.status === "cancelled")
      yield* ordersAre(["expired: the venue says that the order is cancelled"])
    }).pipe(Effect.provide(world.layer), (test) =>
      whileTimePasses(test, { startMs: enteredMs - 10_000 })
    )
  })

  it.effect("rests while its last candle is yet to come, whatever the clock says", () => {
    const model = makeModel()
    const world = liveWorld(model, undefined, undefined, closes, "live")
    return Effect.gen(function* () {
      yield* world.tellUntil(2)
      const { accountId, bot, bots, ordersAre } = yield* setRunning(
        buysFor({ expires_after: 1 }),
        closes.slice(0, 2)
      )
      yield* model.moveTo(symbol, "101")
      yield* Effect.sleep("10 seconds")
      yield* world.tellUntil(3)
      yield* ordersWhere(model, ([first]) => first?.status === "open")
      yield* ordersAre(["accepted: "])
      const { items } = yield* bots.orders(accountId, bot.id, { limit: 1 })
      const store = yield* VenueAccountStore
      const attempts = yield* store.attemptsOf(bot.id, items[0]!.client_order_id)
      assert.lengthOf(attempts, 1)
      assert.deepStrictEqual(sendingWork(attempts, enteredMs + 24 * hourMs), [])
      yield* world.tellUntil(4)
      yield* ordersWhere(model, ([first]) => first?.status === "cancelled")
    }).pipe(Effect.provide(world.layer), (test) =>
      whileTimePasses(test, { startMs: enteredMs - 10_000 })
    )
  })
})
