/**
 * Books of bots at venues over a store: what facts make of them, and the protective orders that
 * follow.
 */
import { PaperAccountStore, Transactor, VenueAccountStore, venueKeyOf } from "@candlewick/core"
import {
  endFactRecord,
  marketRecord,
  orderRequest,
  testId,
  tradeFactRecord,
  venueAccountRecord
} from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { OrderAttempt } from "../../../packages/core/src/domain/VenueAccount.ts"
import { keepProtected } from "../../../packages/core/src/services/venues/books/keepProtected.ts"
import { makeVenueBooks } from "../../../packages/core/src/services/venues/books/VenueBooks.ts"

const symbol = "BTC/USDT"

const spec = {
  tick: 0.01,
  lot: 0.001,
  minNotional: 5,
  makerRate: 0.001,
  takerRate: 0.001,
  feePerFill: 0,
  slippageRate: 0,
  canShort: false,
  leverage: 1
}

const attached = {
  stopLoss: { kind: "fraction", value: 0.1 },
  takeProfit: null,
  trailingStop: { distance: { kind: "fraction", value: 0.1 }, activation: null },
  breakEven: null
} as const

const capabilities = {
  hasStops: true,
  hasReduceOnly: false,
  canShareQuantity: false,
  idForm: "base62"
} as const

const candle = (time: number, close: number) => [
  { symbol, time, open: close, high: close, low: close, close }
]

/** A bot with books of 1 000, and an entry that is placed. */
const openBooks = Effect.gen(function* () {
  const venueAccounts = yield* VenueAccountStore
  const books = makeVenueBooks(yield* PaperAccountStore, venueAccounts)
  const { transact } = yield* Transactor
  const [botId, accountId] = [testId("bot"), testId("account")]
  const key = venueKeyOf(accountId, "model")
  const market = marketRecord({ symbol })
  yield* venueAccounts.put(venueAccountRecord({ account_id: accountId }))
  const request = { botId, capital: 1_000, markets: [{ market, spec }] }
  yield* books.open(request)
  const entry = orderRequest({ attached })
  yield* books.place(botId, 0, entry)
  const bought = tradeFactRecord({
    bot_id: botId,
    client_order_id: entry.id,
    symbol,
    quantity: "2",
    price: "100",
    fee_amount: "0.2",
    fee_currency: "USDT"
  })
  const keep = (...facts: Parameters<typeof venueAccounts.keepFacts>[1]) =>
    transact(venueAccounts.keepFacts(key, facts))
  const protect = transact(
    Effect.gen(function* () {
      const book = yield* books.read(botId)
      const kept = yield* keepProtected(venueAccounts, book, {
        key,
        accountId,
        botId,
        epoch: 1,
        capabilities,
        growing: new Set()
      })
      yield* books.write(botId, book)
      return kept
    })
  )
  const open = venueAccounts.listOpenAttempts(key)
  return { accountId, books, botId, bought, entry, keep, key, open, protect, request, transact }
})

const shown = (attempts: ReadonlyArray<OrderAttempt>) =>
  attempts.map(({ client_order_id, is_cancel_wanted, number, order, state }) => ({
    id: client_order_id,
    number,
    state,
    is_cancel_wanted,
    type: order.type,
    side: order.side,
    quantity: order.quantity,
    stop_price: order.stop_price
  }))

layer(MemoryStore.layer)("books at venues", (it) => {
  it.effect("are opened once, and keep what they hold", () =>
    Effect.gen(function* () {
      const { books, botId, bought, keep, request } = yield* openBooks
      yield* keep(bought)
      yield* books.settle(botId, [])
      yield* books.open({ ...request, capital: 5 })
      const { cash, positions } = yield* books.account(botId)
      assert.strictEqual(cash, 799.8)
      assert.deepInclude(positions[0], { symbol, quantity: 2, entryPrice: 100 })
    })
  )

  it.effect("begin anew after they were closed, without the facts of before", () =>
    Effect.gen(function* () {
      const { books, botId, bought, keep, request } = yield* openBooks
      yield* keep(bought)
      yield* books.settle(botId, [])
      yield* books.close(botId)
      yield* books.open(request)
      assert.deepStrictEqual((yield* books.settle(botId, [])).fills, [])
      const fresh = { cash: 1_000, positions: [], openOrders: [] }
      assert.deepStrictEqual(yield* books.account(botId), fresh)
      yield* keep({ ...bought, id: "another" })
      assert.lengthOf((yield* books.settle(botId, [])).fills, 1)
    })
  )

  it.effect("tell of a fact once, and of an order whether it rests, is over or never came", () =>
    Effect.gen(function* () {
      const { books, botId, bought, entry, keep } = yield* openBooks
      assert.deepStrictEqual(yield* books.find(botId, 0, entry.id), Option.some("open"))
      assert.deepStrictEqual(yield* books.find(botId, 0, "other"), Option.none())
      assert.isTrue(yield* books.cancel(botId, 0, entry.id))
      yield* keep(bought, bought)
      assert.lengthOf((yield* books.settle(botId, [])).fills, 1)
      yield* keep(bought)
      assert.deepStrictEqual(yield* books.settle(botId, []), { ended: [], fills: [], payments: [] })
      assert.deepStrictEqual(yield* books.find(botId, 0, entry.id), Option.some("over"))
      assert.isFalse(yield* books.cancel(botId, 0, entry.id))
      const other = orderRequest()
      yield* books.place(botId, 0, other)
      yield* keep(endFactRecord({ bot_id: botId, client_order_id: other.id, symbol }))
      const { ended } = yield* books.settle(botId, null)
      assert.deepInclude(ended[0], { orderId: other.id, market: 0, outcome: "cancelled" })
    })
  )

  it.effect("hear of facts again where the transaction that booked them failed", () =>
    Effect.gen(function* () {
      const { books, botId, bought, keep, transact } = yield* openBooks
      yield* keep(bought)
      const failing = Effect.andThen(books.settle(botId, []), Effect.fail("lost" as const))
      assert.strictEqual(yield* Effect.flip(transact(failing)), "lost")
      assert.lengthOf((yield* books.settle(botId, [])).fills, 1)
    })
  )

  it.effect(
    "have a stop written for what is held, once, and another in its place as it rises",
    () =>
      Effect.gen(function* () {
        const { books, botId, bought, entry, keep, open, protect } = yield* openBooks
        const venueAccounts = yield* VenueAccountStore
        assert.isNull((yield* protect).status)
        yield* keep(bought)
        yield* books.settle(botId, candle(0, 100))
        const first = yield* protect
        assert.strictEqual(first.status, "local", "the venue has confirmed nothing yet")
        assert.isTrue(first.isChanged)
        const stop: ReturnType<typeof shown>[number] = {
          id: `${entry.id}:stop`,
          number: 1,
          state: "written",
          is_cancel_wanted: false,
          type: "stop",
          side: "sell",
          quantity: "2",
          stop_price: "90"
        }
        const [written] = yield* open
        assert.deepStrictEqual(shown([written!]), [stop])
        assert.match(written!.id, /^[0-9A-Za-z]{22}$/)
        assert.isFalse((yield* protect).isChanged)
        yield* venueAccounts.putAttempt({ ...written!, state: "working" })

        yield* books.settle(botId, candle(1, 110))
        yield* protect
        const [leaving] = yield* open
        assert.deepStrictEqual(shown([leaving!]), [
          { ...stop, state: "working", is_cancel_wanted: true }
        ])
        assert.isFalse((yield* protect).isChanged)
        yield* venueAccounts.putAttempt({ ...leaving!, state: "over" })
        yield* protect
        assert.deepStrictEqual(shown(yield* open), [{ ...stop, number: 2, stop_price: "99" }])
      })
  )

  it.effect("close a position with the trades of its stop", () =>
    Effect.gen(function* () {
      const { books, botId, bought, entry, keep, open, protect } = yield* openBooks
      const venueAccounts = yield* VenueAccountStore
      yield* keep(bought)
      yield* books.settle(botId, candle(0, 100))
      yield* protect
      const id = `${entry.id}:stop`
      const sold = { ...bought, client_order_id: id, side: "sell", price: "90" } as const
      yield* keep({ ...sold, id: "part", quantity: "0.5" })
      const part = yield* books.settle(botId, [])
      assert.deepInclude(part.fills[0], { orderId: id, leg: "stop_loss", effect: "reduce" })
      const [working] = yield* open
      yield* venueAccounts.putAttempt({ ...working!, state: "working", filled_quantity: "0.5" })
      assert.isFalse((yield* protect).isChanged, "it is being filled")
      yield* keep({ ...sold, id: "rest", quantity: "1.5" })
      assert.deepInclude((yield* books.settle(botId, [])).fills[0], { effect: "close" })
      assert.deepStrictEqual((yield* books.account(botId)).positions, [])
      assert.isNull((yield* protect).status)
    })
  )
})
