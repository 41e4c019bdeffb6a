/**
 * Shorter candles tell in which order the longer one has reached orders and exits. Without them a
 * rule decides, and the candle is counted as ambiguous.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Matcher } from "../../src/match/Matcher.ts"
import { addition, candle, held, noExits, noTags, order, part, told } from "./heldMatcher.ts"

type Prices = readonly [open: number, high: number, low: number]

/** A candle from 100 to 100 with these shorter ones inside. */
const show = (matcher: Matcher, low: number, high: number, ...inside: ReadonlyArray<Prices>) => {
  const column = (at: 0 | 1 | 2) => Float64Array.from(inside, (prices) => prices[at])
  const columns = { open: column(0), high: column(1), low: column(2) }
  const detail = { columns, from: 0, to: inside.length }
  matcher.show([{ ...candle(2, 100, low, high), ...(inside.length > 0 && { detail }) }])
  return { rows: told(matcher.drain(noTags)), ambiguousCount: matcher.ambiguousCount }
}

const rise: Prices = [100, 106, 100]
const fall: Prices = [100, 100, 94]
const both: Prices = [100, 106, 94]

describe("a stop and a target that sells a part", () => {
  const shown = (...inside: ReadonlyArray<Prices>) => {
    const matcher = held({ ...noExits, stopLoss: part(0.05) })
    const exit = { ...addition, side: -1, quantity: 0.4, limit: 105 } as const
    const id = matcher.placeExit(0, exit, "take_profit")
    const { ambiguousCount, rows } = show(matcher, 94, 106, ...inside)
    return { ambiguousCount, rows: rows.filter(([, about]) => about !== id) }
  }
  const stopped = ["stop_loss", 1, 1, 95]

  it("fill in the order that shorter candles tell", () => {
    assert.deepStrictEqual(shown(rise, fall), {
      ambiguousCount: 0,
      rows: [
        ["take_profit", 1, 0.4, 105],
        ["stop_loss", 1, 0.6, 95]
      ]
    })
    assert.deepStrictEqual(shown(fall, rise), { ambiguousCount: 0, rows: [stopped] })
  })

  it("leave the stop to count where no shorter candle tells", () => {
    const counted = { ambiguousCount: 1, rows: [stopped] }
    assert.deepStrictEqual(shown(), counted)
    assert.deepStrictEqual(shown([100, 101, 99], both), counted)
    assert.deepStrictEqual(shown([100, 101, 99], [100, 101, 99]), counted)
  })

  it("fill at the open of a shorter candle that is beyond a target", () => {
    const rows = shown([100, 104, 100], [105.5, 106, 105], fall).rows
    assert.deepStrictEqual(rows[0], ["take_profit", 1, 0.4, 105.5])
  })
})

describe("a target and a limit addition", () => {
  const exits = { ...noExits, takeProfit: part(0.05) }
  const shown = (...inside: ReadonlyArray<Prices>) => {
    const matcher = held(exits)
    matcher.placeEntry(0, { ...addition, quantity: 3, limit: 96 }, exits)
    const { ambiguousCount, rows } = show(matcher, 94, 106, ...inside)
    return { ambiguousCount, rows: rows.filter(([what]) => what !== "cancelled") }
  }

  it("fill in the order that shorter candles tell, else the target counts", () => {
    const targeted = [["take_profit", 1, 1, 105]]
    assert.deepStrictEqual(shown(rise, fall), { ambiguousCount: 0, rows: targeted })
    assert.deepStrictEqual(shown(), { ambiguousCount: 1, rows: targeted })
    assert.deepStrictEqual(shown(both), { ambiguousCount: 1, rows: targeted })
    assert.deepStrictEqual(shown(fall, rise), {
      ambiguousCount: 0,
      rows: [
        ["opened", 3, 3, 96],
        ["take_profit", 1, 4, 105]
      ]
    })
  })

  it("are in doubt where the target sells a part, too", () => {
    for (const [inside, first, ambiguousCount] of [
      [[fall, rise], "opened", 0],
      [[rise, fall], "take_profit", 0],
      [[], "take_profit", 1]
    ] as const) {
      const matcher = held(null)
      matcher.placeExit(0, { ...addition, side: -1, quantity: 0.4, limit: 105 }, "take_profit")
      matcher.placeEntry(0, { ...addition, limit: 96 }, null)
      const found = show(matcher, 94, 106, ...inside)
      assert.strictEqual(found.rows[0]?.[0], first)
      assert.strictEqual(found.ambiguousCount, ambiguousCount)
    }
  })
})

describe("a stop and a stop addition", () => {
  it("fill in the order that shorter candles tell", () => {
    for (const [inside, rows] of [
      [
        [rise, fall],
        [
          ["opened", 3, 1, 102],
          ["stop_loss", 1, 2, 95]
        ]
      ],
      [[fall, rise], [["stop_loss", 1, 1, 95]]]
    ] as const) {
      const matcher = held({ ...noExits, stopLoss: part(0.05) })
      matcher.placeEntry(0, { ...addition, stop: 102 }, null)
      const found = show(matcher, 94, 106, ...inside)
      const filled: ReadonlyArray<unknown> = found.rows.filter(([what]) => what !== "cancelled")
      assert.deepStrictEqual(filled, rows)
      assert.strictEqual(found.ambiguousCount, 0)
    }
  })
})

describe("a group", () => {
  it("fills the order that shorter candles reach first", () => {
    for (const [inside, price, ambiguousCount] of [
      [[rise, fall], 105, 0],
      [[fall, rise], 95, 0],
      [[[100, 101, 99], both], 105, 1],
      [[], 105, 1]
    ] as const) {
      const matcher = held(null, "hedging")
      matcher.placeEntry(0, { ...order, stop: 105, groupId: 1 }, null)
      matcher.placeEntry(0, { ...order, limit: 95, groupId: 1 }, null)
      const found = show(matcher, 94, 106, ...inside)
      const [opened] = found.rows.filter(([what]) => what === "opened")
      assert.strictEqual(opened?.[3], price)
      assert.strictEqual(found.ambiguousCount, ambiguousCount)
    }
  })
})

describe("a stop that sells a part and the target of the lot", () => {
  it("fill in the order that shorter candles tell, else the stop counts first", () => {
    const first = ["signal", 1, 0.4, 95]
    const rest = ["take_profit", 1, 0.6, 105]
    for (const [inside, rows, ambiguousCount] of [
      [[rise, fall], [["take_profit", 1, 1, 105]], 0],
      [[fall, rise], [first, rest], 0],
      [[[100, 101, 99], both], [first, rest], 1],
      [[], [first, rest], 1]
    ] as const) {
      const matcher = held({ ...noExits, takeProfit: part(0.05) })
      matcher.placeExit(0, { ...addition, side: -1, quantity: 0.4, stop: 95 }, "signal")
      const found = show(matcher, 94, 106, ...inside)
      const filled: ReadonlyArray<unknown> = found.rows.filter(([what]) => what !== "cancelled")
      assert.deepStrictEqual(filled, rows)
      assert.strictEqual(found.ambiguousCount, ambiguousCount)
    }
  })
})

describe("exits on one side of the open", () => {
  it("fill at their own prices, whatever shorter candles tell", () => {
    const matcher = held({ ...noExits, takeProfit: part(0.05) })
    matcher.placeExit(0, { ...addition, side: -1, quantity: 0.4, limit: 103 }, "signal")
    const found = show(matcher, 100, 106, [100, 101, 100], [104, 106, 104])
    assert.deepStrictEqual(found.rows, [
      ["signal", 1, 0.4, 103],
      ["take_profit", 1, 0.6, 105]
    ])
  })
})
