/**
 * Whole strategies on real candles, whose trades, equity and statistics other software computed, by
 * the simulator that backtests, sweeps and bots run on.
 *
 * In the strategy language where it says them, and in code. They are read from the folder in
 * CANDLEWICK_ORACLES.
 */
import { assert, describe, it } from "@effect/vitest"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { backtest, type BacktestResult, sweep } from "../../src/research/index.ts"
import { assertNear } from "../kernel/orders/checkTrades.ts"
import {
  type BacktestCase,
  backtestIds,
  candlesOf,
  checkEquity,
  checkStatistics,
  readCase,
  readStatistics,
  readTrades
} from "../kernel/orders/readBacktests.ts"
import type { ScriptTrade } from "../kernel/orders/readScripts.ts"
import { sourceStatistics } from "../kernel/orders/sourceStatistics.ts"
import { sourceCode } from "./sourceCode.ts"
import { type PartName, partOfBacktest, parts, unsayable } from "./sourceReasons.ts"
import { isSayable, sourceRules } from "./sourceRules.ts"
import { checkRows, sourceCandles, sourceRunOptions, toEquity, toRows } from "./sourceRun.ts"

/** One case, ready to be run. */
interface Prepared {
  readonly one: BacktestCase
  readonly candles: CandleColumns
  readonly wanted: ReadonlyArray<ScriptTrade>
  readonly columns: CandleColumns
  readonly frame: ReturnType<typeof sourceCandles>["frame"]
  readonly from: number
  readonly part: PartName | null
}

const prepare = (id: string): Prepared => {
  const one = readCase(id)
  const candles = candlesOf(one)
  const wanted = readTrades(one)
  const { engine, strategy } = one
  const { frame, columns } = sourceCandles(candles, engine, wanted)
  const isSizedAtFill = typeof strategy.params["units"] !== "number" && !engine.trade_on_close
  const from = columns.time[strategy.first_decision_bar]!
  return { one, candles, wanted, columns, frame, from, part: partOfBacktest(id, isSizedAtFill) }
}

const rowsOf = ({ one, columns }: Prepared, result: BacktestResult) =>
  toRows(result, columns, one.engine)

const numbersOf = (values: Readonly<Record<string, number | null>>) =>
  Object.entries(values).map(([name, value]) => [name, value ?? Number.NaN] as const)

/** Everything: trades, the equity at each candle, and what is told of them. */
const checkAll = (prepared: Prepared, result: BacktestResult): void => {
  const { one, candles, wanted, part } = prepared
  const rows = rowsOf(prepared, result)
  checkRows(rows, wanted, { hasSizes: true })
  const { first_decision_bar, warmup_bars } = one.strategy
  const equity = toEquity(result, candles.length, first_decision_bar, one.engine)
  const statistics = readStatistics(one)
  if (part === "last") return checkEquity(one, equity, equity.length - 1)
  assertNear(equity.at(-1)!, Number(statistics["equity_final"]), "final equity", 1e-8)
  if (part === "fee") return
  checkEquity(one, equity)
  checkStatistics(sourceStatistics(candles, equity, rows, warmup_bars), statistics)
  const { kelly, max_drawdown, sqn, total_return, trades, win_rate } = result.metrics
  const told = { return: total_return, max_drawdown, win_rate, sqn, kelly, trades }
  for (const [name, seen] of numbersOf(told)) {
    const isRate = name === "return" || name === "max_drawdown" || name === "win_rate"
    const value = Number(statistics[isRate ? `${name}_pct` : name])
    assertNear(seen, isRate ? Math.abs(value / 100) * Math.sign(seen) : value, name, 1e-8)
  }
}

/** A sweep gives the results of the backtest for the same strategy. */
const checkSweep = (
  { columns, from, one: { engine } }: Prepared,
  strategy: StrategyDefinition,
  { metrics, positions }: BacktestResult
): void => {
  const options = { ...sourceRunOptions(engine), from }
  const { maxDrawdown, positionCount, totalReturn } = sweep(columns, strategy, [{}], options)
  const open = engine.finalize_trades ? 0 : 1
  assert.strictEqual(positionCount[0], positions.length + open, "positions of the sweep")
  assertNear(totalReturn[0]!, metrics.total_return!, "return of the sweep")
  assertNear(maxDrawdown[0]!, metrics.max_drawdown!, "drawdown of the sweep")
}

const runRules = (prepared: Prepared): BacktestResult => {
  const { columns, frame, from, one } = prepared
  const strategy = sourceRules(frame, one.strategy.name, one.strategy.params)
  const result = backtest(columns, strategy, { ...sourceRunOptions(one.engine), from })
  checkSweep(prepared, strategy, result)
  return result
}

/** Sizes are handed in, and nothing is to cut them. */
const runCode = ({ columns, frame, from, one }: Prepared): BacktestResult => {
  const { engine, strategy } = one
  const about = { name: strategy.name, settings: strategy.params, engine }
  const options = { ...sourceRunOptions(engine, 2 / engine.margin), from }
  return backtest(columns, sourceCode(frame, about, columns), options)
}

/** Trades whose candle opens beyond the target and comes to the stop. */
const isGap = ({ columns: { open, high, low } }: Prepared, trade: ScriptTrade): boolean => {
  const { exit_bar, sl, size, tp } = trade
  if (sl === null || tp === null) return false
  const reached = size > 0 ? low[exit_bar]! <= sl : high[exit_bar]! >= sl
  return reached && (open[exit_bar]! - tp) * Math.sign(size) >= 0
}

const checkGaps = (prepared: Prepared, result: BacktestResult): void => {
  const seen = rowsOf(prepared, result)
  const wanted = prepared.wanted.toSorted((one, other) => one.entry_bar - other.entry_bar)
  const gaps = wanted.flatMap((trade, index) => (isGap(prepared, trade) ? [index] : []))
  assert.isAbove(gaps.length, 0, "gaps")
  assert.isBelow(gaps.length, wanted.length / 10, "gaps")
  for (const index of gaps) {
    const { exit_bar, exit_price } = seen[index]!
    assert.strictEqual(exit_bar, wanted[index]!.exit_bar, "exit of a gap")
    assert.strictEqual(exit_price, prepared.columns.open[exit_bar], "price of a gap")
  }
  const others = (rows: ReadonlyArray<ScriptTrade>) =>
    rows.filter((_, index) => !gaps.includes(index))
  checkRows(others(seen), others(wanted), { hasSizes: true })
}

/** One of its trades is two here, at the meeting of two averages. */
const checkTie = (prepared: Prepared, result: BacktestResult): void => {
  const { wanted } = prepared
  const seen = rowsOf(prepared, result)
  const [first, ...more] = wanted.filter(({ exit_bar }, row) => exit_bar !== seen[row]!.exit_bar)
  const row = wanted.indexOf(first!)
  assert.isAbove(more.length, 0)
  assert.strictEqual(seen[row]!.exit_bar, seen[row + 1]!.entry_bar)
  checkRows(seen.slice(0, row), wanted.slice(0, row), { hasSizes: true })
  checkRows(seen.slice(row + 2), wanted.slice(row + 1), { hasSizes: true })
}

const checkRuin = (prepared: Prepared, result: BacktestResult): void => {
  const [seen, ...more] = rowsOf(prepared, result)
  const [wanted] = prepared.wanted
  assert.lengthOf(more, 0)
  assert.strictEqual(seen!.entry_bar, wanted!.entry_bar, "entry")
  assert.strictEqual(seen!.entry_price, wanted!.entry_price, "entry price")
  assert.isAtMost(seen!.exit_bar, wanted!.exit_bar, "exit")
  assert.isBelow(result.equity.at(-1)!, prepared.one.engine.cash / 100, "what is left")
}

const check = (prepared: Prepared): void => {
  const { one, part, wanted } = prepared
  const { name, params } = one.strategy
  const spread = part === "spread" ? one.engine.spread : 0
  const rules = isSayable(name, params) ? runRules(prepared) : null
  if (part === "ruin") return checkRuin(prepared, rules!)
  if (part === "gap") return checkGaps(prepared, runCode(prepared))
  if (rules !== null) {
    if (part === "tie") return checkTie(prepared, rules)
    if (part === null || part === "fee" || part === "last") return checkAll(prepared, rules)
    checkRows(rowsOf(prepared, rules), wanted, { hasSizes: false, spread })
    if (part !== "sizes") return
  }
  checkAll(prepared, runCode(prepared))
}

describe("whole strategies on real candles, by the simulator of backtests", () => {
  if (backtestIds.length === 0) {
    it("trade as other software did", (ctx) => ctx.skip("CANDLEWICK_ORACLES names no folder"))
    return
  }
  for (const id of backtestIds) {
    if (id in unsayable) continue
    it(`trades ${id} as other software did`, { timeout: 180_000 }, (ctx) => {
      const prepared = prepare(id)
      const { part } = prepared
      if (part !== null) Object.assign(ctx.task.meta, { inPart: parts[part] })
      check(prepared)
    })
  }
})
