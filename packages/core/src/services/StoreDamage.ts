/**
 * The damage of the store that this process has met.
 *
 * Adapters note damage that a database reports, and a server with noted damage is not ready. Only a
 * restart forgets it, because damage does not mend by itself.
 *
 * @since 0.1.0
 */
import { Context, Effect, Metric } from "effect"

const damages = Metric.counter("candlewick_store_damages_total", {
  description: "Answers of the store which say that its data is damaged",
  incremental: true
})

/** The damage that a process remembers. @category models @since 0.1.0 */
export interface KnownDamage {
  /** Counts an answer that reports damage, and logs it where the cause is new. */
  readonly note: (cause: string) => Effect.Effect<void>
  /** The cause that was noted first, or null. */
  readonly first: Effect.Effect<string | null>
}

const causesMax = 100

/** Nothing is known yet. @category constructors @since 0.1.0 */
export const makeKnownDamage = (): KnownDamage => {
  const causes = new Set<string>()
  return {
    note: Effect.fnUntraced(function* (cause) {
      yield* Metric.update(damages, 1)
      if (causes.has(cause) || causes.size >= causesMax) return
      causes.add(cause)
      yield* Effect.logError(`the store is damaged: ${cause}`)
    }),
    first: Effect.sync(() => causes.values().next().value ?? null)
  }
}

/**
 * The knowledge of this process: adapters note there the damage that a database reports, and a
 * server that reads it is not ready. Only a restart forgets it, for damage does not mend by itself.
 *
 * @category references
 * @since 0.1.0
 */
export const StoreDamage = Context.Reference<KnownDamage>("@candlewick/core/services/StoreDamage", {
  defaultValue: makeKnownDamage
})
