/**
 * The pause of a bot whose source of candles fails: how often it looks, and when it stops.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { MarketDataError, SourceUnavailable } from "../../../src/domain/MarketDataError.ts"
import { StoreError } from "../../../src/domain/StoreError.ts"
import { makeInbox, post } from "../../../src/services/bots/botInbox.ts"
import { waitAfter } from "../../../src/services/bots/waitAfter.ts"

const down = new MarketDataError({ reason: new SourceUnavailable({ cause: "it is cut" }) })

/** A bot that waits ten seconds, and tries to take its facts at each look: its store fails. */
const makeWaiting = Effect.fnUntraced(function* (error: MarketDataError | StoreError = down) {
  const state = { taken: 0, isMine: true }
  const get = Effect.suspend(() => {
    state.taken++
    return Effect.fail(StoreError.notFound("bot", "bot_1"))
  })
  const inbox = yield* makeInbox
  const ports = { bots: { get: () => get }, venueAccounts: { nowMs: Effect.succeed(0) } } as never
  const bot = {
    ports,
    accountId: "a",
    botId: "bot_1",
    inbox,
    isOwned: () => state.isMine,
    closeAskedMs: null
  }
  const fiber = yield* Effect.forkChild(waitAfter(error, bot, 10_000))
  yield* TestClock.adjust(0)
  return { fiber, inbox, state }
})

it.effect("a bot without candles looks once a second until its pause is over", () =>
  Effect.gen(function* () {
    const { fiber, state } = yield* makeWaiting()
    assert.strictEqual(state.taken, 1)
    yield* TestClock.adjust(9_999)
    assert.strictEqual(state.taken, 10)
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust(1)
    yield* Fiber.join(fiber)
    assert.isAtMost(state.taken, 11)
  })
)

it.effect("a bot without candles that is woken looks at once, and waits as long as before", () =>
  Effect.gen(function* () {
    const { fiber, inbox, state } = yield* makeWaiting()
    yield* TestClock.adjust(300)
    yield* post(inbox, { type: "wake" })
    yield* TestClock.adjust(0)
    assert.strictEqual(state.taken, 2)
    assert.lengthOf(inbox.messages, 1)
    yield* TestClock.adjust(9_699)
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust(1)
    yield* Fiber.join(fiber)
  })
)

it.effect("a bot without candles that another process takes looks no more", () =>
  Effect.gen(function* () {
    const { fiber, state } = yield* makeWaiting()
    yield* TestClock.adjust(3_500)
    assert.strictEqual(state.taken, 4)
    state.isMine = false
    yield* TestClock.adjust(6_499)
    assert.strictEqual(state.taken, 4)
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust(1)
    yield* Fiber.join(fiber)
  })
)

it.effect("a bot without candles whose process ends looks no more", () =>
  Effect.gen(function* () {
    const { fiber, state } = yield* makeWaiting()
    yield* TestClock.adjust(3_500)
    yield* Fiber.interrupt(fiber)
    yield* TestClock.adjust(60_000)
    assert.strictEqual(state.taken, 4)
  })
)

it.effect("a bot whose store fails takes no facts in its pause", () =>
  Effect.gen(function* () {
    const { fiber, state } = yield* makeWaiting(StoreError.notFound("bot", "bot_1"))
    yield* TestClock.adjust(10_000)
    yield* Fiber.join(fiber)
    assert.strictEqual(state.taken, 0)
  })
)
