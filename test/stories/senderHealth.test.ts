/**
 * A probe's view of the loop that sends: that it has stopped, and not that receivers are slow.
 */
import { DeliveryQueue, StoreError, StoreUnavailable } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { DispatcherHealth } from "@candlewick/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { advance, announce, answered, onStores, register, scripted } from "./webhookWorld.ts"

const minuteMs = 60_000
const away = new StoreError({ reason: new StoreUnavailable({ cause: "a test" }) })

const detail = Effect.flatMap(DispatcherHealth, ({ check }) =>
  Effect.match(check, { onFailure: (problem) => problem.detail, onSuccess: () => "well" })
)

const lagSeconds = Effect.map(PrometheusMetrics.format(), (text) =>
  Number(/^candlewick_webhook_lag_seconds ([\d.]+)$/m.exec(text)?.[1])
)

/** As time goes by for the loop: it waits, looks, and waits again. */
const pass = (ms: number) =>
  Effect.forEach(Array.from({ length: ms / 1_000 }), () => advance(1_000), { discard: true })

describe("the loop that sends", () => {
  it.effect("is well while nothing is to be sent, and while receivers don't answer", () => {
    const isOver = Deferred.makeUnsafe<void>()
    const { asked, layer } = scripted(() => Effect.as(Deferred.await(isOver), answered(204)))
    return Effect.gen(function* () {
      yield* pass(3 * minuteMs)
      assert.strictEqual(yield* detail, "well")
      yield* register()
      for (let count = 0; count < 10; count++) yield* announce()
      yield* pass(3 * minuteMs)
      assert.isAtLeast(asked.length, 4)
      assert.strictEqual(yield* detail, "well")
      yield* Deferred.succeed(isOver, undefined)
      yield* advance(1_000)
    }).pipe(Effect.provide(layer))
  })

  for (const [title, answer] of [
    ["waits minutes for", Effect.andThen(Effect.sleep("5 minutes"), Effect.fail(away))],
    ["is always refused by", Effect.fail(away)]
  ] as const) {
    it.effect(`is told of when it ${title} its store, and is well again afterwards`, () => {
      let isFaulty = false
      const faulty = Layer.effect(
        DeliveryQueue,
        Effect.map(DeliveryQueue, (store) => ({
          ...store,
          claim: (request: Parameters<typeof store.claim>[0]) =>
            isFaulty ? answer : store.claim(request)
        }))
      )
      const { webhooks } = scripted(() => Effect.succeed(answered(204)))
      const stores = Layer.provideMerge(faulty, MemoryStore.layer)
      return Effect.gen(function* () {
        yield* register()
        yield* pass(10_000)
        isFaulty = true
        yield* announce()
        yield* pass(30_000)
        assert.strictEqual(yield* detail, "well")
        yield* pass(minuteMs)
        assert.match(yield* detail, /^deliveries were not looked for for \d\d s$/)
        assert.isAtLeast(yield* lagSeconds, 60)
        isFaulty = false
        yield* pass(5 * minuteMs)
        assert.strictEqual(yield* detail, "well")
        assert.isAtMost(yield* lagSeconds, 1)
      }).pipe(Effect.provide(Layer.provideMerge(onStores(webhooks), stores)))
    })
  }
})
