/**
 * A candle of a longer timeframe tells of all of its time: where a series begins inside of one, it
 * begins with the next.
 */
import { assert, describe, it } from "@effect/vitest"
import { timeframeMs } from "../../src/language/Timeframe.ts"
import { makeLaneStep, type StepCandle, toLaneColumns } from "../../src/plan/candleLanes.ts"
import { toSignalColumns } from "../../src/plan/signalColumns.ts"
import { makeSignalStep } from "../../src/plan/signalStep.ts"
import { dayMs, hourMs, minuteMs } from "../../src/kernel/calendar.ts"
import { type CandleColumns, columnNames, sliceColumns } from "../../src/kernel/columns.ts"
import { resampleColumns } from "../../src/kernel/resample.ts"
import { randomWalk } from "../../src/testing/randomCandles.ts"
import { above, close, constant, definitionOf } from "../fast/engineRuns.ts"
import { candleAt, drawCandles } from "./drawnCandles.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const rowsOf = (columns: CandleColumns): ReadonlyArray<StepCandle> =>
  Array.from({ length: columns.length }, (_, at) => candleAt(columns, at))

/** The candles of a lane as they close, and how many had closed at each shorter one. */
const stepped = (columns: CandleColumns, fromMs: number, toMs: number) => {
  const closed: Array<StepCandle> = []
  const step = makeLaneStep(fromMs, toMs, (candle) => closed.push(candle))
  const counts = rowsOf(columns).map((candle) => {
    step(candle)
    return closed.length
  })
  return { closed, counts }
}

describe("longer candles are whole", () => {
  it("begins with the first hour that minutes from 10:37 cover", () => {
    const startMs = Date.UTC(2024, 0, 1, 10, 37)
    const minutes = randomWalk("from 10:37", { count: 150, startMs, stepMs: minuteMs })
    const { closedIndex, columns } = toLaneColumns(minutes, minuteMs, hourMs)
    assert.deepStrictEqual([...columns.time], [Date.UTC(2024, 0, 1, 11), Date.UTC(2024, 0, 1, 12)])
    assert.strictEqual(columns.open[0], minutes.open[23])
    // The hour of eleven closes with its last minute, the 83rd.
    assert.strictEqual(closedIndex.indexOf(0), 82)
    assert.isTrue(closedIndex.slice(0, 82).every((index) => index === -1))
  })

  it("has the candles that a longer series has, from its own first opening on", () => {
    let droppedCount = 0
    for (const { number, random } of draws("whole candles", 100)) {
      const [from, toMs] = random.pick([
        ["15m", hourMs],
        ["1h", 4 * hourMs],
        ["1h", dayMs],
        ["1d", 7 * dayMs]
      ] as const)
      const fromMs = timeframeMs(from)
      const columns = drawCandles(random, from, 300)
      const whole = rowsOf(toLaneColumns(columns, fromMs, toMs).columns)
      for (let cut = 0; cut < 5; cut += 1) {
        const later = sliceColumns(columns, random.integer(0, 250), columns.length)
        const lane = toLaneColumns(later, fromMs, toMs)
        const wanted = whole.filter(({ time }) => time >= later.time[0]!)
        const where = `series ${number}, cut ${cut}`
        assert.deepStrictEqual(rowsOf(lane.columns), wanted, where)
        const { closed, counts } = stepped(later, fromMs, toMs)
        assert.deepStrictEqual(closed, wanted, where)
        assert.deepStrictEqual(
          counts,
          Array.from(lane.closedIndex, (index) => index + 1),
          where
        )
        if (later.time[0]! % toMs !== 0) droppedCount += 1
        // A last candle that ended in a gap has closed here and in a store's.
        const built = rowsOf(resampleColumns(later, fromMs, toMs))
        assert.deepStrictEqual(built, wanted, where)
      }
    }
    assert.isAbove(droppedCount, atLeast(200))
  })

  it("has the same days by way of hours, wherever a series without gaps begins", () => {
    for (const { number, random } of draws("nested", 40)) {
      const startMs = random.integer(0, 5_000) * minuteMs
      const stepMs = 15 * minuteMs
      const first = Math.ceil(startMs / stepMs) * stepMs
      const candles = randomWalk(`nested ${number}`, { count: 1_000, startMs: first, stepMs })
      const hours = toLaneColumns(candles, stepMs, hourMs).columns
      const direct = toLaneColumns(candles, stepMs, dayMs).columns
      const nested = toLaneColumns(hours, hourMs, dayMs).columns
      assert.isAbove(direct.length, 7)
      for (const name of columnNames) {
        if (name !== "volume") assert.deepStrictEqual(nested[name], direct[name], name)
      }
    }
  })

  it("says nothing of a longer candle that came before the first whole one", () => {
    const startMs = Date.UTC(2024, 0, 1, 13)
    const columns = randomWalk("a day's rest", { count: 60, startMs })
    const daily = { type: "timeframe", timeframe: "1d", of: close } as const
    const definition = definitionOf({ long: { enter: above(daily, constant(0)) } })
    const { enterLong } = toSignalColumns(definition, {}, columns).signals
    const step = makeSignalStep(definition, {})
    // The second day closes with its last hour, eleven hours and a day after the first candle.
    for (let at = 0; at < columns.length; at += 1) {
      assert.strictEqual(enterLong?.[at], at < 34 ? 0 : 1, `candle ${at}`)
      assert.strictEqual(step.next(candleAt(columns, at)).signal.enterLong, at >= 34)
    }
  })
})
