/**
 * A publisher for hosts that send nothing.
 *
 * Events only go to listeners in this process. A listener that is away misses them; the outbox
 * keeps the newest all the same.
 *
 * @since 0.1.0
 */
import { Effect, Layer } from "effect"
import { problem } from "../../domain/Problem.ts"
import { EventPublisher } from "../../ports/EventPublisher.ts"
import { WebhookTransport } from "../../ports/WebhookTransport.ts"

/**
 * Events that stay in this process.
 *
 * @category services
 * @since 0.1.0
 */
export const LocalEvents = {
  /**
   * An `EventPublisher` that sends nothing, and a `WebhookTransport` that refuses every address.
   */
  layer: Layer.merge(
    Layer.succeed(EventPublisher, { publish: () => Effect.void, publishAll: () => Effect.void }),
    Layer.succeed(WebhookTransport, {
      checkAddress: () =>
        Effect.fail(problem("url_not_allowed", "This host sends no webhooks: none is configured.")),
      makeSecret: Effect.die(new Error("no address is allowed, so that no secret is needed")),
      checkSecret: () =>
        Effect.fail(problem("unprocessable", "This host sends no webhooks: none is configured.")),
      wake: Effect.void
    })
  )
}
