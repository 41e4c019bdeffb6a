/**
 * Takes events from the outbox to the publisher, and to the listeners of this process.
 *
 * An event is written in the transaction of its change, and published once that has been kept. So
 * no change is without its event, and no event without its change.
 *
 * @since 0.1.0
 */
import {
  Cause,
  Clock,
  Context,
  Effect,
  Exit,
  Layer,
  Option,
  PubSub,
  Queue,
  type Scope,
  Semaphore,
  Stream
} from "effect"
import type { DomainEvent, PublishedEvent } from "../../domain/DomainEvent.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { EventPublisher } from "../../ports/EventPublisher.ts"
import { Outbox } from "../../ports/Outbox.ts"
import { Transactor } from "../../ports/Transactor.ts"
import { WorkClass } from "../WorkClass.ts"

/**
 * The way of events out.
 *
 * @category services
 * @since 0.1.0
 */
export class Events extends Context.Service<
  Events,
  {
    /**
     * Writes an event down, in the caller's transaction, and has it published once that is kept.
     */
    readonly announce: (event: DomainEvent) => Effect.Effect<void, StoreError>

    /** The same for many events; the caller's transaction is to fail where this does. */
    readonly announceAll: (events: ReadonlyArray<DomainEvent>) => Effect.Effect<void, StoreError>

    /**
     * Publishes the waiting events, oldest first, and returns when none is left. Fails where some
     * could not be published. Not for use inside a transaction, which would wait for itself.
     */
    readonly flush: Effect.Effect<void, StoreError>

    /**
     * The published events of an account with numbers above `after`, oldest first. Any process may
     * have published them. The store keeps the newest events alone.
     */
    readonly list: (
      accountId: string,
      page: { readonly after: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<PublishedEvent>, StoreError>

    /** The number of an account's newest published event; 0 where there is none. */
    readonly newestSeq: (accountId: string) => Effect.Effect<number, StoreError>

    /**
     * The events that this process publishes from now on, until the scope ends. A listener that
     * falls far behind misses the oldest.
     */
    readonly subscribe: Effect.Effect<PubSub.Subscription<DomainEvent>, never, Scope.Scope>

    /** The events that this process publishes while the stream runs; as `subscribe`. */
    readonly published: Stream.Stream<DomainEvent>
  }
>()("@candlewick/core/services/Events") {
  /** Publishes in the background for as long as the layer lives. */
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function* () {
      const drain: Drain = {
        outbox: yield* Outbox,
        publisher: yield* EventPublisher,
        transactor: yield* Transactor,
        turn: yield* Semaphore.make(1),
        published: yield* PubSub.sliding<DomainEvent>(listenerCapacity),
        wake: yield* Queue.dropping<void>(1),
        announced: new Map()
      }
      yield* Effect.addFinalizer(() => PubSub.shutdown(drain.published))
      yield* Effect.forkScoped(Effect.provideService(run(drain), WorkClass, "deliveries"))
      return Events.of({
        announce: (event) => Effect.andThen(drain.outbox.append(event), expect(drain, [event])),
        announceAll: (events) =>
          Effect.andThen(drain.outbox.appendAll(events), expect(drain, events)),
        flush: flush(drain),
        list: drain.outbox.listPublished,
        newestSeq: drain.outbox.newestSeq,
        subscribe: PubSub.subscribe(drain.published),
        published: Stream.fromPubSub(drain.published)
      })
    })
  )
}

const batchCount = 100
// So few that on a store with one session other work waits briefly for the transaction.
const togetherCount = 25
const listenerCapacity = 4_096
const pollMs = 5_000
const patienceMs = 5_000
const quickPollMaxMs = 250
const backoffMinMs = 100
const backoffMaxMs = 30_000

interface Drain {
  readonly outbox: Outbox["Service"]
  readonly publisher: EventPublisher["Service"]
  readonly transactor: Transactor["Service"]
  /** One drain at a time, so that listeners see events in order and once. */
  readonly turn: Semaphore.Semaphore
  readonly published: PubSub.PubSub<DomainEvent>
  readonly wake: Queue.Queue<void>
  /**
   * When events that were not seen in the outbox yet were announced: their transactions may still
   * be open.
   */
  readonly announced: Map<string, number>
}

const publishOne = Effect.fnUntraced(function* (drain: Drain, event: DomainEvent) {
  yield* drain.transactor.transact(
    Effect.andThen(drain.publisher.publish(event), drain.outbox.acknowledge(event.id))
  )
  drain.announced.delete(event.id)
  yield* PubSub.publish(drain.published, event)
})

/** Has events published that a transaction under way has written down. */
const expect = Effect.fnUntraced(function* (drain: Drain, events: ReadonlyArray<DomainEvent>) {
  const nowMs = yield* Clock.currentTimeMillis
  for (const { id } of events) drain.announced.set(id, nowMs)
  yield* Queue.offer(drain.wake, undefined)
})

interface Outcome {
  readonly publishedCount: number
  readonly failure: Cause.Cause<StoreError> | null
}

const isStoreDown = (cause: Cause.Cause<StoreError>): boolean =>
  Option.exists(Cause.findErrorOption(cause), (error) => error.isRetryable)

/** Publishes the oldest events in one transaction. */
const publishTogether = Effect.fnUntraced(function* (drain: Drain) {
  const { outbox, publisher, transactor } = drain
  const taken = yield* transactor.transact(
    Effect.gen(function* () {
      const events = yield* outbox.take(togetherCount)
      if (events.length === 0) return events
      yield* publisher.publishAll(events)
      yield* outbox.acknowledgeAll(events.map(({ id }) => id))
      return events
    })
  )
  for (const event of taken) {
    drain.announced.delete(event.id)
    yield* PubSub.publish(drain.published, event)
  }
  return taken.length
})

/**
 * Publishes the oldest events that wait, together or, where that can't be, one by one. One that
 * can't be published stays, and does not hold up those behind it unless it is the store that is
 * down.
 */
const publishBatch = (drain: Drain): Effect.Effect<Outcome, StoreError> =>
  drain.turn.withPermit(
    Effect.gen(function* () {
      const together = yield* Effect.exit(publishTogether(drain))
      if (Exit.isSuccess(together)) return { publishedCount: together.value, failure: null }
      if (isStoreDown(together.cause)) return { publishedCount: 0, failure: together.cause }
      // In a transaction, so that a store that processes them one by one shows the writes of the
      // one under way.
      const waiting = yield* drain.transactor.transact(drain.outbox.peek(batchCount))
      let publishedCount = 0
      let failure: Outcome["failure"] = null
      for (const event of waiting) {
        const exit = yield* Effect.exit(publishOne(drain, event))
        if (Exit.isSuccess(exit)) {
          publishedCount++
          continue
        }
        failure = exit.cause
        if (isStoreDown(failure)) break
        yield* Effect.logError(`event ${event.id} could not be published`, failure)
      }
      return { publishedCount, failure }
    })
  )

const flush = (drain: Drain): Effect.Effect<void, StoreError> =>
  Effect.flatMap(publishBatch(drain), ({ failure, publishedCount }) => {
    if (failure !== null) return Effect.failCause(failure)
    return publishedCount === 0 ? Effect.void : flush(drain)
  })

/**
 * How long to wait for the transactions under way: as long as they have lasted, so at most as long
 * again.
 */
const patience = (announced: Map<string, number>, nowMs: number): number => {
  let newestMs = Number.NEGATIVE_INFINITY
  for (const [id, announcedMs] of announced) {
    // Rolled back by now, or published elsewhere, or in so long a transaction that the poll will
    // do.
    if (nowMs - announcedMs > patienceMs) announced.delete(id)
    else newestMs = Math.max(newestMs, announcedMs)
  }
  if (announced.size === 0) return pollMs
  return Math.min(quickPollMaxMs, Math.max(1, nowMs - newestMs))
}

const run = Effect.fnUntraced(function* (drain: Drain) {
  let failureCount = 0
  while (true) {
    const { failure, publishedCount } = yield* publishBatch(drain).pipe(
      Effect.catchCause((failure) => Effect.succeed<Outcome>({ publishedCount: 0, failure }))
    )
    failureCount = failure === null ? 0 : publishedCount > 0 ? 1 : failureCount + 1
    if (failure === null) {
      // A full batch may have more behind it: look again at once.
      if (publishedCount >= togetherCount) continue
      const waitMs = patience(drain.announced, yield* Clock.currentTimeMillis)
      yield* Effect.timeoutOption(Queue.take(drain.wake), waitMs)
      continue
    }
    const backoffMs = Math.min(backoffMaxMs, backoffMinMs * 2 ** (failureCount - 1))
    if (isStoreDown(failure)) {
      yield* Effect.logWarning("events wait for the store", failure)
      yield* Effect.sleep(backoffMs)
    } else yield* Effect.timeoutOption(Queue.take(drain.wake), backoffMs)
  }
})
