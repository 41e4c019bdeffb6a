/**
 * Funding of an exchange account whose bots share a position.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { ownedBy } from "../../../packages/core/src/domain/AccountBook.ts"
import { decimalOfUnsafe } from "../../../packages/core/src/domain/decimals.ts"
import { bookOf } from "../../../packages/core/src/services/venues/agent/agentState.ts"
import { splitByHoldings } from "../../../packages/core/src/services/venues/agent/keepPayments.ts"
import { btc, makeWorld, pass } from "./accountWorld.ts"

const capabilities = { kind: "one_way", hasReduceOnly: true } as const

const openWorld = Effect.fnUntraced(function* () {
  const world = yield* makeWorld({ capabilities, balances: { USDT: "10000" } })
  const [ada, bob] = world.bots.map(({ id }) => id) as [string, string]
  const fundingOf = (botId: string) =>
    Effect.map(world.factsOf(botId), (facts) =>
      facts.flatMap(({ fact }) => (fact.type === "funding" ? [fact.amount] : []))
    )
  const fund = (rate: string) => world.model.act({ type: "funding", symbol: btc.symbol, rate })
  const cashOf = (botId: string) =>
    Effect.map(world.ports.venueAccounts.get(world.key), (found) => {
      const { shares } = bookOf(Option.getOrThrow(found))
      return ownedBy(shares, botId)["USDT"]
    })
  return { ...world, ada, bob, cashOf, fund, fundingOf }
})

describe("funding of an exchange account", () => {
  it.effect("is shared among the bots that held the position, by what each held", () =>
    Effect.gen(function* () {
      const world = yield* openWorld()
      const { ada, bob } = world
      yield* world.decide({ botId: ada })
      yield* world.begin
      yield* pass(5)
      yield* world.decide({ botId: bob, quantity: "2" })
      yield* pass(5)
      const before = [yield* world.cashOf(ada), yield* world.cashOf(bob)].map(Number)
      yield* world.fund("0.01")
      yield* pass(5)
      assert.deepStrictEqual(yield* world.fundingOf(ada), ["-1"])
      assert.deepStrictEqual(yield* world.fundingOf(bob), ["-2"])
      const after = [yield* world.cashOf(ada), yield* world.cashOf(bob)].map(Number)
      assert.deepStrictEqual(
        after.map((cash, at) => Math.round((cash - before[at]!) * 1e8) / 1e8),
        [-1, -2]
      )
      assert.include(world.woken, bob)
    })
  )

  it.effect("is kept once, however often it is told, and by whichever process", () =>
    Effect.gen(function* () {
      const world = yield* openWorld()
      yield* world.decide({ botId: world.ada })
      const first = yield* world.begin
      yield* pass(5)
      yield* world.fund("-0.01")
      yield* pass(5)
      yield* first.end
      const account = Option.getOrThrow(yield* world.ports.venueAccounts.get(world.key))
      yield* world.ports.venueAccounts.put({ ...account, cursor: null })
      const cash = yield* world.cashOf(world.ada)
      yield* world.begin
      yield* pass(5)
      assert.deepStrictEqual(yield* world.fundingOf(world.ada), ["1"])
      assert.strictEqual(yield* world.cashOf(world.ada), cash)
      assert.deepStrictEqual(
        (yield* world.ports.venueAccounts.listOutside(world.key, { limit: 10 })).items,
        []
      )
    })
  )

  it.effect("goes by what was held at its time, and leaves the owner's part alone", () =>
    Effect.gen(function* () {
      const world = yield* openWorld()
      const { ada, bob } = world
      yield* world.decide({ botId: ada })
      const first = yield* world.begin
      yield* pass(5)
      const order = { symbol: btc.symbol, side: "buy", type: "market", quantity: "3" } as const
      const rest = { limitPrice: null, stopPrice: null, isReduceOnly: false }
      yield* world.model.placeByHand({ ...order, ...rest })
      yield* first.end
      yield* world.fund("0.01")
      yield* pass(1)
      yield* world.begin
      yield* world.decide({ botId: bob })
      yield* pass(10)
      assert.deepStrictEqual(yield* world.fundingOf(ada), ["-1"])
      assert.deepStrictEqual(yield* world.fundingOf(bob), [])
    })
  )

  it("is divided without a rest where bots held all of it", () => {
    const held = new Map(["ada", "bob", "eve"].map((id) => [id, decimalOfUnsafe("1")]))
    assert.deepStrictEqual(
      [...splitByHoldings("-0.1", held, "3")],
      [
        ["ada", "-0.03333333"],
        ["bob", "-0.03333333"],
        ["eve", "-0.03333334"]
      ]
    )
    assert.deepStrictEqual([...splitByHoldings("0.1", held, "-10")].length, 3)
    assert.deepStrictEqual([...splitByHoldings("0.1", held, "-10")][2], ["eve", "0.01"])
    assert.deepStrictEqual([...splitByHoldings("5", new Map(), null)], [])
  })
})
