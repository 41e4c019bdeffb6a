/**
 * The contract of `EventPublisher`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { DomainEvent } from "../domain/DomainEvent.ts"
import { EventPublisher } from "../ports/EventPublisher.ts"
import { Transactor } from "../ports/Transactor.ts"
import { registerSuite, type SuiteOptions } from "./conformance.ts"
import { eventRecord } from "./records.ts"
import { rolledBack } from "./versionedTests.ts"

/** The facts of an adapter that the suite needs. @category models @since 0.1.0 */
export interface EventPublisherSuiteOptions<R> extends SuiteOptions {
  /** Has the events of an account wanted by somebody outside; how many receivers that makes. */
  readonly subscribe: (accountId: string) => Effect.Effect<number, unknown, R>
  /** How many receivers an event is on its way to, or has reached. */
  readonly receiversOf: (event: DomainEvent) => Effect.Effect<number, unknown, R>
}

const makeTests = <R>({ receiversOf, subscribe }: EventPublisherSuiteOptions<R>) => {
  const subscribed = Effect.fnUntraced(function* () {
    const event = eventRecord()
    return { event, receivers: yield* subscribe(event.account_id) }
  })
  return {
    "takes an event to everyone who wants it, once its transaction is kept": Effect.gen(
      function* () {
        const { publish } = yield* EventPublisher
        const { transact } = yield* Transactor
        const { event, receivers } = yield* subscribed()
        yield* transact(publish(event))
        assert.strictEqual(yield* receiversOf(event), receivers)
      }
    ),

    "takes it there once, however often it is published": Effect.gen(function* () {
      const { publish } = yield* EventPublisher
      const { transact } = yield* Transactor
      const { event, receivers } = yield* subscribed()
      yield* transact(publish(event))
      yield* transact(Effect.andThen(publish(event), publish(event)))
      assert.strictEqual(yield* receiversOf(event), receivers)
    }),

    "takes many events in one step as it would each, once": Effect.gen(function* () {
      const { publishAll } = yield* EventPublisher
      const { transact } = yield* Transactor
      const all = [yield* subscribed(), yield* subscribed(), yield* subscribed()]
      const events = all.map(({ event }) => event)
      yield* transact(publishAll([]))
      yield* rolledBack(publishAll(events))
      yield* transact(publishAll(events.slice(1)))
      yield* transact(publishAll([...events, events[0]!]))
      for (const { event, receivers } of all) {
        assert.strictEqual(yield* receiversOf(event), receivers)
      }
    }),

    "takes nothing out of a transaction that failed, and can try again": Effect.gen(function* () {
      const { publish } = yield* EventPublisher
      const { transact } = yield* Transactor
      const { event, receivers } = yield* subscribed()
      yield* rolledBack(publish(event))
      assert.strictEqual(yield* receiversOf(event), 0)
      yield* transact(publish(event))
      assert.strictEqual(yield* receiversOf(event), receivers)
    }),

    "tells no account of another's events": Effect.gen(function* () {
      const { publish } = yield* EventPublisher
      const { transact } = yield* Transactor
      yield* subscribed()
      const lonely = eventRecord()
      yield* transact(publish(lonely))
      assert.strictEqual(yield* receiversOf(lonely), 0)
    })
  }
}

/**
 * Registers the contract of `EventPublisher` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <R, E>(
  name: string,
  layer: Layer.Layer<EventPublisher | Transactor | R, E>,
  options: EventPublisherSuiteOptions<R>
): void =>
  registerSuite<EventPublisher | Transactor | R, E>(name, layer, makeTests(options), options)
