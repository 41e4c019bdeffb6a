import { assert, describe, it } from "@effect/vitest"
import {
  makeMatchingAccount,
  type MatchFill,
  type MatchingAccount,
  type OrderRequest,
  placeOrder
} from "../../src/kernel/account.ts"
import { openCandles, showEnded, showFill } from "../../src/kernel/mirror.ts"

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
  it("counts a fill in its own candle, which may be one that has not closed yet", () => {
    const account = accountWith(order)
    showFill(account, fillOf(0.8, { index: 1 }))
    assert.strictEqual(account.books[0]!.position!.entryIndex, 1)
    showFill(account, fillOf(0.8, { side: -1, leg: "exit", effect: "close", index: 2 }))
    assert.strictEqual(account.books[0]!.lastExitIndex, 2)
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
