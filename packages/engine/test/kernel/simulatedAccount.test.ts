/**
 * An account on a matcher tells of its orders by the names that its host gave them. It shows
 * decisions the same as a bot's own picture, and goes on from a snapshot.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  committedNotionalOf,
  makeMatchingAccount,
  makeOutcome,
  type MarketSpec,
  type MatchOutcome,
  type OrderRequest,
  placeOrder
} from "../../src/kernel/account.ts"
import {
  type AccountView,
  buyingPowerOf,
  type OrderView,
  viewAccount
} from "../../src/kernel/accountView.ts"
import { decideOrders, type Signal, type TradingPlan } from "../../src/kernel/decide.ts"
import { SimulatedAccount } from "../../src/kernel/SimulatedAccount.ts"
import {
  closeCandles,
  openCandles,
  showEnded,
  showFill,
  showPayment
} from "../../src/kernel/mirror.ts"
import type { Random } from "../../src/kernel/random.ts"
import { noRiskLimits } from "../../src/kernel/riskGate.ts"
import { candleAt, drawExits, drawMarket } from "../match/drawnStages.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const freeMarket: MarketSpec = {
  tick: 0,
  lot: 0,
  minNotional: 0,
  makerRate: 0,
  takerRate: 0,
  feePerFill: 0,
  slippageRate: 0,
  canShort: true,
  leverage: 1
}

const order: OrderRequest = {
  id: "e0",
  side: 1,
  type: "market",
  leg: "entry",
  quantity: 2,
  limit: null,
  stop: null,
  expiresAfter: null,
  reason: "signal",
  attached: null
}

const candle = (time: number, open: number, high: number, low: number, close: number) => [
  { market: 0, time, open, high, low, close }
]

const drained = (account: SimulatedAccount): MatchOutcome => {
  const outcome = makeOutcome()
  account.drain(outcome)
  return outcome
}

const drawSignal = (random: Random): Signal => ({
  enterLong: random.next() < 0.2,
  exitLong: random.next() < 0.1,
  enterShort: random.next() < 0.2,
  exitShort: random.next() < 0.1
})

const drawPlan = (random: Random): TradingPlan => ({
  entry: {
    type: random.pick(["market", "limit", "stop"] as const),
    offsetRate: random.pick([0, 0.01]),
    expiresAfter: random.pick([1, 3])
  },
  sizing: { type: "equity_fraction", fraction: random.pick([0.3, 1]) },
  timeLimit: random.pick([null, 4]),
  positionsMax: random.pick([1, 2]),
  cooldown: random.pick([0, 2]),
  cooldownAfterStop: random.pick([0, 4])
})

const byId = (one: OrderView, other: OrderView): number => (one.id < other.id ? -1 : 1)

/** All that a decision in a market may read. */
const readAll = (account: AccountView, market: number) => {
  const { index, lastClose, lastExitIndex, orders, position, wasStopped } = account.book(market)
  return {
    equity: account.equity,
    committed: account.committedNotional(market),
    entered: account.enteredBeside(market),
    power: buyingPowerOf(account, market, 3, 7),
    // The rest of an order goes to the end of the queue, which no decision reads.
    orders: orders.toSorted(byId).map(({ id, leg, limit, quantity, side, stop, type }) => {
      // The remainder of a quantity is rounded differently after parts are taken from it.
      return { id, leg, limit, quantity: Number(quantity.toPrecision(12)), side, stop, type }
    }),
    book: { index, lastClose, lastExitIndex, position, wasStopped }
  }
}

describe("an account on a matcher", () => {
  it("commits the largest order of a group, and a bot's picture of it does too", () => {
    const matcher = SimulatedAccount.open(1_000, [freeMarket, freeMarket])
    const own = makeMatchingAccount(1_000, 2)
    const limit = { ...order, type: "limit", leg: "entry", limit: 90 } as const
    const orders = [
      { ...limit, id: "e0-0", quantity: 2, group: "e0" },
      { ...limit, id: "e0-1", quantity: 3, group: "e0" },
      { ...limit, id: "e0-2", quantity: 3, group: "e0" },
      { ...limit, id: "e1", quantity: 1 }
    ]
    for (const one of orders) {
      matcher.place(0, one)
      placeOrder(own, 0, one)
    }
    assert.strictEqual(matcher.committedNotional(1), 360)
    assert.strictEqual(committedNotionalOf(own, 1), 360)
    assert.strictEqual(matcher.committedNotional(0), 0)
  })

  it("names fills and ended orders as its host named the orders", () => {
    const account = SimulatedAccount.open(1_000, [freeMarket])
    const stopLoss = { kind: "distance", value: 5 } as const
    const attached = { stopLoss, takeProfit: null, trailingStop: null, breakEven: null }
    account.place(0, { ...order, attached })
    account.place(0, { ...order, id: "e1", type: "limit", limit: 90, expiresAfter: 1 })
    account.show(candle(0, 100, 101, 99, 100))
    const first = drained(account)
    assert.deepStrictEqual(
      first.fills.map(({ leg, orderId }) => [orderId, leg]),
      [["e0", "entry"]]
    )
    const reason = "not filled within 1 candles"
    assert.deepStrictEqual(first.ended, [
      { orderId: "e1", market: 0, outcome: "expired", reason, index: 0 }
    ])
    account.show(candle(1, 100, 100, 94, 96))
    const [stopped] = drained(account).fills
    assert.deepInclude(stopped, { orderId: "e0:stop", leg: "stop_loss", price: 95 })
    assert.isFalse(account.hasNews)
  })

  it("tells of an order that no one could fill", () => {
    const account = SimulatedAccount.open(1_000, [freeMarket])
    account.place(0, { ...order, quantity: 0 })
    account.show(candle(0, 100, 101, 99, 100))
    const [ended] = drained(account).ended
    assert.deepInclude(ended, { orderId: "e0", outcome: "rejected" })
  })

  it("takes an order back by its name, in its market alone", () => {
    const account = SimulatedAccount.open(1_000, [freeMarket, freeMarket])
    account.place(0, order)
    account.place(1, order)
    assert.isFalse(account.cancel(0, "e7"))
    assert.isTrue(account.cancel(0, "e0"))
    assert.isFalse(account.cancel(0, "e0"))
    assert.lengthOf(account.book(0).orders, 0)
    assert.lengthOf(account.book(1).orders, 1)
  })

  it("shows a decision what a bot's own picture shows, restored at random candles", () => {
    const seen = { fills: 0, ended: 0, payments: 0, cancelled: 0, restored: 0 }
    for (const { random, seed } of draws("matcher accounts", 600)) {
      const markets = Array.from({ length: random.pick([1, 2]) }, () => drawMarket(random, 80))
      const specs = markets.map(({ spec }) => spec)
      let account = SimulatedAccount.open(1_000, specs)
      const mirror = makeMatchingAccount(1_000, markets.length)
      const view = viewAccount(mirror)
      const plan = drawPlan(random)
      const exits = drawExits(random)
      for (let index = 0; index < 80; index++) {
        const candles = markets.map((one, market) => candleAt(one, market, index))
        account.show(candles)
        const { ended, fills, payments } = drained(account)
        openCandles(mirror, candles)
        for (const one of payments) showPayment(mirror, one)
        for (const fill of fills) showFill(mirror, fill)
        for (const one of ended) showEnded(mirror, one)
        closeCandles(mirror, candles)
        seen.fills += fills.length
        seen.ended += ended.length
        seen.payments += payments.length
        if (random.next() < 0.1) {
          account = SimulatedAccount.restore(structuredClone(account.snapshot()))
          seen.restored += 1
        }
        for (const { market } of candles) {
          const said = `${seed}, candle ${index}, market ${market}`
          assert.deepStrictEqual(readAll(account, market), readAll(view, market), said)
          assert.deepStrictEqual(account.ledger, mirror.ledger, said)
          const decision = {
            market,
            spec: specs[market]!,
            plan,
            limits: noRiskLimits,
            signal: drawSignal(random),
            levels: { long: exits, short: exits, volatility: Number.NaN },
            canEnter: random.next() < 0.95
          }
          const instructions = decideOrders({ ...decision, account })
          assert.deepStrictEqual(decideOrders({ ...decision, account: view }), instructions, said)
          for (const one of instructions) {
            if (one.type === "place") {
              account.place(market, one.order)
              placeOrder(mirror, market, one.order)
            } else {
              assert.isTrue(account.cancel(market, one.orderId), said)
              showEnded(mirror, { ...one, market, outcome: "cancelled", reason: "" })
              seen.cancelled += 1
            }
          }
        }
      }
    }
    for (const [what, count] of Object.entries(seen)) assert.isAbove(count, atLeast(200), what)
  })

  it("keeps no name in a snapshot that nothing has any more", () => {
    const account = SimulatedAccount.open(1_000, [freeMarket])
    account.place(0, order)
    account.place(0, { ...order, id: "e1", type: "limit", limit: 90, expiresAfter: 1 })
    account.show(candle(0, 100, 101, 99, 100))
    assert.lengthOf(account.snapshot().names, 2)
    drained(account)
    const { names } = account.snapshot()
    assert.deepStrictEqual(
      names.map(([, name]) => name),
      ["e0"]
    )
  })
})
