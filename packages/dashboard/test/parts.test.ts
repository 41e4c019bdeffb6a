/**
 * Figures as they are shown, and what is read from the server without a browser.
 */
import { assert, describe, it } from "@effect/vitest"
import { readEvents, type StreamEvent } from "../src/api/readEvents.ts"
import { alignReturns } from "../src/pages/compare/alignReturns.ts"
import {
  duration,
  metric,
  moment,
  number,
  percent,
  price,
  quantity,
  secondsOf,
  sentence
} from "../src/parts/format.ts"
import { rowsInSight } from "../src/parts/rowsInSight.ts"

describe("figures", () => {
  it("have a minus of their own width and a dash where there is nothing", () => {
    assert.deepStrictEqual([number(-1234.5), number(null), number(0)], ["−1,234.50", "–", "0.00"])
    assert.deepStrictEqual(
      [percent(0.1234), percent(-1), percent(null)],
      ["12.34 %", "−100.00 %", "–"]
    )
  })

  it("have as many digits as a price of that size needs", () => {
    assert.deepStrictEqual(
      [price(64_000.125), price(1.24881), price(0.0000123)],
      ["64,000.13", "1.24881", "0.00001230"]
    )
    assert.strictEqual(quantity(0.1234567891), "0.12345679")
  })

  it("tell times in UTC, and durations in two units", () => {
    assert.strictEqual(moment("2024-03-01T10:00:00.000Z"), "2024-03-01 10:00")
    assert.strictEqual(moment("2024-03-01T10:00:07.000Z"), "2024-03-01 10:00:07")
    assert.deepStrictEqual(
      [duration(59), duration(3_725), duration(200_000)],
      ["59 s", "1 h 2 min", "2 d 7 h"]
    )
    assert.deepStrictEqual(["15m", "4h", "1d"].map(secondsOf), [900, 14_400, 86_400])
  })

  it("show shares as percent, and counts and ratios as they are", () => {
    const shown = (value: number, names: ReadonlyArray<string>) =>
      names.map((name) => metric(name, value))
    assert.deepStrictEqual(
      shown(510, ["max_drawdown_candles", "average_drawdown_candles", "trade_count"]),
      ["510", "510", "510"]
    )
    assert.deepStrictEqual(shown(0.25, ["max_drawdown", "win_rate", "sharpe"]), [
      "25.00 %",
      "25.00 %",
      "0.250"
    ])
    assert.strictEqual(metric("max_drawdown_candles", null), "–")
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
  it("draws the rows in sight and some beyond, never more", () => {
    assert.deepStrictEqual(rowsInSight(0, 600, 10_000), [0, 27])
    assert.deepStrictEqual(rowsInSight(400_000 - 600, 600, 10_000), [9_973, 10_000])
    assert.deepStrictEqual(rowsInSight(4_000, 600, 3), [3, 3])
    for (let top = 0; top < 400_000; top += 997) {
      const [from, to] = rowsInSight(top, 600, 10_000)
      assert.isAtMost(to - from, 42)
    }
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
