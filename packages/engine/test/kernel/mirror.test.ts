import { assert, describe, it } from "@effect/vitest"
import {
  cancelOrder,
  type CandleInput,
  makeMatchingAccount,
  makeOutcome,
  type MarketSpec,
  type MatchFill,
  type MatchingAccount,
  type OrderRequest,
  placeOrder
} from "../../src/kernel/account.ts"
import { viewAccount } from "../../src/kernel/accountView.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { decideOrders, type Signal, type TradingPlan } from "../../src/kernel/decide.ts"
import { matchCandles } from "../../src/kernel/matching.ts"
import { closeCandles, openCandles, showEnded, showFill } from "../../src/kernel/mirror.ts"
import type { AttachedExits, ExitLevel } from "../../src/kernel/protection.ts"
import { makeRandom, type Random } from "../../src/kernel/random.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import { randomCandles } from "../../src/testing/randomCandles.ts"

/** What a decision depends on: everything but the protective exits, which rest at the broker. */
const pictureOf = ({ ledger, books }: MatchingAccount) => ({
  ledger: { ...ledger },
  books: books.map(({ orders, position, lastClose, lastTime, index, ...book }) => ({
    orders: orders.map(({ id, side, type, quantity }) => ({ id, side, type, quantity })),
    position,
    lastClose,
    lastTime,
    index,
    lastExitIndex: book.lastExitIndex,
    wasStopped: book.wasStopped
  }))
})

const drawSpec = (random: Random): MarketSpec => ({
  tick: random.pick([0, 0.01]),
  lot: random.pick([0, 0.001, 0.1]),
  minNotional: random.pick([0, 10]),
  makerRate: random.pick([0, 0.001]),
  takerRate: random.pick([0, 0.002]),
  feePerFill: random.pick([0, 1]),
  slippageRate: random.pick([0, 0.001]),
  canShort: random.next() < 0.7,
  leverage: random.pick([1, 3])
})

const drawPlan = (random: Random): TradingPlan => ({
  entry: {
    type: random.pick(["market", "limit", "stop"]),
    offsetRate: random.next() * 0.01,
    expiresAfter: random.pick([null, 1, 4])
  },
  sizing: random.pick([
    { type: "fixed_quantity", quantity: 3 },
    { type: "equity_fraction", fraction: 1 },
    { type: "equity_fraction", fraction: 0.3 }
  ]),
  timeLimit: random.pick([null, 10]),
  maxPositions: random.integer(1, 2),
  cooldown: random.integer(0, 2),
  cooldownAfterStop: random.integer(0, 3)
})

const drawExits = (random: Random): AttachedExits => {
  const level = (): ExitLevel => ({ kind: "fraction", value: 0.002 + random.next() * 0.03 })
  return {
    stopLoss: random.pick([null, level()]),
    takeProfit: random.pick([null, level()]),
    trailingStop: random.pick([null, { distance: level(), activation: null }]),
    breakEven: random.pick([null, { activation: level(), offsetRate: 0 }])
  }
}

const drawSignal = (random: Random): Signal => ({
  enterLong: random.next() < 0.25,
  exitLong: random.next() < 0.1,
  enterShort: random.next() < 0.15,
  exitShort: random.next() < 0.1
})

/** The candles of each time, in the order of the markets; some have gaps. */
const timesOf = (
  columns: ReadonlyArray<CandleColumns>
): ReadonlyArray<ReadonlyArray<CandleInput>> => {
  const byTime = new Map<number, Array<CandleInput>>()
  columns.forEach((one, market) => {
    one.time.forEach((time, at) => {
      const candle = {
        market,
        time,
        open: one.open[at]!,
        high: one.high[at]!,
        low: one.low[at]!,
        close: one.close[at]!
      }
      byTime.set(time, [...(byTime.get(time) ?? []), candle])
    })
  })
  return [...byTime.keys()].sort((left, right) => left - right).map((time) => byTime.get(time)!)
}

const order: OrderRequest = {
  id: "e0",
  side: 1,
  type: "limit",
  leg: "entry",
  quantity: 0.8,
  limit: 100,
  stop: null,
  expiresAfter: null,
  reason: "signal",
  attached: null
}

const fillOf = (quantity: number, changes: Partial<MatchFill> = {}): MatchFill => ({
  orderId: "e0",
  market: 0,
  leg: "entry",
  side: 1,
  quantity,
  price: 100,
  fee: 0,
  index: 0,
  time: 0,
  effect: "open",
  closed: null,
  ...changes
})

const accountWith = (request: OrderRequest): MatchingAccount => {
  const account = makeMatchingAccount(10_000, 1)
  openCandles(account, [{ market: 0, time: 0, open: 100, high: 100, low: 100, close: 100 }])
  placeOrder(account, 0, request)
  return account
}

const restOf = (account: MatchingAccount): ReadonlyArray<number> =>
  account.books[0]!.orders.map(({ quantity }) => quantity)

describe("a bot's own picture of its account", () => {
  it("is that of the broker, to the bit, after every candle, and so decides the same", () => {
    const seen = { fills: 0, ended: 0, cancelled: 0, cut: 0, stopped: 0 }
    for (let number = 0; number < 300; number += 1) {
      const random = makeRandom(`mirror ${number}`)
      const columns = [1, 2].map((market) => randomCandles(`${number}/${market}`, { count: 120 }))
      const spec = drawSpec(random)
      const specs = [spec, spec]
      const plan = drawPlan(random)
      const exits = drawExits(random)
      const broker = makeMatchingAccount(1_000, 2)
      const mirror = makeMatchingAccount(1_000, 2)
      const asked = new Map<string, number>()
      for (const candles of timesOf(columns)) {
        const outcome = matchCandles(broker, candles, specs, makeOutcome())
        openCandles(mirror, candles)
        for (const fill of outcome.fills) {
          showFill(mirror, fill)
          seen.fills += 1
          if (fill.leg === "stop_loss" || fill.leg === "trailing_stop") seen.stopped += 1
          if (fill.quantity < (asked.get(`${fill.market}/${fill.orderId}`) ?? 0)) seen.cut += 1
        }
        for (const ended of outcome.ended) showEnded(mirror, ended)
        seen.ended += outcome.ended.length
        closeCandles(mirror, candles)
        const where = `account ${number}, time ${candles[0]!.time}`
        assert.deepStrictEqual(pictureOf(mirror), pictureOf(broker), where)
        for (const { market } of candles) {
          const decision = {
            market,
            spec,
            plan,
            limits: noRiskLimits,
            signal: drawSignal(random),
            levels: { long: exits, short: exits, volatility: Number.NaN },
            canEnter: random.next() < 0.95
          }
          const instructions = decideOrders({ ...decision, account: viewAccount(mirror) })
          assert.deepStrictEqual(
            decideOrders({ ...decision, account: viewAccount(broker) }),
            instructions
          )
          for (const one of instructions) {
            if (one.type === "place") {
              asked.set(`${market}/${one.order.id}`, one.order.quantity)
              placeOrder(broker, market, one.order)
              placeOrder(mirror, market, one.order)
            } else {
              cancelOrder(broker, market, one.orderId)
              showEnded(mirror, { orderId: one.orderId, market, outcome: "cancelled", reason: "" })
              seen.cancelled += 1
            }
          }
        }
      }
    }
    for (const count of Object.values(seen)) assert.isAbove(count, 100, JSON.stringify(seen))
  })

  it("keeps what is left of an order that is filled in parts, and no rest of rounding", () => {
    const account = accountWith(order)
    showFill(account, fillOf(0.5))
    assert.closeTo(restOf(account)[0]!, 0.3, 1e-12)
    showFill(account, fillOf(0.2, { effect: "increase" }))
    assert.closeTo(restOf(account)[0]!, 0.1, 1e-12)
    // 0.8 less 0.5 less 0.2 is a little more than 0.1.
    showFill(account, fillOf(0.1, { effect: "increase" }))
    assert.deepStrictEqual(restOf(account), [])
    assert.closeTo(account.books[0]!.position!.quantity, 0.8, 1e-12)
  })

  it("keeps the rest of a market order until it is filled or ended", () => {
    const account = accountWith({ ...order, type: "market", limit: null })
    showFill(account, fillOf(0.5))
    assert.lengthOf(restOf(account), 1)
    const ended = { orderId: order.id, market: 0, outcome: "cancelled", reason: "" } as const
    showEnded(account, ended)
    assert.deepStrictEqual(restOf(account), [])
  })

  it("books a fill of an order that it does not know, as those of protective exits are", () => {
    const account = accountWith(order)
    showFill(account, fillOf(0.8))
    const exit = { orderId: "e0:stop", leg: "stop_loss", side: -1, price: 90 } as const
    showFill(account, fillOf(0.8, { ...exit, effect: "close" }))
    const [book] = account.books
    assert.isNull(book!.position)
    assert.strictEqual(book!.lastExitIndex, 0)
    assert.isTrue(book!.wasStopped)
    assert.closeTo(account.ledger.cash, 10_000 - 8, 1e-9)
  })

  it("remembers that an exit was no stop", () => {
    for (const leg of ["exit", "take_profit"] as const) {
      const account = accountWith(order)
      showFill(account, fillOf(0.8))
      showFill(account, fillOf(0.8, { orderId: "x1", leg, side: -1, effect: "close" }))
      assert.isFalse(account.books[0]!.wasStopped)
    }
  })

  it("takes out the order that ended, in its market, and no other", () => {
    const account = makeMatchingAccount(10_000, 2)
    placeOrder(account, 0, order)
    placeOrder(account, 0, { ...order, id: "e1" })
    placeOrder(account, 1, order)
    showEnded(account, { orderId: "e0", market: 0, outcome: "expired", reason: "" })
    showEnded(account, { orderId: "e9", market: 1, outcome: "expired", reason: "" })
    const ids = account.books.map(({ orders }) => orders.map(({ id }) => id))
    assert.deepStrictEqual(ids, [["e1"], ["e0"]])
  })
})
