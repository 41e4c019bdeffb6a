/**
 * The loop that sends: it claims what is due, attempts it, and keeps what came of it.
 *
 * A claim is a lease, so that another sender takes over what this one does not finish. The attempt
 * is written down before its request, so that a crash between both can only repeat a request, never
 * lose one.
 *
 * @since 0.1.0
 */
import {
  type Delivery,
  type Ids,
  type StoreError,
  type Transactor,
  type WebhookEndpoint,
  type WebhookStore
} from "@candlewick/core"
import {
  Clock,
  Duration,
  Effect,
  FiberSet,
  Option,
  Queue,
  Random,
  Redacted,
  type Scope
} from "effect"
import { beginAttempt, endAttempt, judgeEndpoint } from "./decideDelivery.ts"
import type { NotificationSender } from "./NotificationSender.ts"
import type { AttemptOutcome } from "./postNotification.ts"
import { signAttempt } from "./Signature.ts"
import type { SigningSecret } from "./SigningSecret.ts"

/** What sending needs. @category models @since 0.1.0 */
export interface SendingPorts {
  readonly store: WebhookStore["Service"]
  readonly ids: Ids["Service"]
  readonly transactor: Transactor["Service"]
  readonly sender: NotificationSender["Service"]
  /** Offered to when something may be due. */
  readonly wake: Queue.Queue<void>
  readonly timeoutMs: number
  readonly lease: Duration.Duration
  readonly concurrencyMax: number
}

const userAgent = "Candlewick-Webhooks/0"
const pollMaxMs = 5_000
const shutdownPatience = "20 seconds"
const conflictRetries = 5

const isConflict = (error: StoreError): boolean => error.reason._tag === "VersionConflict"

/** Runs a read-and-replace again where someone else wrote in between. */
const replacing = <A>(change: Effect.Effect<A, StoreError>): Effect.Effect<A, StoreError> =>
  Effect.retry(change, { times: conflictRetries, while: isConflict })

const secretsOf = (
  endpoint: WebhookEndpoint
): readonly [SigningSecret] | readonly [SigningSecret, SigningSecret] => {
  const [newest, older] = endpoint.secrets
  return older === undefined
    ? [Redacted.make(newest)]
    : [Redacted.make(newest), Redacted.make(older)]
}

const requestOf = (endpoint: WebhookEndpoint, delivery: Delivery, nowMs: number) => {
  const body = new TextEncoder().encode(delivery.body)
  return {
    url: endpoint.url,
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": userAgent,
      ...signAttempt({
        id: delivery.event_id,
        atMs: nowMs,
        body,
        secrets: secretsOf(endpoint)
      }),
      "x-service-event": delivery.event,
      "x-service-attempt": String(delivery.attempts.length),
      "x-service-sequence": String(delivery.sequence)
    }
  }
}

const keepEnd = Effect.fnUntraced(function* (
  { store, transactor }: SendingPorts,
  delivery: Delivery,
  outcome: AttemptOutcome
): Effect.fn.Return<void, StoreError> {
  const nowMs = yield* Clock.currentTimeMillis
  const random = yield* Random.next
  yield* transactor.transact(
    Effect.gen(function* () {
      const ended = yield* store.updateDelivery(endAttempt(delivery, { outcome, nowMs, random }))
      const found = yield* store.get(delivery.account_id, delivery.webhook_id)
      if (Option.isNone(found)) return
      const judged = judgeEndpoint(found.value, ended, { outcome, nowMs })
      yield* store.keepHealth(judged)
      if (judged.status === "disabled" && found.value.status !== "disabled") {
        yield* Effect.logWarning(`webhook ${judged.id} was disabled: ${judged.disabled_reason}`)
      }
    })
  )
})

/** Makes one attempt at a delivery that was claimed. */
const attempt = Effect.fnUntraced(function* (
  ports: SendingPorts,
  claimed: Delivery
): Effect.fn.Return<void, StoreError> {
  const { ids, sender, store, timeoutMs } = ports
  const nowMs = yield* Clock.currentTimeMillis
  const found = yield* store.get(claimed.account_id, claimed.webhook_id)
  if (Option.isNone(found) || found.value.status === "disabled") {
    yield* store.updateDelivery({ ...claimed, status: "cancelled", leased_until_ms: null })
    return
  }
  const id = yield* ids.make("attempt")
  const begun = yield* store.updateDelivery(beginAttempt(claimed, id, nowMs))
  const request = { ...requestOf(found.value, begun, nowMs), timeoutMs }
  const outcome = yield* sender.post(request)
  yield* replacing(keepEnd(ports, begun, outcome))
})

/** Waits until something is due, or may be. */
const waitForWork = Effect.fnUntraced(function* ({
  store,
  wake
}: SendingPorts): Effect.fn.Return<void, StoreError> {
  const nowMs = yield* Clock.currentTimeMillis
  const due = yield* store.nextDueAt
  const waitMs = Option.match(due, {
    onNone: () => pollMaxMs,
    onSome: (at) => Math.min(pollMaxMs, Math.max(10, at - nowMs))
  })
  yield* Effect.timeoutOption(Queue.take(wake), Duration.millis(waitMs))
})

/**
 * Starts the loop; it ends with the scope, once the requests under way are over or twenty seconds
 * have passed.
 *
 * @category layers
 * @since 0.1.0
 */
export const sendDeliveries = Effect.fnUntraced(function* (
  ports: SendingPorts
): Effect.fn.Return<void, never, Scope.Scope> {
  const { concurrencyMax, lease, store, wake } = ports
  const underWay = yield* FiberSet.make<void>()
  yield* Effect.addFinalizer(() =>
    Effect.ignore(Effect.timeout(FiberSet.awaitEmpty(underWay), shutdownPatience))
  )
  const round = Effect.gen(function* () {
    const free = concurrencyMax - (yield* FiberSet.size(underWay))
    const nowMs = yield* Clock.currentTimeMillis
    const claimed =
      free <= 0
        ? []
        : yield* store.claim({
            nowMs,
            leaseUntilMs: nowMs + Duration.toMillis(lease),
            limit: free
          })
    for (const delivery of claimed) {
      yield* FiberSet.run(
        underWay,
        attempt(ports, delivery).pipe(
          Effect.catchCause((cause) =>
            Effect.logWarning(`delivery ${delivery.id} waits for its lease to end`, cause)
          ),
          Effect.andThen(Effect.asVoid(Queue.offer(wake, undefined)))
        )
      )
    }
    if (claimed.length === 0) yield* waitForWork(ports)
  })
  const loop = round.pipe(
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.logWarning("deliveries wait for the store", cause),
        Effect.sleep("1 second")
      )
    ),
    Effect.forever
  )
  yield* Effect.forkScoped(loop)
})
