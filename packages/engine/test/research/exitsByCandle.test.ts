/**
 * Exits inside one candle, of strategies in JSON and in code. At the open come those that it has
 * passed, then the losing side, then the winning side, the nearest to the open first on each.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  above,
  backtest,
  candles,
  type CodeDecision,
  type CodedOrder,
  constant,
  define,
  type EntryExits,
  fractionOf,
  price,
  strategy
} from "../../src/research/index.ts"

const hour = 3_600_000
const start = Date.UTC(2024, 0, 1)

type Candles = ReturnType<typeof candles>

type Row = readonly [open: number, high: number, low: number, close: number]

const rows = (every: number, ...prices: ReadonlyArray<Row>): Candles =>
  candles(
    prices.map(([open, high, low, close], nth) => ({
      time: start + nth * every,
      open,
      high,
      low,
      close,
      volume: 1_000
    }))
  )

/** Two candles at 100, in the second of which an entry fills, then the one that is looked at. */
const shown = (...row: Row): Candles => rows(hour, [100, 100, 100, 100], [100, 100, 100, 100], row)

const still: Row = [100, 100, 100, 100]

/** Shorter candles of the last one. */
const inside = (...prices: readonly [Row, Row]): Candles =>
  rows(hour / 2, still, still, still, still, ...prices)

/** A row turned over at 100: what rises falls. */
const turned = ([open, high, low, close]: Row): Row => [
  200 - open,
  200 - low,
  200 - high,
  200 - close
]

const free = {
  fees: { maker: 0, taker: 0 },
  slippage: 0,
  endOfData: "open",
  market: { tick: 0.01, lot: 0.01 }
} as const

const run = (data: Candles, tested: Parameters<typeof backtest>[1], detail?: Candles) => {
  const result = backtest(data, tested, { ...free, ...(detail !== undefined && { detail }) })
  const left = result.fills.filter(({ index, leg }) => index === 2 && leg !== "entry")
  return {
    left: left.map(({ price, quantity }) => [quantity, price]),
    ambiguousCount: result.ambiguousCount
  }
}

const at = (value: number) => ({ kind: "price", value }) as const

/** Code that enters at the first close and places exits at the second. */
const coded = (
  side: "buy" | "sell",
  quantity: number,
  exits: EntryExits,
  ...orders: ReadonlyArray<Pick<CodedOrder, "quantity" | "limit" | "stop" | "group">>
) =>
  define({
    name: "exits",
    symbols: ["BTC/USD"],
    timeframe: "1h",
    lots: "by_name",
    onCandle: (context): CodeDecision | undefined => {
      const nth = (context.candle().time - start) / hour
      if (nth === 0) return { orders: [{ side, quantity, exits }] }
      if (nth !== 1) return undefined
      const other = side === "buy" ? "sell" : "buy"
      return { orders: orders.map((order, tag) => ({ ...order, side: other, tag: `exit${tag}` })) }
    }
  })

const entering = { enter: above(price.close, constant(0)) }

/** A strategy in JSON that sells half at one target and the rest at another. */
const targeted = (side: "long" | "short") =>
  strategy({
    symbols: ["BTC/USD"],
    timeframe: "1h",
    ...(side === "long" ? { long: entering } : { short: entering }),
    sizing: { type: "fixed_quantity", quantity: 2 },
    targets: [{ at: fractionOf(0.05), portion: 0.5 }],
    exits: { take_profit: fractionOf(0.1), stop_loss: fractionOf(0.1) }
  })

describe("targets at two prices", () => {
  it("fill the nearer one first, long and short, whatever shorter candles tell", () => {
    const row: Row = [100, 112, 100, 112]
    const parts = [
      [100, 104, 100, 104],
      [107, 112, 107, 112]
    ] as const
    for (const detail of [undefined, inside(...parts)]) {
      assert.deepStrictEqual(run(shown(...row), targeted("long"), detail), {
        left: [
          [1, 105],
          [1, 110]
        ],
        ambiguousCount: 0
      })
    }
    for (const detail of [undefined, inside(turned(parts[0]), turned(parts[1]))]) {
      assert.deepStrictEqual(run(shown(...turned(row)), targeted("short"), detail), {
        left: [
          [1, 95],
          [1, 90]
        ],
        ambiguousCount: 0
      })
    }
  })

  it("fill after the stop where shorter candles tell nothing, and before it where they do", () => {
    const row: Row = [100, 106, 88, 100]
    const stopped = [[2, 90]]
    assert.deepStrictEqual(run(shown(...row), targeted("long")), {
      left: stopped,
      ambiguousCount: 1
    })
    const rises = inside([100, 106, 100, 106], [106, 106, 88, 100])
    assert.deepStrictEqual(run(shown(...row), targeted("long"), rises), {
      left: [
        [1, 105],
        [1, 90]
      ],
      ambiguousCount: 0
    })
    const falls = inside([100, 100, 88, 88], [88, 106, 88, 100])
    assert.deepStrictEqual(run(shown(...row), targeted("long"), falls), {
      left: stopped,
      ambiguousCount: 0
    })
  })
})

describe("exits of code", () => {
  it("fill at the open that has passed a stop at rest, before a target inside", () => {
    for (const order of [{ stop: 96 }, { stop: 96, limit: 90 }]) {
      const tested = coded("buy", 1, { takeProfit: at(110) }, { quantity: 1, ...order })
      assert.deepStrictEqual(run(shown(95, 112, 95, 112), tested), {
        left: [[1, 95]],
        ambiguousCount: 0
      })
    }
    const short = coded("sell", 1, { takeProfit: at(90) }, { quantity: 1, stop: 104 })
    assert.deepStrictEqual(run(shown(105, 105, 88, 88), short).left, [[1, 105]])
  })

  it("fill the nearer stop before that of the position, and the nearer limit before its target", () => {
    const falling: Row = [100, 100, 88, 88]
    const stop = coded("buy", 2, { stopLoss: at(90) }, { quantity: 1, stop: 95 })
    const limit = coded("sell", 2, { takeProfit: at(90) }, { quantity: 1, limit: 95 })
    for (const tested of [stop, limit]) {
      for (const detail of [undefined, inside([100, 100, 96, 96], [93, 93, 88, 88])]) {
        assert.deepStrictEqual(run(shown(...falling), tested, detail), {
          left: [
            [1, 95],
            [1, 90]
          ],
          ambiguousCount: 0
        })
      }
    }
  })

  it("leave at the stop where a candle touches both, which is ambiguous", () => {
    const stop = { quantity: 1, stop: 90 }
    const limit = { quantity: 1, limit: 110 }
    for (const tested of [
      coded("buy", 1, {}, limit, stop),
      coded("buy", 1, {}, { ...limit, group: "x" }, { ...stop, group: "x" }),
      coded("buy", 1, { takeProfit: at(110) }, stop),
      coded("buy", 1, { stopLoss: at(90) }, limit)
    ]) {
      const row: Row = [100, 111, 89, 100]
      assert.deepStrictEqual(run(shown(...row), tested), { left: [[1, 90]], ambiguousCount: 1 })
      const rises = inside([100, 111, 100, 111], [111, 111, 89, 100])
      assert.deepStrictEqual(run(shown(...row), tested, rises), {
        left: [[1, 110]],
        ambiguousCount: 0
      })
      const falls = inside([100, 100, 89, 89], [89, 111, 89, 100])
      assert.deepStrictEqual(run(shown(...row), tested, falls), {
        left: [[1, 90]],
        ambiguousCount: 0
      })
    }
    const short = coded("sell", 1, { takeProfit: at(90) }, { quantity: 1, stop: 110 })
    assert.deepStrictEqual(run(shown(100, 111, 89, 100), short), {
      left: [[1, 110]],
      ambiguousCount: 1
    })
  })
})
