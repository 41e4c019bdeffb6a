/**
 * The setting of the tests of services: the memory store, and a wall clock that says 2026.
 */
import { Problem, problem, WebhookTransport } from "@candlewick/core"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

export const nowMs = Date.UTC(2026, 0, 15, 9, 30, 12, 345)

/** Sets the clock to a day in 2026. */
export const itIs2026 = TestClock.setTime(nowMs)

/** The same before a layer is built: loops that it starts would go through all the years before. */
export const in2026 = Layer.effectDiscard(itIs2026)

/** The problem that an effect fails with. */
export const refusal = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, Problem)
    return error
  })

/** The code of the problem that an effect fails with. */
export const refusalCode = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(refusal(effect), ({ code }) => code)

/** A sender that reaches every address but those of `intranet`, and numbers its secrets. */
export const countingTransport = Layer.sync(WebhookTransport, () => {
  let made = 0
  return {
    checkAddress: (url) =>
      url.includes("intranet")
        ? Effect.fail(problem("url_not_allowed", "This address is not public."))
        : Effect.void,
    makeSecret: Effect.sync(() => `whsec_${String(++made).padStart(44, "0")}`),
    checkSecret: (text) =>
      text.startsWith("whsec_")
        ? Effect.succeed(text)
        : Effect.fail(problem("unprocessable", "A secret begins with whsec_.")),
    wake: Effect.void
  }
})
