/**
 * Exchange accounts as their agents keep them: who may send, what is compared, and whose trades and
 * orders are left alone.
 */
import type { OrderAttempt } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option } from "effect"
import { bookOf } from "../../../packages/core/src/services/venues/agent/agentState.ts"
import { btc, makeWorld, pass } from "./accountWorld.ts"

const statesOf = (attempts: ReadonlyArray<OrderAttempt>) => attempts.map(({ state }) => state)

const byHand = {
  symbol: btc.symbol,
  type: "market",
  limitPrice: null,
  stopPrice: null,
  isReduceOnly: false
} as const

describe("an exchange account", () => {
  it.effect("is sent for by the process that took it over last", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const first = yield* world.begin
      yield* pass(3)
      const second = yield* world.begin
      yield* pass(3)
      const kinds = (yield* first.standing).hindrances.map(({ kind }) => kind)
      assert.include(kinds, "ousted")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(first.reconcile)))
      const attempt = yield* world.decide()
      yield* first.ring
      yield* second.ring
      yield* pass(3)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["over"])
      assert.lengthOf(yield* world.orders, 1)
      assert.deepStrictEqual((yield* second.standing).hindrances, [])
    })
  )

  it.effect("leaves no caller waiting who asks for a comparison as its process hands it over", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ capabilities: { readLagMs: 10_000 } })
      const agent = yield* world.begin
      yield* pass(15)
      const asked = yield* Effect.forkChild(Effect.exit(agent.reconcile))
      yield* pass(2)
      yield* agent.end
      const answer = yield* Fiber.join(asked)
      assert.isTrue(Exit.isFailure(answer))
      assert.isTrue((yield* agent.standing).isOver)
    })
  )

  it.effect("compares at once, or by holdings that are newer than the call", () =>
    Effect.gen(function* () {
      const readLagMs = 10_000
      const lag = ({ type }: { readonly type: string }) =>
        type === "holdings" ? { lagMs: readLagMs } : {}
      const world = yield* makeWorld({ capabilities: { readLagMs }, drawFault: lag })
      const agent = yield* world.begin
      yield* pass(15)
      const sinceMs = yield* world.ports.venueAccounts.nowMs
      const [compared, reconciled] = [
        yield* Effect.forkChild(agent.compare),
        yield* Effect.forkChild(agent.reconcile)
      ]
      yield* pass(3)
      assert.isBelow((yield* Fiber.join(compared)).asOfMs, sinceMs + readLagMs)
      yield* pass(10)
      assert.isAtLeast((yield* Fiber.join(reconciled)).asOfMs, sinceMs + readLagMs)
    })
  )

  it.effect("looks an unknown order up while it waits to look at missing coins again", () =>
    Effect.gen(function* () {
      let isLost = false
      const world = yield* makeWorld({
        owned: "1",
        capabilities: { readLagMs: 60_000 },
        drawFault: ({ type }) => (type === "submit" && isLost ? { outcome: "lost_after" } : {})
      })
      const agent = yield* world.begin
      yield* pass(70)
      yield* world.model.act({ type: "deposit", coin: "BTC", amount: "-1" })
      yield* Effect.forkChild(agent.compare)
      yield* pass(3)
      isLost = true
      const order = { leg: "stop_loss", side: "sell", stopPrice: "90" } as const
      const stop = yield* world.decide({ ...order, botId: world.bots[1]!.id })
      yield* agent.ring
      yield* pass(6)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(stop)), ["working"])
    })
  )

  it.effect("resolves what a process left that ended in the middle of a request", () =>
    Effect.gen(function* () {
      let count = 0
      const world = yield* makeWorld({
        drawFault: ({ type }) =>
          type === "submit" && count++ === 0 ? { outcome: "hangs_after" } : {}
      })
      const attempt = yield* world.decide({ limitPrice: "90" })
      const first = yield* world.begin
      yield* pass(2)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["sending"])
      yield* first.end
      yield* world.begin
      yield* pass(3)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["working"])
      assert.lengthOf(yield* world.orders, 1)
    })
  )

  it.effect("leaves trades and orders of others alone, and shows them", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ balances: { USDT: "20000" } })
      const agent = yield* world.begin
      yield* pass(3)
      yield* world.model.placeByHand({ ...byHand, side: "buy", quantity: "3" })
      const resting = { ...byHand, type: "limit", limitPrice: "50" } as const
      yield* world.model.placeByHand({ ...resting, side: "buy", quantity: "1" })
      const entry = yield* world.decide()
      yield* pass(3)
      const result = yield* agent.compare
      assert.deepInclude(result, { otherOrderCount: 1, cancelled: [], mismatched: [] })
      const coin = result.lines.find(({ name }) => name === "BTC")
      assert.deepInclude(coin, { venue: "4", bots: "1", outside: "3" })
      const { items } = yield* world.ports.venueAccounts.listOutside(world.key, { limit: 9 })
      assert.deepStrictEqual(
        items.map(({ quantity }) => quantity),
        ["3"]
      )
      assert.lengthOf(yield* world.factsOf(entry.bot_id), 1)
      assert.strictEqual((yield* world.orders).filter(({ status }) => status === "open").length, 1)
    })
  )

  it.effect("says whose coins a manual sale took, and of none where its owner had enough", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ balances: { USDT: "20000", BTC: "1" } })
      const agent = yield* world.begin
      yield* world.decide({ quantity: "2" })
      yield* pass(3)
      const sale = { ...byHand, side: "sell", quantity: "1" } as const
      yield* world.model.placeByHand(sale)
      yield* Effect.forkChild(agent.reconcile)
      yield* pass(6)
      assert.deepStrictEqual((yield* agent.standing).hindrances, [])
      yield* world.model.placeByHand(sale)
      yield* Effect.forkChild(agent.reconcile)
      yield* pass(6)
      const { hindrances, reconciliation } = yield* agent.standing
      assert.deepStrictEqual(reconciliation?.mismatched, [world.bots[0]!.id])
      assert.deepStrictEqual(
        hindrances.map(({ kind }) => kind),
        ["mismatch"]
      )
      const told = world.news.findLast(({ type }) => type === "reconciled")
      assert.deepStrictEqual(told?.type === "reconciled" && told.reconciliation, reconciliation)
    })
  )

  it.effect("waits for the trades of a sale that its holdings show already", () =>
    Effect.gen(function* () {
      const habits = { tellDelayMs: 40_000 }
      const world = yield* makeWorld({ habits, random: () => 0.5 })
      const agent = yield* world.begin
      yield* pass(3)
      yield* world.decide()
      yield* pass(30)
      yield* world.decide({ leg: "exit", side: "sell" })
      yield* pass(3)
      const early = yield* Effect.forkChild(agent.reconcile)
      yield* pass(5)
      assert.deepInclude(yield* Fiber.join(early), { mismatched: [] })
      yield* pass(30)
      const late = yield* agent.compare
      assert.deepInclude(late, { mismatched: [] })
      assert.strictEqual(late.lines.find(({ name }) => name === "BTC")?.bots ?? "0", "0")
    })
  )

  it.effect("takes nothing for missing that was there at the look before", () =>
    Effect.gen(function* () {
      let held = { USDT: "10000", BTC: "2" }
      const looks: Array<typeof held> = []
      const world = yield* makeWorld({
        owned: "1",
        venueOf: (venue) => ({
          ...venue,
          holdings: Effect.sync(() => ({
            balances: new Map(Object.entries(looks.shift() ?? held)),
            positions: new Map()
          }))
        })
      })
      const agent = yield* world.begin
      yield* pass(3)
      looks.push({ ...held, USDT: "9000" })
      held = { ...held, BTC: "1.5" }
      const comparing = yield* Effect.forkChild(agent.reconcile)
      yield* pass(4)
      const { lines, mismatched } = yield* Fiber.join(comparing)
      assert.deepStrictEqual(
        lines.flatMap((line) => line.mismatched),
        []
      )
      assert.deepStrictEqual(mismatched, [])
      // It is looked at again without being asked for.
      yield* pass(6)
      const { reconciliation } = yield* agent.standing
      const found = reconciliation?.lines.find(({ name }) => name === "BTC")
      assert.sameMembers(
        [...(found?.mismatched ?? [])],
        world.bots.map(({ id }) => id)
      )
    })
  )

  it.effect("finds fills and cancels that no hint told of, in the order trades and end", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({
        drawHint: () => "lost",
        habits: { partChance: 1 },
        random: () => 0.5
      })
      const attempt = yield* world.decide({ limitPrice: "90", quantity: "2" })
      const agent = yield* world.begin
      yield* pass(3)
      yield* world.model.moveTo(btc.symbol, "89")
      yield* world.model.moveTo(btc.symbol, "95")
      const [sent] = yield* world.attemptsOf(attempt)
      yield* world.model.act({ type: "end", id: sent!.id, status: "cancelled" })
      yield* Effect.forkChild(agent.reconcile)
      yield* pass(6)
      const facts = (yield* world.factsOf(attempt.bot_id)).map(({ fact }) => fact)
      assert.deepStrictEqual(
        facts.map(({ type }) => type),
        ["trade", "ended"]
      )
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["over"])
    })
  )

  it.effect("keeps the cursor with the trades that it covers", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({
        pageSize: 2,
        habits: { repeatChance: 1 },
        random: () => 0.5
      })
      const made = yield* Effect.forEach([1, 2, 3, 4, 5], () => world.decide())
      yield* world.begin
      yield* pass(10)
      const facts = yield* world.factsOf(made[0]!.bot_id)
      assert.lengthOf(facts, 5)
      const account = Option.getOrThrow(yield* world.ports.venueAccounts.get(world.key))
      assert.strictEqual((yield* world.model.venue.trades(account.cursor)).trades.length, 0)
      const { coins } = bookOf(account).shares.bots[made[0]!.bot_id]!
      // Five at 100 and a fee of 0.2 % of each.
      assert.deepStrictEqual(coins, { BTC: "5", USDT: "-501" })
    })
  )

  it.effect("enters nothing for an account that is halted, and leaves what it holds", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const held = yield* world.decide()
      yield* world.begin
      yield* pass(3)
      yield* world.ports.haltFlag.raise(world.account.id)
      const [entry, exit] = [
        yield* world.decide(),
        yield* world.decide({ leg: "exit", side: "sell" })
      ]
      yield* pass(3)
      assert.deepStrictEqual(
        (yield* world.trades).map(({ side }) => side),
        ["buy", "sell"]
      )
      const facts = (yield* world.factsOf(held.bot_id)).map(({ fact }) => fact)
      const end = facts.find(({ client_order_id: id }) => id === entry.client_order_id)
      assert.deepInclude(end, { type: "ended", outcome: "cancelled" })
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(exit)), ["over"])
    })
  )

  it.effect("holds its bounds at the exchange, whichever bot decides", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld({ limits: { exposureMax: 0.025 } })
      const [one, other] = world.bots
      for (const { id } of [one!, other!, one!, other!, one!]) yield* world.decide({ botId: id })
      yield* world.begin
      yield* pass(10)
      assert.lengthOf(yield* world.orders, 2)
    })
  )

  it.effect("is followed again once its connection is back, without a gap", () =>
    Effect.gen(function* () {
      const world = yield* makeWorld()
      const attempt = yield* world.decide({ limitPrice: "90" })
      yield* world.begin
      yield* pass(3)
      yield* world.model.cut
      yield* world.model.moveTo(btc.symbol, "89")
      yield* pass(8)
      assert.deepStrictEqual(statesOf(yield* world.attemptsOf(attempt)), ["over"])
      assert.lengthOf(yield* world.factsOf(attempt.bot_id), 1)
    })
  )

  it.effect("costs its store no transaction while nothing happens", () =>
    Effect.gen(function* () {
      let count = 0
      const world = yield* makeWorld({
        portsOf: (ports) => ({
          ...ports,
          transactor: {
            ...ports.transactor,
            transact: (work) =>
              Effect.suspend(() => {
                count++
                return ports.transactor.transact(work)
              })
          }
        })
      })
      yield* world.decide({ limitPrice: "90" })
      yield* world.begin
      yield* pass(10)
      assert.isAbove(count, 0)
      const before = count
      yield* pass(30)
      assert.strictEqual(count, before)
      yield* world.model.moveTo(btc.symbol, "89")
      yield* pass(3)
      assert.isAbove(count, before)
    })
  )
})
