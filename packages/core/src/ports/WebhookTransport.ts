/**
 * The sender's part in registering a webhook: the addresses that may be reached, and a fresh
 * secret.
 *
 * An adapter that provides `WebhookTransport` must pass `WebhookTransportSuite` from
 * `@candlewick/core/testing`.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { Problem } from "../domain/Problem.ts"

/**
 * The sending side of webhooks, as far as registration needs it.
 *
 * @category ports
 * @since 0.1.0
 */
export class WebhookTransport extends Context.Service<
  WebhookTransport,
  {
    /** Fails with `url_not_allowed` and a reason where the address could never be delivered to. */
    readonly checkAddress: (url: string) => Effect.Effect<void, Problem>

    /** A new signing secret as text, shown to the caller once. */
    readonly makeSecret: Effect.Effect<string>

    /** Takes over a secret that was made elsewhere; fails with `unprocessable` and a reason. */
    readonly checkSecret: (text: string) => Effect.Effect<string, Problem>

    /** Makes the sender look for due deliveries at once. */
    readonly wake: Effect.Effect<void>
  }
>()("@candlewick/core/ports/WebhookTransport") {}
