import { assert, describe, it } from "@effect/vitest"
import { dayMs, dayOf, hourMs, hourOf, weekdayOf } from "../../src/kernel/calendar.ts"
import { isOnWeekend } from "../../src/kernel/metrics/dailyReturns.ts"

/** Every five hours, from 1960 to 1980, and a millisecond before. */
const times = Array.from(
  { length: 14_000 },
  (_, at) => Date.UTC(1960, 0, 1) + at * 5 * hourMs
).flatMap((time) => [time - 1, time])

describe("the calendar, before 1970 as after it", () => {
  it("says hours, weekdays and weekends as a clock does", () => {
    for (const time of times) {
      const date = new Date(time)
      assert.strictEqual(hourOf(time), date.getUTCHours(), `hour of ${time}`)
      assert.strictEqual(weekdayOf(time), (date.getUTCDay() + 6) % 7, `weekday of ${time}`)
      assert.strictEqual(isOnWeekend(time), [0, 6].includes(date.getUTCDay()), `end of ${time}`)
      assert.strictEqual(dayOf(time) * dayMs, Date.parse(date.toISOString().slice(0, 10)))
    }
  })
})
