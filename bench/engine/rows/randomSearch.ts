/**
 * Row 5: strategies drawn at random, with stops; what a trade costs, everything included. The row
 * counts those that trade as often as the prototype's; a note says what rarer trades cost.
 */
import { compareFigures } from "../compare.ts"
import type { Figures } from "../Engine.ts"
import { figuresAt } from "../figuresAt.ts"
import { formatCount, formatNumber } from "../format.ts"
import { measure, type Timing } from "../measure.ts"
import { makeConditionColumns, naiveRandomStrategy } from "../naive/randomStrategy.ts"
import { sampleIndices } from "../sampleIndices.ts"
import { randomStrategies, type TradeFrequency } from "../work/randomStrategies.ts"
import { atClose } from "../work/settings.ts"
import type { Row, RowContext } from "./Row.ts"

const gateNs = 60

/**
 * The prototype's own draw: its positions in all and in 1 000 candles, and its time on its machine.
 */
const prototype = { trades: "156 millions", perThousand: 15.6, seconds: 4.75 }

/** Strategies whose figures are compared; a naive one takes as long as two dozen of ours. */
const checkedMax = 12

const tradeCount = (figures: Figures): number => {
  let count = 0
  for (let at = 3; at < figures.length; at += 4) count += figures[at]!
  return count
}

/** One way of drawing strategies, run once by both sides. */
const search = ({ candles, engine, sizes }: RowContext, frequency: TradeFrequency) => {
  const runs = randomStrategies(sizes.randomStrategies, frequency)
  const checked = sampleIndices(runs.length, Math.min(checkedMax, sizes.sample))
  const columnOf = makeConditionColumns(candles)
  const runOurs = (): Figures => engine.runMany(candles, runs, atClose)
  const runNaive = (): Figures => {
    const figures = new Float64Array(checked.length * 4)
    checked.forEach((index, at) => {
      const one = naiveRandomStrategy(candles, columnOf, runs[index]!, atClose.feeRate)
      figures.set(one, at * 4)
    })
    return figures
  }
  const found = runOurs()
  const comparison = compareFigures(
    `naive, ${frequency} trades`,
    figuresAt(found, checked),
    runNaive()
  )
  const trades = tradeCount(found)
  const perThousand = formatNumber((trades / runs.length / candles.length) * 1000)
  return {
    comparison,
    counts: `${formatCount(trades)} trades, ${perThousand} per 1 000 candles`,
    runCount: runs.length,
    checkedCount: checked.length,
    trades: Math.max(1, trades),
    oursSide: { name: `ours, ${frequency}`, units: candles.length * runs.length, run: runOurs },
    naiveSide: { name: "naive", units: candles.length * checked.length, run: runNaive }
  }
}

const nsPerTrade = ({ ms }: Timing, trades: number): number => (ms * 1e6) / trades

export const randomSearch: Row = {
  number: 5,
  work: "10 000 random five-condition strategies with stops",
  unit: "ns per trade",
  gate: "≤ 60 ns",
  goal: "≤ 20 ns",
  calls: "`runMany` of `@candlewick/engine/fast`",
  run: async (context) => {
    const frequent = search(context, "frequent")
    const rarer = search(context, "rarer")
    const comparisons = [frequent.comparison, rarer.comparison]
    const notes = [
      `ours ran ${formatCount(frequent.runCount)} strategies, columns and conditions included: ` +
        `${frequent.counts}; the prototype's draw, of which only the counts were kept, had ` +
        `${prototype.trades}, ${prototype.perThousand} per 1 000 candles; naive ran ` +
        `${frequent.checkedCount} of ours, columns given`
    ]
    if (comparisons.some(({ isEqual }) => !isEqual)) return { comparisons, timed: null, notes }
    const timings = await measure([frequent.oursSide, frequent.naiveSide, rarer.oursSide], {
      rounds: context.sizes.rounds,
      clock: "cpu"
    })
    const [ours, naive, oursRarer] = timings as [Timing, Timing, Timing]
    const oursNs = nsPerTrade(ours, frequent.trades)
    const rarerNs = nsPerTrade(oursRarer, rarer.trades)
    return {
      comparisons,
      timed: {
        ours: `${formatNumber(oursNs)} ns`,
        rivals: [
          {
            name: "naive",
            figure: `${formatNumber(naive.nsPerUnit)} ns per candle × strategy`,
            ratio: naive.nsPerUnit / ours.nsPerUnit
          }
        ],
        isGateMet: oursNs <= gateNs
      },
      notes: [
        ...notes,
        `ours took ${formatNumber(ours.ms / 1000)} s in all, the prototype ${prototype.seconds} s ` +
          `on its machine; per candle and strategy ours took ${formatNumber(ours.nsPerUnit)} ns, ` +
          "which is what naive is held against: its cost follows candles, hardly trades",
        `with conditions of longer periods, ${rarer.counts}, a trade costs ` +
          `${formatNumber(rarerNs)} ns, as more candles come with it: that draw is ` +
          `${rarerNs <= gateNs ? "within" : "not within"} the gate's ${gateNs} ns; it took ` +
          `${formatNumber(oursRarer.ms / 1000)} s, ${formatNumber(oursRarer.nsPerUnit)} ns per ` +
          "candle and strategy"
      ]
    }
  }
}
