/**
 * Secrets that may not sign any more are not kept.
 *
 * @since 0.1.0
 */
import {
  type StoreError,
  toTimestamp,
  type WebhookEndpoint,
  type WebhookStore
} from "@candlewick/core"
import { Clock, Effect } from "effect"

/** Takes out the secret before the newest one. */
export const eraseSpent = (
  store: WebhookStore["Service"],
  endpoint: WebhookEndpoint
): Effect.Effect<WebhookEndpoint, StoreError> =>
  store.update({
    ...endpoint,
    secrets: [endpoint.secrets[0]],
    previous_secret_expires_at: null,
    service_secret: "newest"
  })

const endpointsAtOnce = 100

/** Takes out every secret whose time is over; where someone else writes, the next time. */
export const eraseAllSpent = Effect.fnUntraced(function* (
  store: WebhookStore["Service"]
): Effect.fn.Return<void, StoreError> {
  const until = toTimestamp(yield* Clock.currentTimeMillis)
  let erased = endpointsAtOnce
  while (erased === endpointsAtOnce) {
    const spent = yield* store.listSpentSecrets({ until, limit: endpointsAtOnce })
    erased = 0
    for (const endpoint of spent) {
      const isErased = yield* eraseSpent(store, endpoint).pipe(
        Effect.as(true),
        Effect.catch((error) =>
          error.reason._tag === "VersionConflict" ? Effect.succeed(false) : Effect.fail(error)
        )
      )
      if (isErased) erased++
    }
  }
})
