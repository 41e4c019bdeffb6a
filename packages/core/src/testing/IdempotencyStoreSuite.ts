/**
 * The contract of `IdempotencyStore`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { dayMs } from "@candlewick/engine/kernel"
import { IdempotencyStore } from "../ports/IdempotencyStore.ts"
import { Transactor } from "../ports/Transactor.ts"
import { registerSuite, overwrite, type SuiteOptions } from "./conformance.ts"
import { testId, testName } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"

const answer = {
  status: 201,
  headers: { "content-type": "application/json", etag: '"1"' },
  body: '{"id":"bot_1","note":"ü ✓"}'
}

const newRequest = () => ({
  scope: `${testId("account")} POST /v1/bots`,
  key: testName(),
  fingerprint: "sha256-a",
  keptForMs: dayMs
})

const keptOf = ({ fingerprint, keptForMs, key, scope }: ReturnType<typeof newRequest>) => ({
  scope,
  key,
  fingerprint,
  before: null,
  outcome: "made bot_1",
  keptForMs
})

const outcomeTests = {
  "tells whoever comes next what was carried out, and then the answer": Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const request = newRequest()
    const { key, scope } = request
    yield* store.claim(request)
    yield* TestClock.adjust(dayMs - 1)
    assert.isTrue(yield* store.keepOutcome(keptOf(request)))
    yield* TestClock.adjust(dayMs - 1)
    const carriedOut = { type: "carried_out", outcome: "made bot_1" } as const
    assert.deepStrictEqual(yield* store.claim(request), carriedOut)
    assert.deepStrictEqual(yield* store.claim({ ...request, fingerprint: "b" }), {
      type: "reused"
    })
    yield* store.release(scope, key)
    assert.deepStrictEqual(yield* store.claim(request), carriedOut)
    yield* store.answer(scope, key, answer, 500)
    yield* TestClock.adjust(499)
    assert.deepStrictEqual(yield* store.claim(request), { type: "answered", answer })
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* store.claim(request), { type: "claimed" })
    assert.deepStrictEqual(yield* store.claim(request), { type: "in_progress" })
  }),

  "keeps nothing of what another has carried out, or under a key that was lost": Effect.gen(
    function* () {
      const store = yield* IdempotencyStore
      const request = newRequest()
      const kept = keptOf(request)
      assert.isFalse(yield* store.keepOutcome(kept))
      yield* store.claim(request)
      assert.isFalse(yield* store.keepOutcome({ ...kept, fingerprint: "sha256-b" }))
      assert.isFalse(yield* store.keepOutcome({ ...kept, before: "something" }))
      assert.isTrue(yield* store.keepOutcome(kept))
      assert.isFalse(yield* store.keepOutcome({ ...kept, outcome: "made bot_2" }))
      const next = { ...kept, before: kept.outcome, outcome: "started bot_1" }
      assert.isTrue(yield* store.keepOutcome(next))
      assert.isFalse(yield* store.keepOutcome(next))
      assert.deepStrictEqual(yield* store.claim(request), {
        type: "carried_out",
        outcome: "started bot_1"
      })
      yield* store.answer(request.scope, request.key, answer, request.keptForMs)
      assert.isFalse(yield* store.keepOutcome(kept))
      assert.deepStrictEqual(yield* store.claim(request), { type: "answered", answer })
    }
  ),

  "has one of many carry something out, in transactions side by side": Effect.gen(function* () {
    const { claim, keepOutcome } = yield* IdempotencyStore
    const { transact } = yield* Transactor
    const request = newRequest()
    yield* claim(request)
    const keepOnce = transact(Effect.filterOrFail(keepOutcome(keptOf(request)), (isKept) => isKept))
    const exits = yield* Effect.all(
      Array.from({ length: 8 }, () => Effect.exit(keepOnce)),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(exits.filter(Exit.isSuccess), 1)
    assert.strictEqual((yield* claim(request)).type, "carried_out")
  }),

  "frees at once what nobody has carried anything out under, and nothing else": Effect.gen(
    function* () {
      const store = yield* IdempotencyStore
      const [cutOff, carriedOut, answered] = [newRequest(), newRequest(), newRequest()]
      for (const request of [cutOff, carriedOut, answered]) yield* store.claim(request)
      yield* store.keepOutcome(keptOf(carriedOut))
      yield* store.answer(answered.scope, answered.key, answer, answered.keptForMs)
      // In a transaction that takes it back: other tests have claimed keys beside this one.
      yield* rolledBack(
        Effect.gen(function* () {
          yield* store.releaseAll
          assert.deepStrictEqual(yield* store.claim(cutOff), { type: "claimed" })
          assert.deepStrictEqual(yield* store.claim(carriedOut), {
            type: "carried_out",
            outcome: "made bot_1"
          })
          assert.deepStrictEqual(yield* store.claim(answered), { type: "answered", answer })
        })
      )
      assert.deepStrictEqual(yield* store.claim(cutOff), { type: "in_progress" })
    }
  ),

  "forgets what was carried out in a transaction that failed": Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const request = newRequest()
    yield* store.claim(request)
    yield* rolledBack(store.keepOutcome(keptOf(request)))
    assert.deepStrictEqual(yield* store.claim(request), { type: "in_progress" })
    yield* store.release(request.scope, request.key)
    assert.deepStrictEqual(yield* store.claim(request), { type: "claimed" })
  })
}

const tests = {
  ...outcomeTests,

  "gives a key to the first request and tells the second that it is under way": Effect.gen(
    function* () {
      const { claim } = yield* IdempotencyStore
      const request = newRequest()
      assert.deepStrictEqual(yield* claim(request), { type: "claimed" })
      assert.deepStrictEqual(yield* claim(request), { type: "in_progress" })
    }
  ),

  "gives the answer as it was remembered": Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const request = newRequest()
    yield* store.claim(request)
    yield* store.answer(request.scope, request.key, answer, request.keptForMs)
    const answered = { type: "answered", answer } as const
    assert.deepStrictEqual(yield* store.claim(request), answered)
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* store.claim(request), answered)
  }),

  "tells another request with the same key that it was used": Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const request = newRequest()
    const other = { ...request, fingerprint: "sha256-b" }
    yield* store.claim(request)
    assert.deepStrictEqual(yield* store.claim(other), { type: "reused" })
    yield* store.answer(request.scope, request.key, answer, request.keptForMs)
    assert.deepStrictEqual(yield* store.claim(other), { type: "reused" })
    assert.deepStrictEqual(yield* store.claim(request), { type: "answered", answer })
  }),

  "keeps the keys of different scopes apart": Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const request = newRequest()
    const other = { ...request, scope: newRequest().scope }
    yield* store.claim(request)
    yield* store.answer(request.scope, request.key, answer, request.keptForMs)
    assert.deepStrictEqual(yield* store.claim(other), { type: "claimed" })
    yield* store.release(other.scope, other.key)
    assert.deepStrictEqual(yield* store.claim(request), { type: "answered", answer })
  }),

  "keeps the keys of long scopes apart, whatever path a caller asks for": Effect.gen(function* () {
    const { answer: remember, claim, release } = yield* IdempotencyStore
    // Text that does not compress, longer than a key of an index may be.
    const long = Array.from({ length: 900 }, () => testName()).join("/")
    const request = { ...newRequest(), scope: `${long}/a` }
    const other = { ...request, scope: `${long}/b` }
    assert.deepStrictEqual(yield* claim(request), { type: "claimed" })
    assert.deepStrictEqual(yield* claim(other), { type: "claimed" })
    yield* remember(request.scope, request.key, answer, request.keptForMs)
    yield* release(other.scope, other.key)
    assert.deepStrictEqual(yield* claim(request), { type: "answered", answer })
    assert.deepStrictEqual(yield* claim(other), { type: "claimed" })
  }),

  "frees a released key for any request": Effect.gen(function* () {
    const { claim, release } = yield* IdempotencyStore
    const request = newRequest()
    yield* claim(request)
    yield* release(request.scope, request.key)
    assert.deepStrictEqual(yield* claim({ ...request, fingerprint: "sha256-b" }), {
      type: "claimed"
    })
    assert.deepStrictEqual(yield* claim(request), { type: "reused" })
  }),

  "keeps the answer of a key that is released after it was answered": Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const request = newRequest()
    yield* store.claim(request)
    yield* store.answer(request.scope, request.key, answer, request.keptForMs)
    yield* store.release(request.scope, request.key)
    assert.deepStrictEqual(yield* store.claim(request), { type: "answered", answer })
  }),

  "makes nothing of an answer or a release without a claim": Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const request = newRequest()
    yield* store.answer(request.scope, request.key, answer, request.keptForMs)
    yield* store.release(request.scope, request.key)
    assert.deepStrictEqual(yield* store.claim(request), { type: "claimed" })
  }),

  "frees a key when it expires, answered or not": Effect.gen(function* () {
    const store = yield* IdempotencyStore
    for (const isAnswered of [false, true]) {
      const request = newRequest()
      yield* store.claim(request)
      if (isAnswered) yield* store.answer(request.scope, request.key, answer, request.keptForMs)
      const type = isAnswered ? "answered" : "in_progress"
      yield* TestClock.adjust(dayMs - 1)
      assert.strictEqual((yield* store.claim(request)).type, type)
      yield* TestClock.adjust(1)
      const free = yield* store.claim({ ...request, fingerprint: "sha256-b" })
      assert.deepStrictEqual(free, { type: "claimed" })
      assert.deepStrictEqual(yield* store.claim(request), { type: "reused" })
    }
  }),

  "keeps an answer as long as it is told to, however soon its key would have been free": Effect.gen(
    function* () {
      const store = yield* IdempotencyStore
      const request = newRequest()
      const { key, scope } = request
      yield* store.claim({ ...request, keptForMs: 100 })
      yield* store.answer(scope, key, answer, 500)
      yield* TestClock.adjust(499)
      const before = yield* store.claim(request)
      assert.deepStrictEqual(before, { type: "answered", answer })
      yield* TestClock.adjust(1)
      const after = yield* store.claim(request)
      assert.deepStrictEqual(after, { type: "claimed" })
    }
  ),

  "gives a key to exactly one of many requests at once": Effect.gen(function* () {
    const { claim } = yield* IdempotencyStore
    const request = newRequest()
    const expired = newRequest()
    yield* claim(expired)
    yield* TestClock.adjust(dayMs)
    for (const wanted of [request, expired]) {
      const claims = yield* Effect.all(
        Array.from({ length: 8 }, () => claim(wanted)),
        { concurrency: "unbounded" }
      )
      const types = claims.map(({ type }) => type).sort()
      const others = Array.from({ length: 7 }, () => "in_progress" as const)
      assert.deepStrictEqual(types, ["claimed" as const, ...others])
    }
  }),

  "gives a key to one holder at a time, however often it is freed": Effect.gen(function* () {
    const { claim, release } = yield* IdempotencyStore
    const request = newRequest()
    let holderCount = 0
    let heldCount = 0
    const holder = Effect.gen(function* () {
      while (heldCount < 20) {
        const { type } = yield* claim(request)
        if (type !== "claimed") {
          assert.strictEqual(type, "in_progress")
          yield* Effect.yieldNow
          continue
        }
        heldCount++
        assert.strictEqual(++holderCount, 1)
        yield* Effect.yieldNow
        holderCount--
        yield* release(request.scope, request.key)
      }
    })
    yield* Effect.all([holder, holder, holder, holder], { concurrency: "unbounded" })
  }),

  "forgets keys that have expired as others are taken, and none that has not": Effect.gen(
    function* () {
      const { claim } = yield* IdempotencyStore
      const requests = Array.from({ length: 6 }, newRequest)
      for (const request of requests) yield* claim(request)
      yield* TestClock.adjust(dayMs - 1)
      for (const other of Array.from({ length: 6 }, newRequest)) yield* claim(other)
      for (const request of requests) {
        assert.deepStrictEqual(yield* claim(request), { type: "in_progress" })
      }
    }
  ),

  "takes, answers and frees no key in a transaction that failed": Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const [lost, kept] = [newRequest(), newRequest()]
    yield* rolledBack(store.claim(lost))
    assert.deepStrictEqual(yield* store.claim(lost), { type: "claimed" })
    yield* store.claim(kept)
    yield* rolledBack(store.answer(kept.scope, kept.key, answer, kept.keptForMs))
    yield* rolledBack(store.release(kept.scope, kept.key))
    assert.deepStrictEqual(yield* store.claim(kept), { type: "in_progress" })
  }),

  "tells its time, by which it frees keys": Effect.gen(function* () {
    const { claim, nowMs } = yield* IdempotencyStore
    const request = newRequest()
    const before = yield* nowMs
    yield* claim(request)
    yield* TestClock.adjust(dayMs - 1)
    assert.strictEqual(yield* nowMs, before + dayMs - 1)
    assert.deepStrictEqual(yield* claim(request), { type: "in_progress" })
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* nowMs, before + dayMs)
    assert.deepStrictEqual(yield* claim(request), { type: "claimed" })
  }),

  "keeps an answer as it was given, whatever callers do to theirs": Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const request = newRequest()
    const given = structuredClone(answer)
    yield* store.claim(request)
    yield* store.answer(request.scope, request.key, given, request.keptForMs)
    overwrite(given)
    const first = yield* store.claim(request)
    if (first.type === "answered") overwrite(first.answer)
    assert.deepStrictEqual(yield* store.claim(request), { type: "answered", answer })
  })
}

/**
 * Registers the contract of `IdempotencyStore` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<IdempotencyStore | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
