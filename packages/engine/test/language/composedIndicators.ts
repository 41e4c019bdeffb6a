/**
 * Indicators of other software that the catalogue does not have, written in the strategy language.
 */
import type { Series } from "../../src/language/Rule.ts"
import {
  abs,
  add,
  atr,
  div,
  ema,
  highest,
  indicator,
  lowest,
  max,
  mean,
  min,
  mul,
  price,
  rsi,
  type SeriesIn,
  shift,
  sma,
  sub
} from "../../src/language/buildSeries.ts"

/** One column of a file, and how the language says it. */
export interface ComposedColumn {
  readonly column: string
  readonly series: Series
  /** By how many candles the file tells a value earlier than anybody could know it. */
  readonly ahead?: number
  /** The value that is compared instead of the file's. */
  readonly told?: (value: number, before: number) => number
}

/** A file, and why it is compared from a later row on, or not value by value. */
export interface Composed {
  readonly file: string
  readonly columns: ReadonlyArray<ComposedColumn>
  readonly from?: number
  readonly inPart?: string
}

const plusDi = indicator("adx", { period: 14, output: "plus_di" })
const minusDi = indicator("adx", { period: 14, output: "minus_di" })
const before = shift(price.close, 1)
const trueHigh = max(price.high, before)
const trueLow = min(price.low, before)
const trueRange = sub(trueHigh, trueLow)

/** Wilder's average of n candles smooths as the exponential one of 2n - 1 does. */
const wilder = (period: number, source: SeriesIn<"price">) => ema(2 * period - 1, source)

const macd = (output: "macd" | "signal" | "histogram") =>
  indicator("macd", { fast: 12, slow: 26, signal: 9, output })

const nested = (times: number): SeriesIn<"price"> =>
  times === 0 ? price.close : ema(5, nested(times - 1))
const [c1, c2, c3, c4] = (([v]) => [
  -(v! ** 3),
  3 * v! ** 2 + 3 * v! ** 3,
  -6 * v! ** 2 - 3 * v! - 3 * v! ** 3,
  1 + 3 * v! + v! ** 3 + 3 * v! ** 2
])([0.7]) as readonly [number, number, number, number]
const t3: Series = {
  type: "add",
  left: { type: "add", left: mul(nested(6), c1), right: mul(nested(5), c2) },
  right: { type: "add", left: mul(nested(4), c3), right: mul(nested(3), c4) }
}

const pressure = (period: number) =>
  div(mean(sub(price.close, trueLow), period), mean(trueRange, period))

const change = sub(price.close, before)
const rises = mean(max(change, 0), 14)
const falls = mean(max(mul(change, -1), 0), 14)

const volumeGap = sub(ema(12, price.volume), ema(26, price.volume))
const pvo = mul(div(volumeGap, ema(26, price.volume)), 100)

/** The close's place in the candle, from -1 to 1; a candle without height has none, and counts 0. */
const flow = div(
  sub(sub(price.close, price.low), sub(price.high, price.close)),
  max(sub(price.high, price.low), 1e-300)
)

const otherStart = "its averages begin otherwise, and have met ours by then"

/** A series of the folder by the other software's name and settings, and how the language says it. */
export interface ComposedRule extends Omit<Composed, "file"> {
  readonly source: string
  readonly params: Readonly<Record<string, number | string>>
}

/** Series of the folder, whatever their files are named. */
export const composedOfComputed: ReadonlyArray<ComposedRule> = [
  {
    source: "TRIMA",
    params: { period: 15 },
    columns: [{ column: "trima", series: sma(8, sma(8)) }]
  },
  {
    source: "T3",
    params: { period: 5, vfactor: 0.7 },
    columns: [{ column: "t3", series: t3 }]
  },
  {
    source: "AWESOME",
    params: { fast: 5, slow: 34 },
    columns: [{ column: "ao", series: sub(sma(5, price.hl2), sma(34, price.hl2)) }]
  },
  {
    source: "TRANGE",
    params: {},
    columns: [{ column: "tr", series: trueRange }]
  },
  {
    source: "CMO",
    params: { period: 14 },
    columns: [{ column: "cmo", series: sub(mul(rsi(14), 2), 100) }]
  },
  {
    source: "ULTOSC",
    params: { a: 7, b: 14, c: 28 },

    columns: [
      {
        column: "ultosc",
        series: mul(add(add(mul(pressure(7), 4), mul(pressure(14), 2)), pressure(28)), 100 / 7)
      }
    ]
  },
  {
    source: "AD (accumulation/distribution line)",
    params: {},

    columns: [
      {
        column: "ad",
        series: mul(flow, price.volume),
        told: (value, last) => value - last
      }
    ],
    from: 1,
    inPart: "by its changes, since the language has no sum without a beginning"
  },
  {
    source: "EMA",
    params: { period: 12, seed: "first value" },

    columns: [{ column: "ema", series: ema(12) }],
    from: 200,
    inPart: otherStart
  },
  {
    source: "EMA",
    params: { period: 26, seed: "first value" },

    columns: [{ column: "ema", series: ema(26) }],
    from: 300,
    inPart: otherStart
  },
  {
    source: "RMA / SMMA / Wilder MA",
    params: { period: 14 },

    columns: [{ column: "rma", series: wilder(14, price.close) }],
    from: 300,
    inPart: otherStart
  },
  {
    source: "MACD",
    params: { fast: 12, slow: 26, signal: 9, variant: "talib" },

    columns: [
      { column: "macd", series: macd("macd") },
      { column: "signal", series: macd("signal") },
      { column: "hist", series: macd("histogram") }
    ],
    from: 300,
    inPart: otherStart
  },
  {
    source: "ADX,+DI,-DI",
    params: { period: 14, variant: "talib" },

    columns: [
      { column: "adx", series: indicator("adx", { period: 14 }) },
      { column: "plus_di", series: plusDi },
      { column: "minus_di", series: minusDi }
    ],
    from: 400,
    inPart: otherStart
  },
  {
    source: "DX",
    params: { period: 14 },

    columns: [
      {
        column: "dx",
        series: mul(div(abs(sub(plusDi, minusDi)), add(plusDi, minusDi)), 100)
      }
    ],
    from: 400,
    inPart: otherStart
  }
]

/** Published files. */
export const composedOfPublished: ReadonlyArray<Composed> = [
  { file: "tr.csv", columns: [{ column: "tr", series: trueRange }] },
  {
    file: "cmo.csv",
    columns: [{ column: "cmo", series: mul(div(sub(rises, falls), add(rises, falls)), 100) }]
  },
  {
    file: "ma-env.csv",
    columns: [
      { column: "centerline", series: sma(20) },
      { column: "upperEnvelope", series: mul(sma(20), 1.025) },
      { column: "lowerEnvelope", series: mul(sma(20), 0.975) }
    ]
  },
  {
    file: "elder-ray.csv",
    columns: [
      { column: "ema", series: ema(13) },
      { column: "bullPower", series: sub(price.high, ema(13)) },
      { column: "bearPower", series: sub(price.low, ema(13)) }
    ]
  },
  {
    file: "chexit.csv",
    columns: [{ column: "chandelierExit", series: sub(highest(price.high, 22), mul(atr(22), 3)) }]
  },
  {
    file: "pvo.csv",
    columns: [
      { column: "pvo", series: pvo },
      { column: "signal", series: ema(9, pvo) },
      { column: "histogram", series: sub(pvo, ema(9, pvo)) }
    ]
  },
  {
    file: "dpo.csv",
    columns: [
      { column: "dpo", series: sub(shift(price.close, 8), sma(14)), ahead: 8 },
      { column: "sma", series: sma(14), ahead: 8 }
    ]
  },
  {
    file: "alligator.csv",
    columns: [
      { column: "jaw", series: shift(wilder(13, price.hl2), 8) },
      { column: "teeth", series: shift(wilder(8, price.hl2), 5) },
      { column: "lips", series: shift(wilder(5, price.hl2), 3) }
    ],
    from: 350,
    inPart: otherStart
  },
  {
    file: "chop.csv",
    columns: [
      {
        column: "chop",
        series: div(mul(mean(trueRange, 14), 14), sub(highest(trueHigh, 14), lowest(trueLow, 14))),
        told: (value) => 14 ** (value / 100)
      }
    ]
  }
]
