/**
 * A delivery that was really sent, checked by receivers of either signature.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { WebhookEndpoints } from "@candlewick/core"
import { VerificationError, verifyNotification } from "@candlewick/webhooks/verify"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { OnLoopback, receiver } from "./loopbackReceiver.ts"
import { accountId, announce } from "./webhookWorld.ts"
import { eventually } from "./world.ts"

/** Registers a receiver, announces one event and gives the delivery as it arrived. */
const deliver = Effect.gen(function* () {
  const { url, received } = yield* receiver([204])
  const endpoints = yield* WebhookEndpoints
  const { secret } = yield* endpoints.register(accountId, { url, events: ["trade.executed"] })
  const event = yield* announce({ note: "ü ✓" })
  const [{ headers, body } = assert.fail("nothing arrived")] = yield* eventually(
    Effect.sync(() => received.slice()),
    ({ length }) => length === 1
  )
  return { secret, event, headers, body }
})

describe("a delivery over loopback", () => {
  it.live("carries a signature that node:crypto alone verifies", () =>
    Effect.gen(function* () {
      const { body, event, headers, secret } = yield* deliver
      const expected = createHmac("sha256", secret).update(body).digest("hex")
      const given = String(headers["x-service-signature"])
      assert.isTrue(timingSafeEqual(Buffer.from(given), Buffer.from(`sha256=${expected}`)))
      assert.strictEqual(JSON.parse(body.toString()).event, event.event)
    }).pipe(Effect.scoped, Effect.provide(OnLoopback))
  )

  it.live("is refused without its webhook-* headers, unless the receiver chose that scheme", () =>
    Effect.gen(function* () {
      const { body, event, headers, secret } = yield* deliver
      const request = { secret, headers, rawBody: body }
      assert.strictEqual(verifyNotification(request).id, event.id)
      const bare = Object.fromEntries(
        Object.entries(headers).filter(([name]) => !name.startsWith("webhook-"))
      )
      const stripped = { ...request, headers: bare }
      assert.throws(() => verifyNotification(stripped), VerificationError, '"service" or "either"')
      for (const scheme of ["service", "either"] as const) {
        const { event: name, scheme: decided } = verifyNotification({ ...stripped, scheme })
        assert.deepStrictEqual([name, decided], [event.event, "service"])
      }
    }).pipe(Effect.scoped, Effect.provide(OnLoopback))
  )
})
