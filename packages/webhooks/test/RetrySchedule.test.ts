import { assert, describe, it } from "@effect/vitest"
import {
  decideRetry,
  type FailedAttempt,
  isOverload,
  parseRetryAfter,
  retryWaitsMs
} from "../src/RetrySchedule.ts"
import { makeSeededRandom } from "./seededRandom.ts"

const now = Date.UTC(2026, 0, 15, 9, 30)
const hour = 3_600_000
const serverError: FailedAttempt = { status: 500, error: null, retryAfter: null }

const waitAfter = (attemptsMade: number, outcome: Partial<FailedAttempt>, random = 0): number => {
  const decision = decideRetry(attemptsMade, { ...serverError, ...outcome }, now, random)
  return decision._tag === "RetryIn" ? decision.inMs : Number.NaN
}

describe("RetrySchedule", () => {
  it("makes ten attempts within 75 hours, 35 minutes and 5 seconds", () => {
    assert.strictEqual(retryWaitsMs.length, 10)
    const total = retryWaitsMs.reduce((sum, wait) => sum + wait)
    assert.strictEqual(total, 75 * hour + 35 * 60_000 + 5000)
  })

  it("waits as the list says, and is exhausted after the tenth attempt", () => {
    for (let made = 1; made < 10; made++) {
      assert.strictEqual(waitAfter(made, {}), retryWaitsMs[made])
    }
    assert.deepStrictEqual(decideRetry(10, serverError, now, 0), { _tag: "Exhausted" })
    assert.deepStrictEqual(decideRetry(11, serverError, now, 0), { _tag: "Exhausted" })
  })

  it("stretches a wait by up to a fifth and never shortens it", () => {
    assert.strictEqual(waitAfter(2, {}, 0.5), 330_000)
    assert.strictEqual(waitAfter(2, {}, 1), 360_000)
  })

  it("gives an overloaded receiver at least a minute", () => {
    for (const status of [429, 502, 503, 504]) {
      assert.strictEqual(waitAfter(1, { status }), 60_000)
    }
    assert.strictEqual(waitAfter(1, { status: null, error: "timeout" }), 60_000)
    assert.strictEqual(waitAfter(3, { status: 503 }), retryWaitsMs[3])
    assert.isFalse(isOverload({ status: 500, error: null }))
    assert.isFalse(isOverload({ status: null, error: "connect_refused" }))
  })

  it("honours Retry-After between the schedule's wait and its ceiling", () => {
    assert.strictEqual(waitAfter(1, { retryAfter: "120" }), 120_000)
    assert.strictEqual(waitAfter(1, { retryAfter: "86400" }), 2 * hour)
    assert.strictEqual(waitAfter(2, { retryAfter: "1" }), 300_000)
    assert.strictEqual(waitAfter(5, { retryAfter: "32400" }), 9 * hour)
    assert.strictEqual(waitAfter(5, { retryAfter: "99999" }), 10 * hour)
    assert.strictEqual(waitAfter(8, { retryAfter: "999999" }), 24 * hour)
  })

  it("reads seconds, decimals and HTTP dates, and nothing else", () => {
    assert.strictEqual(parseRetryAfter("120", now), 120_000)
    assert.strictEqual(parseRetryAfter(" 0.5 ", now), 500)
    assert.strictEqual(parseRetryAfter("Thu, 15 Jan 2026 09:31:00 GMT", now), 60_000)
    assert.strictEqual(parseRetryAfter("Thu, 15 Jan 2026 09:29:00 GMT", now), 0)
    const others = [
      "",
      "soon",
      "-1",
      "1e3",
      "0x10",
      "Infinity",
      "12s",
      "1,5",
      "2026-01-15",
      "1.2.3"
    ]
    for (const text of [
      ...others,
      "Thu, 15 Foo 2026 09:31:00 GMT",
      "Thu, 99 Jan 2026 09:31:00 GMT",
      "Thu, 00 Jan 2026 09:31:00 GMT",
      "Thu, 15 Jan 2026 24:00:00 GMT",
      "Thu, 15 Jan 2026 09:60:00 GMT",
      "Thu, 15 Jan 2026 09:31:61 GMT"
    ]) {
      assert.isNull(parseRetryAfter(text, now), text)
    }
    assert.isNull(parseRetryAfter(null, now))
    const first = Date.UTC(2026, 1, 1) - now
    assert.strictEqual(parseRetryAfter("Sun, 01 Feb 2026 00:00:00 GMT", now), first)
    assert.strictEqual(parseRetryAfter("Sat, 31 Jan 2026 23:59:00 GMT", now), first - 60_000)
    const last = Date.UTC(2026, 0, 16) - now
    assert.strictEqual(parseRetryAfter("Thu, 15 Jan 2026 23:59:59 GMT", now), last - 1_000)
    assert.strictEqual(parseRetryAfter("Thu, 15 Jan 2026 23:59:60 GMT", now), last, "a leap second")
  })

  it("keeps its bounds whatever a receiver writes into Retry-After", () => {
    const random = makeSeededRandom(99)
    const alphabet = "0123456789.-+eE :,GMTJanThu\t"
    for (let round = 0; round < 20_000; round++) {
      const length = random.below(24)
      const retryAfter = Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join(
        ""
      )
      const made = 1 + random.below(9)
      const status = [200, 429, 500, 503][random.below(4)]!
      const wait = waitAfter(made, { status, retryAfter }, random.next())
      const base = Math.max(retryWaitsMs[made]!, isOverload({ status, error: null }) ? 60_000 : 0)
      const ceiling = Math.min(Math.max(2 * base, 2 * hour), 24 * hour)
      assert.isTrue(Number.isSafeInteger(wait), retryAfter)
      assert.isAtLeast(wait, base, retryAfter)
      assert.isAtMost(wait, Math.ceil(ceiling * 1.2), retryAfter)
    }
  })
})
