/**
 * The contract of `OrderStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import type { Order } from "../domain/Order.ts"
import { openOrderStatuses, OrderMachine } from "../domain/OrderMachine.ts"
import type { OrderPageRequest, TradePageRequest } from "../domain/listFilters.ts"
import type { BotArchive } from "../ports/BotArchive.ts"
import type { BotStore } from "../ports/BotStore.ts"
import { OrderStore } from "../ports/OrderStore.ts"
import { Transactor } from "../ports/Transactor.ts"
import {
  refusalOf,
  registerSuite,
  overwrite,
  sideBySide,
  type SuiteOptions
} from "./conformance.ts"
import { assertNarrowed } from "./narrowedTests.ts"
import { orderModeTests } from "./orderModeTests.ts"
import { orderRecord, tradeRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { pagesOf, rolledBack } from "./versionedTests.ts"

const newBot = () => ({ account_id: testId("account"), bot_id: testId("bot") })
const find = (order: Order) =>
  Effect.flatMap(OrderStore, ({ get }) => get(order.bot_id, order.client_order_id))

const orderTests = {
  "gives an order back as it was inserted, at version 1": Effect.gen(function* () {
    const { get, insert } = yield* OrderStore
    const order = orderRecord({ limit_price: 0.1 + 0.2, quantity: 1e-8 })
    assert.deepStrictEqual(yield* find(order), Option.none())
    assert.deepStrictEqual(yield* insert({ ...order, version: 3 }), order)
    assert.deepStrictEqual(yield* find(order), Option.some(order))
    assert.deepStrictEqual(yield* get(testId("bot"), order.client_order_id), Option.none())
  }),

  "keeps what brokers answer: every number to its last bit, and texts with any character":
    Effect.gen(function* () {
      const { insert, update } = yield* OrderStore
      const odd = { filled_quantity: -0, limit_price: 5e-324, stop_price: Number.MAX_VALUE }
      const order = yield* insert(orderRecord({ ...odd, reason: "no \u0000 \ud800" }))
      assert.deepStrictEqual(yield* find(order), Option.some(order))
      const changed = yield* update({ ...order, filled_quantity: 0.1, limit_price: -0 })
      assert.deepStrictEqual(yield* find(order), Option.some(changed))
    }),

  "refuses a client order id that the bot has already": Effect.gen(function* () {
    const { insert } = yield* OrderStore
    const order = yield* insert(orderRecord())
    const again = { ...order, id: testId("order"), quantity: 9 }
    assert.strictEqual(yield* refusalOf(insert(again)), "AlreadyExists")
    assert.deepStrictEqual(yield* find(order), Option.some(order))
  }),

  "refuses an order id that is taken": Effect.gen(function* () {
    const { insert } = yield* OrderStore
    const order = yield* insert(orderRecord())
    const other = orderRecord({ id: order.id })
    assert.strictEqual(yield* refusalOf(insert(other)), "AlreadyExists")
    assert.deepStrictEqual(yield* find(other), Option.none())
  }),

  "lets two bots use the same client order id": Effect.gen(function* () {
    const { insert } = yield* OrderStore
    const first = yield* insert(orderRecord())
    const second = yield* insert(orderRecord({ client_order_id: first.client_order_id }))
    assert.deepStrictEqual(yield* find(first), Option.some(first))
    assert.deepStrictEqual(yield* find(second), Option.some(second))
  }),

  "lets exactly one of many senders of a client order id win": Effect.gen(function* () {
    const { insert } = yield* OrderStore
    const order = orderRecord()
    const writers = Array.from({ length: 8 }, () => insert({ ...order, id: testId("order") }))
    const { kept, refusals } = yield* sideBySide(writers)
    assert.lengthOf(kept, 1)
    assert.deepStrictEqual(
      refusals,
      Array.from({ length: 7 }, () => "AlreadyExists" as const)
    )
    assert.deepStrictEqual(yield* find(order), Option.some(kept[0]!))
  }),

  "replaces an order and returns it with the next version": Effect.gen(function* () {
    const { insert, update } = yield* OrderStore
    const order = yield* insert(orderRecord())
    const filled = { ...order, status: "filled" as const, filled_quantity: order.quantity }
    assert.deepStrictEqual(yield* update(filled), { ...filled, version: 2 })
    assert.deepStrictEqual(yield* find(order), Option.some({ ...filled, version: 2 }))
  }),

  "refuses a stale version of an order and keeps the stored one": Effect.gen(function* () {
    const { insert, update } = yield* OrderStore
    const order = yield* insert(orderRecord())
    const second = yield* update({ ...order, filled_quantity: 0.1 })
    assert.strictEqual(
      yield* refusalOf(update({ ...order, filled_quantity: 0.2 })),
      "VersionConflict"
    )
    assert.strictEqual(yield* refusalOf(update(orderRecord())), "NotFound")
    const renamed = { ...second, id: testId("order") }
    assert.strictEqual(yield* refusalOf(update(renamed)), "NotFound")
    assert.deepStrictEqual(yield* find(order), Option.some(second))
  }),

  "lets exactly one of many writers of an order win": Effect.gen(function* () {
    const { insert, update } = yield* OrderStore
    const order = yield* insert(orderRecord())
    const writers = Array.from({ length: 8 }, (_, index) =>
      update({ ...order, filled_quantity: index / 100 })
    )
    const { kept, refusals } = yield* sideBySide(writers)
    assert.lengthOf(kept, 1)
    assert.deepStrictEqual(
      refusals,
      Array.from({ length: 7 }, () => "VersionConflict" as const)
    )
    assert.deepStrictEqual(yield* find(order), Option.some(kept[0]!))
  }),

  "keeps orders as they were given, whatever callers do to theirs": Effect.gen(function* () {
    const { insert } = yield* OrderStore
    const order = orderRecord()
    const given = structuredClone(order)
    yield* insert(given)
    overwrite(given)
    overwrite(Option.getOrThrow(yield* find(order)))
    assert.deepStrictEqual(yield* find(order), Option.some(order))
  })
}

const listTests = {
  "lists a bot's orders in pages, newest first, to its account only": Effect.gen(function* () {
    const { insert, list } = yield* OrderStore
    const bot = newBot()
    const orders = Array.from({ length: 5 }, () => orderRecord(bot))
    for (const order of orders.toReversed()) yield* insert(order)
    yield* insert(orderRecord({ account_id: bot.account_id }))
    const pages = yield* pagesOf((page) => list(bot.account_id, bot.bot_id, page), 2)
    assert.deepStrictEqual(pages.flat(), orders.toReversed())
    assert.lengthOf(pages, 3)
    assert.deepStrictEqual(yield* list(testId("account"), bot.bot_id, { limit: 9 }), {
      items: [],
      next: null
    })
  }),

  "lists the orders that may still be filled, oldest first": Effect.gen(function* () {
    const { insert, listOpen } = yield* OrderStore
    const bot = newBot()
    const orders = OrderMachine.states.map((status) => orderRecord({ ...bot, status }))
    for (const order of orders.toReversed()) yield* insert(order)
    const open = orders.filter(({ status }) => openOrderStatuses.includes(status))
    assert.deepStrictEqual(yield* listOpen(bot.bot_id), open)
    assert.deepStrictEqual(yield* listOpen(testId("bot")), [])
  }),

  "stops listing an order as open once it is filled": Effect.gen(function* () {
    const { insert, listOpen, update } = yield* OrderStore
    const order = yield* insert(orderRecord())
    yield* rolledBack(update({ ...order, status: "filled" }))
    assert.deepStrictEqual(yield* listOpen(order.bot_id), [order])
    yield* update({ ...order, status: "filled" })
    assert.deepStrictEqual(yield* listOpen(order.bot_id), [])
  })
}

const at = (minute: number): string => `2026-01-15T09:0${minute}:00.000Z`

const narrowedListTests = {
  "lists only the orders that the filter leaves, of one bot and of the account": Effect.gen(
    function* () {
      const { insert, list, update } = yield* OrderStore
      const { account_id, bot_id } = newBot()
      const bot = { account_id, bot_id }
      // A replay that begins anew is at earlier candles with later orders.
      const orders = [
        orderRecord({ ...bot, symbol: "BTC/USD", side: "buy", leg: "entry", candle_time: at(3) }),
        orderRecord({ ...bot, symbol: "ETH/USD", side: "sell", leg: "exit", candle_time: at(1) }),
        orderRecord({ ...bot, symbol: "BTC/USD", side: "sell", leg: "exit", candle_time: at(2) })
      ]
      for (const order of orders) yield* insert(order)
      const filled = { ...orders[2]!, status: "filled", reason: "no \u0000" } as const
      const kept = [orders[0]!, orders[1]!, yield* update(filled)]
      const asked = [
        [{}, [0, 1, 2]],
        [{ symbol: "BTC/USD" }, [0, 2]],
        [{ side: "sell" }, [1, 2]],
        [{ leg: "entry" }, [0]],
        [{ status: "filled" }, [2]],
        [{ from: at(2) }, [0, 2]],
        [{ to: at(2) }, [1]],
        [{ from: at(1), to: at(3), side: "sell", symbol: "BTC/USD" }, [2]],
        [{ from: at(4) }, []]
      ] as const
      yield* assertNarrowed((page: OrderPageRequest) => list(account_id, bot_id, page), kept, asked)
      const other = yield* insert(orderRecord({ account_id, candle_time: at(5) }))
      yield* insert(orderRecord())
      yield* assertNarrowed(
        (page: OrderPageRequest) => list(account_id, null, page),
        [...kept, other],
        [
          [{}, [0, 1, 2, 3]],
          [{ from: at(3) }, [0, 3]],
          [{ status: "filled" }, [2]]
        ]
      )
    }
  ),

  "lists only the trades that the filter leaves, of one bot and of the account": Effect.gen(
    function* () {
      const { appendTrade, listTrades } = yield* OrderStore
      const { account_id, bot_id } = newBot()
      const bot = { account_id, bot_id }
      const trades = [
        tradeRecord({ ...bot, symbol: "BTC/USD", side: "buy", leg: "entry", executed_at: at(3) }),
        tradeRecord({ ...bot, symbol: "ETH/USD", side: "sell", leg: "exit", executed_at: at(1) }),
        tradeRecord({
          ...bot,
          symbol: "BTC/USD",
          side: "sell",
          leg: "stop_loss",
          executed_at: at(2)
        }),
        tradeRecord({
          account_id,
          symbol: "BTC/USD",
          side: "sell",
          leg: "exit",
          executed_at: at(2)
        })
      ]
      for (const trade of [...trades, tradeRecord()]) yield* appendTrade(trade)
      const ofBot = (page: TradePageRequest) => listTrades(account_id, bot_id, page)
      yield* assertNarrowed(ofBot, trades, [
        [{}, [0, 1, 2]],
        [{ symbol: "BTC/USD" }, [0, 2]],
        [{ side: "sell", leg: "exit" }, [1]],
        [{ from: at(2) }, [0, 2]],
        [{ from: at(1), to: at(2) }, [1]]
      ])
      const ofAccount = (page: TradePageRequest) => listTrades(account_id, null, page)
      yield* assertNarrowed(ofAccount, trades, [
        [{}, [0, 1, 2, 3]],
        [{ symbol: "BTC/USD", side: "sell" }, [2, 3]],
        [{ from: at(2), to: at(3) }, [2, 3]],
        [{ leg: "take_profit" }, []]
      ])
    }
  )
}

const tradeTests = {
  "lists a bot's trades in pages, newest first, to its account only": Effect.gen(function* () {
    const { appendTrade, listTrades } = yield* OrderStore
    const bot = newBot()
    const trades = Array.from({ length: 5 }, (_, index) =>
      tradeRecord({ ...bot, price: 0.1 * index, realized_pnl: index === 0 ? null : -0.3 * index })
    )
    for (const trade of trades.toReversed()) yield* appendTrade(trade)
    yield* appendTrade(tradeRecord({ account_id: bot.account_id }))
    const pages = yield* pagesOf((page) => listTrades(bot.account_id, bot.bot_id, page), 2)
    assert.deepStrictEqual(pages.flat(), trades.toReversed())
    const strangers = yield* listTrades(testId("account"), bot.bot_id, { limit: 9 })
    assert.deepStrictEqual(strangers, { items: [], next: null })
  }),

  "refuses a trade id that is taken, so that no fill counts twice": Effect.gen(function* () {
    const { appendTrade, listTrades } = yield* OrderStore
    const trade = tradeRecord()
    yield* appendTrade(trade)
    const writers = Array.from({ length: 4 }, () => appendTrade({ ...trade, amount: 7 }))
    const { kept, refusals } = yield* sideBySide(writers)
    assert.lengthOf(kept, 0)
    assert.deepStrictEqual(
      refusals,
      Array.from({ length: 4 }, () => "AlreadyExists" as const)
    )
    const { items } = yield* listTrades(trade.account_id, trade.bot_id, { limit: 9 })
    assert.deepStrictEqual(items, [trade])
  }),

  "counts a fill once, however many write it down with its order at once": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const { appendTrade, get, insert, listTrades, update } = yield* OrderStore
    const order = yield* insert(orderRecord())
    const { account_id, bot_id } = order
    const trade = tradeRecord({ account_id, bot_id, order_id: order.id })
    const write = transact(
      Effect.gen(function* () {
        yield* appendTrade(trade)
        const stored = Option.getOrThrow(yield* get(bot_id, order.client_order_id))
        return yield* update({ ...stored, filled_quantity: stored.filled_quantity + trade.amount })
      })
    )
    const { kept, refusals } = yield* sideBySide(Array.from({ length: 8 }, () => write))
    assert.lengthOf(kept, 1)
    assert.deepStrictEqual(
      refusals,
      Array.from({ length: 7 }, () => "AlreadyExists" as const)
    )
    assert.strictEqual(Option.getOrThrow(yield* find(order)).filled_quantity, trade.amount)
    assert.deepStrictEqual((yield* listTrades(account_id, bot_id, { limit: 9 })).items, [trade])
  }),

  "removes everything of a bot and nothing of another": Effect.gen(function* () {
    const { appendTrade, insert, list, listOpen, listTrades, removeOfBot } = yield* OrderStore
    const [gone, left] = [newBot(), newBot()]
    for (const bot of [gone, left]) {
      yield* insert(orderRecord(bot))
      yield* insert(orderRecord({ ...bot, status: "filled" }))
      yield* appendTrade(tradeRecord(bot))
    }
    const counts = ({ account_id, bot_id }: ReturnType<typeof newBot>) =>
      Effect.all([
        Effect.map(list(account_id, bot_id, { limit: 9 }), ({ items }) => items.length),
        Effect.map(listOpen(bot_id), ({ length }) => length),
        Effect.map(listTrades(account_id, bot_id, { limit: 9 }), ({ items }) => items.length)
      ])
    yield* rolledBack(removeOfBot(gone.bot_id))
    assert.deepStrictEqual(yield* counts(gone), [2, 1, 1])
    yield* removeOfBot(gone.bot_id)
    yield* removeOfBot(gone.bot_id)
    assert.deepStrictEqual(yield* counts(gone), [0, 0, 0])
    assert.deepStrictEqual(yield* counts(left), [2, 1, 1])
  }),

  "keeps no order and no trade of a transaction that failed": Effect.gen(function* () {
    const { appendTrade, insert, list, listTrades } = yield* OrderStore
    const bot = newBot()
    const [order, trade] = [orderRecord(bot), tradeRecord(bot)]
    const empty = { items: [], next: null }
    yield* rolledBack(Effect.andThen(insert(order), appendTrade(trade)))
    assert.deepStrictEqual(yield* find(order), Option.none())
    assert.deepStrictEqual(yield* list(bot.account_id, bot.bot_id, { limit: 9 }), empty)
    assert.deepStrictEqual(yield* listTrades(bot.account_id, bot.bot_id, { limit: 9 }), empty)
    yield* insert(order)
    yield* appendTrade(trade)
  }),

  "lets a transaction go on after a refused order and a refused trade": Effect.gen(function* () {
    const { transact } = yield* Transactor
    const { appendTrade, insert } = yield* OrderStore
    const [order, trade] = [yield* insert(orderRecord()), tradeRecord()]
    yield* appendTrade(trade)
    const next = orderRecord()
    yield* transact(
      Effect.gen(function* () {
        assert.strictEqual(yield* refusalOf(insert(order)), "AlreadyExists")
        assert.strictEqual(yield* refusalOf(appendTrade(trade)), "AlreadyExists")
        yield* insert(next)
      })
    )
    assert.deepStrictEqual(yield* find(next), Option.some(next))
  })
}

const tests = {
  ...orderTests,
  ...listTests,
  ...narrowedListTests,
  ...orderModeTests,
  ...tradeTests
}

/**
 * Registers the contract of `OrderStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<BotArchive | BotStore | OrderStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
