import {
  type DomainEvent,
  EventPublisher,
  Events,
  Ids,
  makeEvent,
  Outbox,
  StoreError,
  StoreUnavailable,
  toTimestamp,
  Transactor
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Option, PubSub, Queue, Ref, Stream } from "effect"
import { TestClock } from "effect/testing"

/** The messages to the publisher of these tests, and the failure before it accepts. */
class Taken extends Context.Service<
  Taken,
  {
    readonly ids: Ref.Ref<ReadonlyArray<string>>
    readonly next: Queue.Queue<string>
    readonly failure: Ref.Ref<(event: DomainEvent) => Effect.Effect<void, StoreError>>
  }
>()("Taken") {
  static readonly layer = Layer.effect(
    Taken,
    Effect.gen(function* () {
      return {
        ids: yield* Ref.make<ReadonlyArray<string>>([]),
        next: yield* Queue.unbounded<string>(),
        failure: yield* Ref.make<(event: DomainEvent) => Effect.Effect<void, StoreError>>(
          () => Effect.void
        )
      }
    })
  )
}

const publisher = Layer.effect(
  EventPublisher,
  Effect.map(Taken, ({ failure, ids, next }) => {
    const publish = Effect.fnUntraced(function* (event: DomainEvent) {
      yield* (yield* Ref.get(failure))(event)
      yield* Ref.update(ids, (taken) => [...taken, event.id])
      yield* Queue.offer(next, event.id)
    })
    return {
      publish,
      publishAll: (events: ReadonlyArray<DomainEvent>) =>
        Effect.forEach(events, publish, { discard: true })
    }
  })
)

const App = Events.layer.pipe(
  Layer.provideMerge(publisher),
  Layer.provideMerge(Layer.mergeAll(Taken.layer, Ids.layer, MemoryStore.layer))
)

/** Whether what was appended can be seen by now. */
class IsCommitted extends Context.Service<IsCommitted, Ref.Ref<boolean>>()("IsCommitted") {}

const slowlyCommitting = Events.layer.pipe(
  Layer.provideMerge(publisher),
  Layer.provideMerge(
    Layer.effect(
      Outbox,
      Effect.gen(function* () {
        const isCommitted = yield* IsCommitted
        const events = new Map<string, DomainEvent>()
        const seen = Effect.map(Ref.get(isCommitted), (isSeen) =>
          isSeen ? [...events.values()] : []
        )
        return {
          append: (event) => Effect.sync(() => void events.set(event.id, event)),
          appendAll: (all) =>
            Effect.sync(() => all.forEach((event) => events.set(event.id, event))),
          peek: () => seen,
          take: () => seen,
          acknowledge: (id) => Effect.sync(() => void events.delete(id)),
          acknowledgeAll: (ids) => Effect.sync(() => ids.forEach((id) => events.delete(id))),
          listPublished: () => Effect.succeed([]),
          newestSeq: () => Effect.succeed(0)
        }
      })
    )
  ),
  Layer.provideMerge(Layer.effect(IsCommitted, Ref.make(false))),
  Layer.provideMerge(Layer.mergeAll(Taken.layer, Ids.layer, MemoryStore.layer))
)

const eventOf = Effect.fnUntraced(function* (number: number) {
  const ids = yield* Ids
  return makeEvent(
    {
      id: yield* ids.make("event"),
      account_id: yield* ids.make("account"),
      event: "trade.executed",
      timestamp: toTimestamp(0)
    },
    { number }
  )
})

const unavailable = new StoreError({ reason: new StoreUnavailable({ cause: "unplugged" }) })

describe("Events", () => {
  it.effect(
    "publishes at once what was announced, oldest first, and takes it out of the outbox",
    () =>
      Effect.gen(function* () {
        const events = yield* Events
        const { ids, next } = yield* Taken
        const announced: Array<string> = []
        for (let number = 0; number < 250; number++) {
          const event = yield* eventOf(number)
          announced.push(event.id)
          yield* events.announce(event)
        }
        for (const id of announced) assert.strictEqual(yield* Queue.take(next), id)
        yield* events.flush
        assert.deepStrictEqual(yield* Ref.get(ids), announced)
        assert.lengthOf(yield* (yield* Outbox).peek(10), 0)
      }).pipe(Effect.provide(App))
  )

  it.effect("publishes nothing of a transaction that fails", () =>
    Effect.gen(function* () {
      const events = yield* Events
      const { transact } = yield* Transactor
      const { ids } = yield* Taken
      const event = yield* eventOf(1)
      const failing = transact(Effect.andThen(events.announce(event), Effect.fail("no" as const)))
      assert.strictEqual(yield* Effect.flip(failing), "no")
      yield* events.flush
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Ref.get(ids), [])
    }).pipe(Effect.provide(App))
  )

  it.effect("publishes what a transaction announced once it is over, and not before", () =>
    Effect.gen(function* () {
      const events = yield* Events
      const { transact } = yield* Transactor
      const { ids, next } = yield* Taken
      const event = yield* eventOf(1)
      yield* transact(
        Effect.gen(function* () {
          yield* events.announce(event)
          for (let turn = 0; turn < 100; turn++) yield* Effect.yieldNow
          assert.deepStrictEqual(yield* Ref.get(ids), [])
        })
      )
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Queue.take(next), event.id)
    }).pipe(Effect.provide(App))
  )

  it.effect(
    "looks again soon where the transaction of an event is still open on another connection",
    () =>
      Effect.gen(function* () {
        const events = yield* Events
        const { ids, next } = yield* Taken
        const event = yield* eventOf(1)
        yield* events.announce(event)
        yield* TestClock.adjust("40 millis")
        assert.deepStrictEqual(yield* Ref.get(ids), [])
        yield* Ref.set(yield* IsCommitted, true)
        yield* TestClock.adjust("50 millis")
        assert.strictEqual(yield* Queue.take(next), event.id)
      }).pipe(Effect.provide(slowlyCommitting))
  )

  it.effect("publishes what was left in the outbox when it starts", () =>
    Effect.gen(function* () {
      const event = yield* eventOf(1)
      yield* (yield* Outbox).append(event)
      const { next } = yield* Taken
      yield* Effect.scoped(
        Effect.andThen(
          Layer.build(Layer.fresh(Events.layer)),
          Effect.map(Queue.take(next), (id) => assert.strictEqual(id, event.id))
        )
      )
    }).pipe(
      Effect.provide(
        publisher.pipe(
          Layer.provideMerge(Layer.mergeAll(Taken.layer, Ids.layer, MemoryStore.layer))
        )
      )
    )
  )

  it.effect("finds in time what another process announced", () =>
    Effect.gen(function* () {
      yield* (yield* Events).flush
      const event = yield* eventOf(1)
      yield* (yield* Outbox).append(event)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Queue.take((yield* Taken).next), event.id)
    }).pipe(Effect.provide(App))
  )

  it.effect("goes on after the store has been away, and has lost nothing", () =>
    Effect.gen(function* () {
      const events = yield* Events
      const { failure, ids, next } = yield* Taken
      const first = yield* eventOf(1)
      const second = yield* eventOf(2)
      yield* Ref.set(failure, () => Effect.fail(unavailable))
      yield* events.announce(first)
      yield* events.announce(second)
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(yield* Effect.flip(events.flush), unavailable)
      assert.deepStrictEqual(yield* Ref.get(ids), [])
      yield* Ref.set(failure, () => Effect.void)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Queue.take(next), first.id)
      assert.strictEqual(yield* Queue.take(next), second.id)
      assert.deepStrictEqual(yield* Ref.get(ids), [first.id, second.id])
    }).pipe(Effect.provide(App))
  )

  it.effect("holds up nobody for one event that can't be published", () =>
    Effect.gen(function* () {
      const events = yield* Events
      const { failure, next } = yield* Taken
      const bad = yield* eventOf(1)
      const good = yield* eventOf(2)
      yield* Ref.set(failure, ({ id }) => (id === bad.id ? Effect.die("bad event") : Effect.void))
      yield* events.announce(bad)
      yield* events.announce(good)
      assert.strictEqual(yield* Queue.take(next), good.id)
      const waiting = yield* (yield* Outbox).peek(10)
      assert.deepStrictEqual(
        waiting.map(({ id }) => id),
        [bad.id]
      )
    }).pipe(Effect.provide(App))
  )

  it.effect("keeps an event whose acknowledgement was undone with what the publisher wrote", () =>
    Effect.gen(function* () {
      const events = yield* Events
      const outbox = yield* Outbox
      const { failure, next } = yield* Taken
      const event = yield* eventOf(1)
      const written = yield* eventOf(2)
      // The first time, the publisher writes something and then fails.
      let attempts = 0
      yield* Ref.set(failure, ({ id }) =>
        id === event.id && ++attempts === 1
          ? Effect.andThen(outbox.append(written), Effect.fail(unavailable))
          : Effect.void
      )
      yield* events.announce(event)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Queue.take(next), event.id)
      yield* events.flush
      assert.deepStrictEqual(yield* Ref.get((yield* Taken).ids), [event.id])
    }).pipe(Effect.provide(App))
  )

  it.effect("tells every listener in the process", () =>
    Effect.gen(function* () {
      const events = yield* Events
      const one = yield* events.subscribe
      const other = yield* events.subscribe
      const event = yield* eventOf(1)
      yield* events.announce(event)
      assert.deepStrictEqual(yield* PubSub.take(one), event)
      assert.deepStrictEqual(yield* PubSub.take(other), event)
      const streamed = yield* Effect.forkChild(Stream.runHead(events.published), {
        startImmediately: true
      })
      const next = yield* eventOf(2)
      yield* events.announce(next)
      assert.deepStrictEqual(yield* PubSub.take(one), next)
      assert.deepStrictEqual(yield* Fiber.join(streamed), Option.some(next))
    }).pipe(Effect.scoped, Effect.provide(App))
  )
})
