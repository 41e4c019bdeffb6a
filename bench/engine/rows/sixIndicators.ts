/**
 * Row 6: six indicators over the whole series.
 */
import { compareIndicators } from "../compare.ts"
import { formatNumber, formatRatio } from "../format.ts"
import { measure } from "../measure.ts"
import { naiveSixIndicators } from "../naive/sixIndicators.ts"
import { indicatorPeers } from "../peers/indicatorPeers.ts"
import type { Row } from "./Row.ts"

const gate = 8

/** Sums in another order. */
const naiveTolerance = 1e-9

export const sixIndicators: Row = {
  number: 6,
  work: "six indicators: SMA 20, EMA 20, RSI 14, MACD, Bollinger 20, ATR 14",
  unit: "ns per candle in all",
  gate: "≥ 8× the best npm library",
  goal: "faster than gcc -O3, ≥ 13× npm",
  method: "indicators",
  run: async ({ candles, engine, sizes }) => {
    const found = engine.indicators(candles, "kept")
    const comparisons = [
      compareIndicators("naive", found, naiveSixIndicators(candles), naiveTolerance),
      ...indicatorPeers.map((peer) =>
        compareIndicators(peer.name, found, peer.indicators(candles), peer.tolerance)
      )
    ]
    if (comparisons.some(({ isEqual }) => !isEqual)) return { comparisons, timed: null, notes: [] }
    const units = candles.length
    const [ours, ourNew, naive, ...peers] = await measure(
      [
        { name: "ours", units, run: () => engine.indicators(candles, "kept") },
        { name: "ours, new columns", units, run: () => engine.indicators(candles, "new") },
        { name: "naive", units, run: () => naiveSixIndicators(candles) },
        ...indicatorPeers.map((peer) => ({
          name: peer.name,
          units,
          run: () => peer.indicators(candles)
        }))
      ],
      { rounds: sizes.rounds, clock: "cpu", callMsMin: 50 }
    )
    const best = Math.min(...peers.map(({ nsPerUnit }) => nsPerUnit))
    return {
      comparisons,
      timed: {
        ours: `${formatNumber(ours!.nsPerUnit)} ns`,
        rivals: [naive!, ...peers].map(({ name, nsPerUnit }) => ({
          name,
          figure: `${formatNumber(nsPerUnit)} ns`,
          ratio: nsPerUnit / ours!.nsPerUnit
        })),
        isGateMet: best / ours!.nsPerUnit >= gate,
        isWhole: true
      },
      notes: [
        "ours writes into ten columns that are kept from call to call, and copies the prices " +
          "beside them at each, the others make new ones; " +
          `into new ones ours takes ${formatNumber(ourNew!.nsPerUnit)} ns, so that the best npm ` +
          `library takes ${formatRatio(best / ourNew!.nsPerUnit)} that`
      ]
    }
  }
}
