/**
 * The contract of `Outbox`, as tests.
 *
 * An outbox has no accounts: each test looks for its own events, and acknowledges them in the end.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer, Option } from "effect"
import type { DomainEvent } from "../domain/DomainEvent.ts"
import { Limits } from "../domain/Limits.ts"
import { Outbox } from "../ports/Outbox.ts"
import { Transactor } from "../ports/Transactor.ts"
import {
  refusalOf,
  registerSuite,
  overwrite,
  seenMeanwhile,
  type SuiteOptions
} from "./conformance.ts"
import { eventRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"

/** Events that are acknowledged when the test ends. */
const ownEvents = (count: number) =>
  Effect.acquireRelease(
    Effect.sync(() => Array.from({ length: count }, () => eventRecord())),
    (events) =>
      Effect.flatMap(Outbox, ({ acknowledge }) =>
        Effect.orDie(Effect.forEach(events, ({ id }) => acknowledge(id)))
      )
  )

const waitingOf = (events: ReadonlyArray<DomainEvent>) =>
  Effect.flatMap(Outbox, ({ peek }) =>
    Effect.map(peek(10_000), (all) => all.filter(({ id }) => events.some((one) => one.id === id)))
  )

const tests = {
  "gives events back as they were appended, oldest first": Effect.gen(function* () {
    const { append } = yield* Outbox
    const events = yield* ownEvents(5)
    for (const event of events) yield* append(event)
    assert.deepStrictEqual(yield* waitingOf(events), events)
    assert.deepStrictEqual(yield* waitingOf(events), events)
  }),

  "has all events that are appended together, or none of them": Effect.gen(function* () {
    const { append, appendAll } = yield* Outbox
    const { transact } = yield* Transactor
    const events = yield* ownEvents(4)
    yield* appendAll([])
    yield* appendAll(events.slice(0, 2))
    assert.deepStrictEqual(yield* waitingOf(events), events.slice(0, 2))
    const again = transact(Effect.andThen(append(events[2]!), appendAll(events.slice(1))))
    assert.strictEqual(yield* refusalOf(again), "AlreadyExists")
    assert.deepStrictEqual(yield* waitingOf(events), events.slice(0, 2))
  }),

  "gives at most as many events as are asked for, the oldest": Effect.gen(function* () {
    const { append, peek } = yield* Outbox
    const events = yield* ownEvents(4)
    for (const event of events) yield* append(event)
    assert.deepStrictEqual(yield* peek(1), events.slice(0, 1))
    assert.deepStrictEqual(yield* peek(3), events.slice(0, 3))
    assert.deepStrictEqual(yield* peek(0), [])
  }),

  "takes an acknowledged event out, once and for all": Effect.gen(function* () {
    const { acknowledge, append } = yield* Outbox
    const events = yield* ownEvents(3)
    for (const event of events) yield* append(event)
    yield* acknowledge(events[1]!.id)
    yield* acknowledge(events[1]!.id)
    yield* acknowledge(eventRecord().id)
    assert.deepStrictEqual(yield* waitingOf(events), [events[0]!, events[2]!])
  }),

  "finds an event that is kept after a newer one was acknowledged": Effect.gen(function* () {
    const { acknowledge, append } = yield* Outbox
    const events = yield* ownEvents(2)
    yield* append(events[1]!)
    yield* acknowledge(events[1]!.id)
    yield* append(events[0]!)
    assert.deepStrictEqual(yield* waitingOf(events), [events[0]!])
  }),

  "has every event that many writers append at once": Effect.gen(function* () {
    const { append } = yield* Outbox
    const { transact } = yield* Transactor
    const events = yield* ownEvents(50)
    yield* Effect.forEach(
      events,
      (event, index) => (index % 2 === 0 ? append(event) : transact(append(event))),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(yield* waitingOf(events), events)
  }),

  "has no event of a transaction that failed": Effect.gen(function* () {
    const { acknowledge, append } = yield* Outbox
    const events = yield* ownEvents(2)
    yield* append(events[0]!)
    yield* rolledBack(Effect.andThen(append(events[1]!), acknowledge(events[0]!.id)))
    assert.deepStrictEqual(yield* waitingOf(events), [events[0]!])
  }),

  "shows an event only once its transaction has succeeded": Effect.gen(function* () {
    const { append } = yield* Outbox
    const { transact } = yield* Transactor
    const events = yield* ownEvents(1)
    const appended = yield* Deferred.make<void>()
    const looked = yield* Deferred.make<void>()
    const fiber = yield* Effect.forkChild(
      transact(
        Effect.gen(function* () {
          yield* append(events[0]!)
          yield* Deferred.succeed(appended, undefined)
          yield* Deferred.await(looked)
        })
      )
    )
    yield* Deferred.await(appended)
    const seen = yield* seenMeanwhile(waitingOf(events))
    assert.deepStrictEqual(
      Option.getOrElse(seen, () => []),
      []
    )
    yield* Deferred.succeed(looked, undefined)
    yield* Fiber.join(fiber)
    assert.deepStrictEqual(yield* waitingOf(events), events)
  }),

  "keeps thousands of events in order, and lets them go": Effect.gen(function* () {
    const { acknowledge, append, peek } = yield* Outbox
    const { transact } = yield* Transactor
    const events = yield* ownEvents(2_000)
    yield* transact(Effect.forEach(events, append, { discard: true }))
    let seen = 0
    while (seen < events.length) {
      const batch = yield* peek(250)
      assert.deepStrictEqual(batch, events.slice(seen, seen + 250))
      yield* transact(Effect.forEach(batch, ({ id }) => acknowledge(id), { discard: true }))
      seen += batch.length
    }
    assert.deepStrictEqual(yield* waitingOf(events), [])
  }),

  "takes the oldest out together, and those that are gone already": Effect.gen(function* () {
    const { acknowledge, acknowledgeAll, append, take } = yield* Outbox
    const { transact } = yield* Transactor
    const events = yield* ownEvents(5)
    for (const event of events) yield* append(event)
    const ids = events.map(({ id }) => id)
    const drain = Effect.gen(function* () {
      const taken = yield* take(3)
      yield* acknowledgeAll(taken.map(({ id }) => id))
      return taken
    })
    yield* rolledBack(drain)
    assert.deepStrictEqual(yield* transact(take(0)), [])
    assert.deepStrictEqual(yield* transact(drain), events.slice(0, 3))
    yield* acknowledge(ids[3]!)
    yield* acknowledgeAll(ids.slice(0, 4))
    yield* acknowledgeAll([])
    assert.deepStrictEqual(yield* transact(drain), events.slice(4))
    assert.deepStrictEqual(yield* waitingOf(events), [])
  }),

  "gives each event to one of many who take and acknowledge at once, in order": Effect.gen(
    function* () {
      const { acknowledgeAll, append, take } = yield* Outbox
      const { transact } = yield* Transactor
      const events = yield* ownEvents(40)
      for (const event of events) yield* append(event)
      const taken: Array<string> = []
      const drain = transact(
        Effect.gen(function* () {
          const oldest = yield* take(6)
          const ids = oldest.map(({ id }) => id)
          yield* Effect.yieldNow
          yield* acknowledgeAll(ids)
          // In here no other process may have taken them, or take later ones first.
          taken.push(...ids)
          return ids.length
        })
      )
      const worker = Effect.gen(function* () {
        while ((yield* drain) > 0);
      })
      yield* Effect.all([worker, worker, worker], { concurrency: "unbounded" })
      assert.deepStrictEqual(
        taken,
        events.map(({ id }) => id)
      )
    }
  ),

  "gives every event to those who drain while others append, and lets each go": Effect.gen(
    function* () {
      const { acknowledge, append, peek } = yield* Outbox
      const { transact } = yield* Transactor
      const events = yield* ownEvents(60)
      const ids = new Set(events.map(({ id }) => id))
      const drained = new Set<string>()
      const drain = Effect.gen(function* () {
        while (drained.size < events.length) {
          for (const { id } of yield* peek(7)) {
            yield* transact(acknowledge(id))
            if (ids.has(id)) drained.add(id)
          }
          yield* Effect.yieldNow
        }
      })
      const write = Effect.forEach(events, (event) => transact(append(event)), { concurrency: 6 })
      yield* Effect.all([write, drain, drain], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* waitingOf(events), [])
    }
  ),

  "numbers what was published of an account, and gives it after any number": Effect.gen(
    function* () {
      const { acknowledge, acknowledgeAll, append, listPublished, newestSeq } = yield* Outbox
      const [own, other] = [testId("account"), testId("account")]
      assert.strictEqual(yield* newestSeq(own), 0)
      assert.deepStrictEqual(yield* listPublished(own, { after: 0, limit: 10 }), [])
      const events = Array.from({ length: 6 }, (_, index) =>
        eventRecord({ account_id: index === 2 ? other : own })
      )
      for (const event of events) yield* append(event)
      assert.deepStrictEqual(yield* listPublished(own, { after: 0, limit: 10 }), [])
      yield* acknowledge(events[5]!.id)
      yield* acknowledgeAll(
        events
          .slice(0, 5)
          .map(({ id }) => id)
          .toReversed()
      )
      yield* acknowledgeAll(events.map(({ id }) => id))
      const order = [5, 0, 1, 3, 4].map((at, index) => ({ seq: index + 1, event: events[at]! }))
      assert.deepStrictEqual(yield* listPublished(own, { after: 0, limit: 10 }), order)
      assert.deepStrictEqual(yield* listPublished(own, { after: 2, limit: 2 }), order.slice(2, 4))
      assert.deepStrictEqual(yield* listPublished(own, { after: 5, limit: 10 }), [])
      assert.deepStrictEqual(yield* listPublished(other, { after: 0, limit: 10 }), [
        { seq: 1, event: events[2]! }
      ])
      assert.strictEqual(yield* newestSeq(own), 5)
    }
  ),

  "numbers nothing that was undone, and leaves no gap for it": Effect.gen(function* () {
    const { acknowledgeAll, append, listPublished } = yield* Outbox
    const account_id = testId("account")
    const events = Array.from({ length: 3 }, () => eventRecord({ account_id }))
    for (const event of events) yield* append(event)
    const ids = events.map(({ id }) => id)
    yield* acknowledgeAll(ids.slice(0, 1))
    yield* rolledBack(acknowledgeAll(ids.slice(1)))
    yield* acknowledgeAll(ids.slice(2))
    assert.deepStrictEqual(yield* listPublished(account_id, { after: 0, limit: 10 }), [
      { seq: 1, event: events[0]! },
      { seq: 2, event: events[2]! }
    ])
    yield* acknowledgeAll(ids)
  }),

  "never shows a number before those below it, however many publish at once": Effect.gen(
    function* () {
      const { acknowledge, append, listPublished } = yield* Outbox
      const { transact } = yield* Transactor
      const account_id = testId("account")
      const events = Array.from({ length: 40 }, () => eventRecord({ account_id }))
      for (const event of events) yield* append(event)
      const seen: Array<number> = []
      const look = Effect.gen(function* () {
        while (seen.length < events.length) {
          const page = { after: seen.at(-1) ?? 0, limit: 7 }
          seen.push(...(yield* listPublished(account_id, page)).map(({ seq }) => seq))
          yield* Effect.yieldNow
        }
      })
      const publish = Effect.forEach(
        events,
        ({ id }) => transact(Effect.andThen(acknowledge(id), Effect.yieldNow)),
        { concurrency: 8 }
      )
      yield* Effect.all([look, publish], { concurrency: "unbounded" })
      assert.deepStrictEqual(
        seen,
        events.map((_, index) => index + 1)
      )
    }
  ),

  "keeps the newest of an account's published events, and no more than so many": Effect.gen(
    function* () {
      const { acknowledge, acknowledgeAll, append, listPublished, newestSeq } = yield* Outbox
      const { transact } = yield* Transactor
      const account_id = testId("account")
      const count = Limits.eventsPerAccountMaxCount
      const events = Array.from({ length: count + 4 }, () => eventRecord({ account_id }))
      const others = Array.from({ length: 2 }, () => eventRecord({ account_id: testId("account") }))
      const [other] = others
      yield* transact(Effect.forEach([...events, ...others], append, { discard: true }))
      const first = (id: string) => listPublished(id, { after: 0, limit: 1 })
      const idsOf = (some: ReadonlyArray<DomainEvent>) => some.map(({ id }) => id)

      // One more than there is room for, at once.
      yield* acknowledgeAll(idsOf(events.slice(0, count + 1)))
      assert.deepStrictEqual(yield* first(account_id), [{ seq: 2, event: events[1]! }])
      yield* acknowledge(events[count + 1]!.id)
      assert.deepStrictEqual(yield* first(account_id), [{ seq: 3, event: events[2]! }])

      // Several push out several, and none of an account that has room.
      yield* acknowledgeAll(idsOf([...events.slice(count + 2), ...others]))
      assert.deepStrictEqual(yield* first(account_id), [{ seq: 5, event: events[4]! }])
      assert.deepStrictEqual(yield* first(other!.account_id), [{ seq: 1, event: other! }])
      assert.strictEqual(yield* newestSeq(account_id), count + 4)
      const rest = yield* listPublished(account_id, { after: 0, limit: 2 * count })
      assert.deepStrictEqual(
        rest,
        events.slice(4).map((event, at) => ({ seq: at + 5, event }))
      )
    }
  ),

  "keeps events as they were given, whatever callers do to theirs": Effect.gen(function* () {
    const { append } = yield* Outbox
    const events = yield* ownEvents(1)
    const given = structuredClone(events[0]!)
    yield* append(given)
    overwrite(given)
    for (const event of yield* waitingOf(events)) overwrite(event)
    assert.deepStrictEqual(yield* waitingOf(events), events)
  })
}

/**
 * Registers the contract of `Outbox` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<Outbox | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
