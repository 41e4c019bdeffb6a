/**
 * Faults on the sender's own side, for which no receiver may have to answer.
 */
import {
  DeliveryStore,
  EndpointStore,
  makeEncryptionKey,
  parseEncryptionKeys,
  sealWith,
  SecretBox,
  WebhookEndpoints
} from "@candlewick/core"
import { deliveryRecord } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import {
  accountId,
  advance,
  announce,
  answered,
  deliveriesOf,
  onStores,
  register,
  scripted,
  settle,
  statusOf
} from "./webhookWorld.ts"

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"

const sealedElsewhere = Effect.gen(function* () {
  const [key] = parseEncryptionKeys(yield* makeEncryptionKey)!
  const seal = Effect.flatMap(SecretBox, (box) => box.seal(secret))
  return yield* Effect.provide(seal, sealWith([key!]))
})

const ownKey = Layer.unwrap(
  Effect.map(makeEncryptionKey, (text) => sealWith([parseEncryptionKeys(text)![0]!]))
)

const healthOf = (id: string) =>
  Effect.flatMap(EndpointStore, (store) =>
    Effect.map(store.getMany([id]), ([endpoint]) => [
      endpoint?.status,
      endpoint?.consecutive_failures
    ])
  )

describe("a secret that no key opens", () => {
  for (const [title, box] of [
    ["where there are other keys", ownKey],
    ["where there is no key at all", Layer.empty]
  ] as const) {
    it.effect(`ends each attempt by its name, on the schedule, ${title}`, () => {
      const { asked, layer } = scripted(() => Effect.succeed(answered(204)))
      return Effect.gen(function* () {
        const { id } = yield* register(undefined, { secrets: [yield* sealedElsewhere] })
        yield* announce()
        yield* settle
        const [first] = yield* deliveriesOf(id)
        assert.deepInclude(first, { status: "retrying", leased_until_ms: null })
        yield* advance(6_000)
        const [delivery] = yield* deliveriesOf(id)
        assert.strictEqual(delivery?.status, "retrying")
        assert.deepStrictEqual(
          delivery?.attempts.map(({ error }) => error),
          ["secret_unreadable", "secret_unreadable"]
        )
        assert.strictEqual(asked.length, 0)
        assert.deepStrictEqual(yield* healthOf(id), ["active", 0])
        for (let count = 0; count < 6; count++) yield* announce({ count })
        yield* advance(100)
        const store = yield* EndpointStore
        const found = Effect.map(store.getMany([id]), ([endpoint]) => endpoint!)
        assert.isNull((yield* found).held_until)
        yield* store.update({ ...(yield* found), secrets: [secret] })
        yield* announce()
        yield* advance(100)
        assert.strictEqual(asked.length, 1)
      }).pipe(Effect.provide(Layer.provide(layer, box)))
    })
  }
})

describe("an address that is refused", () => {
  it.effect("is told to operators by the rule, and to nobody by the address", () => {
    const { layer } = scripted(() =>
      Effect.succeed({
        _tag: "Unanswered",
        error: "ssrf_blocked",
        status: null,
        durationMs: 1,
        refusal: "private"
      })
    )
    const logged: Array<string> = []
    const listener = Logger.make(({ message }) => logged.push(String(message)))
    return Effect.gen(function* () {
      const { id } = yield* register()
      yield* announce()
      yield* advance(100)
      const [delivery] = yield* deliveriesOf(id)
      assert.include(logged, `delivery ${delivery!.id} to webhook ${id} was refused: private`)
      assert.strictEqual(delivery!.attempts[0]?.error, "ssrf_blocked")
      assert.notInclude(JSON.stringify(delivery), "private")
    }).pipe(Effect.provide(Layer.provide(layer, Logger.layer([listener]))))
  })
})

describe("a sender with a fault", () => {
  it.effect("ends the attempt, and sends it later", () => {
    const { asked, layer } = scripted((_, count) =>
      count === 1 ? Effect.die(new Error("a bug")) : Effect.succeed(answered(204))
    )
    return Effect.gen(function* () {
      const { id } = yield* register()
      yield* announce()
      yield* advance(1_000)
      assert.strictEqual((yield* deliveriesOf(id))[0]?.attempts[0]?.error, "sender_failed")
      yield* advance(6_000)
      assert.strictEqual(asked.length, 2)
      assert.deepStrictEqual(statusOf(yield* deliveriesOf(id)), ["succeeded"])
    }).pipe(Effect.provide(layer))
  })
})

describe("samples", () => {
  it.effect("hold nothing back, however many of them fail", () => {
    const { asked, layer } = scripted((_, count) => Effect.succeed(answered(count > 6 ? 204 : 500)))
    return Effect.gen(function* () {
      const { id } = yield* register()
      const endpoints = yield* WebhookEndpoints
      for (let count = 0; count < 6; count++) {
        yield* endpoints.test(accountId, id, undefined)
        yield* advance(100)
      }
      assert.strictEqual(asked.length, 6)
      assert.deepStrictEqual(yield* healthOf(id), ["active", 0])
      yield* announce()
      yield* advance(100)
      assert.strictEqual(asked.length, 7)
      assert.strictEqual((yield* deliveriesOf(id))[0]?.status, "succeeded")
    }).pipe(Effect.provide(layer))
  })
})

/** Starts what sends on stores that outlive it; `end` is a shutdown under way. */
const started = Effect.fnUntraced(function* (webhooks: ReturnType<typeof scripted>["webhooks"]) {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(onStores(webhooks), scope)
  return {
    context,
    end: Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
  }
})

describe("a shutdown", () => {
  it.effect("claims nothing more, and waits for what is under way", () => {
    const isOver = Deferred.makeUnsafe<void>()
    const { asked, webhooks } = scripted(() => Effect.as(Deferred.await(isOver), answered(204)))
    return Effect.gen(function* () {
      const { context, end } = yield* started(webhooks)
      const endpoint = yield* Effect.provide(register(), context)
      yield* Effect.provide(announce(), context)
      yield* advance(100)
      const ending = yield* end
      const { insert: insertDelivery } = yield* DeliveryStore
      yield* insertDelivery(deliveryRecord(endpoint, { status: "pending" }))
      yield* advance(14_000)
      assert.strictEqual(asked.length, 1)
      assert.isUndefined(ending.pollUnsafe())
      yield* Deferred.succeed(isOver, undefined)
      yield* Fiber.join(ending)
      const kept = yield* deliveriesOf(endpoint.id)
      assert.deepStrictEqual(statusOf(kept).sort(), ["pending", "succeeded"])
      assert.isTrue(kept.every(({ leased_until_ms }) => leased_until_ms === null))
    }).pipe(Effect.provide(MemoryStore.layer))
  })

  it.effect("breaks off a request that hangs after 15 s, and lets go of its delivery", () => {
    const slow = scripted(() => Effect.never, { timeoutMs: 60_000 })
    const quick = scripted(() => Effect.succeed(answered(204)))
    return Effect.gen(function* () {
      const first = yield* started(slow.webhooks)
      const { id } = yield* Effect.provide(register(), first.context)
      yield* Effect.provide(announce(), first.context)
      yield* advance(100)
      assert.strictEqual(slow.asked.length, 1)
      const ending = yield* first.end
      yield* advance(14_999)
      assert.isUndefined(ending.pollUnsafe())
      yield* advance(1)
      yield* Fiber.join(ending)
      const [cut] = yield* deliveriesOf(id)
      assert.deepInclude(cut, { status: "retrying", leased_until_ms: null })
      assert.strictEqual(cut?.attempts[0]?.error, "cancelled")
      assert.deepStrictEqual(yield* healthOf(id), ["active", 0])
      yield* started(quick.webhooks)
      // The lease of the first would have lasted 75 seconds.
      yield* advance(6_000)
      assert.strictEqual(quick.asked.length, 1)
      const [sent] = yield* deliveriesOf(id)
      assert.strictEqual(sent?.status, "succeeded")
      assert.deepStrictEqual(
        sent?.attempts.map(({ number }) => number),
        [1, 2]
      )
    }).pipe(Effect.provide(MemoryStore.layer))
  })
})
