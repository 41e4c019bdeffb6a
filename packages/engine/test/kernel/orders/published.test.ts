/**
 * Assertions of other projects about their own engines in their own tests.
 *
 * They are read from the folder in CANDLEWICK_ORACLES.
 */
import { assert, describe, it } from "@effect/vitest"
import type { CandleColumns } from "../../../src/kernel/columns.ts"
import { defineStrategy } from "../../../src/kernel/orders/defineStrategy.ts"
import type { OrderContext } from "../../../src/kernel/orders/orderContext.ts"
import { simulateCodeOrders } from "../../../src/kernel/orders/simulateCodeOrders.ts"
import { leaveOut, noCases } from "../oracleFolder.ts"
import { toSourceTrades } from "./checkTrades.ts"
import {
  type Check,
  checkPublished,
  dateOf,
  firstOf,
  inDays,
  plain,
  publishedCases
} from "./publishedCases.ts"
import { allIn, type SourceEngine, sourceOptions } from "./sourceEngine.ts"
import { sourceStatistics } from "./sourceStatistics.ts"
import { sourceStrategies } from "./sourceStrategies.ts"

/** The results of commands at the decisions of some candles. */
const runCommands = (
  candles: CandleColumns,
  engine: Partial<SourceEngine>,
  onCandle: (context: OrderContext<object, never>) => void
) => {
  const all = { ...plain, ...engine }
  const strategy = defineStrategy({ parameters: {}, onCandle })
  const seen = simulateCodeOrders(candles, strategy, sourceOptions(all, 1))
  return { ...seen, trades: toSourceTrades(seen, all) }
}

/** The statistics of a crossing of averages. */
const statistics: Check = (candles) => {
  const engine = { ...plain, finalize_trades: true }
  const build = sourceStrategies.get("SmaCross")!({ fast: 10, slow: 30, mode: "both" })
  const seen = simulateCodeOrders(candles, build, sourceOptions(engine, 30))
  const found = sourceStatistics(candles, seen.equity, toSourceTrades(seen, engine), 29)
  return inDays(found, candles)
}

/** Stop-limit entries at ten times the cash, the last of which ruins. */
const ruin: Check = (candles) => {
  const { equity, isRuined, trades } = runCommands(candles, { margin: 0.1 }, (context) => {
    const { low, time } = context.candle()
    const date = dateOf(time)
    if (date === "2006-10-19") context.buy({ quantity: 100, stop: 484, limit: 466 })
    if (date === "2007-10-30") context.close()
    if (date === "2008-11-11") context.sell({ quantity: 200, stop: low, limit: 324.9 })
  })
  assert.isTrue(isRuined)
  return {
    trades: trades.length,
    entry_dates: trades.map((trade) => dateOf(candles.time[trade.entry_bar]!)),
    exit_dates: trades.map((trade) => dateOf(candles.time[trade.exit_bar]!)),
    pnl_rounded: trades.map(({ pnl }) => Math.round(pnl)),
    equity_peak: Math.round(Math.max(...equity)),
    equity_final: equity.at(-1)!
  }
}

/** An entry with a stop-loss on the 17th of October 2012, and where it left. */
const stopped =
  (stop?: number): Check =>
  (candles) => {
    const { trades } = runCommands(candles, {}, (context) => {
      if (dateOf(context.candle().time) !== "2012-10-17") return
      context.buy({ fraction: allIn, stopLoss: 720, ...(stop === undefined ? {} : { stop }) })
    })
    assert.strictEqual(trades.length, 1)
    const { entry_bar: entry, exit_bar: exit, exit_price } = firstOf(trades)
    assert.strictEqual(exit - entry, stop === undefined ? 0 : 1)
    return { exit_price }
  }

/** The cost of an entry with all of the equity, and the cash left after an exit at once. */
const costs =
  (engine: Partial<SourceEngine>): Check =>
  (candles) => {
    const { equity, trades } = runCommands(candles, engine, (context) => {
      if (context.index === 1) context.buy({ fraction: allIn })
      if (context.index === 2) context.close()
    })
    return {
      entry_price: firstOf(trades).entry_price,
      equity_bar_2_3_rounded: [equity[2]!, equity[3]!].map((one) => Math.round(one * 100) / 100)
    }
  }

const checks: Readonly<Record<string, Check>> = {
  compute_stats_goog: statistics,
  wellknown_leveraged_ruin: ruin,
  sl_on_entry_day: stopped(),
  stop_entry_then_sl_next_day: stopped(758),
  spread_and_commission: costs({ spread: 0.01, commission: 0.01 }),
  fixed_plus_relative_commission: costs({ commission: [100, 0.01] }),
  relative_commission_only: costs({ commission: 0.01 }),
  sl_before_tp: (candles) => {
    const { trades } = runCommands(candles, {}, (context) => {
      if (context.index === 3) context.buy({ fraction: allIn })
      if (context.index !== 4) return
      context.setStop(105)
      context.setTarget(107.9)
    })
    return { exit_price: firstOf(trades).exit_price }
  },
  gapped_stop: (candles) => {
    const { trades } = runCommands(candles, {}, (context) => {
      if (context.index === 8) context.buy({ quantity: 1, stopLoss: 99.5 })
    })
    const { exit_price, sl } = firstOf(trades)
    return { exit_price, sl_recorded: sl ?? Number.NaN }
  }
}

describe("backtesting.py's assertions about itself", () => {
  if (publishedCases.length === 0) {
    it("holds", (ctx) => ctx.skip(noCases("published")))
    return
  }
  for (const one of publishedCases) {
    it(`holds in ${one.id}`, (ctx) => {
      const found = checks[one.id]
      if (found === undefined) return leaveOut(ctx, "unknown", "its rule isn't known here")
      checkPublished(one, found)
    })
  }
})
