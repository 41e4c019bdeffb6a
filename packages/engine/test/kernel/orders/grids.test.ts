/**
 * Grids of parameters, whose statistics and best cells other software computed.
 *
 * They are read from the folder in CANDLEWICK_ORACLES.
 */
import { describe, it, type TestContext } from "@effect/vitest"
import type { CandleColumns } from "../../../src/kernel/columns.ts"
import { simulateCodeOrders } from "../../../src/kernel/orders/simulateCodeOrders.ts"
import { leaveOut, noCases } from "../oracleFolder.ts"
import { toSourceTrades } from "./checkTrades.ts"
import {
  type Cell,
  checkBest,
  checkCell,
  chosenIn,
  type GridCase,
  gridIds,
  readGrid,
  warmupOf
} from "./readGrids.ts"
import { sourceOptions } from "./sourceEngine.ts"
import { sourceStatistics } from "./sourceStatistics.ts"
import { sourceStrategies } from "./sourceStrategies.ts"

const runCell = (one: GridCase, candles: CandleColumns, cell: Cell): Cell => {
  const { engine, strategy } = one
  const build = sourceStrategies.get(strategy.name)!
  const chosen = chosenIn(one, cell)
  const warmup = warmupOf(chosen)
  const options = sourceOptions(engine, warmup + 1)
  const seen = simulateCodeOrders(candles, build({ ...strategy.fixed_params, ...chosen }), options)
  const trades = toSourceTrades(seen, engine)
  return { ...sourceStatistics(candles, seen.equity, trades, warmup), ...chosen }
}

const check = (id: string, ctx: TestContext): void => {
  const { one, candles, wanted } = readGrid(id)
  const { name } = one.strategy
  if (!sourceStrategies.has(name)) {
    return leaveOut(ctx, "unknown", `the strategy ${name} isn't known here`)
  }
  const seen = wanted.map((cell) => runCell(one, candles, cell))
  wanted.forEach((cell, index) => checkCell(seen[index]!, cell, one))
  checkBest(seen, one)
}

describe("grids of parameters", () => {
  if (gridIds.length === 0) {
    it("have the cells of other software", (ctx) => ctx.skip(noCases("optimize")))
    return
  }
  for (const id of gridIds) {
    it(`has the cells of ${id} and its best`, (ctx) => check(id, ctx), 180_000)
  }
})
