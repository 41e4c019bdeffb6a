/**
 * What every `BotLeases` owes its callers.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { BotLeases, type LeaseClaim } from "../ports/BotLeases.ts"
import type { Transactor } from "../ports/Transactor.ts"
import { registerSuite, type SuiteOptions } from "./conformance.ts"
import { testId } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"

const startMs = Date.UTC(2026, 0, 1)

/** A claim at so many seconds, for ten. */
const claimAt = (owner: string, seconds: number): LeaseClaim => ({
  owner,
  nowMs: startMs + seconds * 1_000,
  untilMs: startMs + (seconds + 10) * 1_000
})

const setUp = Effect.sync(() => ({
  botId: testId("bot"),
  one: testId("request"),
  other: testId("request")
}))

const tests = {
  "gives a bot to the first who claims it, and to no other": Effect.gen(function* () {
    const { claim } = yield* BotLeases
    const { botId, one, other } = yield* setUp
    assert.isTrue(yield* claim(botId, claimAt(one, 0)))
    assert.isFalse(yield* claim(botId, claimAt(other, 0)))
    assert.isFalse(yield* claim(botId, claimAt(other, 9)))
    assert.isTrue(yield* claim(testId("bot"), claimAt(other, 0)))
  }),

  "gives a bot whose lease ran out to another": Effect.gen(function* () {
    const { claim } = yield* BotLeases
    const { botId, one, other } = yield* setUp
    yield* claim(botId, claimAt(one, 0))
    assert.isTrue(yield* claim(botId, claimAt(other, 10)))
    assert.isFalse(yield* claim(botId, claimAt(one, 11)))
  }),

  "lets an owner have its bot for longer": Effect.gen(function* () {
    const { claim } = yield* BotLeases
    const { botId, one, other } = yield* setUp
    yield* claim(botId, claimAt(one, 0))
    assert.isTrue(yield* claim(botId, claimAt(one, 5)))
    assert.isFalse(yield* claim(botId, claimAt(other, 12)))
    assert.isTrue(yield* claim(botId, claimAt(other, 15)))
  }),

  "gives a bot to one of many who claim it at once": Effect.gen(function* () {
    const { claim } = yield* BotLeases
    const botId = testId("bot")
    const claims = yield* Effect.forEach(
      [1, 2, 3, 4, 5],
      () => claim(botId, claimAt(testId("request"), 0)),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(claims.filter(Boolean), 1)
  }),

  "prolongs all leases of an owner and of no other, and says which they are": Effect.gen(
    function* () {
      const { claim, renew } = yield* BotLeases
      const { botId, one, other } = yield* setUp
      const second = testId("bot")
      const theirs = testId("bot")
      yield* claim(botId, claimAt(one, 0))
      yield* claim(second, claimAt(one, 0))
      yield* claim(theirs, claimAt(other, 0))
      assert.deepStrictEqual(yield* renew(claimAt(one, 5)), [botId, second].toSorted())
      assert.isFalse(yield* claim(botId, claimAt(other, 12)))
      assert.isFalse(yield* claim(second, claimAt(other, 12)))
      assert.isTrue(yield* claim(theirs, claimAt(one, 12)))
    }
  ),

  "prolongs a lease that ran out, unless another took the bot": Effect.gen(function* () {
    const { claim, renew } = yield* BotLeases
    const { botId, one, other } = yield* setUp
    const lost = testId("bot")
    yield* claim(botId, claimAt(one, 0))
    yield* claim(lost, claimAt(one, 0))
    yield* claim(lost, claimAt(other, 20))
    assert.deepStrictEqual(yield* renew(claimAt(one, 21)), [botId])
    assert.isFalse(yield* claim(lost, claimAt(one, 22)))
  }),

  "lets a bot go that its owner gives up, and no other's": Effect.gen(function* () {
    const { claim, release, renew } = yield* BotLeases
    const { botId, one, other } = yield* setUp
    yield* claim(botId, claimAt(one, 0))
    yield* release(botId, other)
    assert.isFalse(yield* claim(botId, claimAt(other, 1)))
    yield* release(botId, one)
    yield* release(botId, one)
    assert.deepStrictEqual(yield* renew(claimAt(one, 1)), [])
    assert.isTrue(yield* claim(botId, claimAt(other, 1)))
  }),

  "takes and gives up nothing in a transaction that failed": Effect.gen(function* () {
    const { claim, release } = yield* BotLeases
    const { botId, one, other } = yield* setUp
    const free = testId("bot")
    yield* claim(botId, claimAt(one, 0))
    yield* rolledBack(Effect.all([release(botId, one), claim(free, claimAt(one, 0))]))
    assert.isFalse(yield* claim(botId, claimAt(other, 1)))
    assert.isTrue(yield* claim(free, claimAt(other, 1)))
  })
}

/**
 * Registers the contract of `BotLeases` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<BotLeases | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
