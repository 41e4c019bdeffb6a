/**
 * Coins of bots that are gone, while others hide it: a fill has brought them, and no trade tells of
 * it yet.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AccountAgent } from "../../../packages/core/src/services/venues/agent/AccountAgent.ts"
import { btc, makeWorld, pass } from "./accountWorld.ts"

/**
 * Two bots own a coin each, and trades are told long after holdings show them. There is more money
 * than theirs, so that no lack of it shows what their coins hide.
 */
const makeTellingLate = (tellDelayMs: number) =>
  makeWorld({
    owned: "1",
    balances: { USDT: "20000", BTC: "2" },
    habits: { tellDelayMs },
    random: () => 0.5
  })

const sale = {
  symbol: btc.symbol,
  side: "sell",
  type: "market",
  quantity: "1",
  limitPrice: null,
  stopPrice: null,
  isReduceOnly: false
} as const

const isMismatched = ({ standing }: AccountAgent) =>
  Effect.map(standing, ({ reconciliation }) => (reconciliation?.mismatched.length ?? 0) > 0)

/** Has the account reconciled, which may take longer than the time that passes. */
const reconcile = (agent: AccountAgent, seconds: number) =>
  Effect.andThen(Effect.forkChild(agent.reconcile), pass(seconds))

describe("coins that are gone", () => {
  it.effect("are missed as soon as the fill is told that hid it from the start", () =>
    Effect.gen(function* () {
      const world = yield* makeTellingLate(30_000)
      const agent = yield* world.begin
      yield* pass(3)
      yield* world.model.placeByHand(sale)
      yield* world.decide({ quantity: "2" })
      yield* pass(1)
      yield* reconcile(agent, 6)
      assert.isFalse(yield* isMismatched(agent))
      yield* pass(32)
      // The account is reconciled by itself after a minute only.
      assert.isTrue(yield* isMismatched(agent))
    })
  )

  it.effect("are missed as soon as the fill is told that came between two looks", () =>
    Effect.gen(function* () {
      const world = yield* makeTellingLate(30_000)
      const agent = yield* world.begin
      yield* pass(3)
      yield* world.model.placeByHand(sale)
      yield* reconcile(agent, 0.5)
      yield* world.decide({ quantity: "2" })
      yield* agent.ring
      yield* pass(6)
      assert.isFalse(yield* isMismatched(agent))
      yield* pass(32)
      assert.isTrue(yield* isMismatched(agent))
    })
  )

  it.effect("stay missed beside a fill, though another one was not told for long", () =>
    Effect.gen(function* () {
      const world = yield* makeTellingLate(600_000)
      const agent = yield* world.begin
      yield* pass(3)
      yield* world.model.placeByHand(sale)
      yield* world.decide({ quantity: "0.1" })
      yield* pass(1)
      yield* reconcile(agent, 70)
      assert.isTrue(yield* isMismatched(agent))
      yield* world.decide({ quantity: "2" })
      yield* pass(1)
      yield* reconcile(agent, 20)
      assert.isTrue(yield* isMismatched(agent))
    })
  )

  it.effect("are looked for beside fills, whose trades are read at once all the same", () =>
    Effect.gen(function* () {
      const readLagMs = 10_000
      const world = yield* makeWorld({
        owned: "1",
        balances: { USDT: "20000", BTC: "2" },
        habits: { tellDelayMs: 1_000 },
        random: () => 0.5,
        venueOf: (venue) => ({
          ...venue,
          capabilities: { ...venue.capabilities, readLagMs }
        })
      })
      const agent = yield* world.begin
      yield* pass(3)
      const entry = yield* world.decide({ limitPrice: "90" })
      yield* agent.ring
      yield* pass(1)
      yield* world.model.act({ type: "deposit", coin: "BTC", amount: "0.01" })
      yield* Effect.forkChild(agent.reconcile)
      yield* pass(1)
      yield* world.model.moveTo(btc.symbol, "85")
      yield* pass(5)
      assert.lengthOf(yield* world.factsOf(entry.bot_id), 1)
    })
  )
})

describe("an account whose coins are gone", () => {
  it.effect("hears of a fill while it waits to look at them a second time", () =>
    Effect.gen(function* () {
      let lookCount = 0
      const world = yield* makeWorld({
        owned: "1",
        balances: { USDT: "20000", BTC: "2" },
        habits: { tellDelayMs: 0 },
        venueOf: (venue) => ({
          ...venue,
          capabilities: { ...venue.capabilities, readLagMs: 10_000 },
          holdings: Effect.tap(venue.holdings, () => Effect.sync(() => lookCount++))
        })
      })
      const agent = yield* world.begin
      yield* pass(3)
      const entry = yield* world.decide({ limitPrice: "90" })
      yield* agent.ring
      yield* world.model.placeByHand(sale)
      yield* pass(90)
      assert.isTrue(yield* isMismatched(agent))
      yield* pass(20)
      const before = lookCount
      yield* Effect.repeat(pass(1), { until: () => lookCount > before })
      // The second look follows after 12 s.
      yield* world.model.moveTo(btc.symbol, "85")
      yield* pass(1)
      assert.lengthOf(yield* world.factsOf(entry.bot_id), 1)
    })
  )
})
