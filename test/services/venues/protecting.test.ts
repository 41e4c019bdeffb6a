/**
 * A bot's position at an exchange that fills by itself: its books, and the stop that follows it.
 */
import { PaperAccountStore } from "@candlewick/core"
import type { VenueMarket } from "@candlewick/core"
import { marketRecord, orderRecord, orderRequest } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { compareHoldings } from "../../../packages/core/src/domain/HoldingLines.ts"
import { decimalText } from "../../../packages/core/src/domain/decimals.ts"
import { bookOf } from "../../../packages/core/src/services/venues/agent/agentState.ts"
import { keepProtected } from "../../../packages/core/src/services/venues/books/keepProtected.ts"
import { missingOf } from "../../../packages/core/src/services/venues/books/missingHoldings.ts"
import { placeInBook } from "../../../packages/core/src/services/venues/books/venueBook.ts"
import { makeVenueBooks } from "../../../packages/core/src/services/venues/books/VenueBooks.ts"
import { openOrdersOf } from "../../../packages/core/src/testing/modelVenue/Exchange.ts"
import { draws } from "../../draws.ts"
import { btc, makeWorld, pass, startMs, type WorldOptions } from "./accountWorld.ts"

const spec = {
  tick: 0.01,
  lot: 0.001,
  minNotional: 5,
  makerRate: 0.001,
  takerRate: 0.002,
  feePerFill: 0,
  slippageRate: 0,
  canShort: false,
  leverage: 1
}

const level = { kind: "fraction", value: 0.1 } as const

/** A stop of a tenth that trails. */
const trailing = {
  stopLoss: level,
  takeProfit: null,
  trailingStop: { distance: level, activation: null },
  breakEven: null
}

/** A bot that has bought one at 100 and follows what it is told. */
const buy = Effect.fnUntraced(function* ({
  attached = trailing,
  ...options
}: WorldOptions & { readonly attached?: typeof trailing | null } = {}) {
  yield* TestClock.setTime(startMs)
  const stores = yield* Layer.build(MemoryStore.layer)
  const world = yield* makeWorld({ ...options, stores: Layer.succeedContext(stores) })
  const { account, bots, key, model, ports } = world
  const botId = bots[0]!.id
  const books = makeVenueBooks(Context.get(stores, PaperAccountStore), ports.venueAccounts)
  const { symbol } = btc
  const markets = [{ market: marketRecord({ symbol }), spec }]
  const { kind } = model.venue.capabilities
  yield* books.open({ botId, capital: 5_000, kind, markets })
  const { client_order_id: id } = yield* world.decide()
  yield* books.place(botId, 0, orderRequest({ id, quantity: 1, attached }))
  const agent = yield* world.begin

  /** Books what came, as at a close or between candles, and has the stop follow. */
  const follow = Effect.fnUntraced(function* (
    close: number | null = null,
    terms: ReadonlyArray<VenueMarket> = []
  ) {
    const candle = { symbol, time: 0, open: 0, high: close!, low: close!, close: close! }
    const report = yield* books.settle(botId, close === null ? [] : [candle])
    const protecting = ports.transactor.transact(
      Effect.gen(function* () {
        const book = yield* books.read(botId)
        const { capabilities } = model.venue
        const kept = yield* keepProtected(ports.venueAccounts, book, {
          key,
          botId,
          accountId: account.id,
          epoch: 0,
          capabilities,
          growing: new Set(),
          markets: terms
        })
        yield* books.write(botId, book)
        for (const { clientOrderId, leg } of kept.wanted) {
          if (Option.isSome(yield* ports.orders.get(botId, clientOrderId))) continue
          const bot_id = botId
          const known = { account_id: account.id, bot_id, client_order_id: clientOrderId, leg }
          yield* ports.orders.insert(orderRecord({ ...known, status: "accepted" }))
        }
        return kept
      })
    )
    const kept = yield* protecting
    yield* agent.ring
    yield* pass(5)
    return { ...kept, ...report }
  })

  /** Follows until nothing is left to do. */
  const settle = Effect.gen(function* () {
    for (let count = 0; count < 20; count++) {
      if (!(yield* follow()).isChanged) return
    }
    assert.fail("there is always something left to do")
  })

  const open = Effect.map(model.truth, (exchange) =>
    openOrdersOf(exchange).map(({ quantity, stopPrice, type }) => [
      type,
      decimalText(quantity),
      stopPrice && decimalText(stopPrice)
    ])
  )
  /** The balance of the account at the exchange in the coin, or in its market. */
  const heldAtVenue = Effect.map(
    model.venue.holdings,
    ({ balances, positions }) =>
      (model.venue.capabilities.kind === "spot" ? balances.get("BTC") : positions.get(symbol)) ??
      "0"
  )
  return { ...world, agent, books, botId, follow, heldAtVenue, id, open, settle }
})

it.effect("rests at the exchange, as large as what is held after fees, rises, and sells it", () =>
  Effect.gen(function* () {
    const bot = yield* buy({ feeCoin: "received" })
    yield* pass(5)
    const { fills } = yield* bot.follow()
    assert.deepInclude(fills[0], { orderId: bot.id, quantity: 0.998, effect: "open", ordered: 1 })
    assert.deepStrictEqual(yield* bot.open, [["stop", "0.998", "90"]])
    yield* bot.model.moveTo(btc.symbol, "110")
    // The stop of before is taken back, and may be gone already.
    assert.strictEqual((yield* bot.follow(110)).status, "local")
    yield* bot.settle
    assert.strictEqual((yield* bot.follow()).status, "venue")
    assert.deepStrictEqual(yield* bot.open, [["stop", "0.998", "99"]])
    yield* bot.model.moveTo(btc.symbol, "98")
    yield* pass(10)
    const sold = yield* bot.follow()
    assert.deepInclude(sold.fills[0], { leg: "trailing_stop", effect: "close", quantity: 0.998 })
    assert.isNull(sold.status)
    assert.deepStrictEqual((yield* bot.books.account(bot.botId)).positions, [])
    yield* bot.settle
    assert.deepStrictEqual(yield* bot.open, [])
    const holdings = yield* bot.model.venue.holdings
    const account = Option.getOrThrow(yield* bot.ports.venueAccounts.get(bot.key))
    const lines = compareHoldings(bookOf(account).shares, holdings)
    const coin = lines.find(({ name }) => name === "BTC")
    assert.isTrue(coin === undefined || coin.outside === "0")
    assert.deepStrictEqual(
      lines.flatMap(({ mismatched }) => mismatched),
      []
    )
  })
)

it.effect("ends flat and equal where fills come late, in parts, out of order and twice", () =>
  Effect.gen(function* () {
    for (const { random, seed } of draws("protected positions", 40, 3)) {
      const { next } = random
      const habits = { partChance: 0.6, fillDelayMs: 2_000, tellDelayMs: 4_000, repeatChance: 0.5 }
      const feeCoin = random.pick(["received", "quote"] as const)
      const isOneWay = random.next() < 0.5
      const kind = isOneWay ? "one_way" : "spot"
      const capabilities = { kind, hasReduceOnly: isOneWay } as const
      const bot = yield* buy({ feeCoin, habits, capabilities, random: next })
      yield* bot.follow()
      yield* pass(30)
      yield* bot.settle
      const size = yield* bot.heldAtVenue
      assert.deepStrictEqual(yield* bot.open, [["stop", size, "90"]], seed)
      yield* bot.model.moveTo(btc.symbol, "110")
      yield* bot.follow(110)
      yield* bot.settle
      assert.deepStrictEqual(yield* bot.open, [["stop", size, "99"]], seed)
      yield* bot.model.moveTo(btc.symbol, "98")
      for (let count = 0; count < 10; count++) yield* bot.follow()
      yield* bot.settle
      assert.deepStrictEqual((yield* bot.books.account(bot.botId)).positions, [], seed)
      assert.deepStrictEqual(yield* bot.open, [], seed)
      assert.strictEqual(yield* bot.heldAtVenue, "0", seed)
    }
  })
)

it.effect("of a lot that is too small stays, unless another exit is to sell from it", () =>
  Effect.gen(function* () {
    const bot = yield* buy({ capabilities: { hasReduceOnly: false, canShareQuantity: false } })
    yield* pass(5)
    yield* bot.settle
    const large = { ...btc, minNotional: "150" }
    const stops = [["stop", "1", "90"]]
    yield* bot.follow(null, [large])
    assert.deepStrictEqual(yield* bot.open, stops)
    const exit = orderRequest({ side: -1, leg: "exit", quantity: 0.5 })
    yield* bot.books.place(bot.botId, 0, exit)
    yield* bot.follow(null, [large])
    assert.deepStrictEqual(yield* bot.open, [])
  })
)

for (const hasExpiry of [false, true]) {
  const how = hasExpiry ? "the exchange ends it" : "the agent cancels it"
  it.effect(`keeps the time of an exit of the bot's own at rest, at which ${how}`, () =>
    Effect.gen(function* () {
      const bot = yield* buy({ attached: null, capabilities: { hasExpiry } })
      yield* pass(5)
      yield* bot.follow()
      const stop = orderRequest({ side: -1, leg: "exit", type: "stop", stop: 90, quantity: 1 })
      const times = { expiresAtMs: startMs + 60_000, cancelsAtMs: startMs + 60_000 }
      const book = yield* bot.books.read(bot.botId)
      const watch = { isOn: true, limitPrice: null, stopPrice: "90", takenBack: [], ...times }
      placeInBook(book, 0, stop, watch)
      yield* bot.books.write(bot.botId, book)
      const known = { account_id: bot.account.id, bot_id: bot.botId, client_order_id: stop.id }
      yield* bot.ports.orders.insert(orderRecord({ ...known, leg: "exit", status: "accepted" }))
      yield* bot.follow()
      assert.deepStrictEqual(yield* bot.open, [["stop", "1", "90"]])
      const [attempt] = yield* bot.ports.venueAccounts.attemptsOf(bot.botId, stop.id)
      const { cancels_at_ms: cancelsAtMs, order } = attempt!
      const found = [order.expires_at_ms, cancelsAtMs]
      const atMs = startMs + 60_000
      assert.deepStrictEqual(found, hasExpiry ? [atMs, undefined] : [undefined, atMs])
      yield* pass(61)
      assert.deepStrictEqual(yield* bot.open, [])
    })
  )
}

it.effect("shows a bot whose coins were sold by hand less than it has booked", () =>
  Effect.gen(function* () {
    const bot = yield* buy()
    yield* pass(5)
    yield* bot.follow()
    const [resting] = yield* bot.model.venue.openOrders
    yield* bot.model.venue.cancel(btc.symbol, resting!.id)
    yield* bot.model.placeByHand({
      symbol: btc.symbol,
      side: "sell",
      type: "market",
      quantity: "0.4",
      limitPrice: null,
      stopPrice: null,
      isReduceOnly: false
    })
    const reconciling = yield* Effect.forkChild(bot.agent.reconcile)
    yield* pass(10)
    const { lines, mismatched } = yield* Fiber.join(reconciling)
    assert.deepStrictEqual(mismatched, [bot.botId])
    const book = yield* bot.books.read(bot.botId)
    const accounts = bookOf(Option.getOrThrow(yield* bot.ports.venueAccounts.get(bot.key))).shares
    book.missing = missingOf(lines, bot.botId, accounts)
    yield* bot.books.write(bot.botId, book)
    const { positions } = yield* bot.books.account(bot.botId)
    assert.closeTo(positions[0]!.quantity, 0.6, 1e-12)
  })
)
