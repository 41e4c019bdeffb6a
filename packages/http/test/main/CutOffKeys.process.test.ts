/**
 * Requests under an idempotency key that the end of a server on the embedded store cut off. They
 * can be repeated as soon as the next one is there: no other process has the store.
 */
import { IdempotencyStore } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { databaseDirectory } from "../../../store-postgres/test/embedded/temporaryDirectory.ts"
import { servicesOf } from "../../src/main/services.ts"
import { readSettings } from "../../src/main/settings.ts"

const request = (key: string) => ({
  scope: "acc_1 POST /bots",
  key,
  fingerprint: "sha256-a",
  keptForMs: 150_000
})

describe("a key of a server that was killed", () => {
  it.live(
    "is free at the next start, unless something was carried out under it",
    () =>
      Effect.gen(function* () {
        const directory = yield* databaseDirectory
        const settings = readSettings({ CANDLEWICK_WORKERS: "1" })
        const store = { type: "embedded", directory } as const
        const onServer = <A, E>(use: Effect.Effect<A, E, IdempotencyStore>) =>
          Effect.scoped(
            Effect.flatMap(Layer.build(servicesOf({ ...settings, store })), (services) =>
              Effect.provide(use, services)
            )
          )
        const [cutOff, carriedOut] = [request("cut off"), request("carried out")]
        yield* onServer(
          Effect.gen(function* () {
            const { claim, keepOutcome } = yield* IdempotencyStore
            yield* claim(cutOff)
            yield* claim(carriedOut)
            yield* keepOutcome({ ...carriedOut, before: null, outcome: "made bot_1" })
            assert.deepStrictEqual(yield* claim(cutOff), { type: "in_progress" })
          })
        )
        yield* onServer(
          Effect.gen(function* () {
            const { claim } = yield* IdempotencyStore
            assert.deepStrictEqual(yield* claim(cutOff), { type: "claimed" })
            const known = { type: "carried_out", outcome: "made bot_1" } as const
            assert.deepStrictEqual(yield* claim(carriedOut), known)
          })
        )
      }).pipe(Effect.scoped),
    120_000
  )
})
