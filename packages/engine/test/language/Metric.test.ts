import { assert, describe, it } from "@effect/vitest"
import { toEquityMeasurement, toMeasurement } from "../../src/language/Measurement.ts"
import type { Measurement } from "../../src/language/Measurement.ts"
import {
  measureAll,
  measureOne,
  metricNames,
  metrics,
  objectiveScore
} from "../../src/language/Metric.ts"
import { objectives } from "../../src/language/Objective.ts"
import { timeframeMs } from "../../src/language/Timeframe.ts"
import { dayMs } from "../../src/kernel/calendar.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { drawCandles } from "../laws/drawnCandles.ts"
import { openMarket, simulateOn } from "../laws/simulated.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

/** 2024-01-01, a Monday. */
const startMs = 1_704_067_200_000

const ofEquity = (...equity: ReadonlyArray<number>): Measurement =>
  toEquityMeasurement(
    Float64Array.from(equity, (_, day) => startMs + day * dayMs),
    Float64Array.from(equity),
    100,
    dayMs
  )

describe("metrics", () => {
  it("has a row for every objective", () => {
    assert.includeMembers([...metricNames], [...objectives])
  })

  it("measures a short curve as by hand", () => {
    const { metrics: values } = measureAll(ofEquity(110, 99, 121))
    assert.closeTo(values["total_return"]!, 0.21, 1e-12)
    assert.closeTo(values["max_drawdown"]!, 0.1, 1e-12)
    assert.closeTo(values["cagr"]!, 1.21 ** (365 / 3) - 1, 1e-3)
    assert.closeTo(values["omega"]!, (0.1 + 22 / 99) / 0.1, 1e-9)
    assert.strictEqual(values["trades"], 0)
  })

  it("gives null with a reason where the sample can't support a number", () => {
    const flat = measureAll(ofEquity(100, 100))
    const names = ["sharpe", "sortino", "calmar", "omega", "profit_factor", "win_rate"] as const
    for (const name of names) {
      assert.isNull(flat.metrics[name])
      assert.isNotEmpty(flat.reasons[name])
    }
    const empty = measureAll(ofEquity())
    for (const name of metricNames) assert.isNull(empty.metrics[name])
  })

  it("gives a finite number or null with a reason for whatever a simulation does", () => {
    let numberCount = 0
    for (const { random } of draws("metrics", 150)) {
      const definition = randomDefinition(random.next)
      const columns = drawCandles(random, definition.timeframe, random.integer(1, 240))
      const spec = { ...openMarket, leverage: random.pick([1, 20]) }
      const simulation = simulateOn(definition, [columns], {}, spec)
      const durationMs = timeframeMs(definition.timeframe)
      const measurement = toMeasurement(simulation, 10_000, durationMs)
      const { metrics: values, reasons } = measureAll(measurement)
      for (const name of metricNames) {
        const value = values[name]!
        assert.strictEqual(value, measureOne(name, measurement))
        if (value === null) assert.isNotEmpty(reasons[name])
        else {
          assert.isTrue(Number.isFinite(value), name)
          assert.isUndefined(reasons[name])
          numberCount += 1
        }
      }
    }
    assert.isAbove(numberCount, atLeast(1_000))
  })

  it("loses everything once when equity is used up", () => {
    const measurement = ofEquity(50, -10, -20)
    assert.deepStrictEqual([...measurement.returns], [-0.5, -1, 0])
  })
})

describe("objectiveScore", () => {
  it("is higher for the better, a small drawdown too", () => {
    for (const objective of objectives) {
      const isLower = metrics[objective].better === "lower"
      const better = objectiveScore(objective, { [objective]: isLower ? 0.1 : 0.9 })
      const worse = objectiveScore(objective, { [objective]: isLower ? 0.9 : 0.1 })
      assert.isAbove(better, worse, objective)
      assert.isAbove(worse, objectiveScore(objective, { [objective]: null }), objective)
    }
  })
})
