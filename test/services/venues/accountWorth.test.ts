/**
 * The worth of the bots of an exchange account, and the bounds that hang on it.
 */
import type { OrderAttempt, VenueLimits } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { bookOf } from "../../../packages/core/src/services/venues/agent/agentState.ts"
import {
  acceptShareLoss,
  allocateShare,
  releaseShare
} from "../../../packages/core/src/services/venues/agent/shareAccount.ts"
import { btc, makeWorld, pass, startMs, type WorldOptions } from "./accountWorld.ts"

const midnightMs = Date.UTC(2026, 0, 16)

const eth = { ...btc, symbol: "ETH/USDT", base: "ETH" }

/** Two bots with 1 000 each; the first one has bought four BTC at 100. */
const holding = Effect.fnUntraced(function* (
  limits: VenueLimits,
  options: WorldOptions = {},
  beginsAtMs = startMs
) {
  const world = yield* makeWorld({
    markets: [btc, eth],
    limits,
    allocation: "1000",
    feeCoin: "quote",
    ...options
  })
  yield* TestClock.setTime(beginsAtMs)
  const agent = yield* world.begin
  yield* pass(3)
  yield* world.decide({ quantity: "4" })
  yield* pass(5)
  const [first, second] = world.bots.map(({ id }) => id)
  /** The reason for which an entry of the other bot, in the other market, ends; null for none. */
  const refusal = Effect.gen(function* () {
    const entry = yield* world.decide({ botId: second!, symbol: eth.symbol })
    yield* agent.ring
    yield* pass(3)
    const [attempt]: ReadonlyArray<OrderAttempt> = yield* world.attemptsOf(entry)
    return attempt!.reason?.split(":")[0] ?? null
  })
  const closeAt = (close: number) => agent.tellPrices([{ symbol: btc.symbol, close }])
  return { ...world, agent, closeAt, first: first!, refusal, second: second! }
})

describe("a loss that the owner accepts", () => {
  it.effect("is taken from one bot, and from another only where a later comparison finds it", () =>
    Effect.gen(function* () {
      const { account, first, key, ports, second } = yield* holding({})
      const { venueAccounts } = ports
      const shared = { venueAccounts, accountId: account.id, exchange: "model" }
      const loss = { missing: { USDT: "100" }, cash: "0" }
      const sharesNow = Effect.map(
        venueAccounts.get(key),
        (kept) => bookOf(Option.getOrThrow(kept)).shares
      )
      const before = yield* sharesNow
      const comparedAtMs = yield* venueAccounts.nowMs
      yield* pass(1)
      yield* acceptShareLoss(shared, first, loss, comparedAtMs)
      const refusal = yield* Effect.flip(acceptShareLoss(shared, second, loss, comparedAtMs))
      assert.deepInclude(refusal, { code: "unavailable" })
      const after = yield* sharesNow
      assert.notDeepEqual(after.bots[first], before.bots[first])
      assert.deepStrictEqual(after.bots[second], before.bots[second])
      yield* pass(1)
      yield* acceptShareLoss(shared, second, loss, yield* venueAccounts.nowMs)
      assert.notDeepEqual((yield* sharesNow).bots[second], before.bots[second])
    })
  )
})

describe("an exit after a loss that an owner has accepted", () => {
  it.effect("leaves coins for that loss in other bots, and for one that came later in each", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ owned: "3", feeCoin: "quote" })
      const { account, bots, decide, model, ports } = world
      const agent = yield* world.begin
      yield* pass(3)
      const [first, second] = bots.map(({ id }) => id)
      const lose = Effect.gen(function* () {
        yield* model.act({ type: "deposit", coin: "BTC", amount: "-1" })
        yield* Effect.forkChild(agent.reconcile)
        yield* pass(5)
      })
      /** The part of a sale that is sent. */
      const sold = Effect.fnUntraced(function* (botId: string, quantity: string) {
        const sale = yield* decide({ leg: "exit", side: "sell", quantity, botId })
        yield* agent.ring
        yield* pass(3)
        return (yield* world.attemptsOf(sale)).reduce(
          (sum, { filled_quantity: filled }) => sum + Number(filled),
          0
        )
      })
      yield* lose
      const shared = {
        venueAccounts: ports.venueAccounts,
        accountId: account.id,
        exchange: "model"
      }
      const loss = { missing: { BTC: "1" }, cash: "0" }
      yield* acceptShareLoss(shared, first!, loss, yield* ports.venueAccounts.nowMs)
      assert.strictEqual(yield* sold(first!, "1.5"), 1.5)
      assert.strictEqual(yield* sold(second!, "2.5"), 0)
      yield* lose
      assert.strictEqual(yield* sold(first!, "0.5"), 0)
    })
  )
})

describe("a loss that is accepted while its account is compared", () => {
  it.effect("hides no further loss that the same comparison finds", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ owned: "3", feeCoin: "quote" })
      const { account, bots, decide, model, ports } = world
      const agent = yield* world.begin
      yield* pass(3)
      const botId = bots[0]!.id
      const lose = model.act({ type: "deposit", coin: "BTC", amount: "-1" })
      yield* lose
      yield* Effect.forkChild(agent.reconcile)
      yield* pass(5)
      yield* Effect.forkChild(agent.compare)
      yield* pass(1)
      yield* lose
      const place = { venueAccounts: ports.venueAccounts, accountId: account.id, exchange: "model" }
      const loss = { missing: { BTC: "1" }, cash: "0" }
      yield* acceptShareLoss(place, botId, loss, yield* ports.venueAccounts.nowMs)
      yield* pass(3)
      const sale = yield* decide({ leg: "exit", side: "sell", quantity: "2", botId })
      yield* agent.ring
      yield* pass(3)
      const [sent] = yield* world.attemptsOf(sale)
      assert.match(sent?.reason ?? "", /^exceeds_holdings/)
    })
  )
})

describe("bounds on losses", () => {
  it.effect("count what a position has lost, though nothing of its market is sent", () =>
    Effect.gen(function* () {
      const { closeAt, refusal } = yield* holding({ drawdownMax: 0.1 })
      assert.isNull(yield* refusal)
      // Four of them have lost 50 each, of 2 000.
      closeAt(50)
      assert.strictEqual(yield* refusal, "max_drawdown")
      closeAt(60)
      assert.isNull(yield* refusal)
    })
  )

  it.effect("are measured from a peak that no order saw", () =>
    Effect.gen(function* () {
      const { closeAt, refusal } = yield* holding({ drawdownMax: 0.1 })
      closeAt(200)
      yield* pass(65)
      closeAt(120)
      assert.strictEqual(yield* refusal, "max_drawdown")
    })
  )

  it.effect("count a fall of the night as a loss of the day", () =>
    Effect.gen(function* () {
      const { closeAt, refusal } = yield* holding({ dailyLossMax: 0.1 }, {}, midnightMs - 60_000)
      yield* pass(60)
      closeAt(50)
      assert.strictEqual(yield* refusal, "max_daily_loss")
    })
  )

  it.effect(
    "take money that bots are given, or that leaves with one, for no gain and no loss",
    () =>
      Effect.gen(function* () {
        const world = yield* holding({ drawdownMax: 0.1, dailyLossMax: 0.1 })
        const { account, first, key, ports, refusal, second } = world
        assert.isNull(yield* refusal)
        const shared = {
          venueAccounts: ports.venueAccounts,
          accountId: account.id,
          exchange: "model"
        }
        const { transact } = ports.transactor
        yield* transact(releaseShare(shared, first))
        assert.isNull(yield* refusal)
        yield* transact(
          allocateShare(shared, {
            id: first,
            quote: "USDT",
            amount: 5_000,
            balances: new Map([["USDT", "6000"]])
          })
        )
        yield* transact(releaseShare(shared, first))
        assert.isNull(yield* refusal)
        const kept = Option.getOrThrow(yield* ports.venueAccounts.get(key))
        assert.deepStrictEqual(Object.keys(bookOf(kept).shares.bots), [second])
      })
  )
})

const bnb = { ...btc, symbol: "BNB/USDT", base: "BNB", price: "300" }

/** An account that pays its fees in a coin that its bots do not trade. */
const feesInBnb: WorldOptions = {
  markets: [btc, eth, bnb],
  balances: { USDT: "10000", BNB: "5" },
  feeCoin: { coin: "BNB", price: "300" }
}

describe("fees in a third coin", () => {
  it.effect("keep no bot from entering where no price of the coin is known", () =>
    Effect.gen(function* () {
      const limits = { drawdownMax: 0.5, dailyLossMax: 0.5, exposureMax: 1 }
      const { factsOf, first, refusal } = yield* holding(limits, feesInBnb)
      assert.isNull(yield* refusal)
      const [told] = yield* factsOf(first)
      assert.notProperty(told?.fact, "fee_price")
    })
  )

  it.effect("are valued by the first price that is told afterwards, which is kept once", () =>
    Effect.gen(function* () {
      const world = yield* holding({}, feesInBnb)
      const { agent, begin, factsOf, first, second, decide, woken } = world
      const pricesOf = (botId: string) =>
        Effect.map(factsOf(botId), (facts) =>
          facts.flatMap(({ fact }) => (fact.type === "price" ? [[fact.currency, fact.price]] : []))
        )
      yield* decide({ quantity: "4" })
      yield* pass(5)
      assert.deepStrictEqual(yield* pricesOf(first), [])
      // The next process knows which coins are waited for.
      yield* agent.end
      const next = yield* begin
      yield* pass(3)
      woken.length = 0
      next.tellPrices([{ symbol: bnb.symbol, close: 310 }])
      yield* pass(5)
      assert.deepStrictEqual(yield* pricesOf(first), [["BNB", "310"]])
      assert.deepStrictEqual(woken, [first])
      next.tellPrices([{ symbol: bnb.symbol, close: 400 }])
      yield* pass(5)
      assert.deepStrictEqual(yield* pricesOf(first), [["BNB", "310"]])
      assert.deepStrictEqual(yield* pricesOf(second), [])
    })
  )

  it.effect("are valued by the coin's last price that anything told, once and for all", () =>
    Effect.gen(function* () {
      const { agent, decide, factsOf, first } = yield* holding({}, feesInBnb)
      agent.tellPrices([{ symbol: bnb.symbol, close: 310 }])
      yield* decide()
      yield* pass(5)
      agent.tellPrices([{ symbol: bnb.symbol, close: 400 }])
      yield* pass(5)
      const facts = yield* factsOf(first)
      assert.deepStrictEqual(
        facts.flatMap(({ fact }) => (fact.type === "trade" ? [fact.fee_price] : [])),
        [undefined, "310"]
      )
    })
  )
})
