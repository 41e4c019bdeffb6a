/**
 * The agent of an exchange account against an exchange that loses, delays and refuses.
 */
import type { OrderAttempt } from "@candlewick/core"
import type { VenueCall, VenueFault } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { btc, makeWorld, pass } from "./accountWorld.ts"

const statesOf = (attempts: ReadonlyArray<OrderAttempt>) => attempts.map(({ state }) => state)

/** A fault of the first calls of a kind; the ones after it have none. */
const faultsOf = (type: VenueCall["type"], ...faults: ReadonlyArray<VenueFault>) => {
  const left = [...faults]
  return (call: VenueCall): VenueFault => (call.type === type ? (left.shift() ?? {}) : {})
}

describe("the agent of an exchange account", () => {
  it.effect("sends what is written, keeps its trades, and wakes the bot", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const attempt = yield* world.decide()
      yield* world.begin
      yield* pass(5)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["over"])
      assert.lengthOf(yield* world.orders, 1)
      const facts = yield* world.factsOf(attempt.bot_id)
      assert.deepStrictEqual(
        facts.map(({ fact }) => [fact.type, fact.client_order_id]),
        [["trade", attempt.client_order_id]]
      )
      assert.include(world.woken, attempt.bot_id)
    })
  )

  for (const outcome of ["lost_after", "hangs_after"] as const) {
    it.effect(`finds an order whose answer is ${outcome}, and sends no other`, () =>
      Effect.gen(function* () {
        const world = yield* makeWorld({ drawFault: faultsOf("submit", { outcome }) })
        const attempt = yield* world.decide({ limitPrice: "90" })
        yield* world.begin
        yield* pass(60)
        assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["working"])
        assert.lengthOf(yield* world.orders, 1)
        const order = yield* world.ports.orders.get(attempt.bot_id, attempt.client_order_id)
        assert.strictEqual(Option.getOrThrow(order).status, "accepted")
      })
    )
  }

  it.effect("sends an order that was lost again, under another id, after the fence alone", () =>
    Effect.gen(function* () {
      const drawFault = faultsOf("submit", { outcome: "lost_before" })
      const world = yield* makeWorld({ drawFault })
      const attempt = yield* world.decide()
      yield* world.begin
      yield* pass(15)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["unknown"])
      yield* pass(15)
      const attempts = yield* world.attemptsOf(attempt)
      assert.deepStrictEqual(statesOf(attempts), ["absent", "over"])
      assert.notStrictEqual(attempts[0]!.id, attempts[1]!.id)
      assert.lengthOf(yield* world.trades, 1)
    })
  )

  it.effect("makes one order of a request that arrives while it is looked for", () =>
    Effect.gen(function* () {
      // The request is on its way for four seconds, and the caller hears nothing of it.
      const fault = { outcome: "hangs_after", delayMs: 4_900 } as const
      const world = yield* makeWorld({ drawFault: faultsOf("submit", fault) })
      const attempt = yield* world.decide()
      yield* world.begin
      yield* pass(60)
      assert.lengthOf(yield* world.orders, 1)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["over"])
    })
  )

  it.effect("sends nothing again where the exchange has no window", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({
        capabilities: { windowMs: null },
        drawFault: faultsOf("submit", { outcome: "lost_before" }, { outcome: "lost_before" })
      })
      const entry = yield* world.decide()
      yield* world.begin
      yield* pass(5)
      const exit = yield* world.decide({ leg: "exit", side: "sell" })
      yield* pass(60)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(entry)), ["given_up"])
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(exit)), ["given_up"])
      const facts = yield* world.factsOf(entry.bot_id)
      assert.deepStrictEqual(
        facts.map(({ fact }) => [
          fact.client_order_id,
          fact.type === "ended" ? fact.outcome : fact.type
        ]),
        [[entry.client_order_id, "expired"]]
      )
      const asked = world.news.filter(({ type }) => type === "asks_operator")
      assert.lengthOf(asked, 1)
    })
  )

  it.effect("ends an entry that is refused, and sends one under its id that was not sent", () =>
    Effect.gen(function* () {
      const drawFault = faultsOf("submit", { outcome: "refused" }, { outcome: "not_sent" })
      const world = yield* makeWorld({ drawFault })
      const [refused, paused] = [yield* world.decide(), yield* world.decide()]
      yield* world.begin
      yield* pass(10)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(refused)), ["refused"])
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(paused)), ["over"])
      assert.lengthOf(yield* world.orders, 1)
      const [end] = yield* world.factsOf(refused.bot_id)
      assert.deepInclude(end!.fact, { type: "ended", outcome: "rejected" })
    })
  )

  it.effect("enters nothing in a market with an unknown order, and leaves it by an exit", () =>
    Effect.gen(function* () {
      const drawFault = faultsOf("submit", { outcome: "hangs_before" })
      const world = yield* makeWorld({ drawFault, balances: { USDT: "10000", BTC: "1" } })
      yield* world.decide()
      yield* world.begin
      yield* pass(7)
      const entry = yield* world.decide()
      const exit = yield* world.decide({ leg: "exit", side: "sell" })
      yield* pass(3)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(entry)), ["written"])
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(exit)), ["over"])
      yield* pass(30)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(entry)), ["over"])
    })
  )

  it.effect("takes back what was not sent, and cancels what rests", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const resting = yield* world.decide({ limitPrice: "90" })
      const agent = yield* world.begin
      yield* pass(3)
      yield* world.takeBack(resting)
      yield* agent.ring
      yield* pass(3)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(resting)), ["over"])
      assert.deepStrictEqual(
        (yield* world.orders).map(({ status }) => status),
        ["cancelled"]
      )
      const unsent = yield* world.decide({ limitPrice: "90" })
      yield* world.takeBack(unsent)
      yield* pass(3)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(unsent)), ["over"])
      assert.lengthOf(yield* world.orders, 1)
      const facts = yield* world.factsOf(resting.bot_id)
      assert.deepStrictEqual(
        facts.map(({ fact }) => fact.type === "ended" && fact.outcome),
        ["cancelled", "cancelled"]
      )
    })
  )

  it.effect("cancels again where the answer was lost, and tells the end after the trades", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({
        drawFault: faultsOf("cancel", { outcome: "lost_before" }, { outcome: "lost_after" }),
        habits: { tellDelayMs: 8_000 },
        random: () => 0.99
      })
      const attempt = yield* world.decide({ limitPrice: "90", quantity: "2" })
      yield* world.begin
      yield* pass(3)
      yield* world.model.moveTo(btc.symbol, "89")
      yield* world.takeBack(attempt)
      yield* pass(30)
      const facts = (yield* world.factsOf(attempt.bot_id)).map(({ fact }) => fact.type)
      assert.deepStrictEqual(facts, ["trade"])
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["over"])
    })
  )

  it.effect("sends nothing while the exchange is maintained, and goes on afterwards", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const agent = yield* world.begin
      yield* pass(3)
      yield* world.model.act({ type: "maintenance", isDown: true })
      yield* pass(6)
      const attempt = yield* world.decide()
      yield* pass(6)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["written"])
      const { hindrances, isReady } = yield* agent.standing
      assert.isFalse(isReady)
      assert.deepStrictEqual(
        hindrances.map(({ kind }) => kind),
        ["maintenance"]
      )
      yield* world.model.act({ type: "maintenance", isDown: false })
      yield* pass(6)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["over"])
      assert.deepStrictEqual((yield* agent.standing).hindrances, [])
    })
  )

  it.effect("lets an entry expire that waited for longer than a candle", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      yield* world.model.act({ type: "maintenance", isDown: true })
      const entry = yield* world.decide()
      yield* world.begin
      yield* pass(3_700)
      yield* world.model.act({ type: "maintenance", isDown: false })
      yield* pass(6)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(entry)), ["over"])
      assert.lengthOf(yield* world.orders, 0)
      const [end] = yield* world.factsOf(entry.bot_id)
      assert.deepInclude(end!.fact, { type: "ended", outcome: "expired" })
    })
  )
})
