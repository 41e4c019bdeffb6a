/**
 * Entries on spot that ask for all that their bot has left, at an exchange whose prices move.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { spendableOf } from "../../../packages/core/src/domain/AccountBook.ts"
import { bookOf } from "../../../packages/core/src/services/venues/agent/agentState.ts"
import { btc, makeWorld, pass, type TestOrder, type WorldOptions } from "./accountWorld.ts"

const eth = { ...btc, symbol: "ETH/USDT", base: "ETH" }

const terms = {
  fee_rate: 0.002,
  fee_per_fill: 0,
  slippage_rate: 0,
  quantity_step: btc.quantityStep,
  price_step: btc.priceStep,
  min_quantity: btc.minQuantity,
  min_notional: btc.minNotional
}

const setPaying = Effect.fnUntraced(function* (options: WorldOptions = {}) {
  const world = yield* makeWorld({ allocation: "1000", markets: [btc, eth], ...options })
  const botId = world.bots[0]!.id
  const decide = (order: TestOrder) => world.decide({ terms, ...order })
  const money = Effect.map(world.ports.venueAccounts.get(world.key), (account) =>
    Number(spendableOf(bookOf(Option.getOrThrow(account)).shares, botId))
  )
  const bought = Effect.map(world.trades, (trades) =>
    trades.map(({ price, quantity }) => `${Number(quantity)} at ${Number(price)}`)
  )
  const ends = Effect.map(world.factsOf(botId), (kept) =>
    kept.flatMap(({ fact }) => (fact.type === "ended" ? [`${fact.outcome}: ${fact.reason}`] : []))
  )
  return { ...world, bought, decide, ends, money }
})

describe("an entry on spot that takes all that its bot has left", () => {
  it.effect("is cut down to the money and its fee, and ends as it has filled", () =>
    Effect.gen(function* () {
      const { attemptsOf, begin, bought, decide, ends, money } = yield* setPaying()
      const attempt = yield* decide({ quantity: "10" })
      yield* begin
      yield* pass(5)
      assert.deepStrictEqual(yield* bought, ["9.98 at 100"])
      assert.deepStrictEqual(yield* ends, ["cancelled: the bot had no money for the rest"])
      assert.closeTo(yield* money, 1000 - 998 * 1.002, 1e-9)
      const [kept] = yield* attemptsOf(attempt)
      assert.deepInclude(kept, { state: "over", filled_quantity: "9.98" })
      assert.strictEqual(kept?.decided_order?.quantity, "10")
    })
  )

  for (const hasImmediate of [true, false]) {
    const how = hasImmediate ? "ends by itself" : "is cancelled"
    it.effect(`is asked for again, and smaller, where the market has risen and it ${how}`, () =>
      Effect.gen(function* () {
        const { attemptsOf, begin, bought, decide, ends, model, money, orders } = yield* setPaying({
          capabilities: { hasImmediate }
        })
        const attempt = yield* decide({ quantity: "9.98" })
        yield* model.moveTo(btc.symbol, "100.3")
        yield* begin
        yield* pass(30)
        assert.deepStrictEqual(yield* bought, ["9.94 at 100.3"])
        assert.deepStrictEqual(yield* ends, ["cancelled: the bot had no money for the rest"])
        assert.isAtLeast(yield* money, 0)
        const attempts = yield* attemptsOf(attempt)
        const limits = attempts.map(({ order }) => order.limit_price)
        assert.deepStrictEqual(limits, ["100", "100.1", "100.4"])
        assert.strictEqual(new Set(attempts.map(({ id }) => id)).size, limits.length)
        assert.lengthOf(yield* orders, limits.length)
      })
    )
  }

  it.effect("ends where the market has gone too far, and has bought nothing", () =>
    Effect.gen(function* () {
      const { attemptsOf, begin, bought, decide, ends, model, money } = yield* setPaying()
      const attempt = yield* decide({ quantity: "9.98" })
      yield* model.moveTo(btc.symbol, "105")
      yield* begin
      yield* pass(60)
      assert.deepStrictEqual(yield* bought, [])
      const beyond = "the market went beyond the price that the bot can pay"
      assert.deepStrictEqual(yield* ends, [`cancelled: ${beyond}`])
      assert.strictEqual(yield* money, 1000)
      assert.lengthOf(yield* attemptsOf(attempt), 5)
    })
  )

  it.effect("keeps the parts that have filled below its limit, and asks for the rest alone", () =>
    Effect.gen(function* () {
      const { begin, bought, decide, ends, model, money } = yield* setPaying({
        habits: { partChance: 1, rejectChance: 0, fillDelayMs: 0, tellDelayMs: 0, repeatChance: 0 },
        random: () => 0.5,
        capabilities: { hasImmediate: true }
      })
      yield* decide({ quantity: "9.98" })
      yield* begin
      yield* pass(1)
      yield* model.moveTo(btc.symbol, "100.05")
      yield* pass(30)
      const parts = (yield* bought).map((one) => Number(one.split(" ")[0]))
      assert.isAbove(parts.length, 2)
      assert.isAtMost(
        parts.reduce((sum, one) => sum + one, 0),
        9.98
      )
      assert.isAtLeast(yield* money, 0)
      assert.lengthOf(yield* ends, 1)
    })
  )

  it.effect("is not asked for again once its bot has taken it back", () =>
    Effect.gen(function* () {
      const { attemptsOf, begin, decide, model, ports, takeBack } = yield* setPaying({
        limits: { ordersPerMinuteMax: 1 }
      })
      const attempt = yield* decide({ quantity: "9.98" })
      yield* model.moveTo(btc.symbol, "105")
      yield* begin
      yield* pass(5)
      yield* takeBack(attempt)
      yield* pass(90)
      const attempts = yield* attemptsOf(attempt)
      assert.isAtMost(attempts.length, 2)
      assert.isTrue(attempts.every(({ state }) => state === "over"))
      const open = yield* ports.venueAccounts.listOpenAttempts(attempt.account_key)
      assert.deepStrictEqual(open, [])
    })
  )

  it.effect("is not asked for again once an exit has closed the part that filled", () =>
    Effect.gen(function* () {
      const habits = { rejectChance: 0, fillDelayMs: 0, tellDelayMs: 0, repeatChance: 0 }
      const { attemptsOf, begin, decide, ends, ports, trades } = yield* setPaying({
        habits: { ...habits, partChance: 1 },
        random: () => 0.5,
        capabilities: { hasImmediate: true },
        limits: { ordersPerMinuteMax: 1 }
      })
      const attempt = yield* decide({ quantity: "9.98" })
      yield* begin
      yield* pass(5)
      const [first] = yield* attemptsOf(attempt)
      const reasonIs = Effect.map(
        ports.orders.get(attempt.bot_id, attempt.client_order_id),
        (order) => Option.getOrThrow(order).reason
      )
      assert.strictEqual(yield* reasonIs, "the account has sent its orders of this minute")
      yield* decide({ leg: "exit", side: "sell", quantity: first!.filled_quantity })
      yield* pass(90)
      const sides = (yield* trades).map(({ side }) => side)
      assert.strictEqual(sides.filter((side) => side === "buy").length, 1)
      assert.include(yield* ends, "cancelled: the part that had filled was closed")
    })
  )

  it.effect("leaves the money of another entry that was decided with it", () =>
    Effect.gen(function* () {
      const { begin, bought, decide, model, money } = yield* setPaying()
      yield* decide({ quantity: "9.4" })
      yield* decide({ quantity: "0.5", symbol: eth.symbol })
      yield* model.moveTo(btc.symbol, "101")
      yield* begin
      yield* pass(30)
      assert.deepStrictEqual((yield* bought).toSorted(), ["0.5 at 100", "9.362 at 101"])
      assert.isAtLeast(yield* money, 0)
    })
  )

  it.effect("has a limit a tenth above the last price, where its bot has more than it needs", () =>
    Effect.gen(function* () {
      for (const [price, wanted, limits] of [
        ["105", "9 at 105", ["110"]],
        ["112", "8.686 at 112", ["110", "110.11", "110.44", "111.54", "114.88"]]
      ] as const) {
        const { attemptsOf, begin, bought, decide, model, money } = yield* setPaying()
        const attempt = yield* decide({ quantity: "9" })
        yield* model.moveTo(btc.symbol, price)
        yield* begin
        yield* pass(60)
        assert.deepStrictEqual(yield* bought, [wanted])
        const asked = (yield* attemptsOf(attempt)).map(({ order }) => order.limit_price)
        assert.deepStrictEqual(asked, [...limits])
        assert.isAtLeast(yield* money, 0)
      }
    })
  )

  it.effect("is paid beside others of other markets, however far all of them rise", () =>
    Effect.gen(function* () {
      for (const price of ["100.2", "102", "106"]) {
        const { begin, decide, model, money } = yield* setPaying()
        for (const { symbol } of [btc, eth]) {
          yield* decide({ quantity: "4.7", symbol })
          yield* model.moveTo(symbol, price)
        }
        yield* begin
        yield* pass(60)
        assert.isAtLeast(yield* money, 0)
        assert.isBelow(yield* money, 200)
      }
    })
  )

  it.effect("counts the highest fee that its market has taken, whatever its terms say", () =>
    Effect.gen(function* () {
      const { begin, bought, decide, money } = yield* setPaying()
      const tooLow = { ...terms, fee_rate: 0.0005 }
      yield* decide({ quantity: "1", terms: tooLow })
      yield* begin
      yield* pass(5)
      yield* decide({ quantity: "9", terms: tooLow })
      yield* pass(60)
      assert.deepStrictEqual(yield* bought, ["1 at 100", "8.98 at 100"])
      assert.isAtLeast(yield* money, 0)
    })
  )

  it.effect("counts a fee that one small fill has rounded up for as much as that is worth", () =>
    Effect.gen(function* () {
      const fee = { amount: "0.01", currency: "USDT" }
      const { begin, bought, decide, money } = yield* setPaying({
        venueOf: (venue) => ({
          ...venue,
          trades: (cursor) =>
            Effect.map(venue.trades(cursor), (told) => ({
              ...told,
              trades: told.trades.map((one) => (one.quantity === "0.05" ? { ...one, fee } : one))
            }))
        })
      })
      yield* decide({ quantity: "1" })
      yield* begin
      yield* pass(5)
      yield* decide({ quantity: "0.05" })
      yield* pass(5)
      yield* decide({ quantity: "9" })
      yield* pass(30)
      const [, , last] = yield* bought
      assert.isAbove(Number.parseFloat(last!), 8.9)
      assert.isAtLeast(yield* money, 0)
    })
  )

  it.effect("leaves the fee of its fill besides", () =>
    Effect.gen(function* () {
      const { attemptsOf, begin, decide } = yield* setPaying()
      const attempt = yield* decide({ quantity: "10", terms: { ...terms, fee_per_fill: 20 } })
      yield* begin
      yield* pass(5)
      const [kept] = yield* attemptsOf(attempt)
      assert.strictEqual(kept?.filled_quantity, "9.78")
    })
  )

  it.effect("asks for the rest at the same limit as long as parts fill", () =>
    Effect.gen(function* () {
      const habits = { rejectChance: 0, fillDelayMs: 0, tellDelayMs: 0, repeatChance: 0 }
      const { attemptsOf, begin, decide } = yield* setPaying({
        habits: { ...habits, partChance: 1 },
        random: () => 0.1,
        capabilities: { hasImmediate: true }
      })
      const attempt = yield* decide({ quantity: "9" })
      yield* begin
      yield* pass(30)
      const attempts = yield* attemptsOf(attempt)
      assert.isAbove(attempts.length, 5)
      assert.isTrue(attempts.every(({ order }) => Number(order.limit_price ?? 0) <= 110))
    })
  )

  it.effect("goes on where an exit has closed another lot of its market", () =>
    Effect.gen(function* () {
      const habits = { rejectChance: 0, fillDelayMs: 0, tellDelayMs: 0, repeatChance: 0 }
      const { attemptsOf, begin, decide, ports, trades } = yield* setPaying({
        owned: "1",
        balances: { USDT: "10000", BTC: "5" },
        habits: { ...habits, partChance: 1 },
        random: () => 0.5,
        capabilities: { hasImmediate: true },
        limits: { ordersPerMinuteMax: 1 }
      })
      const attempt = yield* decide({ quantity: "9" })
      yield* begin
      yield* pass(5)
      const exit = yield* decide({ leg: "exit", side: "sell", quantity: "0.5" })
      const lot = { id: "another", quantity: "1" }
      const [written] = yield* attemptsOf(exit)
      yield* ports.venueAccounts.putAttempt({ ...written!, lot })
      yield* pass(90)
      const sides = (yield* trades).map(({ side }) => side)
      assert.isAbove(sides.filter((side) => side === "buy").length, 1)
      assert.isAbove((yield* attemptsOf(attempt)).length, 1)
    })
  )

  it.effect("has time to fill at an exchange that matches after its answer", () =>
    Effect.gen(function* () {
      const habits = { partChance: 0, rejectChance: 0, tellDelayMs: 0, repeatChance: 0 }
      const { begin, bought, decide } = yield* setPaying({
        habits: { ...habits, fillDelayMs: 900 },
        random: () => 0.99
      })
      yield* decide({ quantity: "9.98" })
      yield* begin
      yield* pass(10)
      assert.deepStrictEqual(yield* bought, ["9.98 at 100"])
    })
  )

  it.effect("leaves room above its stop, and rests there where the market leaps further", () =>
    Effect.gen(function* () {
      for (const [price, quantity, wanted] of [
        ["102.3", "9.735", ["9.735 at 102.3"]],
        ["104", "9.735", []]
      ] as const) {
        const { attemptsOf, begin, bought, decide, model, money } = yield* setPaying()
        const attempt = yield* decide({ quantity: "9.78", stopPrice: "102" })
        yield* begin
        yield* pass(2)
        yield* model.moveTo(btc.symbol, price)
        yield* pass(10)
        assert.deepStrictEqual(yield* bought, [...wanted])
        const [kept, ...others] = yield* attemptsOf(attempt)
        assert.deepInclude(kept?.order, { type: "stop_limit", quantity, stop_price: "102" })
        assert.deepStrictEqual(others, [])
        assert.isAtLeast(yield* money, 0)
      }
    })
  )
})
