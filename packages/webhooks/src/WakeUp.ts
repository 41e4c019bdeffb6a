/**
 * Makes the sending loop look for work at once.
 *
 * @since 0.1.0
 */
import { Context, Layer, Queue } from "effect"

/** Offered to when something may be due. @category services @since 0.1.0 */
export class WakeUp extends Context.Service<WakeUp, Queue.Queue<void>>()(
  "@candlewick/webhooks/WakeUp"
) {
  /** A wake-up that remembers a single call. */
  static readonly layer = Layer.effect(WakeUp, Queue.sliding<void>(1))
}
