/**
 * A sender that is told to stop lets go of its claims, and does not wait for a store that is away.
 */
import { DeliveryQueue, DeliveryStore } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { advance, announce, onStores, register, scripted, settle } from "./webhookWorld.ts"

/** A queue that keeps no outcome and gives no answer. */
const hangingQueue = Layer.effect(
  DeliveryQueue,
  Effect.map(DeliveryQueue, (queue) => ({ ...queue, keepOutcomes: () => Effect.never }))
)

/** Starts a sender on stores of its own, whose one request is never answered. */
const startAtWork = Effect.fnUntraced(function* (doesStoreHang: boolean) {
  const stores = yield* Layer.build(MemoryStore.layer)
  const scope = yield* Scope.make()
  const { asked, webhooks } = scripted(() => Effect.never, { timeoutMs: 60_000 })
  const queue = doesStoreHang ? Layer.provideMerge(webhooks, hangingQueue) : webhooks
  const services = yield* onStores(queue).pipe(
    Layer.buildWithScope(scope),
    Effect.provideContext(stores)
  )
  const context = Context.merge(stores, services)
  const { id } = yield* Effect.provideContext(register(), context)
  yield* Effect.provideContext(announce(), context)
  yield* settle
  assert.lengthOf(asked, 1)
  const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), {
    startImmediately: true
  })
  const delivery = Effect.map(
    Context.get(stores, DeliveryStore).list(id, { limit: 1 }),
    ({ items }) => items[0]!
  )
  return { closing, delivery }
})

describe("a sender that is told to stop", () => {
  it.effect("breaks off what is not answered within its patience, and lets go of the claim", () =>
    Effect.gen(function* () {
      const { closing, delivery } = yield* startAtWork(false)
      yield* advance(14_000)
      assert.isUndefined(closing.pollUnsafe())
      assert.strictEqual((yield* delivery).status, "sending")
      yield* advance(1_000)
      assert.isDefined(closing.pollUnsafe())
      const { attempts, leased_until_ms, status } = yield* delivery
      assert.strictEqual(status, "retrying")
      assert.isNull(leased_until_ms)
      assert.strictEqual(attempts.at(-1)?.error, "cancelled")
    }).pipe(Effect.scoped)
  )

  it.effect("stops within twenty seconds where the store does not answer", () =>
    Effect.gen(function* () {
      const { closing, delivery } = yield* startAtWork(true)
      yield* advance(20_000)
      const isStopped = closing.pollUnsafe() !== undefined
      // The end of the test waits for it.
      yield* advance(600_000)
      assert.isTrue(isStopped)
      assert.strictEqual((yield* delivery).status, "sending")
    }).pipe(Effect.scoped)
  )
})
