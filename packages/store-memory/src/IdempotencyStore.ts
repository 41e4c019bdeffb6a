/**
 * Idempotency keys in memory.
 *
 * @since 0.1.0
 */
import { type IdempotencyClaim, IdempotencyStore, type RememberedAnswer } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { MemoryDatabase } from "./internal/MemoryDatabase.ts"

interface StoredKey {
  readonly fingerprint: string
  readonly expiresAtMs: number
  readonly answer: RememberedAnswer | null
}

/** How many claims pass between two sweeps of expired keys. */
const sweepEvery = 1_000

/** An `IdempotencyStore` in memory. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  IdempotencyStore,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const stored = database.table<StoredKey>()
    let claimCount = 0
    const keyOf = (scope: string, key: string) => `${scope} ${key}`
    const sweep = (nowMs: number): void => {
      claimCount++
      if (claimCount % sweepEvery !== 0) return
      for (const key of [...stored.keys()]) {
        if (stored.get(key)!.expiresAtMs <= nowMs) stored.delete(key)
      }
    }
    return IdempotencyStore.of({
      claim: ({ scope, key, fingerprint, nowMs, expiresAtMs }) =>
        database.run((): IdempotencyClaim => {
          sweep(nowMs)
          const found = stored.get(keyOf(scope, key))
          if (found === undefined || found.expiresAtMs <= nowMs) {
            stored.put(keyOf(scope, key), { fingerprint, expiresAtMs, answer: null })
            return { state: "claimed" }
          }
          if (found.fingerprint !== fingerprint) return { state: "reused" }
          return found.answer === null
            ? { state: "in_progress" }
            : { state: "answered", answer: found.answer }
        }),
      answer: (scope, key, answer) =>
        database.run(() => {
          const found = stored.get(keyOf(scope, key))
          if (found !== undefined) stored.put(keyOf(scope, key), { ...found, answer })
        }),
      release: (scope, key) => database.run(() => void stored.delete(keyOf(scope, key)))
    })
  })
)
