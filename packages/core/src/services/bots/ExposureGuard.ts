/**
 * Whether bots may open positions, as far as the host knows.
 *
 * @since 0.1.0
 */
import { Context, Effect } from "effect"

/**
 * Asked before each entry: while it says no, bots hold and close what they have and open nothing.
 * It says yes by default; a server says no while its store can't be relied on.
 *
 * @category services
 * @since 0.1.0
 */
export const ExposureGuard = Context.Reference<Effect.Effect<boolean>>(
  "@candlewick/core/services/ExposureGuard",
  { defaultValue: () => Effect.succeed(true) }
)
