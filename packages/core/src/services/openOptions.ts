/**
 * The options with which a plain host opens the library.
 *
 * @since 0.1.0
 */
import { Effect, Layer, Schema } from "effect"
import { invalid, type Problem } from "../domain/Problem.ts"
import type { EventPublisher } from "../ports/EventPublisher.ts"
import type { MarketData } from "../ports/MarketData.ts"
import type { StorePorts } from "../ports/StorePorts.ts"
import type { Venues } from "../ports/Venue.ts"
import type { WebhookTransport } from "../ports/WebhookTransport.ts"
import { checkEach } from "./methodsOf.ts"
import type { WorkerPoolOptions } from "./runs/workers/WorkerPool.ts"

/** The options of `Candlewick.open`; only the store is required. @category models @since 0.1.0 */
export interface OpenOptions extends WorkerPoolOptions {
  readonly store: Layer.Layer<StorePorts, Error>
  /** Exchange accounts that live bots may trade with; none by default. */
  readonly venues?: typeof Venues.Service | undefined
  /** Recorded candles, replayed, by default. */
  readonly marketData?: Layer.Layer<MarketData, never, StorePorts> | undefined
  /** By default events go to listeners of this process only. */
  readonly webhooks?: Layer.Layer<EventPublisher | WebhookTransport, never, StorePorts> | undefined
  /** A module that exports strategies with code (`define`), which definitions may then name. */
  readonly code?: URL | undefined
  /** Candles a second at which recordings are replayed; 20 by default. */
  readonly replayRate?: number | undefined
}

const OpenNumbers = Schema.Struct({
  size: Schema.optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))),
  replayRate: Schema.optional(
    Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 10_000 }))
  )
})

/** Refuses options that are none, by name. @category checks @since 0.1.0 */
export const checkOpenOptions = (options: OpenOptions): Effect.Effect<void, Problem> => {
  const layers = ["store", "marketData", "webhooks"] as const
  const wrong = layers.find(
    (name) => !(Layer.isLayer(options[name]) || (name !== "store" && options[name] === undefined))
  )
  if (wrong !== undefined) {
    return Effect.fail(
      invalid([{ pointer: `/${wrong}`, code: "wrong_type", message: `${wrong} must be a layer` }])
    )
  }
  const { code, replayRate, size, venues } = options
  if (venues !== undefined && typeof venues.find !== "function") {
    const message = "venues must have a function find"
    return Effect.fail(invalid([{ pointer: "/venues", code: "wrong_type", message }]))
  }
  if (code !== undefined && !(code instanceof URL)) {
    const message = "code must be the URL of a module"
    return Effect.fail(invalid([{ pointer: "/code", code: "wrong_type", message }]))
  }
  return Effect.asVoid(checkEach([OpenNumbers], [{ replayRate, size }]))
}
