/**
 * Delivers events as signed webhooks.
 *
 * An event's transaction makes one delivery for each subscribed endpoint. A loop claims due
 * deliveries, signs and sends them, and retries failures. The loop never holds up the transaction.
 *
 * @since 0.1.0
 */
import {
  BotStore,
  DeliveryQueue,
  DeliveryStore,
  type DomainEvent,
  EndpointStore,
  EventPublisher,
  firstIdAt,
  Ids,
  Limits,
  NoticeQueue,
  problem,
  SecretBox,
  StrategyStore,
  WebhookTransport,
  WorkClass
} from "@candlewick/core"
import { dayMs } from "@candlewick/core/kernel"
import { Clock, Duration, Effect, Layer, Queue, Redacted, Result } from "effect"
import { type AddressPolicyOptions, checkUrl, makeAddressPolicy } from "./AddressPolicy.ts"
import { DispatcherHealth, watchLag } from "./DispatcherHealth.ts"
import { eraseSpent } from "./eraseSpent.ts"
import { fanOut } from "./fanOut.ts"
import { makeGuardedDispatcher } from "./guardedDispatcher.ts"
import { makeNameLookup, type NameLookup } from "./lookUpName.ts"
import { refuseName } from "./refuseName.ts"
import { requestCountDefault, requestCountMax } from "./requestPlaces.ts"
import { makeSender, NotificationSender } from "./NotificationSender.ts"
import type { OnEndpointStatus } from "./EndpointNotice.ts"
import { sendDeliveries } from "./sendDeliveries.ts"
import { generateSecret, parseSecret } from "./SigningSecret.ts"
import { WakeUp } from "./WakeUp.ts"

/** How webhooks are sent. @category models @since 0.1.0 */
export interface WebhooksOptions extends AddressPolicyOptions {
  /** For one attempt, everything included; 15 s by default. */
  readonly timeoutMs?: number | undefined
  /** Deliveries under way in this process; 256 by default, and four times as many that are slow. */
  readonly concurrencyMax?: number | undefined
  /** Finds all addresses of a name; by default the host's name servers are asked. */
  readonly lookup?: NameLookup | undefined
  /** Name servers such as `10.0.0.53` or `127.0.0.1:5353` to ask instead of the host's. */
  readonly nameServers?: ReadonlyArray<string> | undefined
  /** Called when an endpoint begins to fail, recovers, nears being disabled, or is disabled. */
  readonly onEndpointStatus?: OnEndpointStatus | undefined
  /** For how long finished deliveries are kept; 30 days by default. */
  readonly retentionDays?: number | undefined
}

const timeoutMsDefault = 15_000
/** The time of a lease beyond the longest attempt, for the writes before and after it. */
const leaseMarginMs = 15_000
const removalLimit = 1_000

const lookupOf = ({ lookup, nameServers }: WebhooksOptions): NameLookup =>
  lookup ?? makeNameLookup({ nameServers })

/** The sender on real sockets, behind the address policy. */
const socketSender = (options: WebhooksOptions) =>
  Layer.effect(
    NotificationSender,
    Effect.gen(function* () {
      const policy = yield* Effect.orDie(Effect.fromResult(makeAddressPolicy(options)))
      const guarded = yield* Effect.acquireRelease(
        Effect.sync(() =>
          makeGuardedDispatcher({
            policy,
            lookup: lookupOf(options),
            // All may go to one origin; slow requests come on top.
            connectionsPerOrigin: requestCountMax(options.concurrencyMax ?? requestCountDefault)
          })
        ),
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
      const wake = yield* WakeUp
      const lookup = lookupOf(options)
      const opened = options.allowCidrs ?? []
      if (opened.length > 0) {
        yield* Effect.logWarning(`webhooks may reach ${opened.join(", ")} besides public addresses`)
      }
      return {
        wake: Effect.asVoid(Queue.offer(wake, undefined)),
        checkSecret: (text) =>
          Effect.mapError(
            Effect.fromResult(Result.map(parseSecret(text), Redacted.value)),
            ({ message, reason }) =>
              problem("unprocessable", `This can't be a signing secret: ${message}.`, {
                errors: [{ pointer: "/secret", code: reason, message }]
              })
          ),
        checkAddress: Effect.fnUntraced(function* (url) {
          const verdict = checkUrl(policy, url)
          const reason = verdict.isAllowed
            ? yield* refuseName(policy, verdict.url, lookup)
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

/** Removes old deliveries and spent secrets, a few at a time, once an hour. */
const forget = (
  endpoints: EndpointStore["Service"],
  deliveries: DeliveryStore["Service"],
  days: number
): Effect.Effect<never> =>
  Effect.gen(function* () {
    const before = firstIdAt("delivery", (yield* Clock.currentTimeMillis) - days * dayMs)
    while ((yield* deliveries.removeFinished({ before, limit: removalLimit })) === removalLimit) {
      yield* Effect.yieldNow
    }
    yield* eraseSpent(endpoints)
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.logWarning("old deliveries and secrets are kept for now", cause)
    ),
    Effect.andThen(Effect.sleep("1 hour")),
    Effect.forever
  )

const publisher = (options: WebhooksOptions) =>
  Layer.effect(
    EventPublisher,
    Effect.gen(function* () {
      const endpoints = yield* EndpointStore
      const deliveries = yield* DeliveryStore
      const queue = yield* DeliveryQueue
      const ids = yield* Ids
      const sender = yield* NotificationSender
      const wake = yield* WakeUp
      const { beat } = yield* DispatcherHealth
      const timeoutMs = options.timeoutMs ?? timeoutMsDefault
      yield* sendDeliveries({
        endpoints,
        deliveries,
        queue,
        notices: yield* NoticeQueue,
        ids,
        box: yield* SecretBox,
        sender,
        wake,
        beat,
        timeoutMs,
        lease: Duration.millis(timeoutMs + leaseMarginMs),
        concurrencyMax: options.concurrencyMax ?? requestCountDefault,
        onEndpointStatus: options.onEndpointStatus
      }).pipe(Effect.provideService(WorkClass, "deliveries"))
      yield* Effect.forkScoped(watchLag(queue))
      yield* Effect.forkScoped(
        forget(endpoints, deliveries, options.retentionDays ?? Limits.webhookRetentionDays)
      )
      const fanning = {
        endpoints,
        deliveries,
        ids,
        bots: yield* BotStore,
        strategies: yield* StrategyStore
      }
      const publishAll = (events: ReadonlyArray<DomainEvent>) =>
        Effect.andThen(fanOut(fanning, events), Queue.offer(wake, undefined))
      return {
        publish: (event) => publishAll([event]),
        publishAll
      }
    })
  )

const layerWithSender = (options: WebhooksOptions = {}) =>
  Layer.merge(Layer.provide(publisher(options), Ids.layer), transport(options)).pipe(
    Layer.provide(WakeUp.layer),
    Layer.provideMerge(DispatcherHealth.layer)
  )

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
   * An `EventPublisher` that sends over HTTP, the `WebhookTransport` that registration asks, and
   * the `DispatcherHealth` of the loop that sends.
   */
  layer: layerWith({}),
  /** The same with options. */
  layerWith,
  /** The same over a sender of the host's own. */
  layerWithSender
}
