/**
 * Whether the server is about to end, for answers that would wait for something.
 *
 * @since 0.1.0
 */
import { Context, Deferred } from "effect"

/** Done once the server takes no more requests. @category services @since 0.1.0 */
export const Closing = Context.Reference<Deferred.Deferred<void>>(
  "@candlewick/http/server/Closing",
  { defaultValue: () => Deferred.makeUnsafe() }
)
