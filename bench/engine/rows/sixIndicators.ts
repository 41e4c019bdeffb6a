/**
 * Row 6: six indicators over the whole series.
 */
import { compareIndicators } from "../compare.ts"
import { formatNumber, formatRatio } from "../format.ts"
import { measure, type Timing } from "../measure.ts"
import { naiveSixIndicators } from "../naive/sixIndicators.ts"
import { indicatorPeers } from "../peers/indicatorPeers.ts"
import { makeSixColumns } from "../sixColumns.ts"
import type { Row } from "./Row.ts"

const gate = 8

/** The rivals that are timed; the naive columns have their sums in another order. */
const others = [
  { name: "naive", tolerance: 1e-9, indicators: naiveSixIndicators },
  ...indicatorPeers
]

interface Ratio {
  readonly name: string
  readonly figure: string
  readonly ratio: number
}

/** How many times the first of them each takes. */
const toRatios = (timings: ReadonlyArray<Timing>): ReadonlyArray<Ratio> =>
  timings.map(({ name, nsPerUnit }) => ({
    name: name.replace(", new columns", ""),
    figure: `${formatNumber(nsPerUnit)} ns`,
    ratio: nsPerUnit / timings[0]!.nsPerUnit
  }))

const bestOfNpm = (rivals: ReadonlyArray<Ratio>): number =>
  Math.min(
    ...rivals
      .filter(({ name }) => indicatorPeers.some((peer) => peer.name === name))
      .map(({ ratio }) => ratio)
  )

export const sixIndicators: Row = {
  number: 6,
  work: "six indicators: SMA 20, EMA 20, RSI 14, MACD, Bollinger 20, ATR 14",
  unit: "ns per candle in all",
  gate: "≥ 8× the best npm library",
  goal: "faster than gcc -O3, ≥ 13× npm",
  calls:
    "`smaColumn`, `emaColumn`, `rsiColumn`, `macdColumn`, `bollingerColumn` and `atrColumn` of " +
    "`@candlewick/engine/kernel`, into columns of its `makeFastColumns`",
  run: async ({ candles, engine, sizes }) => {
    const found = engine.indicators(candles, "kept")
    const kept = others.map(() => makeSixColumns(candles.length))
    const comparisons = others.map(({ indicators, name, tolerance }, nth) =>
      compareIndicators(name, found, indicators(candles, kept[nth]!), tolerance)
    )
    if (comparisons.some(({ isEqual }) => !isEqual)) return { comparisons, timed: null, notes: [] }
    const units = candles.length
    const options = { rounds: sizes.rounds, clock: "cpu", callMinMs: 50 } as const
    const intoKept = await measure(
      [
        { name: "ours", units, run: () => engine.indicators(candles, "kept") },
        ...others.map(({ indicators, name }, nth) => ({
          name,
          units,
          run: () => indicators(candles, kept[nth]!)
        }))
      ],
      options
    )
    const intoNew = await measure(
      [
        { name: "ours, new columns", units, run: () => engine.indicators(candles, "new") },
        ...others.map(({ indicators, name }) => ({
          name: `${name}, new columns`,
          units,
          run: () => indicators(candles, makeSixColumns(candles.length))
        }))
      ],
      options
    )
    const [ours, ...rivals] = toRatios(intoKept)
    const [oursNew, ...rivalsNew] = toRatios(intoNew)
    return {
      comparisons,
      timed: {
        ours: ours!.figure,
        rivals,
        isGateMet: bestOfNpm(rivals) >= gate
      },
      notes: [
        "every side writes into ten columns of its own that are kept from call to call; at each " +
          "call ours copies the prices beside its columns, and technicalindicators makes arrays " +
          "of its own and copies out of them",
        `into new columns at each call, on every side, ours takes ${oursNew!.figure}; ` +
          rivalsNew
            .map(({ figure, name, ratio }) => `${name} ${figure}, ${formatRatio(ratio)}`)
            .join("; ") +
          `: the best npm library takes ${formatRatio(bestOfNpm(rivalsNew))} ours`
      ]
    }
  }
}
