/**
 * Measures that are kept as equity comes give what measuring the whole of it gives.
 */
import { assert, describe, it } from "@effect/vitest"
import { toTimestamp } from "../../src/language/Timestamp.ts"
import { toRunningMeasurement } from "../../src/language/Measurement.ts"
import { measureAll } from "../../src/language/Metric.ts"
import { toEquityMeasurement } from "../../src/language/Measurement.ts"
import { dayMs, minuteMs } from "../../src/kernel/calendar.ts"
import { makeRunningEquity, observeCandle } from "../../src/kernel/metrics/runningEquity.ts"
import { makeRandom } from "../../src/kernel/random.ts"

const capital = 10_000

/** Equity with gaps, weekends off, flat stretches and, now and then, ruin. */
const randomEquity = (seed: string, candleMs: number) => {
  const random = makeRandom(seed)
  const count = random.integer(0, 1_500)
  const rests = candleMs <= dayMs && random.integer(0, 1) === 1
  const points: Array<{ readonly time: number; readonly equity: number }> = []
  let time = Date.UTC(random.integer(1969, 2026), random.integer(0, 11), 3)
  let equity = capital
  const longestGap = candleMs < dayMs ? 3_000 : 20
  while (points.length < count) {
    time += candleMs * (random.integer(0, 40) === 0 ? random.integer(1, longestGap) : 1)
    if (rests && (time / dayMs + 3) % 7 >= 5) continue
    if (random.integer(0, 3) > 0) equity *= 1 + 0.02 * random.normal()
    if (random.integer(0, 20_000) === 0) equity = -equity
    points.push({ time, equity })
  }
  return points
}

const isDayEnd = <A extends { readonly time: number }>({ time }: A, index: number, all: Array<A>) =>
  Math.floor(time / dayMs) !== Math.floor((all[index + 1]?.time ?? Infinity) / dayMs)

describe("running measures of equity", () => {
  for (const candleMs of [minuteMs, 60 * minuteMs, dayMs, 3 * dayMs, 7 * dayMs]) {
    it(`are those of the whole curve, with candles of ${candleMs / minuteMs} minutes`, () => {
      for (let number = 0; number < 60; number++) {
        const points = randomEquity(`equity ${candleMs} ${number}`, candleMs)
        const positions = { traded: 5_000, feesPaid: 3 }
        const whole = toEquityMeasurement(
          Float64Array.from(points, ({ time }) => time),
          Float64Array.from(points, ({ equity }) => equity),
          capital,
          candleMs
        )
        let running = makeRunningEquity(capital)
        for (const { equity, time } of points) {
          observeCandle(running, time, equity)
          // As it is kept between candles.
          running = JSON.parse(JSON.stringify(running)) as typeof running
        }
        const ends = points
          .filter(isDayEnd)
          .map(({ equity, time }) => ({ time: toTimestamp(time), equity }))
        const kept = toRunningMeasurement(running, ends, capital, candleMs)
        assert.deepStrictEqual(
          measureAll({ ...kept, ...positions }),
          measureAll({ ...whole, ...positions })
        )
      }
    })
  }
})
