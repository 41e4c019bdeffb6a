import { assert, describe, it } from "@effect/vitest"
import { hourMs } from "../../src/kernel/calendar.ts"
import { beginCheck, checkCandles, findGaps } from "../../src/kernel/checkCandles.ts"
import {
  type CandleColumns,
  columnNames,
  copyColumns,
  makeColumns
} from "../../src/kernel/columns.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { randomCandles, randomWalk } from "../../src/testing/randomCandles.ts"

const weekMs = 168 * hourMs

type Row = Partial<Record<(typeof columnNames)[number], number>>

const sound = { time: 0, open: 100, high: 110, low: 90, close: 105, volume: 3 }

/** Candles an hour apart, sound but for what is said. */
const candlesOf = (rows: ReadonlyArray<Row>): CandleColumns => {
  const columns = makeColumns(rows.length)
  rows.forEach((row, at) => {
    const candle = { ...sound, time: at * hourMs, ...row }
    for (const name of columnNames) columns[name][at] = candle[name]
  })
  return columns
}

/** The rows of columns at these indexes, in this order. */
const rowsAt = (columns: CandleColumns, rows: ReadonlyArray<number>): CandleColumns => {
  const picked = makeColumns(rows.length)
  rows.forEach((row, at) => {
    for (const name of columnNames) picked[name][at] = columns[name][row]!
  })
  return picked
}

const faultsOf = (columns: CandleColumns, timeframeMs = hourMs): ReadonlyArray<string> =>
  checkCandles(columns, timeframeMs).faults.map(({ row, code }) => `${row} ${code}`)

/** The faults that make a row unsound by itself, and the finding of each. */
const unsound: ReadonlyArray<readonly [Row, string]> = [
  ...columnNames.flatMap((name) =>
    [Number.NaN, Infinity, -Infinity].map((value) => [{ [name]: value }, "not_finite"] as const)
  ),
  [{ low: 0 }, "not_positive"],
  [{ low: -1 }, "not_positive"],
  [{ open: 0, high: 0, low: 0, close: 0 }, "not_positive"],
  [{ high: 104 }, "high_too_low"],
  [{ open: 111 }, "high_too_low"],
  [{ close: 110.01 }, "high_too_low"],
  [{ open: 80, high: 85, low: 90, close: 80 }, "high_too_low"],
  [{ low: 101 }, "low_too_high"],
  [{ open: 89 }, "low_too_high"],
  [{ close: 89.99 }, "low_too_high"],
  [{ open: -100 }, "low_too_high"],
  [{ volume: -0.001 }, "negative_volume"],
  [{ time: 2 * hourMs + 1 }, "not_aligned"],
  [{ time: 2 * hourMs - 1 }, "not_aligned"],
  [{ time: 2.5 * hourMs }, "not_aligned"]
]

describe("checkCandles", () => {
  it("names what is wrong with a row, and the row", () => {
    for (const [broken, code] of unsound) {
      const where = JSON.stringify(broken)
      assert.deepStrictEqual(faultsOf(candlesOf([{}, {}, broken, {}])), [`2 ${code}`], where)
    }
  })

  it("takes what is just sound: equal prices, no volume, a low hardly above 0", () => {
    const flat = { open: 100, high: 100, low: 100, close: 100, volume: 0 }
    const small = { open: 5e-324, high: 1, low: 5e-324, close: 1 }
    assert.deepStrictEqual(faultsOf(candlesOf([{}, flat, small, { volume: -0 }])), [])
  })

  it("takes whatever random candles there are, as they are", () => {
    for (let number = 0; number < 100; number += 1) {
      const columns = randomCandles(number, { count: number * 3 })
      const before = copyColumns(columns)
      const checked = checkCandles(columns, hourMs)
      assert.deepStrictEqual(checked, { faults: [], columns: before, duplicateCount: 0 })
      assert.deepStrictEqual(columns, before)
      for (const name of columnNames) {
        assert.notStrictEqual(checked.columns[name].buffer, columns[name].buffer)
      }
    }
  })

  it("finds each broken row among random candles, and no other", () => {
    for (let number = 0; number < 200; number += 1) {
      const random = makeRandom(`broken ${number}`)
      const columns = randomWalk(number, { count: 60 })
      const expected: Array<string> = []
      for (let row = 0; row < columns.length; row += 1) {
        if (random.next() >= 0.1) continue
        const [broken, code] = random.pick(unsound)
        // A time within its own hour, so that no other row is out of order.
        const time = columns.time[row]! + 1
        const candle = { ...sound, time: columns.time[row]!, ...broken }
        for (const name of columnNames) columns[name][row] = candle[name]
        if (code === "not_aligned") columns.time[row] = time
        expected.push(`${row} ${code}`)
      }
      assert.deepStrictEqual(faultsOf(columns), expected)
    }
  })

  it("refuses a time that falls, and goes on from the row before", () => {
    const times = [0, 2, 1, 3, 0, 4].map((hour) => ({ time: hour * hourMs }))
    assert.deepStrictEqual(faultsOf(candlesOf(times)), ["2 out_of_order", "4 out_of_order"])
  })

  it("takes duplicates out that agree", () => {
    for (let number = 0; number < 100; number += 1) {
      const random = makeRandom(`duplicates ${number}`)
      const columns = randomCandles(number, { count: 50 })
      const rows = Array.from({ length: columns.length }, (_, row) => row).flatMap((row) =>
        Array.from({ length: random.pick([1, 1, 2, 3]) }, () => row)
      )
      const checked = checkCandles(rowsAt(columns, rows), hourMs)
      const duplicateCount = rows.length - columns.length
      assert.deepStrictEqual(checked, { faults: [], columns, duplicateCount })
    }
  })

  it("refuses a duplicate that differs in any field, and tells which row it differs from", () => {
    for (const [name, value] of [
      ["open", 101],
      ["high", 111],
      ["low", 89],
      ["close", 104],
      ["volume", 4]
    ] as const) {
      const columns = candlesOf([{}, {}, { time: hourMs, [name]: value }, { time: 2 * hourMs }])
      const { faults, duplicateCount } = checkCandles(columns, hourMs)
      const message = "row 1 has the same time and other values"
      assert.deepStrictEqual(faults, [{ row: 2, code: "duplicate_differs", message }])
      assert.strictEqual(duplicateCount, 0)
    }
  })

  it("lists no more faults than asked for, the first ones", () => {
    const columns = candlesOf(Array.from({ length: 250 }, () => ({ volume: -1 })))
    assert.strictEqual(checkCandles(columns, hourMs).faults.length, 100)
    const { faults } = checkCandles(columns, hourMs, 3)
    assert.deepStrictEqual(
      faults.map(({ row }) => row),
      [0, 1, 2]
    )
  })

  it("has weeks begin on Monday, and takes times before 1970", () => {
    const monday = Date.UTC(2024, 0, 1)
    assert.deepStrictEqual(faultsOf(candlesOf([{ time: monday }]), weekMs), [])
    const thursday = { time: Date.UTC(2024, 0, 4) }
    assert.deepStrictEqual(faultsOf(candlesOf([thursday]), weekMs), ["0 not_aligned"])
    assert.deepStrictEqual(faultsOf(candlesOf([{ time: -hourMs }, { time: 0 }])), [])
    assert.deepStrictEqual(faultsOf(candlesOf([{ time: -1 }])), ["0 not_aligned"])
  })

  it("has nothing to say of no candles", () => {
    const checked = checkCandles(makeColumns(0), hourMs)
    assert.deepStrictEqual(checked, { faults: [], columns: makeColumns(0), duplicateCount: 0 })
  })
})

describe("findGaps", () => {
  it("tells the first and last missing candle and how many there are", () => {
    const hours = [0, 1, 3, 4, 9].map((hour) => ({ time: hour * hourMs }))
    assert.deepStrictEqual(findGaps(candlesOf(hours), hourMs), [
      { from: 2 * hourMs, to: 2 * hourMs, missingCount: 1 },
      { from: 5 * hourMs, to: 8 * hourMs, missingCount: 4 }
    ])
  })

  it("finds exactly the candles that were taken out from between others", () => {
    let missing = 0
    for (let number = 0; number < 100; number += 1) {
      const random = makeRandom(`gaps ${number}`)
      const stepMs = random.pick([60_000, hourMs, 24 * hourMs])
      const whole = randomWalk(number, { count: 80, stepMs })
      const dropRate = random.next()
      const isKept = Array.from({ length: 80 }, () => random.next() >= dropRate)
      const kept = isKept.flatMap((keeps, row) => (keeps ? [row] : []))
      const inner = isKept.flatMap((keeps, row) =>
        !keeps && row > (kept.at(0) ?? 80) && row < (kept.at(-1) ?? 0) ? [whole.time[row]!] : []
      )
      const gaps = findGaps(rowsAt(whole, kept), stepMs)
      const told = gaps.flatMap(({ from, to, missingCount }) => {
        assert.strictEqual(to, from + (missingCount - 1) * stepMs)
        return Array.from({ length: missingCount }, (_, at) => from + at * stepMs)
      })
      assert.deepStrictEqual(told, inner)
      missing += inner.length
    }
    assert.isAbove(missing, 1_000)
  })

  it("finds none where nothing can be missing", () => {
    assert.deepStrictEqual(findGaps(makeColumns(0), hourMs), [])
    assert.deepStrictEqual(findGaps(candlesOf([{}]), hourMs), [])
    assert.deepStrictEqual(findGaps(randomWalk("whole", { count: 100 }), hourMs), [])
  })
})

describe("a check that is carried out a stretch at a time", () => {
  it("finds the same as one of all rows, and has no more to do once it says so", () => {
    for (let number = 0; number < 60; number += 1) {
      const random = makeRandom(`stretches ${number}`)
      const columns = randomWalk(number, { count: 40 })
      // Rows that stand again, with other values or none, or too early.
      for (let row = 1; row < 40; row++) {
        const draw = random.next()
        if (draw < 0.2) columns.time[row] = columns.time[row - 1]!
        if (draw < 0.1) for (const name of columnNames) columns[name][row] = columns[name][row - 1]!
        if (draw > 0.9) columns.low[row] = Number.NaN
      }
      const faultsMax = random.pick([1, 3, 100])
      const check = beginCheck(columns, hourMs, faultsMax)
      const stretch = random.pick([1, 7, 39, 40])
      let turns = 1
      while (!check.advance(stretch)) turns++
      assert.isAtMost(turns, Math.ceil(40 / stretch))
      const { duplicateCount, faults, columns: clean } = check.result()
      const whole = checkCandles(columns, hourMs, faultsMax)
      assert.deepStrictEqual(
        { duplicateCount, faults },
        {
          duplicateCount: whole.duplicateCount,
          faults: whole.faults
        }
      )
      assert.deepStrictEqual(copyColumns(clean), copyColumns(whole.columns))
    }
  })

  it("takes large numbers whose sum is none for what they are", () => {
    const large = { open: 1e308, high: 1.5e308, low: 9e307, close: 1e308 }
    assert.deepStrictEqual(faultsOf(candlesOf([large])), [])
    assert.deepStrictEqual(faultsOf(candlesOf([{ ...large, volume: Infinity }])), ["0 not_finite"])
  })
})
