/**
 * Webhooks: events fanned out in their transaction, and sent, signed and retried from the store by
 * a loop of its own.
 *
 * @since 0.1.0
 */
import {
  EventPublisher,
  Ids,
  problem,
  Transactor,
  WebhookStore,
  WebhookTransport
} from "@candlewick/core"
import { Duration, Effect, Layer, Queue, Redacted } from "effect"
import { type AddressPolicyOptions, checkUrl, makeAddressPolicy } from "./AddressPolicy.ts"
import { fanOut } from "./fanOut.ts"
import { type GuardedDispatcherOptions, makeGuardedDispatcher } from "./guardedDispatcher.ts"
import { refuseName } from "./refuseName.ts"
import { makeSender, NotificationSender } from "./NotificationSender.ts"
import { sendDeliveries } from "./sendDeliveries.ts"
import { generateSecret } from "./SigningSecret.ts"

/** How webhooks are sent. @category models @since 0.1.0 */
export interface WebhooksOptions extends AddressPolicyOptions {
  /** For one attempt, everything included; 15 s by default. */
  readonly timeoutMs?: number | undefined
  /** Deliveries under way in this process; 256 by default. */
  readonly concurrencyMax?: number | undefined
  /** Finds all addresses of a name; the host's resolver by default. */
  readonly lookup?: GuardedDispatcherOptions["lookup"]
}

const timeoutMsDefault = 15_000
const concurrencyDefault = 256

/** The sender on real sockets, behind the address policy. */
const socketSender = (options: WebhooksOptions) =>
  Layer.effect(
    NotificationSender,
    Effect.gen(function* () {
      const policy = yield* Effect.orDie(Effect.fromResult(makeAddressPolicy(options)))
      const guarded = yield* Effect.acquireRelease(
        Effect.sync(() => makeGuardedDispatcher({ policy, lookup: options.lookup })),
        (dispatcher) => Effect.promise(() => dispatcher.close())
      )
      return makeSender(guarded)
    })
  )

const transport = (options: WebhooksOptions) =>
  Layer.effect(
    WebhookTransport,
    Effect.gen(function* () {
      const policy = yield* Effect.orDie(Effect.fromResult(makeAddressPolicy(options)))
      return {
        checkAddress: Effect.fnUntraced(function* (url) {
          const verdict = checkUrl(policy, url)
          const reason = verdict.isAllowed
            ? yield* refuseName(policy, verdict.url, options.lookup)
            : verdict.reason
          if (reason === null) return
          return yield* problem("url_not_allowed", `This address can't be reached: ${reason}.`, {
            errors: [
              {
                pointer: "/url",
                code: reason,
                message: `This address can't be reached: ${reason}.`
              }
            ]
          })
        }),
        makeSecret: Effect.map(generateSecret, Redacted.value)
      }
    })
  )

const publisher = (options: WebhooksOptions) =>
  Layer.effect(
    EventPublisher,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const ids = yield* Ids
      const transactor = yield* Transactor
      const sender = yield* NotificationSender
      const wake = yield* Queue.sliding<void>(1)
      const timeoutMs = options.timeoutMs ?? timeoutMsDefault
      yield* sendDeliveries({
        store,
        ids,
        transactor,
        sender,
        wake,
        timeoutMs,
        lease: Duration.millis(2 * timeoutMs),
        concurrencyMax: options.concurrencyMax ?? concurrencyDefault
      })
      return {
        publish: (event) =>
          Effect.andThen(fanOut({ store, ids }, event), Queue.offer(wake, undefined))
      }
    })
  )

const layerWithSender = (options: WebhooksOptions = {}) =>
  Layer.merge(Layer.provide(publisher(options), Ids.layer), transport(options))

const layerWith = (options: WebhooksOptions) =>
  Layer.provide(layerWithSender(options), socketSender(options))

/**
 * Webhooks as an adapter of core.
 *
 * @category layers
 * @since 0.1.0
 */
export const Webhooks = {
  /**
   * An `EventPublisher` that sends over HTTP, and the `WebhookTransport` that registration asks.
   */
  layer: layerWith({}),
  /** The same with options. */
  layerWith,
  /** The same over a sender of the host's own. */
  layerWithSender
}
