/**
 * Figures as they are shown, and what is read from the server without a browser.
 */
import { assert, describe, it } from "@effect/vitest"
import { readEvents, type StreamEvent } from "../src/api/readEvents.ts"
import { alignReturns } from "../src/pages/compare/alignReturns.ts"
import { settingText } from "../src/pages/compare/settingText.ts"
import { heatOf } from "../src/pages/search/heat.ts"
import {
  counted,
  formatDuration,
  formatMetric,
  formatMoment,
  formatNumber,
  formatParameter,
  formatShare,
  formatPrice,
  formatQuantity,
  secondsOf,
  sentence,
  shortened
} from "../src/parts/format.ts"
import { rowPxOf, rowsInSight } from "../src/parts/rowsInSight.ts"

describe("figures", () => {
  it("have a minus of their own width and a dash where there is nothing", () => {
    assert.deepStrictEqual(
      [formatNumber(-1234.5), formatNumber(null), formatNumber(0)],
      ["−1,234.50", "–", "0.00"]
    )
    assert.deepStrictEqual(
      [formatShare(0.1234), formatShare(-1), formatShare(null)],
      ["12.34 %", "−100.00 %", "–"]
    )
  })

  it("have as many digits as a price of that size needs", () => {
    assert.deepStrictEqual(
      [formatPrice(64_000.125), formatPrice(1.24881), formatPrice(0.0000123)],
      ["64,000.13", "1.24881", "0.00001230"]
    )
    assert.strictEqual(formatQuantity(0.1234567891), "0.12345679")
  })

  it("tell times in UTC, and durations in two units", () => {
    assert.strictEqual(formatMoment("2024-03-01T10:00:00.000Z"), "2024-03-01 10:00")
    assert.strictEqual(formatMoment("2024-03-01T10:00:07.000Z"), "2024-03-01 10:00:07")
    assert.deepStrictEqual(
      [formatDuration(59), formatDuration(3_725), formatDuration(200_000)],
      ["59 s", "1 h 2 min", "2 d 7 h"]
    )
    assert.deepStrictEqual(["15m", "4h", "1d"].map(secondsOf), [900, 14_400, 86_400])
  })

  it("show shares as percent, and counts and ratios as they are", () => {
    const shown = (value: number, names: ReadonlyArray<string>) =>
      names.map((name) => formatMetric(name, value))
    assert.deepStrictEqual(
      shown(510, ["max_drawdown_candles", "average_drawdown_candles", "trade_count"]),
      ["510", "510", "510"]
    )
    assert.deepStrictEqual(shown(0.25, ["max_drawdown", "win_rate", "sharpe"]), [
      "25.00 %",
      "25.00 %",
      "0.250"
    ])
    assert.strictEqual(formatMetric("max_drawdown_candles", null), "–")
  })

  it("have no sign where they round to nothing, and no more digits than count", () => {
    assert.deepStrictEqual([formatNumber(-0.001), formatNumber(-0.006)], ["0.00", "−0.01"])
    assert.deepStrictEqual(
      [
        formatParameter(1.0095239271361292),
        formatParameter(78),
        formatParameter(-0.00001234567),
        formatParameter(true)
      ],
      ["1.00952", "78", "−0.0000123457", "true"]
    )
    assert.strictEqual(
      shortened("buy 4000 GBP/USD at 1.2357017820000002 (entry)"),
      "buy 4000 GBP/USD at 1.235701782 (entry)"
    )
    assert.deepStrictEqual(
      [counted(1, "gap"), counted(0, "gap"), counted(2, "entry", "entries")],
      ["1 gap", "0 gaps", "2 entries"]
    )
  })

  it("make sentences of messages", () => {
    assert.strictEqual(sentence("the recording has ended"), "The recording has ended.")
    assert.strictEqual(sentence("Halted!"), "Halted!")
  })
})

describe("a stream", () => {
  it("is read in whatever pieces it comes", () => {
    const text = 'id: 7\nevent: trade.executed\ndata: {"a":\ndata: 1}\n\n: a comment\n\nid: 8\n\n'
    for (let cut = 0; cut <= text.length; cut++) {
      const heard: Array<StreamEvent> = []
      let rest = readEvents(text.slice(0, cut), (event) => heard.push(event))
      rest = readEvents(rest + text.slice(cut), (event) => heard.push(event))
      assert.strictEqual(rest, "")
      assert.deepStrictEqual(heard, [
        { type: "trade.executed", id: "7", data: { a: 1 } },
        { type: "message", id: "8", data: {} }
      ])
    }
  })
})

describe("a long table", () => {
  it("has rows of one line, and on a phone rows of a cell and the pairs below it", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 4, 8].map((count) => {
        const columns = Array.from({ length: count }, () => ({}))
        return [rowPxOf(columns, false), rowPxOf(columns, true)]
      }),
      [
        [40, 63],
        [40, 109],
        [40, 109],
        [40, 155],
        [40, 247]
      ]
    )
    assert.strictEqual(rowPxOf([{}, {}, {}, { isWide: true }], true), 155)
    assert.strictEqual(rowPxOf([{}, {}, { isWide: true }], true), 155)
  })

  it("draws the rows in sight and some beyond, never more", () => {
    assert.deepStrictEqual(rowsInSight(0, 600, 10_000, 40), [0, 27])
    assert.deepStrictEqual(rowsInSight(400_000 - 600, 600, 10_000, 40), [9_973, 10_000])
    assert.deepStrictEqual(rowsInSight(4_000, 600, 3, 40), [3, 3])
    assert.deepStrictEqual(rowsInSight(2_470, 494, 10_000, 247), [0, 24])
    for (let top = 0; top < 400_000; top += 997) {
      const [from, to] = rowsInSight(top, 600, 10_000, 40)
      assert.isAtMost(to - from, 42)
    }
  })
})

describe("a map of trials", () => {
  const trial = (fast: number, slow: number, objective: number | null) => ({
    parameters: { fast, slow },
    objective
  })

  it("has a cell for two values, with the best of its trials", () => {
    const trials = [trial(1, 10, 0.5), trial(1, 10, 0.7), trial(2, 10, -1), trial(2, 20, null)]
    const map = heatOf(trials, "fast", "slow")!
    assert.deepStrictEqual([map.columns, map.rows, map.low, map.high], [[1, 2], [10], -1, 0.7])
    assert.deepStrictEqual(map.cells[0], { column: 0, row: 0, objective: 0.7, count: 2 })
    assert.isNull(heatOf([trial(1, 1, null)], "fast", "slow"))
  })

  it("has bands of whole numbers where there are many, and every trial in one", () => {
    const trials = Array.from({ length: 63 }, (_, at) => trial(20 + at, at / 7, at))
    const map = heatOf(trials, "fast", "slow")!
    assert.isTrue(map.columns.every(Number.isInteger))
    assert.isAtMost(map.columns.length, 16)
    assert.strictEqual(
      map.cells.reduce((sum, { count }) => sum + count, 0),
      63
    )
  })
})

describe("a setting of a backtest", () => {
  it("is words, also where it has fields", () => {
    assert.strictEqual(settingText({ fast: 10, stop_loss: null }), "fast 10, stop loss –")
    assert.strictEqual(settingText(["BTC/USD", "ETH/USD"]), "BTC/USD, ETH/USD")
    assert.strictEqual(settingText(undefined), "–")
    assert.strictEqual(settingText(false), "false")
  })
})

describe("two curves", () => {
  it("stand on one axis, each in percent of its own begin, and nowhere outside of itself", () => {
    const at = (hour: number, equity: number) => ({ time: `2026-01-01T0${hour}:00:00Z`, equity })
    const { first, second, times } = alignReturns([at(0, 100), at(2, 150)], [at(1, 10), at(3, 5)])
    assert.lengthOf(times, 4)
    assert.deepStrictEqual(first, [0, 0, 50, null])
    assert.deepStrictEqual(second, [null, 0, 0, -50])
  })
})
