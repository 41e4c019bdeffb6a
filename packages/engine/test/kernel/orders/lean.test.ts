/**
 * LEAN's assertions about its own algorithms, within bounds, by the engine for other engines'
 * orders.
 *
 * It is read from the folder in CANDLEWICK_ORACLES.
 */
import { describe, it } from "@effect/vitest"
import type { CandleColumns } from "../../../src/kernel/columns.ts"
import { emaColumn } from "../../../src/kernel/indicators/ema.ts"
import { macdColumn } from "../../../src/kernel/indicators/macd.ts"
import {
  type CodeParameters,
  type CodeStrategy,
  defineStrategy
} from "../../../src/kernel/orders/defineStrategy.ts"
import { simulateCodeOrders } from "../../../src/kernel/orders/simulateCodeOrders.ts"
import { leaveOut, noCases } from "../oracleFolder.ts"
import {
  capital,
  checkBounds,
  type Figures,
  leanAlgorithms,
  isSpyThere,
  leanCases,
  toFigures
} from "./leanCases.ts"

const options = { capital, lot: 1, atEnd: "keep", firstDecision: 0 } as const
const size = { fraction: 0.9975 }

/** Buys once, as soon as it may. */
const holding = defineStrategy({
  parameters: {},
  onCandle: ({ buy, index }) => {
    if (index === 0) buy(size)
  }
})

const trend: CodeStrategy<CodeParameters, "signal" | "difference" | "fast"> = defineStrategy({
  parameters: {},
  indicators: ({ close }) => {
    const [difference, signal] = macdColumn([close], [12, 26, 9])
    return { difference, signal, fast: emaColumn([close], [12])[0] }
  },
  onCandle: ({ buy, close, trades, value }) => {
    const gap = (value("difference") - value("signal")) / value("fast")
    if (trades().length === 0) {
      if (gap > 0.0025) buy(size)
    } else if (gap < -0.0025) close()
  }
})

const measure = <K extends string>(
  candles: CandleColumns,
  strategy: CodeStrategy<CodeParameters, K>
): Figures => {
  const { equity, openRoundTrips, trades } = simulateCodeOrders(candles, strategy, options)
  const rates = trades.map(({ returnRate }) => returnRate)
  return toFigures(candles, equity, rates, 2 * trades.length + openRoundTrips.length)
}

const withoutCandles: Readonly<Record<string, string>> = {
  TrailingStopOrderRegressionAlgorithm:
    "for reference only, as its file says; the minutes that it trades are not there",
  LimitFillRegressionAlgorithm:
    "for reference only, as its file says; the seconds that it trades are not there"
}

describe("LEAN's assertions about itself", () => {
  if (leanCases.length === 0) {
    it("is near", (ctx) => ctx.skip(noCases("published")))
    return
  }
  for (const { expected, id } of leanCases) {
    it(`is near in ${id}`, (ctx) => {
      const algorithm = leanAlgorithms[id]
      const untradable = withoutCandles[id]
      if (untradable !== undefined) return leaveOut(ctx, "refused", untradable)
      if (algorithm === undefined) return leaveOut(ctx, "unknown", "its rule isn't known here")
      if (!isSpyThere) {
        return leaveOut(ctx, "unknown", "its list names no candles, and data/spy_1d.csv is missing")
      }
      Object.assign(ctx.task.meta, { inPart: algorithm.inPart })
      checkBounds(algorithm, expected, (candles) =>
        algorithm.strategy === "trend" ? measure(candles, trend) : measure(candles, holding)
      )
    })
  }
})
