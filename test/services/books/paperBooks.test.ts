/**
 * Books on paper fill against candles, and owe this to the bots that trade by them.
 */
import { PaperBooks } from "@candlewick/core"
import { hourMs } from "@candlewick/core/kernel"
import { orderRequest, testId } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, layer as onLayer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { flat, openAccount } from "./booksAccount.ts"
import { booksLotTests } from "./booksLotTests.ts"

const nothing = { fills: [], ended: [], payments: [] }

const tests = {
  "opens an account with its capital in cash and nothing else": Effect.gen(function* () {
    const { broker, botId } = yield* openAccount(1_234)
    const account = yield* broker.account(botId)
    assert.deepStrictEqual(account, { cash: 1_234, positions: [], openOrders: [] })
  }),

  "leaves an account that exists as it is when it is opened again": Effect.gen(function* () {
    const { broker, botId, request, settle } = yield* openAccount()
    yield* broker.place(botId, 0, orderRequest())
    yield* settle(0, flat)
    const before = yield* broker.account(botId)
    yield* broker.open({ ...request, capital: 5 })
    assert.deepStrictEqual(yield* broker.account(botId), before)
    assert.lengthOf(before.positions, 1)
  }),

  "fills a market order once, at the open of the next candle, for the taker's fee": Effect.gen(
    function* () {
      const { broker, botId, settle, symbols } = yield* openAccount()
      const placed = orderRequest()
      yield* broker.place(botId, 0, placed)
      const { fills, ended } = yield* settle(3, flat)
      assert.deepStrictEqual(ended, [])
      assert.lengthOf(fills, 1)
      assert.deepInclude(fills[0], {
        orderId: placed.id,
        market: 0,
        side: 1,
        leg: "entry",
        quantity: 2,
        price: 100,
        time: 3 * hourMs,
        effect: "open"
      })
      assert.closeTo(fills[0]!.fee, 0.4, 1e-12)
      const { cash, openOrders, positions } = yield* broker.account(botId)
      assert.closeTo(cash, 1_000 - 200 - 0.4, 1e-9)
      assert.deepStrictEqual(openOrders, [])
      assert.deepInclude(positions[0], { symbol: symbols[0]!, quantity: 2, entryPrice: 100 })
      assert.deepStrictEqual(yield* settle(4, flat), nothing)
    }
  ),

  "places an order once, however often it is sent": Effect.gen(function* () {
    const { broker, botId, settle } = yield* openAccount()
    const placed = orderRequest()
    yield* broker.place(botId, 0, placed)
    yield* broker.place(botId, 0, placed)
    assert.lengthOf((yield* broker.account(botId)).openOrders, 1)
    assert.lengthOf((yield* settle(0, flat)).fills, 1)
    yield* broker.place(botId, 0, placed)
    assert.deepStrictEqual((yield* settle(1, flat)).fills, [])
  }),

  "says of an order whether it rests, is over, or never came": Effect.gen(function* () {
    const { broker, botId, settle } = yield* openAccount()
    const [resting, filled] = [orderRequest({ type: "limit", limit: 50 }), orderRequest()]
    assert.deepStrictEqual(yield* broker.find(botId, 0, filled.id), Option.none())
    yield* broker.place(botId, 0, resting)
    yield* broker.place(botId, 0, filled)
    assert.deepStrictEqual(yield* broker.find(botId, 0, filled.id), Option.some("open"))
    yield* settle(0, flat)
    assert.deepStrictEqual(yield* broker.find(botId, 0, filled.id), Option.some("over"))
    assert.deepStrictEqual(yield* broker.find(botId, 0, resting.id), Option.some("open"))
    yield* broker.cancel(botId, 0, resting.id)
    assert.deepStrictEqual(yield* broker.find(botId, 0, resting.id), Option.some("over"))
    assert.deepStrictEqual(yield* broker.find(botId, 0, testId("order")), Option.none())
  }),

  "lets a limit order rest until its price is reached, and shows it meanwhile": Effect.gen(
    function* () {
      const { broker, botId, settle, symbols } = yield* openAccount()
      const resting = orderRequest({ type: "limit", limit: 95 })
      yield* broker.place(botId, 0, resting)
      assert.deepStrictEqual((yield* settle(0, flat)).fills, [])
      assert.deepStrictEqual((yield* broker.account(botId)).openOrders, [
        { symbol: symbols[0]!, clientOrderId: resting.id }
      ])
      const [fill] = (yield* settle(1, [98, 99, 94, 97])).fills
      assert.deepInclude(fill, { orderId: resting.id, price: 95 })
      assert.closeTo(fill!.fee, 0.19, 1e-12)
    }
  ),

  "cancels an order that rests, and says whether it did": Effect.gen(function* () {
    const { broker, botId, settle } = yield* openAccount()
    const resting = orderRequest({ type: "limit", limit: 95 })
    yield* broker.place(botId, 0, resting)
    assert.isTrue(yield* broker.cancel(botId, 0, resting.id))
    assert.isFalse(yield* broker.cancel(botId, 0, resting.id))
    assert.isFalse(yield* broker.cancel(botId, 0, testId("order")))
    assert.deepStrictEqual((yield* broker.account(botId)).openOrders, [])
    assert.deepStrictEqual((yield* settle(0, [95, 96, 90, 91])).fills, [])
  }),

  "never spends more than there is": Effect.gen(function* () {
    const { broker, botId, settle } = yield* openAccount(50)
    yield* broker.place(botId, 0, orderRequest({ quantity: 10 }))
    const { ended, fills } = yield* settle(0, flat)
    const { cash, openOrders, positions } = yield* broker.account(botId)
    const spent = fills.reduce((sum, { fee, price, quantity }) => sum + price * quantity + fee, 0)
    assert.isAtLeast(cash, 0)
    assert.closeTo(cash + spent, 50, 1e-9)
    assert.deepStrictEqual(openOrders, [])
    assert.isTrue(positions.length > 0 || ended.length > 0, "it is filled in part, or reported")
  }),

  "carries out the protective exits that came with an entry": Effect.gen(function* () {
    const { broker, botId, settle } = yield* openAccount()
    const attached = {
      stopLoss: { kind: "price", value: 95 },
      takeProfit: { kind: "price", value: 110 },
      trailingStop: null,
      breakEven: null
    } as const
    yield* broker.place(botId, 0, orderRequest({ attached }))
    yield* settle(0, flat)
    const [held] = (yield* broker.account(botId)).positions
    assert.deepInclude(held?.protection, { stop: 95, target: 110 })
    const [fill] = (yield* settle(1, [98, 98, 94, 96])).fills
    assert.deepInclude(fill, { leg: "stop_loss", side: -1, price: 95, effect: "close" })
    assert.deepStrictEqual((yield* broker.account(botId)).positions, [])
  }),

  "fills nothing where it is shown no candle, and keeps what waits": Effect.gen(function* () {
    const { broker, botId, settle } = yield* openAccount()
    yield* broker.place(botId, 0, orderRequest())
    yield* settle(0, flat)
    yield* broker.place(botId, 0, orderRequest({ side: -1, leg: "exit" }))
    const before = yield* broker.account(botId)
    assert.deepStrictEqual(yield* broker.settle(botId, []), nothing)
    assert.deepStrictEqual(yield* broker.account(botId), before)
    assert.lengthOf((yield* settle(1, flat)).fills, 1)
  }),

  "fills exits, and exits only, at the last close where no candle will come": Effect.gen(
    function* () {
      const { broker, botId, settle } = yield* openAccount()
      yield* broker.place(botId, 0, orderRequest())
      yield* settle(0, [100, 105, 99, 104])
      const leave = orderRequest({ side: -1, leg: "exit" })
      yield* broker.place(botId, 0, leave)
      const { fills } = yield* broker.settle(botId, null)
      assert.deepInclude(fills[0], { orderId: leave.id, price: 104, effect: "close" })
      const enter = orderRequest()
      yield* broker.place(botId, 0, enter)
      assert.deepStrictEqual(yield* broker.settle(botId, null), nothing)
      assert.strictEqual((yield* settle(1, flat)).fills[0]?.orderId, enter.id)
      assert.deepStrictEqual(yield* broker.settle(botId, null), nothing)
    }
  ),

  "pays every market of a bot from one cash": Effect.gen(function* () {
    const { broker, botId, settle, symbols } = yield* openAccount(1_000, 2)
    yield* broker.place(botId, 0, orderRequest({ quantity: 4 }))
    yield* broker.place(botId, 1, orderRequest({ quantity: 4 }))
    yield* settle(0, flat, 0)
    yield* settle(0, flat, 1)
    const { cash, positions } = yield* broker.account(botId)
    assert.closeTo(cash, 1_000 - 800 - 1.6, 1e-9)
    assert.deepStrictEqual(
      positions.map(({ symbol }) => symbol),
      symbols
    )
  }),

  "keeps the accounts of bots apart": Effect.gen(function* () {
    const [one, other] = [yield* openAccount(), yield* openAccount()]
    yield* one.broker.place(one.botId, 0, orderRequest())
    yield* one.settle(0, flat)
    assert.deepStrictEqual((yield* other.settle(0, flat)).fills, [])
    assert.strictEqual((yield* other.broker.account(other.botId)).cash, 1_000)
  }),

  "fails for an account that was never opened, or was given up": Effect.gen(function* () {
    const { broker, botId, settle } = yield* openAccount()
    yield* broker.close(botId)
    yield* broker.close(botId)
    const attempts = [
      Effect.asVoid(broker.account(botId)),
      broker.place(botId, 0, orderRequest()),
      Effect.asVoid(settle(0, flat)),
      Effect.asVoid(broker.account(testId("bot")))
    ]
    for (const attempt of attempts) {
      assert.strictEqual((yield* Effect.flip(attempt))._tag, "BooksError")
    }
  })
}

onLayer(Layer.provide(PaperBooks.layer, MemoryStore.layer))("books on paper", (it) => {
  for (const [name, test] of Object.entries({ ...tests, ...booksLotTests })) {
    it.effect(name, () => test)
  }
})
