/**
 * Row 5: strategies drawn at random, with stops; what a trade costs, everything included. The row
 * counts those that trade as often as the prototype's; a note says what rarer trades cost.
 */
import { compareFigures } from "../compare.ts"
import type { Figures } from "../Engine.ts"
import { figuresAt } from "../figuresAt.ts"
import { formatCount, formatNumber } from "../format.ts"
import { measure } from "../measure.ts"
import { makeConditionColumns, naiveRandomStrategy } from "../naive/randomStrategy.ts"
import { runsFor } from "../runsFor.ts"
import { sampleIndices } from "../sampleIndices.ts"
import { randomStrategies, type TradeFrequency } from "../work/randomStrategies.ts"
import { atClose } from "../work/settings.ts"
import type { Row, RowContext } from "./Row.ts"

const gateNs = 60

/** Strategies whose figures are compared; a naive one takes as long as a thousand fast ones. */
const checkedMax = 12

const tradeCount = (figures: Figures): number => {
  let count = 0
  for (let at = 3; at < figures.length; at += 4) count += figures[at]!
  return count
}

/** One way of drawing strategies, run once by both sides. */
const search = ({ candles, engine, sizes }: RowContext, frequency: TradeFrequency) => {
  const all = randomStrategies(sizes.randomStrategies, frequency)
  const runs = runsFor(engine, all)
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
  const expected = runNaive()
  const trades = tradeCount(found)
  const perThousand = formatNumber((trades / runs.length / candles.length) * 1000)
  return {
    comparison: compareFigures(`naive, ${frequency} trades`, figuresAt(found, checked), expected),
    counts: `${formatCount(trades)} trades, ${perThousand} per 1 000 candles`,
    ranOf: `${formatCount(runs.length)} of ${formatCount(all.length)}`,
    isWhole: runs.length === all.length,
    checkedCount: checked.length,
    runOurs,
    runNaive,
    trades: Math.max(1, trades),
    naiveTrades: Math.max(1, tradeCount(expected))
  }
}

export const randomSearch: Row = {
  number: 5,
  work: "10 000 random five-condition strategies with stops",
  unit: "ns per trade",
  gate: "≤ 60 ns",
  goal: "≤ 20 ns",
  method: "runMany",
  run: async (context) => {
    const frequent = search(context, "frequent")
    const rarer = search(context, "rarer")
    const comparisons = [frequent.comparison, rarer.comparison]
    const notes = [
      `ours ran ${frequent.ranOf} strategies, columns and conditions included: ` +
        `${frequent.counts}, as the prototype's 156 millions; naive ${frequent.checkedCount} of ` +
        "them, columns given"
    ]
    if (comparisons.some(({ isEqual }) => !isEqual)) return { comparisons, timed: null, notes }
    const [ours, naive, oursRarer] = await measure(
      [
        { name: "ours", units: frequent.trades, run: frequent.runOurs },
        { name: "naive", units: frequent.naiveTrades, run: frequent.runNaive },
        { name: "ours, rarer trades", units: rarer.trades, run: rarer.runOurs }
      ],
      { rounds: context.sizes.rounds, clock: "cpu" }
    )
    return {
      comparisons,
      timed: {
        ours: `${formatNumber(ours!.nsPerUnit)} ns`,
        rivals: [
          {
            name: "naive",
            figure: `${formatNumber(naive!.nsPerUnit)} ns`,
            ratio: naive!.nsPerUnit / ours!.nsPerUnit
          }
        ],
        isGateMet: ours!.nsPerUnit <= gateNs,
        isWhole: frequent.isWhole
      },
      notes: [
        ...notes,
        `with conditions of longer periods, ${rarer.counts}, each of these costs ` +
          `${formatNumber(oursRarer!.nsPerUnit)} ns, as more candles come with it`
      ]
    }
  }
}
