/**
 * The audits of stops that are due although nothing is heard.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeDueAudits } from "../../../src/services/bots/dueAudits.ts"
import type { BareLot } from "../../../src/services/venues/books/auditProtection.ts"

/** A store that tells its time, and counts how often it was asked. */
const makeClock = () => {
  const clock = { asked: 0, nowMs: 0 }
  const nowMs = Effect.sync(() => {
    clock.asked++
    return clock.nowMs
  })
  return { clock, isDue: makeDueAudits({ venueAccounts: { nowMs } }) }
}

const lot = (isTold: boolean): BareLot => ({
  lot: "entry",
  symbol: "BTC/USDT",
  sinceMs: 0,
  dueMs: 20_000,
  isTold
})

it.effect("the store is asked for the time only where a lot lacks its stop", () =>
  Effect.gen(function* () {
    const { clock, isDue } = makeClock()
    assert.isFalse(yield* isDue({}))
    assert.isFalse(yield* isDue({ bare: [] }))
    assert.strictEqual(clock.asked, 0)
    assert.isFalse(yield* isDue({ bare: [lot(false)] }))
    assert.strictEqual(clock.asked, 1)
  })
)

it.effect(
  "the exit follows at the look after the alert, and each further audit in five seconds",
  () =>
    Effect.gen(function* () {
      const { clock, isDue } = makeClock()
      const at = (nowMs: number, isTold: boolean) => {
        clock.nowMs = nowMs
        return isDue({ bare: [lot(isTold)] })
      }
      assert.isFalse(yield* at(20_000, false))
      assert.isTrue(yield* at(20_001, false))
      assert.isTrue(yield* at(21_001, true))
      assert.isFalse(yield* at(26_000, true))
      assert.isTrue(yield* at(26_001, true))
    })
)

it.effect("the exit of a late part is due by the store's time, whatever the process has", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(3_600_000)
    const { clock, isDue } = makeClock()
    const late = [{ market: 0, lot: null, exit: "f1", askMs: 20_000, askedCount: 1 }]
    clock.nowMs = 19_999
    assert.isFalse(yield* isDue({ late }))
    clock.nowMs = 20_000
    assert.isTrue(yield* isDue({ late }))
  })
)
