/**
 * Whether bots may open positions, as far as the host knows.
 *
 * A hindrance of the host keeps bots from entering; exits go on.
 *
 * @since 0.1.0
 */
import { Context, Effect } from "effect"
import type { Hindrance } from "../../domain/Hindrance.ts"

/**
 * Asked before each entry: a hindrance of the whole process, or null. A server gives one while its
 * store can't be relied on.
 *
 * **Details**
 *
 * On a live market bots then hold and close their positions, and open none. A recording loses
 * nothing by being late: its bots wait, so that they trade as their backtests do.
 *
 * @category services
 * @since 0.1.0
 */
export const ExposureGuard = Context.Reference<Effect.Effect<Hindrance | null>>(
  "@candlewick/core/services/ExposureGuard",
  { defaultValue: () => Effect.succeed(null) }
)
