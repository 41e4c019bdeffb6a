/**
 * Receivers that hang, and what they leave to those that don't.
 */
import { Limits } from "@candlewick/core"
import type { WebhooksOptions } from "@candlewick/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { advance, announce, answered, register, scripted, url } from "./webhookWorld.ts"

const otherAccountId = "acc_01JHKQ8Z7M3V5W9X2Y4B6C8D0G"
const otherAccountIds = [
  otherAccountId,
  "acc_01JHKQ8Z7M3V5W9X2Y4B6C8D0H",
  "acc_01JHKQ8Z7M3V5W9X2Y4B6C8D0J"
]

/** A sender that nobody answers until the test is over, and how often each address was asked. */
const silence = (options?: WebhooksOptions) => {
  const isOver = Deferred.makeUnsafe<void>()
  const answer = Effect.as(Deferred.await(isOver), answered(204))
  const { asked, layer } = scripted(() => answer, options)
  return {
    layer,
    healthyCount: () => asked.filter(({ url: address }) => address === url).length,
    slowCount: () => asked.filter(({ url: address }) => address !== url).length,
    end: Effect.andThen(Deferred.succeed(isOver, undefined), advance(1_000))
  }
}

const slow = (index: number, fields: Parameters<typeof register>[1] = {}) =>
  register(`https://slow.example.com/${index}`, fields)

describe("receivers that hang", () => {
  it.effect("leave all the places that it may have to another one of their account", () => {
    const { end, healthyCount, layer, slowCount } = silence()
    return Effect.gen(function* () {
      for (let index = 0; index < 4; index++) yield* slow(index)
      for (let count = 0; count < 4; count++) yield* announce({ count })
      yield* advance(10)
      yield* advance(Limits.webhookSlowAfterMs)
      const before = slowCount()
      assert.isAtLeast(before, 12)
      yield* register()
      for (let count = 0; count < 5; count++) yield* announce({ count })
      yield* advance(10)
      assert.deepStrictEqual([healthyCount(), slowCount()], [4, before])
    }).pipe(Effect.ensuring(end), Effect.provide(layer))
  })

  it.effect("let go of every place of their account as soon as they are known to be slow", () => {
    const { end, healthyCount, layer, slowCount } = silence()
    return Effect.gen(function* () {
      for (let index = 0; index < Limits.webhooksPerAccountMax - 1; index++) yield* slow(index)
      for (let count = 0; count < 4; count++) yield* announce({ count })
      yield* advance(10)
      assert.strictEqual(slowCount(), Limits.webhookInFlightPerAccountMax)
      yield* register()
      yield* announce()
      yield* advance(10)
      assert.strictEqual(healthyCount(), 0)
      // Nothing ends and nothing is announced meanwhile.
      yield* advance(Limits.webhookSlowAfterMs)
      assert.strictEqual(healthyCount(), 1)
    }).pipe(Effect.ensuring(end), Effect.provide(layer))
  })

  it.effect("take no more than their own places of those that the process has", () => {
    const { end, healthyCount, layer, slowCount } = silence({ concurrencyMax: 4 })
    return Effect.gen(function* () {
      for (let index = 0; index < 3; index++) yield* slow(index, { account_id: otherAccountId })
      for (let count = 0; count < 4; count++) yield* announce({ count }, otherAccountId)
      yield* advance(10)
      assert.strictEqual(slowCount(), 4)
      yield* register()
      yield* announce()
      yield* advance(10)
      assert.strictEqual(healthyCount(), 0)
      yield* advance(Limits.webhookSlowAfterMs)
      assert.strictEqual(healthyCount(), 1)
      yield* advance(5_000)
      assert.strictEqual(healthyCount(), 1)
    }).pipe(Effect.ensuring(end), Effect.provide(layer))
  })

  it.effect("of several accounts take only as many places as slow requests may have", () => {
    const { end, healthyCount, layer, slowCount } = silence({ concurrencyMax: 4 })
    return Effect.gen(function* () {
      for (const account_id of otherAccountIds) {
        for (let index = 0; index < 5; index++) yield* slow(index, { account_id })
      }
      // Three accounts have more than twice as many under way as may begin at once.
      for (const accountId of otherAccountIds) yield* announce({}, accountId)
      for (let round = 0; round < 6; round++) yield* advance(Limits.webhookSlowAfterMs)
      assert.strictEqual(slowCount(), 15)
      yield* register()
      yield* announce()
      yield* advance(10)
      assert.strictEqual(healthyCount(), 1)
      for (const accountId of otherAccountIds) {
        for (let count = 0; count < 4; count++) yield* announce({ count }, accountId)
      }
      for (let round = 0; round < 12; round++) yield* advance(Limits.webhookSlowAfterMs)
      assert.strictEqual(slowCount() + healthyCount(), 20)
    }).pipe(Effect.ensuring(end), Effect.provide(layer))
  })
})
