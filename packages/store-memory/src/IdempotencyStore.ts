/**
 * Keeps idempotency keys in memory.
 *
 * @since 0.1.0
 */
import { type IdempotencyClaim, IdempotencyStore } from "@candlewick/core"
import { Clock, Effect, Layer } from "effect"
import { keyOf } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import type { TakenKey, Tables } from "./internal/tables.ts"

// Two are forgotten for each that is taken, so that the memory stays as small as a day's keys.
const forgottenPerClaimCount = 2

const forgetExpired = (tables: Tables, nowMs: number): void => {
  for (let count = 0; count < forgottenPerClaimCount; count++) {
    const first = tables.takenKeys.first("expiring")
    if (first === undefined || first.expiresAtMs > nowMs) return
    tables.takenKeys = tables.takenKeys.remove(keyOf(first.scope, first.key))
  }
}

const claimOf = (taken: TakenKey, fingerprint: string): IdempotencyClaim => {
  if (taken.fingerprint !== fingerprint) return { type: "reused" }
  if (taken.answer !== null) return { type: "answered", answer: taken.answer }
  return taken.outcome === null
    ? { type: "in_progress" }
    : { type: "carried_out", outcome: taken.outcome }
}

/**
 * `IdempotencyStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<IdempotencyStore, never, Database> = Layer.effect(
  IdempotencyStore,
  Effect.map(Database, (database) => ({
    claim: ({ fingerprint, keptForMs, key, scope }) =>
      database.writeAt((tables, nowMs): IdempotencyClaim => {
        const taken = tables.takenKeys.get(keyOf(scope, key))
        if (taken !== undefined && taken.expiresAtMs > nowMs) return claimOf(taken, fingerprint)
        forgetExpired(tables, nowMs)
        const expiresAtMs = nowMs + keptForMs
        const claimed = { scope, key, fingerprint, expiresAtMs, outcome: null, answer: null }
        tables.takenKeys = tables.takenKeys.put(claimed)
        return { type: "claimed" }
      }),
    keepOutcome: ({ before, fingerprint, keptForMs, key, outcome, scope }) =>
      database.writeAt((tables, nowMs): boolean => {
        const taken = tables.takenKeys.get(keyOf(scope, key))
        if (taken?.fingerprint !== fingerprint) return false
        if (taken.answer !== null || taken.outcome !== before) return false
        const expiresAtMs = nowMs + keptForMs
        tables.takenKeys = tables.takenKeys.put({ ...taken, outcome, expiresAtMs })
        return true
      }),
    answer: (scope, key, answer, keptForMs) =>
      database.writeAt((tables, nowMs) => {
        const taken = tables.takenKeys.get(keyOf(scope, key))
        if (taken === undefined) return
        const expiresAtMs = nowMs + keptForMs
        tables.takenKeys = tables.takenKeys.put({ ...taken, outcome: null, answer, expiresAtMs })
      }),
    release: (scope, key) =>
      database.write((tables) => {
        const taken = tables.takenKeys.get(keyOf(scope, key))
        if (taken?.answer === null && taken.outcome === null) {
          tables.takenKeys = tables.takenKeys.remove(keyOf(scope, key))
        }
      }),
    releaseAll: database.write((tables) => {
      for (const { answer, key, outcome, scope } of tables.takenKeys.all()) {
        if (answer === null && outcome === null) {
          tables.takenKeys = tables.takenKeys.remove(keyOf(scope, key))
        }
      }
    }),
    nowMs: Clock.currentTimeMillis
  }))
)
