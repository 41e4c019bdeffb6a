/**
 * The duties of a `PaperBooks` towards positions that grow and shrink. Entries are merged or kept
 * apart, orders end with their position, and there are groups and exits that move.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { OrderRequest } from "@candlewick/core/kernel"
import { flat, openAccount } from "./booksAccount.ts"
import { orderRequest } from "@candlewick/core/testing"

const stopAway = (value: number): OrderRequest["attached"] => ({
  stopLoss: { kind: "fraction", value },
  takeProfit: null,
  trailingStop: null,
  breakEven: null
})

/** An order that rests at a limit, and ends with the position that it belongs to. */
const bound = (fields: Partial<OrderRequest>): OrderRequest =>
  orderRequest({ type: "limit", endsWithPosition: true, ...fields })

/** Two units at 100, in an account that nets so. */
const holding = Effect.fnUntraced(function* (
  netting: "single" | "average" | "hedging",
  fields: Partial<OrderRequest> = {}
) {
  const opened = yield* openAccount(1_000, 1, netting)
  const entry = orderRequest(fields)
  yield* opened.broker.place(opened.botId, 0, entry)
  yield* opened.settle(0, flat)
  return { ...opened, entry }
})

const merged = {
  "refuses an entry beside a position where nobody asked for more": Effect.gen(function* () {
    const { botId, broker, settle } = yield* holding("single")
    const second = orderRequest()
    yield* broker.place(botId, 0, second)
    const { ended, fills } = yield* settle(1, flat)
    assert.deepStrictEqual(fills, [])
    assert.deepInclude(ended[0], { orderId: second.id, outcome: "rejected" })
  }),

  "merges entries at their average price, and moves what protects them": Effect.gen(function* () {
    const { botId, broker, entry, settle } = yield* holding("average", { attached: stopAway(0.2) })
    const addition = bound({ limit: 90, attached: stopAway(0.2) })
    yield* broker.place(botId, 0, addition)
    const { fills } = yield* settle(1, [95, 96, 89, 92])
    assert.deepInclude(fills[0], { orderId: addition.id, effect: "increase", price: 90 })
    const [held] = (yield* broker.account(botId)).positions
    assert.deepInclude(held, { quantity: 4, entryPrice: 95 })
    assert.deepInclude(held?.protection, { entryOrderId: entry.id, stop: 76 })
    const { fills: closing } = yield* settle(2, [92, 93, 70, 71])
    assert.deepInclude(closing[0], { leg: "stop_loss", quantity: 4, price: 76, effect: "close" })
    assert.closeTo(closing[0]!.closed!.pnl, 4 * (76 - 95) - 0.4 - 0.18 - 0.608, 1e-9)
  }),

  "reduces a position by what rests at a price, and says what that part earned": Effect.gen(
    function* () {
      const { botId, broker, settle } = yield* holding("average")
      const target = bound({ side: -1, leg: "exit", quantity: 1, limit: 110 })
      yield* broker.place(botId, 0, target)
      const { fills } = yield* settle(1, [105, 111, 104, 109])
      assert.deepInclude(fills[0], { orderId: target.id, leg: "exit", effect: "reduce" })
      assert.deepInclude(fills[0], { quantity: 1, price: 110 })
      assert.closeTo(fills[0]!.closed!.pnl, 10 - 0.2 - 0.11, 1e-9)
      const [held] = (yield* broker.account(botId)).positions
      assert.deepInclude(held, { quantity: 1, entryPrice: 100 })
    }
  ),

  "ends what rests for a position with that position": Effect.gen(function* () {
    const { botId, broker, settle } = yield* holding("average")
    const addition = bound({ limit: 90 })
    const target = bound({ side: -1, leg: "exit", quantity: 1, limit: 120 })
    yield* broker.place(botId, 0, addition)
    yield* broker.place(botId, 0, target)
    assert.lengthOf((yield* broker.account(botId)).openOrders, 2)
    yield* broker.place(botId, 0, orderRequest({ side: -1, leg: "exit" }))
    const { ended } = yield* settle(1, flat)
    assert.sameMembers(
      ended.map(({ orderId, outcome }) => `${outcome} ${orderId}`),
      [`cancelled ${addition.id}`, `cancelled ${target.id}`]
    )
    assert.deepStrictEqual((yield* broker.account(botId)).openOrders, [])
    assert.deepStrictEqual((yield* settle(2, [100, 130, 80, 100])).fills, [])
  })
}

const apart = {
  "keeps entries apart that are asked to be, each with its own exits": Effect.gen(function* () {
    const { botId, broker, entry, settle } = yield* holding("hedging", { attached: stopAway(0.2) })
    const second = bound({ limit: 90, quantity: 1, attached: stopAway(0.1) })
    yield* broker.place(botId, 0, second)
    yield* settle(1, [95, 96, 89, 92])
    const [held] = (yield* broker.account(botId)).positions
    assert.strictEqual(held?.quantity, 3)
    const shown = held?.lots?.map((lot) => [lot.entryOrderId, lot.quantity, lot.protection?.stop])
    assert.deepStrictEqual(shown, [
      [entry.id, 2, 80],
      [second.id, 1, 81]
    ])
    const { fills } = yield* settle(2, [92, 93, 80.5, 85])
    assert.lengthOf(fills, 1)
    assert.deepInclude(fills[0], { lot: second.id, price: 81, quantity: 1, effect: "reduce" })
    const [rest] = (yield* broker.account(botId)).positions
    assert.deepStrictEqual(
      rest?.lots?.map((lot) => lot.entryOrderId),
      [entry.id]
    )
  }),

  "reduces the lot that an exit names, and else the oldest": Effect.gen(function* () {
    const { botId, broker, entry, settle } = yield* holding("hedging")
    const second = orderRequest()
    yield* broker.place(botId, 0, second)
    yield* settle(1, [90, 91, 89, 90])
    const exit = { side: -1, leg: "exit", quantity: 1 } as const
    yield* broker.place(botId, 0, orderRequest({ ...exit, lot: second.id }))
    yield* broker.place(botId, 0, orderRequest(exit))
    const { fills } = yield* settle(2, [95, 96, 94, 95])
    assert.deepStrictEqual(
      fills.map((fill) => [fill.lot, fill.closed?.entryPrice]),
      [
        [second.id, 90],
        [entry.id, 100]
      ]
    )
  })
}

const orders = {
  "fills one order of a group, and cancels the others": Effect.gen(function* () {
    const { botId, broker, settle } = yield* openAccount()
    const above = orderRequest({ type: "stop", stop: 105, group: "breakout" })
    const below = orderRequest({ type: "limit", limit: 90, group: "breakout" })
    yield* broker.place(botId, 0, above)
    yield* broker.place(botId, 0, below)
    const { ended, fills } = yield* settle(0, [100, 106, 99, 105])
    assert.deepStrictEqual(
      fills.map(({ orderId }) => orderId),
      [above.id]
    )
    assert.deepInclude(ended[0], { orderId: below.id, outcome: "cancelled" })
  }),

  "fills an immediate limit at the next open, or ends it": Effect.gen(function* () {
    const { botId, broker, settle } = yield* openAccount()
    const missed = orderRequest({ type: "limit", limit: 95, isImmediate: true })
    yield* broker.place(botId, 0, missed)
    const { ended, fills } = yield* settle(0, [100, 101, 90, 100])
    assert.deepStrictEqual(fills, [])
    assert.strictEqual(ended[0]?.orderId, missed.id)
    const met = orderRequest({ type: "limit", limit: 95, isImmediate: true })
    yield* broker.place(botId, 0, met)
    assert.deepInclude((yield* settle(1, [94, 96, 93, 95])).fills[0], {
      orderId: met.id,
      price: 94
    })
  }),

  "moves the stop and the target of all that is held, and of nothing nothing": Effect.gen(
    function* () {
      const { botId, broker, settle } = yield* holding("average", { attached: stopAway(0.2) })
      yield* broker.protect(botId, 0, { stop: 97 })
      yield* broker.protect(botId, 0, { target: 130 })
      const [held] = (yield* broker.account(botId)).positions
      assert.deepInclude(held?.protection, { stop: 97, target: 130 })
      const { fills } = yield* settle(1, [99, 99, 96, 98])
      assert.deepInclude(fills[0], { price: 97, effect: "close" })
      const before = yield* broker.account(botId)
      yield* broker.protect(botId, 0, { stop: 50 })
      assert.deepStrictEqual(yield* broker.account(botId), before)
    }
  ),

  "moves the levels of one lot, and takes levels away": Effect.gen(function* () {
    const { botId, broker, entry, settle } = yield* holding("hedging", { attached: stopAway(0.2) })
    const second = orderRequest({ attached: stopAway(0.1) })
    yield* broker.place(botId, 0, second)
    yield* settle(1, flat)
    yield* broker.protect(botId, 0, { lot: second.id, stop: 95, target: 120 })
    yield* broker.protect(botId, 0, { lot: "nothing", stop: 99 })
    const shown = Effect.map(broker.account(botId), ({ positions: [held] }) =>
      held?.lots?.map(({ entryOrderId, protection }) => [
        entryOrderId,
        protection?.stop ?? null,
        protection?.target ?? null
      ])
    )
    assert.deepStrictEqual(yield* shown, [
      [entry.id, 80, null],
      [second.id, 95, 120]
    ])
    yield* broker.protect(botId, 0, { lot: second.id, target: null })
    yield* broker.protect(botId, 0, { lot: entry.id, stop: null })
    assert.deepStrictEqual(yield* shown, [
      [entry.id, null, null],
      [second.id, 95, null]
    ])
    const { fills } = yield* settle(2, [100, 100, 70, 75])
    assert.deepStrictEqual(
      fills.map(({ lot, price }) => [lot, price]),
      [[second.id, 95]]
    )
  }),

  "goes by the netting that was named last once it holds nothing": Effect.gen(function* () {
    const { botId, broker, request, settle } = yield* holding("single")
    yield* broker.open({ ...request, netting: "average" })
    yield* broker.place(botId, 0, orderRequest())
    assert.strictEqual((yield* settle(1, flat)).ended[0]?.outcome, "rejected")
    yield* broker.place(botId, 0, orderRequest({ side: -1, leg: "exit" }))
    yield* settle(2, flat)
    yield* broker.place(botId, 0, orderRequest())
    yield* settle(3, flat)
    yield* broker.place(botId, 0, orderRequest())
    assert.strictEqual((yield* settle(4, flat)).fills[0]?.effect, "increase")
  })
}

/** The duties of a broker towards positions that grow and shrink. */
export const booksLotTests = { ...merged, ...apart, ...orders }
