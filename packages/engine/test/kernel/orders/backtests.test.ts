/**
 * Whole strategies on real candles, whose trades, equity and statistics other software computed.
 *
 * They are read from the folder in CANDLEWICK_ORACLES.
 */
import { describe, it, type TestContext } from "@effect/vitest"
import { simulateCodeOrders } from "../../../src/kernel/orders/simulateCodeOrders.ts"
import { leaveOut, noCases } from "../oracleFolder.ts"
import { checkTrades, toSourceTrades } from "./checkTrades.ts"
import {
  backtestIds,
  candlesOf,
  checkEquity,
  checkStatistics,
  readCase,
  readStatistics,
  readTrades
} from "./readBacktests.ts"
import { sourceOptions } from "./sourceEngine.ts"
import { sourceStatistics } from "./sourceStatistics.ts"
import { sourceStrategies } from "./sourceStrategies.ts"

const check = (id: string, ctx: TestContext): void => {
  const one = readCase(id)
  const { engine, strategy } = one
  const build = sourceStrategies.get(strategy.name)
  if (build === undefined) {
    return leaveOut(ctx, "unknown", `the strategy ${strategy.name} isn't known here`)
  }
  const candles = candlesOf(one)
  const built = build(strategy.params)
  const seen = simulateCodeOrders(
    candles,
    built,
    sourceOptions(engine, strategy.first_decision_bar)
  )
  const trades = toSourceTrades(seen, engine)
  checkTrades(trades, readTrades(one))
  checkEquity(one, seen.equity)
  const statistics = sourceStatistics(candles, seen.equity, trades, strategy.warmup_bars)
  checkStatistics(statistics, readStatistics(one))
}

describe("whole strategies on real candles", () => {
  if (backtestIds.length === 0) {
    it("trade as other software did", (ctx) => ctx.skip(noCases("backtests")))
    return
  }
  for (const id of backtestIds) {
    it(`trades ${id} as other software did`, (ctx) => check(id, ctx), 180_000)
  }
})
