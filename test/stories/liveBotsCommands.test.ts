/**
 * Commands to bots that hold something at an exchange, where a stop at rest locks the coins.
 */
import type { BotStatusView, Bots } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ordersOf, tradesOf } from "../../packages/core/src/testing/modelVenue/Exchange.ts"
import { holdLive, liveWorld, makeModel } from "./liveWorld.ts"
import { refusal, symbol } from "./scene.ts"
import { eventually } from "./world.ts"

const isFlat = ({ open_orders, open_positions }: BotStatusView): boolean =>
  open_positions.length === 0 && open_orders.length === 0

type Close = (
  bots: Bots["Service"],
  accountId: string,
  id: string
) => Effect.Effect<unknown, unknown>

/** Each way to have positions closed. */
const closes: Readonly<Record<string, Close>> = {
  "close its positions": (bots, accountId, id) => bots.closePositions(accountId, id),
  "stop and close": (bots, accountId, id) =>
    bots.command(accountId, id, "stop", { positions: "close" }),
  "stop, and close once it rests": (bots, accountId, id) =>
    Effect.andThen(
      bots.command(accountId, id, "stop"),
      bots.command(accountId, id, "stop", { positions: "close" })
    )
}

describe("a live bot with a stop at rest", () => {
  for (const [name, close] of Object.entries(closes)) {
    it.live(`takes the stop back and sells once, told to ${name}`, () =>
      Effect.gen(function* () {
        const model = makeModel()
        const world = liveWorld(model)
        const story = Effect.gen(function* () {
          const { accountId, becomes, bot, bots } = yield* holdLive(model, world)
          yield* close(bots, accountId, bot.id)
          yield* becomes(isFlat)
          const now = yield* model.truth
          assert.deepStrictEqual(
            ordersOf(now).map(({ side, status, type }) => [side, type, status]),
            [
              ["buy", "limit", "filled"],
              ["sell", "stop", "cancelled"],
              ["sell", "market", "filled"]
            ]
          )
          const { items } = yield* bots.orders(accountId, bot.id, { limit: 10 })
          assert.isFalse(items.some(({ status }) => status === "rejected"))
        })
        yield* Effect.provide(story, world.layer)
      })
    )
  }

  it.live("waits for a stop whose cancel the venue did not get, and asks for one sale", () =>
    Effect.gen(function* () {
      let lostCount = 0
      const model = makeModel({
        drawFault: ({ type }) =>
          type === "cancel" && lostCount++ === 0 ? { outcome: "lost_before" } : {}
      })
      const world = liveWorld(model)
      const story = Effect.gen(function* () {
        const { accountId, becomes, bot, bots } = yield* holdLive(model, world)
        yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
        yield* becomes(({ status }) => status === "stopped")
        const { items } = yield* bots.orders(accountId, bot.id, { limit: 10 })
        assert.isFalse(items.some(({ status }) => status === "rejected"))
        assert.lengthOf(tradesOf(yield* model.truth), 2)
      })
      yield* Effect.provide(story, world.layer)
    })
  )

  it.live("asks a venue that refuses its exit no more than now and then", () =>
    Effect.gen(function* () {
      const model = makeModel({
        drawFault: (call) =>
          call.type === "submit" && call.order.side === "sell" && call.order.type === "market"
            ? { outcome: "refused" }
            : {}
      })
      const world = liveWorld(model)
      const story = Effect.gen(function* () {
        const { accountId, bot, bots } = yield* holdLive(model, world)
        yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
        yield* Effect.sleep("2 seconds")
        const { items } = yield* bots.orders(accountId, bot.id, { limit: 100 })
        assert.lengthOf(
          items.filter(({ leg, status }) => leg === "exit" && status === "rejected"),
          1
        )
      })
      yield* Effect.provide(story, world.layer)
    })
  )

  it.live("stops while its exchange leaves a comparison without an answer", () =>
    Effect.gen(function* () {
      let isHung = false
      const model = makeModel({
        drawFault: ({ type }) => (isHung && type !== "feed" ? { outcome: "hangs_before" } : {})
      })
      const world = liveWorld(model)
      const story = Effect.gen(function* () {
        const { accountId, becomes, bot, bots } = yield* holdLive(model, world)
        isHung = true
        const compared = yield* Effect.forkChild(bots.reconcile(accountId, bot.id))
        yield* Effect.yieldNow
        yield* bots.command(accountId, bot.id, "stop")
        yield* becomes(({ status }) => status === "stopped")
        assert.isUndefined(compared.pollUnsafe())
        // At rest as well: the sale is written, and the venue gets it later.
        yield* bots.closePositions(accountId, bot.id)
        assert.isUndefined(compared.pollUnsafe())
        isHung = false
        yield* becomes(isFlat)
        yield* Fiber.join(compared)
      })
      yield* Effect.provide(story, world.layer)
    })
  )

  it.live("hears that its stop filled while it was at rest, and may be deleted", () =>
    Effect.gen(function* () {
      const model = makeModel()
      const world = liveWorld(model)
      const story = Effect.gen(function* () {
        const { accountId, becomes, bot, bots } = yield* holdLive(model, world)
        yield* bots.command(accountId, bot.id, "stop")
        yield* becomes(({ status }) => status === "stopped")
        yield* model.moveTo(symbol, "80")
        yield* becomes(isFlat)
        const { items } = yield* bots.trades(accountId, bot.id, { limit: 10 })
        assert.deepInclude(items[0], { side: "sell", price: 80, leg: "stop_loss" })
        yield* bots.remove(accountId, bot.id)
      })
      yield* Effect.provide(story, world.layer)
    })
  )

  it.live("never sells coins of the account's owner, where its stop fills while it leaves", () =>
    Effect.gen(function* () {
      let isCancelled = false
      const model = makeModel({
        balances: { USD: "10000", STY: "50" },
        drawFault: ({ type }) => {
          if (type !== "cancel" || isCancelled) return {}
          isCancelled = true
          return { outcome: "lost_before", answerMs: 200 }
        }
      })
      const world = liveWorld(model)
      const story = Effect.gen(function* () {
        const { accountId, becomes, bot, bots } = yield* holdLive(model, world)
        yield* bots.closePositions(accountId, bot.id)
        yield* eventually(
          Effect.sync(() => isCancelled),
          (isAsked) => isAsked
        )
        yield* model.moveTo(symbol, "80")
        yield* becomes(isFlat)
        const { balances } = yield* model.venue.holdings
        assert.strictEqual(balances.get("STY"), "50")
      })
      yield* Effect.provide(story, world.layer)
    })
  )
})

describe("an allocation of an exchange account", () => {
  const owners = [
    ["nothing", "0", "less STY than the account's bots"],
    ["coins of the bot's market", "20", "its trades are not booked yet"]
  ] as const

  it.live.each(owners)(
    "waits for a sale that is yet to be booked, where the owner has %s",
    ([, STY, why]) =>
      Effect.gen(function* () {
        const model = makeModel({ balances: { USD: "2000", STY } })
        const told = { isOpen: true }
        const nothingNew = (cursor: string | null) =>
          Effect.succeed({ trades: [], payments: [], cursor: cursor ?? "", hasMore: false })
        const world = liveWorld(model, (venue) => ({
          ...venue,
          trades: (cursor) => (told.isOpen ? venue.trades(cursor) : nothingNew(cursor))
        }))
        const story = Effect.gen(function* () {
          const { accountId, becomes, bots, request } = yield* holdLive(model, world)
          told.isOpen = false
          yield* model.moveTo(symbol, "50")
          const second = bots.create(accountId, { ...request, capital_allocation: 400 })
          const { code, message } = yield* refusal(second)
          assert.strictEqual(code, "unavailable")
          assert.include(message, why)
          told.isOpen = true
          yield* becomes(isFlat)
          assert.strictEqual((yield* refusal(second)).code, "unprocessable")
        })
        yield* Effect.provide(story, world.layer)
      })
  )
})

describe("a live bot that has lost", () => {
  it.live("trades with all of a new allocation, which its account has to cover", () =>
    Effect.gen(function* () {
      const model = makeModel()
      const world = liveWorld(model)
      const story = Effect.gen(function* () {
        const { accountId, becomes, bot, bots, request } = yield* holdLive(model, world)
        yield* model.moveTo(symbol, "50")
        yield* becomes(isFlat)
        yield* bots.command(accountId, bot.id, "stop")
        yield* becomes(({ status }) => status === "stopped")
        // 9 490 are left of 10 000, and a second bot gets 8 000 of these.
        yield* bots.create(accountId, { ...request, capital_allocation: 8_000 })
        const beyond = bots.update(accountId, bot.id, { capital_allocation: 1_999 })
        assert.deepInclude((yield* refusal(beyond)).errors?.[0], { code: "exceeds_account" })
        yield* bots.update(accountId, bot.id, { capital_allocation: 1_100 })
        yield* bots.command(accountId, bot.id, "start")
        yield* model.moveTo(symbol, "101")
        yield* world.tellUntil(4)
        yield* becomes(({ open_positions }) => open_positions.length === 1)
      })
      yield* Effect.provide(story, world.layer)
    })
  )
})
