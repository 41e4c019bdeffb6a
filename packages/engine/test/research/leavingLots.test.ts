/**
 * Where each entry is a lot of its own, positions are left and entered anew as without lots. They
 * are at the same closes, after the same cooldown.
 */
import { assert, describe, it } from "@effect/vitest"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { backtest } from "../../src/research/backtest.ts"
import { candles } from "../../src/research/candles.ts"
import { sweep } from "../../src/research/sweep.ts"
import { readCandles } from "../kernel/readCandles.ts"

const close = { type: "price", field: "close" } as const
const mean = { type: "sma", period: 5 } as const
const always = { type: "above", left: close, right: { type: "constant", value: 0 } } as const
const rises = { type: "crosses_above", left: close, right: mean } as const
const falls = { type: "crosses_below", left: close, right: mean } as const

type Parts = Omit<StrategyDefinition, "format" | "symbols" | "timeframe" | "parameters">

const frame = { format: 1, symbols: ["BTC/USD"], timeframe: "1d", parameters: {} } as const

const one = { type: "fixed_quantity", quantity: 1 } as const

/** Fills in a line: the candle, the side, and a star for a stop. */
const traded = (columns: CandleColumns, parts: Parts): string =>
  backtest(columns, { ...frame, ...parts }, { endOfData: "open" })
    .fills.map(({ index, leg, side }) => {
      const mark = leg === "stop_loss" ? "*" : ""
      return `${index}${side === 1 ? "B" : "S"}${mark}`
    })
    .join(" ")

const flat = (prices: ReadonlyArray<number>): CandleColumns =>
  candles(
    prices.map((price, index) => ({
      time: Date.UTC(2024, 0, 1 + index),
      open: price,
      high: price + 1,
      low: price - 1,
      close: price,
      volume: 1000
    }))
  )

const calm = flat(Array.from({ length: 14 }, () => 100))
const fallen = flat([99, 101, 102, 103, 104, 105, 106, 104, 102, 99, 98, 97, 96, 97, 98, 99, 100])
const sample = readCandles("samples/bitcoin_1d.csv")

describe("positions that overlap", () => {
  const overlap = { overlap: true, max_positions: 3 } as const

  it("are entered anew at the close at which one of them is left", () => {
    const parts = { long: { enter: always }, sizing: one, exits: { time_limit: 2 } }
    assert.strictEqual(
      traded(calm, { ...parts, ...overlap }),
      "1B 2B 3B 4S 4B 5S 5B 6S 6B 7S 7B 8S 8B 9S 9B 10S 10B 11S 11B 12S 12B 13S 13B"
    )
  })

  it("wait for the cooldown after each of them", () => {
    const parts = { long: { enter: always }, sizing: one, exits: { time_limit: 2 }, ...overlap }
    const cooling = (cooldown: number) => traded(calm, { ...parts, reentry: { cooldown } })
    assert.strictEqual(cooling(2), "1B 2B 3B 4S 5S 6S 9B 10B 11B 12S 13S")
    assert.strictEqual(cooling(6), "1B 2B 3B 4S 5S 6S 13B")
    assert.strictEqual(cooling(20), "1B 2B 3B 4S 5S 6S")
  })

  it("wait for the cooldown after a stop, whatever was left since", () => {
    const stop_loss = { type: "fraction", value: 0.015 } as const
    const parts = { long: { enter: always }, sizing: one, ...overlap }
    const stopped = { ...parts, exits: { stop_loss } }
    const cooling = (cooldown_after_stop: number) =>
      traded(fallen, { ...stopped, reentry: { cooldown_after_stop } })
    assert.strictEqual(cooling(2), "1B 2B 3B 8S* 9S* 9S* 12B 13B 14B")
    assert.strictEqual(cooling(6), "1B 2B 3B 8S* 9S* 9S* 16B")
    // The first is left by its time after the second was stopped.
    const both = { exits: { stop_loss, time_limit: 3 }, reentry: { cooldown_after_stop: 6 } }
    const dipped = flat([100, 100, 103, 103, ...Array.from({ length: 9 }, () => 101)])
    assert.strictEqual(
      traded(dipped, { ...parts, ...both, max_positions: 2 }),
      "1B 2B 4S* 5S 11B 12B"
    )
  })
})

describe("the lot of an addition", () => {
  const more = { name: "more", enter: always, sizing: one } as const
  const parts = { lots: "by_name", long: { enter: always }, sizing: one } as const
  const after = (time_limit: number) => [{ ...more, exits: { time_limit } }] as const

  it("is left by the time limit among its own exits", () => {
    assert.strictEqual(traded(calm, { ...parts, additions: after(3) }), "1B 2B 6S")
    const both = { ...parts, exits: { time_limit: 8 } }
    assert.strictEqual(traded(calm, { ...both, additions: after(3) }), "1B 2B 6S 10S 10B 11B")
    assert.strictEqual(traded(calm, { ...both, additions: [more] }), "1B 2B 10S 11S 11B 12B")
  })

  it("has no time limit where its own exits name none", () => {
    const exits = { stop_loss: { type: "fraction", value: 0.5 } } as const
    const both = { ...parts, exits: { time_limit: 3 } }
    assert.strictEqual(traded(calm, { ...both, additions: [{ ...more, exits }] }), "1B 2B 5S")
  })

  it("is left as late in a sweep as each set says", () => {
    const time_limit = { parameter: "life" } as const
    const definition: StrategyDefinition = {
      ...frame,
      ...parts,
      parameters: { life: { kind: "integer", min: 1, max: 6, default: 3 } },
      additions: [{ ...more, times: 3, exits: { time_limit } }]
    }
    const sets = [{ life: 1 }, { life: 2 }, { life: 5 }]
    const swept = sweep(sample, definition, sets)
    const counts = sets.map((parameters, set) => {
      const one = backtest(sample, definition, { parameters })
      assert.closeTo(swept.totalReturn[set]!, one.metrics.total_return!, 1e-9)
      assert.strictEqual(
        swept.positionCount[set],
        one.fills.filter(({ leg }) => leg === "entry").length
      )
      return swept.totalReturn[set]
    })
    assert.strictEqual(new Set(counts).size, sets.length)
  })
})

describe("one position at a time", () => {
  const reversing = {
    long: { enter: rises, exit: falls },
    short: { enter: falls, exit: rises },
    sizing: { type: "fixed_notional", notional: 1000 }
  } as const
  const byTime = { long: { enter: always }, exits: { time_limit: 1 } } as const
  const turning = { ...byTime, sizing: { type: "equity_fraction", fraction: 1 } } as const
  const limited = { ...turning, entry: { type: "limit", offset: 0.01 } } as const
  const kinds = {
    "which overlaps no other": { overlap: true, max_positions: 1 },
    "of lots by name": { lots: "by_name" },
    "of lots from the oldest on": { lots: "first_in_first_out" }
  } as const

  for (const [name, kind] of Object.entries(kinds)) {
    it(`${name} is entered and left as without lots`, () => {
      for (const parts of [reversing, byTime, turning, limited]) {
        for (const cooldown of [0, 2]) {
          const whole = { ...parts, reentry: { cooldown } }
          assert.strictEqual(traded(sample, { ...whole, ...kind }), traded(sample, whole))
        }
      }
    })
  }
})
