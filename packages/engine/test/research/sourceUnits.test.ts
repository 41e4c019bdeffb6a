/**
 * Positions of one unit whose results other software computed, as code strategies of backtests and
 * sweeps. The exits of a position are looked at from the candle after its entry on, and nothing is
 * entered on the candle of an exit. They are read from the folder in CANDLEWICK_ORACLES.
 */
import { assert, describe, it } from "@effect/vitest"
import { type CandleColumns, indexAt, sliceColumns } from "../../src/kernel/columns.ts"
import {
  backtest,
  type CodeDecision,
  type CodedStrategy,
  define,
  integer,
  sweep
} from "../../src/research/index.ts"
import {
  assertFields,
  assertTraded,
  averageOf,
  type BacktestCase,
  candlesOf,
  cases,
  casesOf,
  toWanted,
  valuesOf,
  type WalkForwardCase,
  type WantedTrade
} from "../kernel/unitCases.ts"
import { parts, unitReasons, unitsInPart } from "./sourceReasons.ts"

/** The further rules of a case besides entering below the average and leaving above it. */
interface Variant {
  readonly isShort?: boolean
  /** Factor of the average that an entry's close has to pass. */
  readonly margin?: number
  /** Candles after which a position is left, in place of the average. */
  readonly hold?: number
  readonly stop?: number
  readonly target?: number
}

const variants: Readonly<Record<string, Variant>> = {
  eurusd_short_stop: { isShort: true, margin: 1.001, stop: 0.003 },
  goog_mr_stop_target: { stop: 0.03, target: 0.05 },
  stw_mr_maxhold: { hold: 3 },
  stw_mr_stop: { stop: 0.015 },
  stw_mr_target: { target: 0.01 }
}

const capital = 1e6

/** How much is entered at a close: one unit, or what all the equity buys at the next open. */
type Size = "unit" | "equity"

const fraction = (value: number) => ({ kind: "fraction", value }) as const

/** A strategy of a case for these candles only: all the equity is told the open that it buys at. */
const strategyOf = (
  candles: CandleColumns,
  timeframe: "1h" | "1d",
  { hold, isShort = false, margin = 1, stop, target }: Variant,
  size: Size
): CodedStrategy<"period"> => {
  const indexOf = new Map(Array.from(candles.time, (time, index) => [time, index]))
  let cash = capital
  let last = -1
  return define({
    name: "of_other_software",
    symbols: ["A/B"],
    timeframe,
    parameters: { period: integer(30, 2, 200) },
    reentry: { cooldown: 1 },
    lookback: candles.length,
    indicators: (shown, { period }) => ({ average: averageOf(shown, period) }),
    onCandle: ({ candle, position, value }): CodeDecision | null => {
      const { close, time } = candle()
      const index = indexOf.get(time)!
      // A sweep runs one set after the other.
      if (index <= last) cash = capital
      last = index
      const average = value("average")
      const next = candles.open[index + 1] ?? Number.NaN
      if (position !== null) {
        const isOver = hold === undefined ? close > average : position.heldCount >= hold
        const leaves = position.heldCount > 0 && (isShort ? close < average : isOver)
        if (leaves) cash = position.quantity * next
        return { exitLong: leaves, exitShort: leaves }
      }
      const enters = isShort ? close > average * margin : close < average
      const quantity = size === "unit" ? 1 : cash / next
      if (!enters || !(quantity > 0)) return null
      return {
        [isShort ? "enterShort" : "enterLong"]: true,
        sizing: { type: "fixed_quantity", quantity },
        exits: {
          ...(stop !== undefined && { stopLoss: fraction(stop) }),
          ...(target !== undefined && { takeProfit: fraction(target) })
        }
      }
    }
  })
}

/** Sizes are handed in, and nothing is to cut them. */
const options = {
  capital,
  fees: { maker: 0, taker: 0 },
  slippage: 0,
  market: { tick: 0, lot: 0, minNotional: 0, canShort: true, leverage: 2 }
} as const

const reasons: Readonly<Record<string, WantedTrade["exit_reason"]>> = {
  signal: "exit-rule",
  stop_loss: "stop-loss",
  take_profit: "profit-target"
}

const timeframeOf = ({ data }: { readonly data: { readonly file: string } }) =>
  data.file.includes("_1h") ? "1h" : "1d"

const tradesOf = (
  candles: CandleColumns,
  timeframe: "1h" | "1d",
  period: number,
  variant: Variant = {},
  offset = 0
): ReadonlyArray<WantedTrade> => {
  const strategy = strategyOf(candles, timeframe, variant, "unit")
  const { positions } = backtest(candles, strategy, { ...options, parameters: { period } })
  const { stop, target } = variant
  return Array.from(positions, (one) => {
    const { direction, entryPrice, entryTime, exitPrice, exitReason, exitTime } = one
    const side = direction === "long" ? 1 : -1
    return toWanted({
      direction,
      entry_bar: indexAt(candles, entryTime) + offset,
      exit_bar: indexAt(candles, exitTime) + offset,
      entry_price: entryPrice,
      exit_price: exitPrice,
      exit_reason: reasons[exitReason] ?? "finalize",
      stop_price: stop === undefined ? null : entryPrice * (1 - side * stop),
      profit_target: target === undefined ? null : entryPrice * (1 + side * target)
    })
  })
}

/** Every cell of a grid by one sweep, and the first of the best. */
const search = (candles: CandleColumns, timeframe: "1h" | "1d", grid: WalkForwardCase["grid"]) => {
  const periods = valuesOf(grid)
  const strategy = strategyOf(candles, timeframe, {}, "equity")
  const sets = periods.map((period) => ({ period }))
  const { positionCount, totalReturn } = sweep(candles, strategy, sets, options)
  const cells = periods.map((SMA, nth) => {
    return { SMA, result: totalReturn[nth]! * 100, trades: positionCount[nth]! }
  })
  const best = cells.reduce((first, cell) => (cell.result > first.result ? cell : first))
  return { cells, best }
}

/**
 * Trades whose levels that software takes as they stand, and not from the entry's own candle on.
 * The rest of a case is compared where both enter.
 */
const checkLevels = (
  candles: CandleColumns,
  seen: ReadonlyArray<WantedTrade>,
  wanted: ReadonlyArray<WantedTrade>
): void => {
  const { high, low, open } = candles
  const byEntry = new Map(seen.map((trade) => [trade.entry_bar, trade]))
  let comparedCount = 0
  for (const trade of wanted) {
    const { direction, entry_bar, exit_bar, profit_target, stop_price } = trade
    const one = byEntry.get(entry_bar)
    if (one === undefined) continue
    comparedCount += 1
    assert.strictEqual(one.entry_price, trade.entry_price, `entry price at ${entry_bar}`)
    const side = direction === "long" ? 1 : -1
    const [worst, best] = side === 1 ? [low, high] : [high, low]
    const isBeyond = (price: number, level: number | null, away: number) =>
      level !== null && (price - level) * side * away >= 0
    const isReached =
      isBeyond(worst[entry_bar]!, stop_price, -1) || isBeyond(best[entry_bar]!, profit_target, 1)
    if (isReached) {
      assert.strictEqual(one.exit_bar, entry_bar, `exit of ${entry_bar}`)
      continue
    }
    const gap = open[exit_bar]!
    if (isBeyond(gap, stop_price, -1) || isBeyond(gap, profit_target, 1)) {
      assert.strictEqual(one.exit_bar, exit_bar, `exit of ${entry_bar}`)
      assert.strictEqual(one.exit_price, gap, `price of a gap at ${exit_bar}`)
      continue
    }
    assertFields(one, trade, `the trade of ${entry_bar}`)
  }
  assert.isAbove(comparedCount, wanted.length * 0.8, "trades that both enter")
}

const check = (one: BacktestCase): void => {
  const { expected, id, parameters } = one
  const candles = candlesOf(one)
  const seen = tradesOf(candles, timeframeOf(one), parameters.SMA, variants[id])
  if (unitsInPart.has(id)) checkLevels(candles, seen, expected.trades)
  else assertTraded(seen, expected)
}

describe("trades of one unit, by the simulator of backtests", () => {
  if (cases.length === 0) {
    it("are those of other software", (ctx) => ctx.skip("CANDLEWICK_ORACLES names no folder"))
    return
  }
  for (const one of casesOf("backtest")) {
    if (one.id in unitReasons) continue
    it(`trades ${one.id} as there`, (ctx) => {
      if (unitsInPart.has(one.id)) Object.assign(ctx.task.meta, { inPart: parts.level })
      check(one)
    })
  }

  it.each(casesOf("optimize"))("finds the cells of $id in a sweep", (one) => {
    const { expected, grid } = one
    const { best, cells } = search(candlesOf(one), timeframeOf(one), grid)
    assert.lengthOf(cells, expected.all.length)
    expected.all.forEach((cell, nth) => assertFields(cells[nth] ?? {}, cell, `cell ${nth}`))
    const wanted = { SMA: expected.best_params.SMA, result: expected.best_value }
    assertFields(best, wanted, "the best cell")
  })

  it.each(casesOf("walk_forward"))("walks $id forward in sweeps", (one) => {
    const { expected, grid } = one
    const candles = candlesOf(one)
    const timeframe = timeframeOf(one)
    const traded = expected.windows.flatMap((window, nth) => {
      const { best } = search(sliceColumns(candles, ...window.in_sample), timeframe, grid)
      const wanted = { SMA: window.best_params.SMA, result: window.best_value }
      assertFields(best, wanted, `window ${nth}`)
      const after = sliceColumns(candles, ...window.out_sample)
      const trades = tradesOf(after, timeframe, best.SMA, {}, window.out_sample[0])
      assert.lengthOf(trades, window.out_sample_trades)
      return trades
    })
    assertTraded(traded, expected)
  })
})
