/**
 * Longer candles against those that pandas computed, and by hand.
 *
 * The computed ones are not vendored because of the licences of their candles; they are read from
 * the folder in CANDLEWICK_ORACLES.
 */
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { dayMs, hourMs, minuteMs } from "../../src/kernel/calendar.ts"
import {
  type CandleColumns,
  columnNames,
  makeColumns,
  sliceColumns
} from "../../src/kernel/columns.ts"
import { bucketStart, resampleColumns } from "../../src/kernel/resample.ts"
import {
  type CaseData,
  casesIn,
  leaveOut,
  noCases,
  oracles,
  readCaseCandles
} from "./oracleFolder.ts"
import { readCandles } from "./readCandles.ts"
import { readTable } from "./readTable.ts"

const weekMs = 7 * dayMs

interface WideCase {
  readonly id: string
  readonly file: string
  readonly data: CaseData
  readonly timeframe: string
  readonly rows: number
}

const cases = casesIn<WideCase>("resample")

const unitsMs: Readonly<Record<string, number>> = {
  m: minuteMs,
  h: hourMs,
  d: dayMs,
  w_monday: weekMs
}

/** How long a timeframe by the source's name is, or null where that isn't fixed or known. */
const lengthOf = (timeframe: string): number | null => {
  const [, count, unit = ""] = /^(\d+)(\w+)$/.exec(timeframe) ?? []
  const unitMs = unitsMs[unit]
  return unitMs === undefined ? null : Number(count) * unitMs
}

/** The shortest step between candles. */
const stepOf = ({ time }: CandleColumns): number =>
  time.reduce(
    (step, at, index) => (index === 0 ? step : Math.min(step, at - time[index - 1]!)),
    Infinity
  )

const check = (one: WideCase, toMs: number): void => {
  const candles = readCaseCandles(one.data)
  const wanted = readCandles(join(oracles, one.file))
  // The last bucket is there even if it is not over.
  const seen = resampleColumns(candles, stepOf(candles), toMs, { keepIncomplete: true })
  assert.strictEqual(seen.length, one.rows)
  for (const name of ["time", "open", "high", "low", "close"] as const) {
    assert.deepStrictEqual([...seen[name]], [...wanted[name]], name)
  }
  wanted.volume.forEach((volume, index) =>
    assert.closeTo(seen.volume[index] ?? Number.NaN, volume, 1e-9 * volume, `volume ${index}`)
  )
  const counts = new Map<number, number>()
  for (const time of candles.time) {
    const start = bucketStart(time, toMs)
    counts.set(start, (counts.get(start) ?? 0) + 1)
  }
  const bars = readTable(join(oracles, one.file))("bars")
  assert.deepStrictEqual([...counts.values()], [...bars])
}

describe("longer candles computed by other software", () => {
  if (cases.length === 0) {
    it("are ours", (ctx) => ctx.skip(noCases("resample")))
  }
  for (const one of cases) {
    it(`builds ${one.id} as pandas does`, (ctx) => {
      const { timeframe } = one
      const toMs = lengthOf(timeframe)
      if (timeframe.endsWith("mo")) {
        leaveOut(ctx, "refused", "a month has no fixed length, and is no timeframe here")
      } else if (toMs === null) {
        leaveOut(ctx, "unknown", `the timeframe ${timeframe} isn't known here`)
      } else check(one, toMs)
    })
  }
})

/** One row a candle: time, open, high, low, close, volume. */
const candlesOf = (
  ...rows: ReadonlyArray<readonly [number, number, number, number, number, number]>
): CandleColumns => {
  const candles = makeColumns(rows.length)
  columnNames.forEach((name, field) => {
    candles[name].set(rows.map((row) => row[field] ?? Number.NaN))
  })
  return candles
}

const rowsOf = (candles: CandleColumns) =>
  Array.from({ length: candles.length }, (_, index) =>
    columnNames.map((name) => candles[name][index])
  )

const root = fileURLToPath(new URL("../../../../", import.meta.url))

describe("longer candles", () => {
  const quarter = 15 * minuteMs
  const candles = candlesOf(
    [0, 5, 7, 4, 6, 1],
    [quarter, 6, 9, 5, 8, 2],
    [2 * quarter, 8, 8, 2, 3, 4],
    [3 * quarter, 3, 4, 3, 4, 8],
    // Two hours without candles, then one that begins within the hour.
    [13 * quarter, 10, 12, 9, 11, 16],
    [14 * quarter, 11, 11, 10, 10, 32]
  )

  it("takes the first open, the extremes, the last close and all of the volume", () => {
    assert.deepStrictEqual(rowsOf(resampleColumns(sliceColumns(candles, 0, 4), quarter, hourMs)), [
      [0, 5, 9, 2, 4, 15]
    ])
  })

  it("leaves gaps as they are and drops the last candle while it is not over", () => {
    assert.deepStrictEqual(rowsOf(resampleColumns(candles, quarter, hourMs)), [[0, 5, 9, 2, 4, 15]])
  })

  it("keeps the last candle where it is asked for, at the start of its bucket", () => {
    assert.deepStrictEqual(
      rowsOf(resampleColumns(candles, quarter, hourMs, { keepIncomplete: true })),
      [
        [0, 5, 9, 2, 4, 15],
        [3 * hourMs, 10, 12, 9, 10, 48]
      ]
    )
  })

  it("keeps the last candle once its final short one is there, even with gaps before", () => {
    const over = candlesOf([0, 5, 7, 4, 6, 1], [3 * quarter, 3, 4, 3, 4, 8])
    assert.deepStrictEqual(rowsOf(resampleColumns(over, quarter, hourMs)), [[0, 5, 7, 3, 4, 9]])
  })

  it("drops the first candle where the short ones begin inside of it, unless it is asked for", () => {
    const later = candlesOf(
      [quarter, 6, 9, 5, 8, 2],
      [2 * quarter, 8, 8, 2, 3, 4],
      [4 * quarter, 4, 6, 4, 5, 1],
      [7 * quarter, 5, 5, 1, 2, 2]
    )
    const second = [hourMs, 4, 6, 1, 2, 3]
    assert.deepStrictEqual(rowsOf(resampleColumns(later, quarter, hourMs)), [second])
    const kept = rowsOf(resampleColumns(later, quarter, hourMs, { keepIncomplete: true }))
    assert.deepStrictEqual(kept, [[0, 6, 9, 2, 3, 6], second])
    const none = resampleColumns(sliceColumns(later, 0, 2), quarter, hourMs)
    assert.strictEqual(none.length, 0)
  })

  it("gives the same candles for their own timeframe, and none for none", () => {
    assert.deepStrictEqual(rowsOf(resampleColumns(candles, quarter, quarter)), rowsOf(candles))
    assert.strictEqual(resampleColumns(makeColumns(0), quarter, hourMs).length, 0)
  })

  it("does not write to the candles that it reads", () => {
    const before = rowsOf(candles)
    resampleColumns(candles, quarter, hourMs)
    assert.deepStrictEqual(rowsOf(candles), before)
  })

  it("begins a week on Monday, on either side of the epoch", () => {
    const monday = Date.UTC(2024, 0, 1)
    for (let hour = 0; hour < 7 * 24; hour++) {
      assert.strictEqual(bucketStart(monday + hour * hourMs, weekMs), monday)
    }
    assert.strictEqual(bucketStart(monday - 1, weekMs), Date.UTC(2023, 11, 25))
    assert.strictEqual(bucketStart(0, weekMs), Date.UTC(1969, 11, 29))
    assert.strictEqual(bucketStart(Date.UTC(1969, 11, 28), weekMs), Date.UTC(1969, 11, 22))
  })

  it("begins a day at midnight and four hours at a multiple of four, UTC", () => {
    const time = Date.UTC(2024, 1, 29, 23, 59, 59, 999)
    assert.strictEqual(bucketStart(time, dayMs), Date.UTC(2024, 1, 29))
    assert.strictEqual(bucketStart(time, 4 * hourMs), Date.UTC(2024, 1, 29, 20))
    assert.strictEqual(bucketStart(-1, dayMs), -dayMs)
  })

  it("drops a week of trading days that begins after the week does, or ends before it", () => {
    // Tuesday, 2017-01-03, to Friday, 2017-01-20; Monday the 16th was a holiday.
    const spy = readCandles(join(root, "samples/spy502_1d.csv"), 13)
    const second = sliceColumns(spy, 4, 9)
    const weeks = rowsOf(resampleColumns(spy, dayMs, weekMs))
    assert.deepStrictEqual(weeks, [
      [
        Date.UTC(2017, 0, 9),
        second.open[0],
        Math.max(...second.high),
        Math.min(...second.low),
        second.close[4],
        second.volume.reduce((sum, volume) => sum + volume, 0)
      ]
    ])
  })

  it("gives the same days of a year and a half by way of four hours", () => {
    const hours = readCandles(join(root, "samples/gbpusd_1h.csv"))
    const kept = { keepIncomplete: true }
    const direct = resampleColumns(hours, hourMs, dayMs, kept)
    const fourHours = resampleColumns(hours, hourMs, 4 * hourMs, kept)
    const stepwise = resampleColumns(fourHours, 4 * hourMs, dayMs, kept)
    assert.isAbove(direct.length, 300)
    assert.deepStrictEqual(rowsOf(stepwise), rowsOf(direct))
  })
})
