/**
 * The loop that sends: it claims due deliveries, attempts them, and keeps the outcomes.
 *
 * A claim is a lease, so that another sender takes unfinished deliveries over. The attempt is
 * written down before its request, so that a crash between both can only repeat a request, never
 * lose one. Claims, beginnings and ends are written by the batch.
 *
 * @since 0.1.0
 */
import {
  type Delivery,
  type DeliveryChange,
  type DeliveryQueue,
  type DeliveryStore,
  type EndpointStore,
  type Ids,
  Limits,
  type NoticeQueue,
  type SecretSealing,
  type StoreError,
  type WebhookEndpoint
} from "@candlewick/core"
import {
  Cause,
  Clock,
  Duration,
  Effect,
  Exit,
  FiberSet,
  Option,
  Queue,
  Random,
  type Scope
} from "effect"
import {
  attemptRequest,
  isPreviousExpired,
  makeOpener,
  type Opener,
  type SecretUnreadable
} from "./attemptRequest.ts"
import { judgeAnswer } from "./chatAnswers.ts"
import { eraseSpent } from "./eraseSpent.ts"
import {
  beginAttempt,
  endUnsent,
  gateVerdict,
  isAccepted,
  isSpent,
  putBack
} from "./decideDelivery.ts"
import { type EndpointGates, makeEndpointGates } from "./endpointGates.ts"
import type { OnEndpointStatus } from "./EndpointNotice.ts"
import { type EndedAttempt, keepOutcomes } from "./keepOutcomes.ts"
import { noteRefusal } from "./noteRefusal.ts"
import type { NotificationSender } from "./NotificationSender.ts"
import { keepPaying, payNotices } from "./payNotices.ts"
import { makeRequestPlaces, type RequestPlaces } from "./requestPlaces.ts"
import type { AttemptError, AttemptOutcome } from "./postNotification.ts"

/** The services that sending needs. @category models @since 0.1.0 */
export interface SendingPorts {
  readonly endpoints: EndpointStore["Service"]
  readonly deliveries: DeliveryStore["Service"]
  readonly queue: DeliveryQueue["Service"]
  readonly notices: NoticeQueue["Service"]
  readonly ids: Ids["Service"]
  readonly box: SecretSealing
  readonly sender: NotificationSender["Service"]
  /** Offered to when something may be due. */
  readonly wake: Queue.Queue<void>
  /** Done each time that the loop has gone round. */
  readonly beat: Effect.Effect<void>
  readonly timeoutMs: number
  readonly lease: Duration.Duration
  readonly concurrencyMax: number
  readonly onEndpointStatus: OnEndpointStatus | undefined
}

/** The state of a loop while it runs. */
interface Sending extends SendingPorts {
  readonly opener: Opener
  readonly gates: EndpointGates
  readonly places: RequestPlaces
  readonly underWay: FiberSet.FiberSet<void>
  readonly ended: Queue.Queue<EndedAttempt>
  /** Offered to when a notice may be owed. */
  readonly owing: Queue.Queue<void>
  /** When to look next whether an endpoint that is held back was repaired. */
  lookAtMs: number
  /** How long to wait where nothing says for how long; grows until there is work. */
  idleMs: number
  /** When the loop has to be over; infinity until it is asked to stop. */
  stopsAtMs: number
  /** How far the store's time was ahead of this process's clock at the last claim. */
  aheadMs: number
}

const idleMinMs = 2
const idleMaxMs = 5_000
const lookEveryMs = 1_000
/** The longest time that a sender takes to stop, also where receivers or the store hang. */
const stopsWithinMs = 20_000
/** How long requests under way may take of that: as long as an attempt may by default. */
const requestsPatienceMs = 15_000
const storePatienceMs = 10_000
const noticePatienceMs = 5_000

/**
 * The time by the store's clock. Attempts are signed and judged by it: a receiver refuses a
 * signature that is minutes off, and servers judge one endpoint together.
 */
const storeNow = (sending: Sending): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => nowMs + sending.aheadMs)

const unsent = (error: AttemptError): AttemptOutcome => ({
  _tag: "Unanswered",
  error,
  status: null,
  durationMs: 0
})

/**
 * The outcome of an attempt, however it ended; a fault of this side is logged and is an end too.
 */
const outcomeOf = (
  { id }: Delivery,
  exit: Exit.Exit<AttemptOutcome, SecretUnreadable>
): Effect.Effect<AttemptOutcome> => {
  if (Exit.isSuccess(exit)) return Effect.succeed(exit.value)
  if (Cause.hasInterruptsOnly(exit.cause)) return Effect.succeed(unsent("cancelled"))
  const unreadable = Option.getOrNull(Cause.findErrorOption(exit.cause))
  return unreadable === null
    ? Effect.as(
        Effect.logError(`delivery ${id} was not sent: the sender failed`, exit.cause),
        unsent("sender_failed")
      )
    : Effect.as(
        Effect.logError(`delivery ${id} was not sent: ${unreadable.message}`),
        unsent("secret_unreadable")
      )
}

/** Makes the request of an attempt that was begun, and hands over how it ended. */
const attempt = (
  sending: Sending,
  endpoint: WebhookEndpoint,
  begun: Delivery,
  leavePlace: () => void
) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { gates } = sending
      const exit = yield* Effect.exit(
        restore(
          Effect.gen(function* () {
            const nowMs = yield* storeNow(sending)
            const request = yield* attemptRequest(sending.opener, endpoint, begun, nowMs)
            const posting = sending.sender.post({ ...request, timeoutMs: sending.timeoutMs })
            return judgeAnswer(endpoint.format, yield* posting)
          })
        )
      )
      leavePlace()
      const outcome = yield* outcomeOf(begun, exit)
      yield* noteRefusal(begun, outcome)
      const nowMs = yield* Clock.currentTimeMillis
      if (!begun.test) gates.end(endpoint.id, gateVerdict(begun, outcome), nowMs)
      // An accepted sample shows that the receiver is well again; a refused one shows nothing.
      else if (isAccepted(outcome)) gates.close(endpoint.id)
      const random = yield* Random.next
      const openUntilMs = gates.openUntil(endpoint.id)
      const end = {
        delivery: begun,
        outcome,
        nowMs: nowMs + sending.aheadMs,
        random,
        heldUntilMs: openUntilMs === null ? null : openUntilMs + sending.aheadMs,
        repairedAt: endpoint.repaired_at
      }
      yield* Queue.offer(sending.ended, end)
    })
  )

/** A delivery that was claimed, as it goes on: attempted, put back until a time, or ended. */
const decideClaimed = (
  sending: Sending,
  endpoint: WebhookEndpoint | undefined,
  delivery: Delivery,
  attemptId: string,
  nowMs: number
): DeliveryChange => {
  const atMs = nowMs + sending.aheadMs
  if (endpoint === undefined || endpoint.status === "disabled") {
    return endUnsent(delivery, "cancel", atMs)
  }
  if (isSpent(delivery)) return endUnsent(delivery, "exhausted", atMs)
  if (delivery.test) return beginAttempt(delivery, attemptId, atMs)
  const { id, rate_per_second, repaired_at } = endpoint
  const heldUntilMs = sending.gates.begin(id, rate_per_second, nowMs, repaired_at)
  return heldUntilMs === null
    ? beginAttempt(delivery, attemptId, atMs)
    : putBack(delivery, heldUntilMs - nowMs, atMs)
}

const begin = Effect.fnUntraced(function* (
  sending: Sending,
  claimed: ReadonlyArray<Delivery>,
  nowMs: number
): Effect.fn.Return<void, StoreError> {
  const { deliveries, ids, underWay } = sending
  const webhookIds = [...new Set(claimed.map(({ webhook_id }) => webhook_id))]
  const endpoints = new Map(
    (yield* sending.endpoints.getMany(webhookIds)).map((endpoint) => [endpoint.id, endpoint])
  )
  const decided: Array<DeliveryChange> = []
  for (const delivery of claimed) {
    const id = yield* ids.make("attempt")
    const endpoint = endpoints.get(delivery.webhook_id)
    decided.push(decideClaimed(sending, endpoint, delivery, id, nowMs))
  }
  const taken = new Map(
    decided.flatMap(({ id, status, test, webhook_id }) =>
      status === "sending" && !test ? [[id, webhook_id] as const] : []
    )
  )
  const start = Effect.gen(function* () {
    for (const delivery of yield* deliveries.updateMany(decided)) {
      const endpoint = endpoints.get(delivery.webhook_id)
      if (delivery.status !== "sending" || endpoint === undefined) continue
      taken.delete(delivery.id)
      const leavePlace = sending.places.begin(nowMs)
      yield* FiberSet.run(underWay, attempt(sending, endpoint, delivery, leavePlace))
    }
  })
  const letGo = Effect.sync(() => {
    for (const webhookId of taken.values()) sending.gates.end(webhookId, "nothing", nowMs)
  })
  yield* Effect.ensuring(start, letGo)
  const isDue = (endpoint: WebhookEndpoint) => isPreviousExpired(endpoint, nowMs + sending.aheadMs)
  if ([...endpoints.values()].some(isDue)) yield* Effect.ignore(eraseSpent(sending.endpoints))
})

/** Waits until something is due, or may be. */
const waitForWork = Effect.fnUntraced(function* (
  sending: Sending
): Effect.fn.Return<void, StoreError> {
  const { gates, places, queue, wake } = sending
  const dueMs = Option.getOrElse(yield* queue.nextDueInMs, () => Number.POSITIVE_INFINITY)
  const nowMs = yield* Clock.currentTimeMillis
  const gateMs = gates.nextAt(nowMs) - nowMs
  // A delivery that is due and not claimed waits for a request to end or to be slow, or for a
  // transaction to be kept.
  const knownMs = Math.min(gateMs, dueMs > 0 ? dueMs : places.nextSlowAt(nowMs) - nowMs)
  const lookMs = gates.shut(nowMs).length > 0 ? sending.lookAtMs - nowMs : Number.POSITIVE_INFINITY
  const waitMs = Math.max(1, Math.min(sending.idleMs, knownMs, lookMs))
  sending.idleMs = Math.min(idleMaxMs, 2 * sending.idleMs)
  const woken = yield* Effect.timeoutOption(Queue.take(wake), Duration.millis(waitMs))
  if (Option.isSome(woken)) sending.idleMs = idleMinMs
})

/**
 * Sees the repairs of callers meanwhile: no other field of an endpoint that is held back is read.
 */
const lookForRepairs = Effect.fnUntraced(function* (
  sending: Sending,
  nowMs: number
): Effect.fn.Return<void, StoreError> {
  const { endpoints, gates } = sending
  const held = gates.shut(nowMs)
  if (held.length === 0 || nowMs < sending.lookAtMs) return
  sending.lookAtMs = nowMs + lookEveryMs
  for (const { id, repaired_at } of yield* endpoints.getMany(held)) gates.repair(id, repaired_at)
})

const round = Effect.fnUntraced(function* (sending: Sending): Effect.fn.Return<void, StoreError> {
  const { gates, lease, places, queue } = sending
  const claim = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const free = places.free(nowMs)
    if (free <= 0) return 0
    yield* lookForRepairs(sending, nowMs)
    const leaseMs = Duration.toMillis(lease)
    const claimed = yield* queue.claim({
      leaseMs,
      slowAfterMs: Limits.webhookSlowAfterMs,
      limit: free,
      accountMax: Limits.webhookInFlightPerAccountMax,
      accountKept: Limits.webhookInFlightKeptCount,
      allowances: gates.allowances(nowMs)
    })
    const leasedUntilMs = claimed[0]?.leased_until_ms
    if (typeof leasedUntilMs === "number") {
      const claimedAtMs = yield* Clock.currentTimeMillis
      sending.aheadMs = leasedUntilMs - leaseMs - claimedAtMs
      yield* begin(sending, claimed, claimedAtMs)
    }
    return claimed.length
  })
  // A claimed delivery is begun, so that an end in between leaves no lease behind.
  if ((yield* Effect.uninterruptible(claim)) === 0) return yield* waitForWork(sending)
  sending.idleMs = idleMinMs
})

/** The rest of a patience while the loop is asked to stop. */
const leftOf = (patienceMs: number, { stopsAtMs }: Sending): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (nowMs) =>
    Math.max(0, Math.min(patienceMs, stopsAtMs - nowMs))
  )

/** Keeps the outcomes so far; where the store is away for long, the lease ends them. */
const keep = (sending: Sending, ended: ReadonlyArray<EndedAttempt>): Effect.Effect<void> =>
  ended.length === 0
    ? Effect.void
    : Effect.flatMap(leftOf(storePatienceMs, sending), (patienceMs) =>
        keepOutcomes(sending.queue, ended, patienceMs)
      ).pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning(`${ended.length} deliveries wait for their leases to end`, cause)
        ),
        Effect.andThen(Queue.offer(sending.owing, undefined)),
        Effect.andThen(Effect.asVoid(Queue.offer(sending.wake, undefined))),
        Effect.uninterruptible
      )

/** The end of a loop: it keeps the outcomes of its requests, and gives their notices. */
const keepRest = Effect.fnUntraced(function* (sending: Sending) {
  yield* keep(sending, yield* Queue.clear(sending.ended))
  const paying = payNotices(sending.notices, sending.onEndpointStatus)
  yield* Effect.ignore(Effect.timeout(paying, yield* leftOf(noticePatienceMs, sending)))
})

/**
 * Starts the loop; it ends with the scope, once the requests under way are over or fifteen seconds
 * have passed. A store that does not answer gets the rest of twenty.
 *
 * @category layers
 * @since 0.1.0
 */
export const sendDeliveries = Effect.fnUntraced(function* (
  ports: SendingPorts
): Effect.fn.Return<void, never, Scope.Scope> {
  const ended = yield* Queue.unbounded<EndedAttempt>()
  const owing = yield* Queue.sliding<void>(1)
  const lastly: { sending: Sending | null } = { sending: null }
  // In the reverse order at the end: no more claims, requests awaited, the rest broken off, kept.
  yield* Effect.addFinalizer(() =>
    lastly.sending === null ? Effect.void : keepRest(lastly.sending)
  )
  const sending: Sending = {
    ...ports,
    opener: makeOpener(ports.box),
    gates: makeEndpointGates(),
    places: makeRequestPlaces(ports.concurrencyMax, Limits.webhookSlowAfterMs),
    underWay: yield* FiberSet.make<void>(),
    ended,
    owing,
    lookAtMs: 0,
    idleMs: idleMinMs,
    stopsAtMs: Number.POSITIVE_INFINITY,
    aheadMs: 0
  }
  lastly.sending = sending
  yield* Effect.forkScoped(
    Effect.forever(Effect.flatMap(Queue.takeAll(ended), (some) => keep(sending, some)))
  )
  yield* Effect.forkScoped(keepPaying(ports.notices, ports.onEndpointStatus, owing))
  yield* Effect.addFinalizer(() =>
    Effect.ignore(Effect.timeout(FiberSet.awaitEmpty(sending.underWay), requestsPatienceMs))
  )
  const loop = Effect.andThen(round(sending), ports.beat).pipe(
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.logWarning("deliveries wait for the store", cause),
        Effect.sleep("1 second")
      )
    ),
    Effect.forever
  )
  yield* Effect.forkScoped(loop)
  yield* Effect.addFinalizer(() =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      sending.stopsAtMs = nowMs + stopsWithinMs
    })
  )
})
