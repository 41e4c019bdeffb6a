/**
 * The agent of an exchange account against pauses, nonsense and faults. None of these may end its
 * work or keep its bots from trading for good.
 */
import type { OrderAttempt } from "@candlewick/core"
import type { VenueCall, VenueFault } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, References } from "effect"
import { makeWorld, pass } from "./accountWorld.ts"

const statesOf = (attempts: ReadonlyArray<OrderAttempt>) => attempts.map(({ state }) => state)

/** A fault of the first call of a kind; the ones after it have none. */
const faultOf = (type: VenueCall["type"], fault: VenueFault) => {
  const left = [fault]
  return (call: VenueCall): VenueFault => (call.type === type ? (left.shift() ?? {}) : {})
}

type World = Effect.Success<ReturnType<typeof makeWorld>>
type VenueOf = NonNullable<NonNullable<Parameters<typeof makeWorld>[0]>["venueOf"]>

const kindsOf = (agent: Effect.Success<World["begin"]>) =>
  Effect.map(agent.standing, ({ hindrances }) => hindrances.map(({ kind }) => kind))

/** Answers that no program can read, each of another call. */
const nonsense: Readonly<Record<string, (isMad: () => boolean) => VenueOf>> = {
  "a trade of no quantity": (isMad) => (venue) => ({
    ...venue,
    trades: (cursor) =>
      Effect.map(venue.trades(cursor), (page) => {
        if (!isMad()) return page
        return { ...page, trades: page.trades.map((one) => ({ ...one, quantity: "" })) }
      })
  }),
  "a price in exponents, of a trade by hand": (isMad) => (venue) => ({
    ...venue,
    trades: (cursor) =>
      Effect.map(venue.trades(cursor), (page) => {
        if (!isMad()) return page
        return {
          ...page,
          trades: page.trades.map((one) => ({ ...one, orderId: null, price: "1e2" }))
        }
      })
  }),
  "holdings that are no number": (isMad) => (venue) => ({
    ...venue,
    holdings: Effect.map(venue.holdings, (held) =>
      isMad() ? { ...held, balances: new Map([["USDT", "NaN"]]) } : held
    )
  }),
  "an adapter that throws": (isMad) => (venue) => ({
    ...venue,
    openOrders: Effect.suspend(() => {
      if (isMad()) throw new TypeError("undefined is not a function")
      return venue.openOrders
    })
  })
}

describe("the agent of an exchange account", () => {
  it.effect("is hindered by a pause for as long as that lasts, though nothing is sent", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ drawFault: faultOf("cancel", { outcome: "not_sent" }) })
      const attempt = yield* world.decide({ limitPrice: "90" })
      const agent = yield* world.begin
      yield* pass(3)
      yield* world.takeBack(attempt)
      yield* agent.ring
      yield* pass(1)
      assert.deepStrictEqual(yield* kindsOf(agent), ["paused"])
      yield* pass(5)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["over"])
      assert.deepStrictEqual(yield* kindsOf(agent), [])
    })
  )

  it.effect(
    "sends no entry once its account is halted, however slow the store was to keep it",
    () =>
      Effect.gen(function* () {
        let slowMs = 3_000
        const world = yield* makeWorld({
          portsOf: (ports) => ({
            ...ports,
            transactor: {
              ...ports.transactor,
              transact: (work) =>
                Effect.tap(ports.transactor.transact(work), (result) => {
                  const isLeaving =
                    typeof result === "object" && result !== null && "sent" in result && result.sent
                  if (!isLeaving || slowMs === 0) return Effect.void
                  const ms = slowMs
                  slowMs = 0
                  return Effect.sleep(ms)
                })
            }
          })
        })
        const entry = yield* world.decide()
        yield* world.begin
        yield* pass(1)
        assert.deepStrictEqual(statesOf(yield* world.attemptsOf(entry)), ["sending"])
        yield* world.ports.haltFlag.raise(world.account.id)
        yield* pass(5)
        assert.lengthOf(yield* world.orders, 0)
        assert.deepStrictEqual(statesOf(yield* world.attemptsOf(entry)), ["over"])
        const facts = yield* world.factsOf(entry.bot_id)
        assert.deepStrictEqual(
          facts.map(({ fact }) => fact.type === "ended" && fact.outcome),
          ["cancelled"]
        )
      })
  )

  for (const [name, venueOf] of Object.entries(nonsense)) {
    it.effect(`says so and books nothing at ${name}, and goes on afterwards`, () =>
      Effect.gen(function* () {
        let isMad = false
        const world = yield* makeWorld({ venueOf: venueOf(() => isMad) })
        const agent = yield* world.begin
        yield* pass(3)
        isMad = true
        const attempt = yield* world.decide()
        yield* Effect.forkChild(agent.reconcile)
        yield* pass(5)
        assert.deepStrictEqual(yield* kindsOf(agent), ["unavailable"])
        isMad = false
        yield* pass(8)
        assert.deepStrictEqual(yield* kindsOf(agent), [])
        assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["over"])
        const facts = yield* world.factsOf(attempt.bot_id)
        assert.deepStrictEqual(
          facts.map(({ fact }) => fact.type === "trade" && fact.price),
          ["100"]
        )
      })
    )
  }

  it.effect("goes on after a fault of its own, and says that it had one", () =>
    Effect.gen(function* () {
      let isBroken = false
      const world = yield* makeWorld({
        portsOf: (ports) => ({
          ...ports,
          venueAccounts: {
            ...ports.venueAccounts,
            listOpenAttempts: (key) =>
              Effect.suspend(() => {
                if (isBroken) throw new RangeError("by the test")
                return ports.venueAccounts.listOpenAttempts(key)
              })
          }
        })
      })
      const agent = yield* world.begin
      yield* pass(3)
      isBroken = true
      yield* pass(3)
      const { hindrances } = yield* agent.standing
      assert.include(hindrances[0]?.why, "by the test")
      isBroken = false
      const attempt = yield* world.decide()
      yield* pass(5)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["over"])
      assert.deepStrictEqual(yield* kindsOf(agent), [])
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
  )

  it.effect("asks a venue that always has more, and never moves its cursor, at its pace", () =>
    Effect.gen(function* () {
      let count = 0
      const world = yield* makeWorld({
        venueOf: (venue) => ({
          ...venue,
          trades: () =>
            Effect.map(venue.trades(null), (page) => {
              count++
              return { ...page, cursor: "same", hasMore: true }
            })
        })
      })
      yield* world.decide()
      const agent = yield* world.begin
      yield* pass(20)
      assert.isBelow(count, 60)
      assert.lengthOf(yield* world.factsOf(world.bots[0]!.id), 1)
      assert.deepStrictEqual(yield* kindsOf(agent), [])
    })
  )

  it.effect("compares an account although the venue cancels no order that nobody wants", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({
        drawFault: ({ type }) => (type === "cancel" ? { outcome: "lost_before" } : {})
      })
      const attempt = yield* world.decide({ limitPrice: "90" })
      const agent = yield* world.begin
      yield* pass(3)
      const [working] = yield* world.attemptsOf(attempt)
      yield* world.ports.venueAccounts.putAttempt({ ...working!, state: "over" })
      const comparing = yield* Effect.forkChild(agent.reconcile)
      yield* pass(8)
      const { cancelled, mismatched } = yield* Fiber.join(comparing)
      assert.deepStrictEqual({ cancelled, mismatched }, { cancelled: [], mismatched: [] })
    })
  )

  it.effect("sends by an account although the venue answers one question in three", () =>
    Effect.gen(function* () {
      let count = 0
      const isRead = (type: string) => type !== "submit" && type !== "cancel"
      const world = yield* makeWorld({
        drawFault: ({ type }) =>
          isRead(type) && count++ % 3 !== 2 ? { outcome: "lost_before" } : {}
      })
      const attempt = yield* world.decide()
      const agent = yield* world.begin
      yield* pass(5)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["over"])
      assert.deepStrictEqual(yield* kindsOf(agent), [])
    })
  )

  it.effect("says at a start where an answer can't be read, and since when, until it can", () =>
    Effect.gen(function* () {
      let isBroken = true
      const world = yield* makeWorld({
        venueOf: (venue) => ({
          ...venue,
          holdings: Effect.map(venue.holdings, (held) =>
            isBroken ? { ...held, balances: new Map([["USDT", "1e3"]]) } : held
          )
        })
      })
      const agent = yield* world.begin
      const told = Effect.map(agent.standing, ({ hindrances }) => hindrances)
      yield* pass(3)
      const [first, ...others] = yield* told
      assert.deepStrictEqual(others, [])
      assert.strictEqual(first?.kind, "unavailable")
      assert.include(first?.why, `at ["balances"]`)
      yield* pass(30)
      assert.deepStrictEqual(yield* told, [first!])
      isBroken = false
      yield* pass(5)
      assert.deepStrictEqual(yield* kindsOf(agent), [])
    })
  )

  it.effect("leaves a book alone that it can't read, and says so", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const agent = yield* world.begin
      yield* pass(3)
      const { get, put } = world.ports.venueAccounts
      const kept = Option.getOrThrow(yield* get(world.key))
      const book = { shares: { bots: 7 } }
      yield* put({ ...kept, book })
      yield* world.decide()
      yield* pass(5)
      assert.include((yield* agent.standing).hindrances[0]?.why, "can't be read")
      assert.deepStrictEqual(Option.getOrThrow(yield* get(world.key)).book, book)
      assert.lengthOf(yield* world.orders, 0)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
  )
})
