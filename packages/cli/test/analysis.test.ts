/** Analyses of a strategy, on candles whose past is known. */
import type { StrategyDefinition } from "@candlewick/engine"
import {
  candles,
  crossesAbove,
  crossesBelow,
  define,
  ema,
  indicators,
  strategy
} from "@candlewick/engine/research"
import { assert, describe, it } from "@effect/vitest"
import { analyzeLookAhead } from "../src/analysis/lookAhead.ts"
import { candlesBetween, timesThatDiffer } from "../src/analysis/markets.ts"
import { analyzeWarmup } from "../src/analysis/warmup.ts"

const dayMs = 86_400_000
const start = Date.UTC(2024, 0, 1)

/** Two waves over a slow drift, from a high level down, so that long averages forget slowly. */
const columns = candles(
  Array.from({ length: 900 }, (_, index) => {
    const close =
      100 + 900 * Math.exp(-index / 60) + 8 * Math.sin(index / 9) + 3 * Math.sin(index / 2.3)
    return {
      time: start + index * dayMs,
      open: close,
      high: close + 1,
      low: close - 1,
      close,
      volume: 1
    }
  })
)
const markets = { "BTC/USD": columns }

const crossing = (fast: number, slow: number): StrategyDefinition =>
  strategy({
    symbols: ["BTC/USD"],
    timeframe: "1d",
    long: {
      enter: crossesAbove(ema(fast), ema(slow)),
      exit: crossesBelow(ema(fast), ema(slow))
    }
  })

const coded = (peek: number) =>
  define({
    name: "peeking",
    symbols: ["BTC/USD"],
    timeframe: "1d",
    warmup: 10,
    indicators: ({ close }) => ({
      slow: indicators.sma(close, { period: 10 }),
      seen: Float64Array.from(close, (value, index) => close[index + peek] ?? value)
    }),
    onCandle: ({ value }) => ({
      enterLong: value("seen") > value("slow"),
      exitLong: value("seen") < value("slow")
    })
  })

describe("the search for look-ahead", () => {
  it("finds none in rules, and says how much it compared", () => {
    const report = analyzeLookAhead(markets, crossing(5, 20), undefined, 6)
    assert.deepStrictEqual([report.cutCount, report.found], [6, []])
    assert.isAbove(report.fillCount, 20)
  })

  it("names an indicator that knows a later close, and what is decided by it", () => {
    const { found } = analyzeLookAhead(markets, coded(2), undefined, 6)
    assert.includeMembers(
      found.map(({ indicator }) => indicator),
      ["seen", null]
    )
    // Of the first cut, the last two candles know what follows it.
    const cut = Math.floor(columns.length / 7)
    assert.strictEqual(found[0]!.time, start + (cut - 2) * dayMs)
    assert.deepStrictEqual(analyzeLookAhead(markets, coded(0), undefined, 6).found, [])
  })

  it("sees a fill of the past that later candles change", () => {
    const fill = { orderId: "1", market: 0, leg: "entry", quantity: 1, fee: 0, index: 0 }
    const fills = [
      { ...fill, time: 1, side: 1, effect: "open", price: 10, closed: null },
      { ...fill, time: 5, side: -1, effect: "close", price: 11, closed: null }
    ] as unknown as Parameters<typeof timesThatDiffer>[0]
    const moved = fills.map((one, at) => (at === 1 ? { ...one, price: 11.01 } : one))
    assert.deepStrictEqual(timesThatDiffer(fills, moved, 1e-9), [5])
    assert.deepStrictEqual(timesThatDiffer(fills, moved, 1e-2), [])
    assert.deepStrictEqual(timesThatDiffer(fills, fills.slice(0, 1), 1e-9), [5])
  })
})

describe("the warm-up", () => {
  it("tells from which history on the decisions are those of all of it", () => {
    const from = start + 240 * dayMs
    const report = analyzeWarmup(markets, crossing(5, 60), undefined, from)
    assert.deepInclude(report, {
      judgedFrom: from,
      historyCount: 240,
      judgedCount: 660,
      warmupCount: 60
    })
    assert.deepStrictEqual(
      report.rows.map(({ candleCount }) => candleCount),
      [0, 60, 120]
    )
    // An average that begins in the middle of the fall is another one for a while.
    const [none, ...longer] = report.rows
    assert.isAbove(none!.differingCount, 0)
    assert.isAtLeast(none!.firstDifferenceAt!, from)
    const settled = report.rows.findLastIndex(({ differingCount }) => differingCount > 0) + 1
    assert.strictEqual(report.settledCount, report.rows[settled]?.candleCount ?? null)
    assert.isAtMost(longer.at(-1)!.differingCount, none!.differingCount)
  })

  it("takes the second half where no first candle is named, and the candles as they are", () => {
    const report = analyzeWarmup(markets, crossing(5, 20), undefined, null)
    assert.strictEqual(report.judgedFrom, start + 450 * dayMs)
    const part = candlesBetween(markets, start + 10 * dayMs, start + 12 * dayMs)["BTC/USD"]!
    assert.deepStrictEqual([...part.time], [start + 10 * dayMs, start + 11 * dayMs])
  })
})
