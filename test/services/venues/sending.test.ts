/**
 * The agent of an exchange account against an exchange that loses, delays and refuses.
 */
import {
  type OrderAttempt,
  StoreError,
  StoreUnavailable,
  VenueError,
  VenueRefused
} from "@candlewick/core"
import type { VenueCall, VenueFault } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { btc, makeWorld, pass, startMs } from "./accountWorld.ts"

const statesOf = (attempts: ReadonlyArray<OrderAttempt>) => attempts.map(({ state }) => state)

/** A fault of the first calls of a kind; the ones after it have none. */
const faultsOf = (type: VenueCall["type"], ...faults: ReadonlyArray<VenueFault>) => {
  const left = [...faults]
  return (call: VenueCall): VenueFault => (call.type === type ? (left.shift() ?? {}) : {})
}

/** An agent that begins, and what it says of its account. */
const hinderedAgent = ({ begin }: Effect.Success<ReturnType<typeof makeWorld>>) =>
  Effect.map(
    begin,
    (agent) => [agent, Effect.map(agent.standing, ({ hindrances }) => hindrances)] as const
  )

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

  it.effect("hears of an order that ends before its request is answered", () =>
    Effect.gen(function* () {
      const fault = { answerMs: 3_000 }
      const world = yield* makeWorld({ drawFault: faultsOf("submit", fault) })
      const attempt = yield* world.decide({ limitPrice: "90" })
      yield* world.begin
      yield* pass(2)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["sending"])
      yield* world.model.act({ type: "end", id: attempt.id, status: "rejected" })
      // Long before the account is reconciled again.
      yield* pass(8)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["over"])
      const facts = yield* world.factsOf(attempt.bot_id)
      assert.deepStrictEqual(
        facts.map(({ fact }) => fact.type === "ended" && fact.outcome),
        ["rejected"]
      )
    })
  )

  it.effect("closes what its bot has left, where an exit asks for more beside another one", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ owned: "1", balances: { USDT: "10000", BTC: "5" } })
      const terms = {
        fee_rate: 0,
        fee_per_fill: 0,
        slippage_rate: 0,
        quantity_step: btc.quantityStep,
        price_step: btc.priceStep,
        min_quantity: btc.minQuantity,
        min_notional: btc.minNotional
      }
      const sale = { leg: "exit", side: "sell", terms } as const
      yield* world.decide({ ...sale, quantity: "0.6" })
      const second = yield* world.decide({ ...sale, quantity: "1" })
      yield* world.begin
      yield* pass(5)
      assert.deepStrictEqual(
        (yield* world.trades).map(({ quantity }) => Number(quantity)),
        [0.6, 0.4]
      )
      const ends = (yield* world.factsOf(second.bot_id)).flatMap(({ fact }) =>
        fact.type === "ended" ? [[fact.client_order_id, fact.outcome, fact.reason]] : []
      )
      const wanted = [second.client_order_id, "cancelled", "the bot held no more"]
      assert.deepStrictEqual(ends, [wanted])
    })
  )

  it.effect("sends no entry of which another of its group has filled, in part as in whole", () =>
    Effect.gen(function* () {
      for (const [partChance, fact] of [
        [0, "over"],
        [1, "working"]
      ] as const) {
        const world = yield* makeWorld({
          habits: { partChance, fillDelayMs: 3_600_000 },
          limits: { ordersPerMinuteMax: 1 },
          random: () => 0
        })
        const group = "either"
        const first = yield* world.decide({ limitPrice: "110", group })
        const second = yield* world.decide({ limitPrice: "90", group })
        const alone = yield* world.decide({ limitPrice: "90", group: "another" })
        yield* world.begin
        yield* pass(50)
        assert.deepStrictEqual(statesOf(yield* world.attemptsOf(first)), [fact])
        assert.deepStrictEqual(statesOf(yield* world.attemptsOf(second)), ["over"])
        yield* pass(75)
        assert.deepStrictEqual(statesOf(yield* world.attemptsOf(alone)), ["working"])
        assert.lengthOf(yield* world.orders, 2)
        const facts = yield* world.factsOf(second.bot_id)
        assert.deepStrictEqual(
          facts.flatMap((kept) => (kept.fact.type === "ended" ? [kept.fact.reason] : [])),
          ["another of its group was filled"]
        )
      }
    })
  )

  it.effect("sends nothing again where the exchange has no window", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({
        capabilities: { windowMs: null },
        owned: "1",
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
      const [lost] = yield* world.attemptsOf(exit)
      assert.deepInclude(asked[0], { exchangeOrderId: lost!.id })
    })
  )

  it.effect("asks nobody about an exit once its bot is deleted", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({
        capabilities: { windowMs: null },
        owned: "1",
        drawFault: faultsOf("submit", { outcome: "lost_before" })
      })
      const { account, bots, ports } = world
      const exit = yield* world.decide({ leg: "exit", side: "sell" })
      const [, hindrances] = yield* Effect.tap(hinderedAgent(world), () => pass(60))
      assert.include((yield* hindrances)[0]?.why, exit.bot_id)
      const bot = yield* Effect.flatMap(ports.bots.get(account.id, bots[0]!.id), Effect.fromOption)
      yield* ports.bots.remove(account.id, bot.id, bot.version)
      yield* pass(120)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(exit)), ["over"])
      assert.deepStrictEqual(yield* hindrances, [])
    })
  )

  it.effect("goes on to ask a person about an exit after a restart", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({
        capabilities: { windowMs: null },
        balances: { USDT: "10000", BTC: "2" },
        owned: "1",
        drawFault: faultsOf("submit", { outcome: "lost_before" })
      })
      const exit = yield* world.decide({ leg: "exit", side: "sell" })
      const [first, before] = yield* Effect.tap(hinderedAgent(world), () => pass(60))
      const told = yield* before
      assert.deepStrictEqual(
        told.map(({ kind }) => kind),
        ["asks_operator"]
      )
      assert.include(told[0]!.why, exit.client_order_id)
      yield* first.end
      const [, after] = yield* Effect.tap(hinderedAgent(world), () => pass(60))
      assert.deepStrictEqual(
        (yield* after).map(({ kind, why }) => [kind, why]),
        told.map(({ kind, why }) => [kind, why])
      )
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
      const world = yield* makeWorld({
        drawFault,
        balances: { USDT: "10000", BTC: "1" },
        owned: "1"
      })
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

  it.effect("sends an exit beside an entry that has no answer", () =>
    Effect.gen(function* () {
      const drawFault = faultsOf("submit", { outcome: "hangs_before" })
      const balances = { USDT: "10000", BTC: "2" }
      const world = yield* makeWorld({ drawFault, balances, owned: "1" })
      const entry = yield* world.decide()
      const agent = yield* world.begin
      yield* pass(1)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(entry)), ["sending"])
      const exit = yield* world.decide({ leg: "exit", side: "sell" })
      yield* agent.ring
      yield* pass(2)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(exit)), ["over"])
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(entry)), ["sending"])
    })
  )

  it.effect("keeps a place for exits where entries in several markets have no answer", () =>
    Effect.gen(function* () {
      const eth = { ...btc, symbol: "ETH/USDT", base: "ETH" }
      const fault = { outcome: "hangs_before" } as const
      const world = yield* makeWorld({
        markets: [btc, eth],
        capabilities: { requestsAtOnceMax: 2 },
        drawFault: faultsOf("submit", fault),
        balances: { USDT: "10000", BTC: "2" },
        owned: "1"
      })
      const [first, second] = [yield* world.decide(), yield* world.decide({ symbol: eth.symbol })]
      const agent = yield* world.begin
      yield* pass(1)
      const exit = yield* world.decide({ leg: "exit", side: "sell" })
      yield* agent.ring
      yield* pass(2)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(first)), ["sending"])
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(second)), ["written"])
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(exit)), ["over"])
      yield* pass(4)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(second)), ["over"])
    })
  )

  it.effect("cancels an order after its submission alone, and never twice at once", () =>
    Effect.gen(function* () {
      const calls: Array<string> = []
      const world = yield* makeWorld({
        drawFault: (call) => {
          if (call.type === "submit" || call.type === "cancel") calls.push(call.type)
          if (call.type === "submit") return { answerMs: 3_000 }
          return call.type === "cancel" ? { outcome: "hangs_before" } : {}
        }
      })
      const attempt = yield* world.decide({ limitPrice: "90" })
      const agent = yield* world.begin
      yield* pass(1)
      yield* world.takeBack(attempt)
      yield* agent.ring
      yield* pass(1)
      assert.deepStrictEqual(calls, ["submit"])
      yield* pass(5)
      assert.deepStrictEqual(calls, ["submit", "cancel"])
      yield* pass(5)
      assert.deepStrictEqual(calls, ["submit", "cancel", "cancel"])
    })
  )

  for (const hasImmediate of [true, false]) {
    const whose = hasImmediate ? "by the exchange" : "by a cancel of the rest"
    it.effect(`ends what does not fill at once ${whose}`, () =>
      Effect.gen(function* () {
        const world = yield* makeWorld({ capabilities: { hasImmediate } })
        const [late, met] = [
          yield* world.decide({ limitPrice: "90", isImmediate: true }),
          yield* world.decide({ limitPrice: "110", isImmediate: true })
        ]
        yield* world.begin
        yield* pass(10)
        yield* world.model.moveTo(btc.symbol, "80")
        yield* pass(5)
        for (const one of [late, met]) {
          assert.deepStrictEqual(statesOf(yield* world.attemptsOf(one)), ["over"])
        }
        const facts = (yield* world.factsOf(late.bot_id)).map(({ fact }) => [
          fact.client_order_id,
          fact.type === "ended" ? fact.outcome : fact.type
        ])
        assert.sameDeepMembers(facts, [
          [late.client_order_id, "expired"],
          [met.client_order_id, "trade"]
        ])
      })
    )
  }

  for (const hasExpiry of [true, false]) {
    const whose = hasExpiry ? "the exchange ends it" : "it cancels it"
    it.effect(`lets an order rest until its time, at which ${whose}`, () =>
      Effect.gen(function* () {
        const world = yield* makeWorld({ capabilities: { hasExpiry } })
        const endsAtMs = startMs + 20_000
        const attempt = yield* world.decide({ limitPrice: "90", endsAtMs })
        yield* world.begin
        yield* pass(18)
        assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["working"])
        yield* pass(15)
        yield* world.model.moveTo(btc.symbol, "80")
        yield* pass(75)
        assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["over"])
        const facts = yield* world.factsOf(attempt.bot_id)
        assert.deepStrictEqual(
          facts.map(({ fact }) => (fact.type === "ended" ? fact.outcome : fact.type)),
          ["expired"]
        )
        const orders = yield* world.orders
        assert.deepStrictEqual(
          orders.map(({ status }) => status),
          [hasExpiry ? "expired" : "cancelled"]
        )
      })
    )
  }

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

  it.effect("sends nothing late after a freeze between the transaction and the request", () =>
    Effect.gen(function* () {
      let frozenMs = 8_000
      const world = yield* makeWorld({
        portsOf: (ports) => ({
          ...ports,
          transactor: {
            ...ports.transactor,
            transact: (work) =>
              Effect.tap(ports.transactor.transact(work), (result) => {
                const isSent =
                  typeof result === "object" && result !== null && "sent" in result && result.sent
                if (!isSent || frozenMs === 0) return Effect.void
                const ms = frozenMs
                frozenMs = 0
                return Effect.sleep(ms)
              })
          }
        })
      })
      const attempt = yield* world.decide()
      yield* world.begin
      yield* pass(15)
      const attempts = yield* world.attemptsOf(attempt)
      assert.deepStrictEqual(statesOf(attempts), ["refused", "over"])
      assert.include(attempts[0]!.reason, "sent 8000 ms ago")
      assert.lengthOf(yield* world.orders, 1)
    })
  )

  it.effect("sends a stop again that was lost once, however often it has moved before", () =>
    Effect.gen(function* () {
      const drawFault = faultsOf("submit", { outcome: "lost_before" })
      const world = yield* makeWorld({ owned: "1", drawFault })
      const stop = yield* world.decide({ leg: "stop_loss", side: "sell" })
      yield* world.ports.venueAccounts.putAttempt({ ...stop, number: 7 })
      yield* world.begin
      yield* pass(30)
      const attempts = yield* world.attemptsOf(stop)
      assert.deepStrictEqual(statesOf(attempts), ["absent", "over"])
      assert.deepStrictEqual(
        attempts.map(({ number }) => number),
        [7, 8]
      )
      assert.isTrue(world.news.every(({ type }) => type === "reconciled"))
    })
  )

  it.effect("tells nobody of an exit that was lost, and that its bot has taken back", () =>
    Effect.gen(function* () {
      const drawFault = faultsOf("submit", { outcome: "lost_before" })
      const world = yield* makeWorld({ owned: "1", drawFault })
      const exit = yield* world.decide({ leg: "exit", side: "sell" })
      yield* world.ports.venueAccounts.putAttempt({ ...exit, number: 5 })
      yield* world.begin
      yield* pass(5)
      yield* world.takeBack(exit)
      yield* pass(30)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(exit)), ["absent"])
      assert.isTrue(world.news.every(({ type }) => type === "reconciled"))
    })
  )

  it.effect("gives an order up that an exchange with a fast clock always finds too late", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ owned: "1" })
      yield* world.model.act({ type: "skew", skewMs: 60_000 })
      const exit = yield* world.decide({ leg: "exit", side: "sell" })
      yield* world.begin
      yield* pass(15)
      assert.deepStrictEqual(
        statesOf(yield* world.attemptsOf(exit)),
        Array.from({ length: 5 }, () => "refused" as const)
      )
      assert.deepStrictEqual(
        world.news.flatMap(({ type }) => (type === "reconciled" ? [] : [type])),
        ["never_taken"]
      )
      const facts = yield* world.factsOf(exit.bot_id)
      assert.deepStrictEqual(
        facts.map(({ fact }) => fact.type === "ended" && fact.outcome),
        ["expired"]
      )
    })
  )

  it.effect("reconciles as soon as it can where the store failed in between", () =>
    Effect.gen(function* () {
      let isDown = false
      const down = new StoreError({ reason: new StoreUnavailable({ cause: "by the test" }) })
      const world = yield* makeWorld({
        portsOf: (ports) => ({
          ...ports,
          venueAccounts: {
            ...ports.venueAccounts,
            listOpenAttempts: (key) =>
              Effect.suspend(() =>
                isDown ? Effect.fail(down) : ports.venueAccounts.listOpenAttempts(key)
              )
          }
        })
      })
      const agent = yield* world.begin
      yield* pass(3)
      isDown = true
      const asked = yield* Effect.forkChild(agent.reconcile)
      yield* pass(3)
      assert.deepStrictEqual(
        (yield* agent.standing).hindrances.map(({ kind }) => kind),
        ["store"]
      )
      isDown = false
      yield* pass(3)
      assert.isDefined(asked.pollUnsafe())
      assert.isAbove((yield* Fiber.join(asked)).atMs, startMs)
      assert.deepStrictEqual((yield* agent.standing).hindrances, [])
    })
  )

  it.effect("sends nothing with a key that the exchange refuses, until it was reconciled", () =>
    Effect.gen(function* () {
      const refused = new VenueError({
        reason: new VenueRefused({ code: "unauthorized", why: "the key has no right to trade" })
      })
      let isRefused = false
      const world = yield* makeWorld({
        venueOf: (venue) => ({
          ...venue,
          submit: (order) => (isRefused ? Effect.fail(refused) : venue.submit(order)),
          holdings: Effect.suspend(() => (isRefused ? Effect.never : venue.holdings))
        })
      })
      const agent = yield* world.begin
      yield* pass(3)
      isRefused = true
      const attempt = yield* world.decide()
      yield* pass(3)
      const next = yield* world.decide()
      yield* pass(3)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["refused"])
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(next)), ["written"])
      const kinds = (yield* agent.standing).hindrances.map(({ kind }) => kind)
      assert.include(kinds, "unauthorized")
      isRefused = false
      yield* pass(10)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(next)), ["over"])
      assert.deepStrictEqual((yield* agent.standing).hindrances, [])
    })
  )
})
