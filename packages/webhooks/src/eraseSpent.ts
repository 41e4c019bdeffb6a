/**
 * Secrets that may not sign any more are not kept.
 *
 * @since 0.1.0
 */
import { type EndpointStore, type StoreError, toTimestamp } from "@candlewick/core"
import { Clock, Effect } from "effect"

const endpointsAtOnce = 100

/** Takes out every secret whose time is over. @category services @since 0.1.0 */
export const eraseSpent = Effect.fnUntraced(function* (
  endpoints: EndpointStore["Service"]
): Effect.fn.Return<void, StoreError> {
  const until = toTimestamp(yield* Clock.currentTimeMillis)
  const eraseSome = endpoints.eraseSpentSecrets({ until, limit: endpointsAtOnce })
  while ((yield* eraseSome) === endpointsAtOnce) yield* Effect.yieldNow
})
