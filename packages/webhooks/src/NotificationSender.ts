/**
 * Makes one HTTP attempt; a service, so that a host or a test can bring its own.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { GuardedDispatcher } from "./guardedDispatcher.ts"
import {
  type AttemptOutcome,
  type NotificationRequest,
  postNotification
} from "./postNotification.ts"

/**
 * Makes one attempt.
 *
 * @category services
 * @since 0.1.0
 */
export class NotificationSender extends Context.Service<
  NotificationSender,
  {
    /** Posts a notification and returns the outcome; never fails. */
    readonly post: (request: NotificationRequest) => Effect.Effect<AttemptOutcome>
  }
>()("@candlewick/webhooks/NotificationSender") {}

/** A sender on real sockets. @category services @since 0.1.0 */
export const makeSender = (guarded: GuardedDispatcher): NotificationSender["Service"] => ({
  post: (request) => postNotification(guarded, request)
})
