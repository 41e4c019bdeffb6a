/** A stream with a reader that is slow, silent or gone, on a clock of its own. */
import { Events, Ids, Limits, problem, type RunNote, Runs } from "@candlewick/core"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import type { HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { followEvents } from "../../src/server/followEvents.ts"
import { KeyCheck } from "../../src/server/KeyCheck.ts"
import { Followers, streamEvents } from "../../src/server/streamEvents.ts"
import { fakeServices, makeControl } from "../fakes.ts"

const accountId = "acc_1"

/** A stream of this answer, as text. */
const textOf = ({ body }: HttpServerResponse.HttpServerResponse): Stream.Stream<string, unknown> =>
  body._tag === "Stream" ? Stream.decodeText(body.stream) : Stream.die("it is no stream")

/** Something new at every look, or nothing at all. */
const start = Effect.fnUntraced(function* (isNew: boolean) {
  const looks: Array<number> = []
  const followers = yield* Followers
  const answer = yield* streamEvents({
    followers,
    accountId,
    first: 0,
    idOf: (position) => position,
    look: (position) =>
      Effect.sync(() => {
        looks.push(position)
        const id = position + 1
        return { told: isNew ? [{ id, event: "new", data: `{"n":${id}}` }] : [], next: id }
      })
  })
  return { answer, followers, looks }
})

it.effect("looks for more when the last was taken, and lets a reader go that takes nothing", () =>
  Effect.gen(function* () {
    const { answer, followers, looks } = yield* start(true)
    const taken: Array<string> = []
    const reading = yield* Effect.forkChild(
      Stream.runForEach(textOf(answer), (text) => {
        taken.push(text)
        return taken.length < 4 ? Effect.void : Effect.never
      })
    )
    yield* TestClock.adjust("20 seconds")
    assert.deepStrictEqual(taken, [
      "retry: 2000\nid: 0\n\n",
      'id: 1\nevent: new\ndata: {"n":1}\n\n',
      'id: 2\nevent: new\ndata: {"n":2}\n\n',
      'id: 3\nevent: new\ndata: {"n":3}\n\n'
    ])
    assert.deepStrictEqual(looks, [0, 1, 2], "nobody looks ahead of the reader")
    assert.strictEqual(followers.get(accountId), 1)
    yield* TestClock.adjust(`${Limits.followStallMaxSeconds} seconds`)
    const exit = yield* Fiber.await(reading)
    assert.strictEqual(exit._tag, "Failure")
    assert.isUndefined(followers.get(accountId), "the place is free")
  }).pipe(Effect.provide(Followers.layer))
)

it.effect(
  "says something in a long silence, with the number to go on after, and ends in time",
  () =>
    Effect.gen(function* () {
      const { answer, followers, looks } = yield* start(false)
      const taken: Array<string> = []
      const reading = yield* Effect.forkChild(
        Stream.runForEach(textOf(answer), (text) => Effect.sync(() => void taken.push(text)))
      )
      yield* TestClock.adjust("16 seconds")
      assert.strictEqual(taken.length, 2)
      assert.match(taken[1]!, /^:\nid: 1\d\n\n$/)
      assert.isAtMost(looks.length, 20)
      yield* TestClock.adjust(`${Limits.followMaxSeconds} seconds`)
      const exit = yield* Fiber.await(reading)
      assert.strictEqual(exit._tag, "Success")
      assert.isUndefined(followers.get(accountId))
    }).pipe(Effect.provide(Followers.layer))
)

it.effect("asks once a second whether the key is good, and ends before it tells more", () =>
  Effect.gen(function* () {
    let asked = 0
    let isGood = true
    const check = Effect.suspend(() => {
      asked++
      return isGood ? Effect.void : Effect.fail(problem("unauthenticated", "It was revoked."))
    })
    const quick = yield* start(true).pipe(Effect.provideService(KeyCheck, check))
    const taken: Array<string> = []
    const reading = yield* Effect.forkChild(
      Stream.runForEach(textOf(quick.answer), (text) =>
        Effect.sync(() => void taken.push(text)).pipe(Effect.andThen(Effect.sleep("100 millis")))
      )
    )
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(taken.length, 101, "something new at each look")
    assert.strictEqual(asked, 10)
    isGood = false
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* Fiber.await(reading))._tag, "Success")
    const told = taken.length
    assert.isAtMost(told, 111)
    assert.isUndefined(quick.followers.get(accountId), "the place is free")
    const silent = yield* start(false).pipe(Effect.provideService(KeyCheck, check))
    isGood = true
    const waiting = yield* Effect.forkChild(Stream.runDrain(textOf(silent.answer)))
    yield* TestClock.adjust("5 seconds")
    assert.isUndefined(waiting.pollUnsafe(), "it goes on")
    isGood = false
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* Fiber.await(waiting))._tag, "Success")
  }).pipe(Effect.provide(Followers.layer))
)

it.effect("looks at runs once a second, however quickly they change and are read", () =>
  Effect.gen(function* () {
    let looks = 0
    const changing = Effect.sync((): ReadonlyArray<RunNote> => {
      const progress = ++looks / 1_000
      return [
        {
          kind: "backtest",
          id: "bt_01J00000000000000000000000",
          status: "running",
          step: "simulate",
          progress,
          queue_position: null,
          eta_seconds: null,
          error: null
        }
      ]
    })
    const sources = {
      events: yield* Events,
      runs: { ...(yield* Runs), listRecent: () => changing },
      ids: yield* Ids,
      followers: yield* Followers
    }
    const followed = { accountId, types: undefined, lastEventId: undefined }
    const told: Array<string> = []
    yield* Effect.forkChild(
      Stream.runForEach(textOf(yield* followEvents(sources, followed)), (text) =>
        Effect.sync(() => void told.push(text))
      )
    )
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(looks, 11)
    assert.strictEqual(told.length, 12, "where to go on after, and each look's news")
  }).pipe(Effect.provide([Followers.layer, fakeServices(makeControl())]))
)
