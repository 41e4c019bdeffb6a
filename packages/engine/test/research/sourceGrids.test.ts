/**
 * Grids of parameters, whose statistics and best cells other software computed, by sweeps.
 *
 * In the strategy language, whose sizes are fixed a close before that software's: the number of
 * trades in each cell. In code, which is told its sizes: what a sweep says of each cell, and all
 * statistics by a backtest of it. They are read from the folder in CANDLEWICK_ORACLES.
 */
import { assert, describe, it } from "@effect/vitest"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { smaColumn } from "../../src/kernel/indicators/sma.ts"
import { backtest, integer, sweep } from "../../src/research/index.ts"
import { assertNear } from "../kernel/orders/checkTrades.ts"
import {
  type Cell,
  checkBest,
  checkCell,
  chosenIn,
  gridIds,
  readGrid,
  warmupOf
} from "../kernel/orders/readGrids.ts"
import { sourceStatistics } from "../kernel/orders/sourceStatistics.ts"
import { sourceCode } from "./sourceCode.ts"
import { parts } from "./sourceReasons.ts"
import { sourceRules } from "./sourceRules.ts"
import { sourceCandles, sourceRunOptions, toEquity, toRows } from "./sourceRun.ts"

const prepare = (id: string) => {
  const { one, candles, wanted } = readGrid(id)
  const { frame, columns } = sourceCandles(candles, one.engine)
  const names = Object.keys(one.grid)
  const parameters = Object.fromEntries(names.map((name) => [name, integer(20, 2, 500)]))
  const sets = wanted.map((cell) => chosenIn(one, cell))
  return { one, candles, columns, frame, names, parameters, sets, wanted }
}

/**
 * Whether the averages of a cell are equal at a close, but for the last bits of their sums. These
 * bits decide whether they cross there.
 */
const meets = ({ close }: CandleColumns, { fast, slow }: Cell): boolean => {
  const of = (period: number | undefined) => smaColumn([close], [period!])[0]!
  const other = of(slow)
  return of(fast).some((value, index) => Math.abs(value - other[index]!) <= 1e-13 * value)
}

/** How many trades each cell has, from event to event. */
const checkRules = ({
  columns,
  frame,
  names,
  one,
  parameters,
  sets,
  wanted
}: ReturnType<typeof prepare>): void => {
  const { engine, strategy } = one
  const named = Object.fromEntries(names.map((name) => [name, { parameter: name }]))
  const settings = { ...strategy.fixed_params, ...named }
  const rules = sourceRules(frame, strategy.name, settings, parameters)
  const { plain, positionCount } = sweep(columns, rules, sets, sourceRunOptions(engine))
  sets.forEach((set, index) => {
    const extra = positionCount[index]! - wanted[index]!["trades"]!
    if (extra !== 0) assert.isTrue(extra === 1 && meets(columns, set), `cell ${index}`)
  })
  assert.deepStrictEqual(plain, [])
}

const checkCode = ({
  candles,
  columns,
  frame,
  one,
  parameters,
  sets,
  wanted
}: ReturnType<typeof prepare>): void => {
  const { engine, strategy } = one
  const about = { name: strategy.name, settings: strategy.fixed_params, engine }
  const code = sourceCode(frame, about, columns, parameters)
  const options = sourceRunOptions(engine, 2 / engine.margin)
  const swept = sweep(columns, code, sets, options)
  const cells = sets.map((set): Cell => {
    const warmup = warmupOf(set)
    const from = columns.time[warmup + 1]!
    const result = backtest(columns, code, { ...options, parameters: set, from })
    const equity = toEquity(result, candles.length, warmup + 1, engine)
    const rows = toRows(result, columns, engine)
    return { ...sourceStatistics(candles, equity, rows, warmup), ...set }
  })
  wanted.forEach((cell, index) => {
    checkCell(cells[index]!, cell, one)
    const where = `in cell ${index} of the sweep`
    assert.strictEqual(swept.positionCount[index], cell["trades"], `trades ${where}`)
    assertNear(swept.totalReturn[index]! * 100, cell["return_pct"]!, `return ${where}`, 1e-8)
    const drawdown = -swept.maxDrawdown[index]! * 100
    assertNear(drawdown, cell["max_drawdown_pct"]!, `drawdown ${where}`, 1e-8)
  })
  checkBest(cells, one)
}

describe("grids of parameters, by sweeps", () => {
  if (gridIds.length === 0) {
    it("have the cells of other software", (ctx) => ctx.skip("CANDLEWICK_ORACLES names no folder"))
    return
  }
  for (const id of gridIds) {
    it(`has the cells of ${id} and its best`, { timeout: 180_000 }, (ctx) => {
      Object.assign(ctx.task.meta, { inPart: parts.sizes })
      const prepared = prepare(id)
      checkRules(prepared)
      checkCode(prepared)
    })
  }
})
