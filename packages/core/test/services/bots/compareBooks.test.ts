/**
 * The differences between a bot's books and the broker's, and the orders that are only on their
 * way.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { placeOrder } from "../../../../engine/src/kernel/account.ts"
import type { Order } from "../../../src/domain/Order.ts"
import type { BookedAccount } from "../../../src/services/bots/BotBooks.ts"
import type { BotPorts } from "../../../src/services/bots/botPorts.ts"
import { type BotSession, makeSnapshot } from "../../../src/services/bots/botSession.ts"
import { compareBooks, describeDifference } from "../../../src/services/bots/compareBooks.ts"
import { orderRequest } from "../../../src/testing/orderRequest.ts"
import { botRecord, orderRecord } from "../../../src/testing/records.ts"

const symbol = "BTC/USDT"
const capital = 10_000
const bot = botRecord({ symbols: [symbol], capital_allocation: capital })
const entryPrice = 100
const step = 1e-5

/** The holdings of the bot: cash, a quantity, and orders that rest under ids. */
interface Own {
  readonly cash?: number
  readonly quantity?: number
  readonly orders?: Readonly<Record<string, Order["status"]>>
  readonly disowned?: ReadonlyArray<string>
}

/** The holdings of the broker, and the bot's other orders that it has known. */
interface Theirs {
  readonly cash?: number
  readonly quantity?: number
  readonly orders?: ReadonlyArray<string>
  readonly over?: ReadonlyArray<string>
}

const sessionOf = ({ cash = capital, disowned = [], orders = {}, quantity = 0 }: Own) => {
  const specs = [{ lot: step }]
  const session = {
    ...makeSnapshot(capital, [], null, 1),
    disowned,
    specs
  } as unknown as BotSession
  const position = { quantity, entryPrice, entryFees: 0, entryIndex: 0, entryTime: 0 }
  session.account.ledger.cash = cash
  session.account.books = [
    {
      orders: [],
      position: quantity === 0 ? null : position,
      protection: null,
      lastClose: entryPrice,
      lastTime: 0,
      index: 0,
      lastExitIndex: null,
      wasStopped: false
    }
  ]
  for (const id of Object.keys(orders)) placeOrder(session.account, 0, orderRequest({ id }))
  return session
}

/** The part of the ports that a comparison asks. */
const portsOf = ({ orders = {} }: Own, theirs: Theirs): BotPorts => {
  const kept = Object.entries(orders).map(([client_order_id, status]) =>
    orderRecord({ client_order_id, status })
  )
  const asked = {
    orders: { listOpen: () => Effect.succeed(kept) },
    paperBooks: {
      find: (_bot: string, _market: number, id: string) =>
        Effect.succeed(theirs.over?.includes(id) ? Option.some("over") : Option.none())
    }
  }
  return asked as unknown as BotPorts
}

const heldOf = ({ cash = capital, orders = [], quantity = 0 }: Theirs): BookedAccount => ({
  cash,
  positions: quantity === 0 ? [] : [{ symbol, quantity, entryPrice, protection: null }],
  openOrders: orders.map((clientOrderId) => ({ symbol, clientOrderId }))
})

const differences = (own: Own, theirs: Theirs) =>
  Effect.map(compareBooks(portsOf(own, theirs), bot, sessionOf(own), heldOf(theirs)), (found) =>
    found.map((one) => (one.kind === "order" ? `order ${one.client_order_id}` : one.kind))
  )

/** Differs by so many parts of itself. */
const off = (amount: number, part: number): number => amount * (1 + part)

describe("a quantity", () => {
  it.effect("is the same as far as rounding goes, and no farther", () =>
    Effect.gen(function* () {
      for (const quantity of [10, -10, 0.1]) {
        const own = { quantity }
        assert.deepStrictEqual(yield* differences(own, { quantity }), [])
        for (const part of [1e-11, -1e-11]) {
          assert.deepStrictEqual(yield* differences(own, { quantity: off(quantity, part) }), [])
        }
        for (const part of [1e-9, -1e-9, 1e-4, -1e-4]) {
          const found = yield* differences(own, { quantity: off(quantity, part) })
          assert.deepStrictEqual(found, ["position"], `${quantity} off by ${part}`)
        }
      }
    })
  )

  it.effect("is the same where the difference is far below a step, as of a rest", () =>
    Effect.gen(function* () {
      // A rest as doubles have it, of a far larger position.
      const own = { quantity: 0.00001599999999513102 }
      assert.deepStrictEqual(yield* differences(own, { quantity: 0.000016 }), [])
      assert.deepStrictEqual(yield* differences(own, { quantity: 0.000026 }), ["position"])
      for (const part of [0.01, 0.1, 1]) {
        const theirs = { quantity: 0.000016 + part * step }
        assert.deepStrictEqual(yield* differences(own, theirs), ["position"], `${part} of a step`)
      }
    })
  )

  it.effect("differs where only one of both has any, or they are of opposite sides", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* differences({ quantity: 1e-6 }, {}), ["position"])
      assert.deepStrictEqual(yield* differences({}, { quantity: -1e-6 }), ["position"])
      assert.deepStrictEqual(yield* differences({ quantity: 5 }, { quantity: -5 }), ["position"])
    })
  )
})

describe("cash", () => {
  it.effect("is the same as far as rounding of what there was goes, and no farther", () =>
    Effect.gen(function* () {
      for (const cash of [capital, 1, 0, -capital / 2]) {
        assert.deepStrictEqual(yield* differences({ cash }, { cash }), [])
        assert.deepStrictEqual(yield* differences({ cash }, { cash: cash + 1e-7 }), [])
        for (const cents of [0.01, -0.01, 1, -1]) {
          const found = yield* differences({ cash }, { cash: cash + cents })
          assert.deepStrictEqual(found, ["cash"], `${cash} and ${cents} more`)
        }
      }
    })
  )
})

describe("an order of the bot that does not rest at the broker", () => {
  it.effect("is on its way as long as nobody has confirmed it", () =>
    Effect.gen(function* () {
      for (const status of ["submitted", "unknown"] as const) {
        assert.deepStrictEqual(yield* differences({ orders: { one: status } }, {}), [], status)
      }
    })
  )

  it.effect("is a difference once it was confirmed, whatever became of it there", () =>
    Effect.gen(function* () {
      for (const status of ["accepted", "partially_filled"] as const) {
        const own = { orders: { one: status } }
        assert.deepStrictEqual(yield* differences(own, {}), ["order one"], status)
        assert.deepStrictEqual(yield* differences(own, { over: ["one"] }), ["order one"], status)
        assert.deepStrictEqual(yield* differences(own, { orders: ["one"] }), [], status)
      }
    })
  )
})

describe("an order at the broker that the bot does not have", () => {
  it.effect("is a difference where it is another's", () =>
    Effect.gen(function* () {
      const found = yield* differences({}, { orders: ["somebody's", "else's"] })
      assert.deepStrictEqual(found, ["order somebody's", "order else's"])
    })
  )

  it.effect("is none where the bot has given it up and is about to cancel it", () =>
    Effect.gen(function* () {
      const mine = `${bot.id.slice(-14)}-1-0-e5`
      assert.deepStrictEqual(yield* differences({}, { orders: [mine] }), [])
      const own = { disowned: ["somebody's"] }
      assert.deepStrictEqual(yield* differences(own, { orders: ["somebody's"] }), [])
      const both = yield* differences(own, { orders: ["somebody's", "else's"] })
      assert.deepStrictEqual(both, ["order else's"])
    })
  )
})

describe("the lots of a position", () => {
  const lotOf = (id: string, quantity: number) => ({
    id,
    position: { quantity, entryPrice, entryFees: 0, entryIndex: 0, entryTime: 0 }
  })
  type Lots = ReadonlyArray<readonly [string, number]>

  /** Both hold three; each keeps these entries of it apart, or none. */
  const found = (own: Lots | undefined, theirs: Lots | undefined) => {
    const session = sessionOf({ quantity: 3 })
    const [book] = session.account.books
    if (own !== undefined) {
      Object.assign(book!, { lots: own.map(([id, quantity]) => lotOf(id, quantity)) })
    }
    const lots = theirs?.map(([entryOrderId, quantity]) => ({ entryOrderId, quantity }))
    const position = { symbol, quantity: 3, entryPrice, protection: null, lots }
    const held = { ...heldOf({}), positions: [position] } as unknown as BookedAccount
    return compareBooks(portsOf({}, {}), bot, session, held)
  }

  it.effect("are compared by their entries, in whatever order they are told", () =>
    Effect.gen(function* () {
      const own: Lots = [
        ["a", 1],
        ["b", 2]
      ]
      assert.deepStrictEqual(
        yield* found(own, [
          ["b", 2],
          ["a", 1]
        ]),
        []
      )
      const difference = {
        kind: "position",
        symbol,
        own: { quantity: 3, entry_price: entryPrice },
        exchange: { quantity: 3, entry_price: entryPrice }
      }
      const others: ReadonlyArray<Lots> = [
        [
          ["a", 2],
          ["b", 1]
        ],
        [
          ["a", 1],
          ["c", 2]
        ],
        [
          ["a", 1],
          ["b", 2],
          ["c", 0]
        ],
        [["a", 3]]
      ]
      for (const theirs of others) {
        assert.deepStrictEqual<unknown>(yield* found(own, theirs), [difference])
      }
    })
  )

  it.effect("are not compared where one of both keeps none apart", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* found([["a", 1]], undefined), [])
      assert.deepStrictEqual(yield* found(undefined, [["a", 1]]), [])
      assert.deepStrictEqual(yield* found(undefined, undefined), [])
    })
  )
})

describe("a difference", () => {
  const whole = (own: Own, theirs: Theirs) =>
    compareBooks(portsOf(own, theirs), bot, sessionOf(own), heldOf(theirs))

  it.effect("has both sides, of the market that it is in", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* whole({ quantity: 2, cash: 1 }, { cash: 2 }), [
        {
          kind: "position",
          symbol,
          own: { quantity: 2, entry_price: entryPrice },
          exchange: null
        },
        { kind: "cash", own: 1, exchange: 2 }
      ])
      const own = { orders: { one: "accepted", two: "submitted" } } as const
      assert.deepStrictEqual(yield* whole(own, { over: ["one"], orders: ["else's"] }), [
        { kind: "order", symbol, client_order_id: "one", own: "open", exchange: "over" },
        { kind: "order", symbol, client_order_id: "else's", own: "none", exchange: "open" }
      ])
      assert.deepStrictEqual(yield* whole({ orders: { one: "accepted" } }, {}), [
        { kind: "order", symbol, client_order_id: "one", own: "open", exchange: "none" }
      ])
    })
  )

  it.effect("of a market is not looked for among the positions of another", () =>
    Effect.gen(function* () {
      const position = { symbol: "ETH/USDT", quantity: 2, entryPrice, protection: null }
      const held: BookedAccount = { ...heldOf({}), positions: [position] }
      const kinds = yield* compareBooks(portsOf({}, {}), bot, sessionOf({ quantity: 2 }), held)
      assert.deepStrictEqual(
        kinds.map(({ kind }) => kind),
        ["position"]
      )
    })
  )

  it.effect("is none where the broker finds the order open, and nothing is asked without one", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const ports = {
        orders: {
          listOpen: () => Effect.sync(() => [asked.push("listOpen")].slice(1))
        },
        paperBooks: { find: () => Effect.succeed(Option.some("open")) }
      } as unknown as BotPorts
      const own = { orders: { one: "accepted" } } as const
      assert.deepStrictEqual(yield* compareBooks(ports, bot, sessionOf(own), heldOf({})), [])
      assert.deepStrictEqual(asked, ["listOpen"])
      assert.deepStrictEqual(yield* compareBooks(ports, bot, sessionOf({}), heldOf({})), [])
      assert.deepStrictEqual(asked, ["listOpen"])
    })
  )

  it("is told in one sentence with both sides", () => {
    const held = (quantity: number) => ({ quantity, entry_price: entryPrice })
    const told = (own: number | null, exchange: number | null) =>
      describeDifference({
        kind: "position",
        symbol,
        own: own === null ? null : held(own),
        exchange: exchange === null ? null : held(exchange)
      })
    assert.strictEqual(told(2, 3), "BTC/USDT: 2 here, 3 at the exchange")
    assert.strictEqual(told(2, null), "BTC/USDT: 2 here, 0 at the exchange")
    assert.strictEqual(told(null, 3), "BTC/USDT: 0 here, 3 at the exchange")
    assert.strictEqual(told(null, null), "BTC/USDT: 0 here, 0 at the exchange")
    assert.strictEqual(told(3, 3), "BTC/USDT: 3 on both sides, in other lots")
    assert.strictEqual(
      describeDifference({
        kind: "order",
        symbol,
        client_order_id: "one",
        own: "open",
        exchange: "none"
      }),
      "order one: open here, none at the exchange"
    )
    assert.strictEqual(
      describeDifference({ kind: "cash", own: 1, exchange: 2 }),
      "cash: 1 here, 2 at the exchange"
    )
  })
})
