/**
 * Indicators that have a mirror image: by what they measure, with what takes their place in it.
 */
import type { Random } from "../../src/kernel/random.ts"

/** The mirror image of a series, by its unit. */
export type Measure = "price" | "change" | "spread"

/** An indicator in the mirror. */
export interface Row {
  readonly name: string
  readonly settings?: (random: Random) => Readonly<Record<string, number>>
  /** Outputs, each with that which takes its place in the mirror. */
  readonly outputs: Readonly<Record<string, string>>
  /** Whether a series may be its source. */
  readonly isSourced?: boolean
}

/** A period that a few hundred candles see often. */
export const period = (random: Random) => ({ period: random.integer(2, 12) })

const value = { value: "value" }
const bands = { middle: "middle", upper: "lower", lower: "upper" }

const averages = ["sma", "ema", "wma", "dema", "tema", "kama"].map((name): Row => ({
  name,
  settings: period,
  outputs: value,
  isSourced: true
}))

/** A multiple of a range that hardly ever ends between two steps. */
export const multiple = (random: Random) => random.integer(1, 6) / 2 + 0.1372913

/** The values that are compared with series, too. */
export const rows: Readonly<Record<Measure, ReadonlyArray<Row>>> = {
  price: [
    ...averages,
    {
      name: "bollinger",
      settings: (random) => ({ ...period(random), deviations: multiple(random) }),
      outputs: bands,
      isSourced: true
    },
    { name: "donchian", settings: period, outputs: bands },
    {
      name: "keltner",
      settings: (random) => ({ ...period(random), multiple: multiple(random), atr_period: 5 }),
      outputs: bands
    },
    { name: "vwap", outputs: value },
    {
      name: "heikin_ashi",
      outputs: { close: "close", high: "low", low: "high" }
    },
    {
      name: "ichimoku",
      settings: (random) => ({
        conversion: random.integer(2, 9),
        base: random.integer(4, 12),
        span: 20
      }),
      outputs: { conversion: "conversion", base: "base", span_a: "span_a", span_b: "span_b" }
    }
  ],
  change: [
    { name: "momentum", settings: period, outputs: value, isSourced: true },
    {
      name: "macd",
      settings: () => ({ fast: 5, slow: 12, signal: 4 }),
      outputs: { macd: "macd", signal: "signal", histogram: "histogram" },
      isSourced: true
    }
  ],
  spread: [
    { name: "atr", settings: period, outputs: value },
    { name: "stddev", settings: period, outputs: value, isSourced: true }
  ]
}

/** Bands that are on a step or hardly ever between two. */
export const levels = rows.price.flatMap((row): ReadonlyArray<Row> => {
  const isBand = row.outputs === bands
  return isBand ? [{ ...row, outputs: { upper: "lower", lower: "upper" } }] : []
})

/**
 * A series that divides: a row, numbers to compare it with, and the place of these in the mirror.
 */
export interface Oscillator extends Row {
  readonly level: (random: Random) => number
  /** Null where they stay. */
  readonly turn: ((at: number) => number) | null
}

/**
 * The series that stand at nought where nothing moves, which is an end of theirs and not the
 * middle.
 */
export const lively: ReadonlyArray<Oscillator> = [
  {
    name: "rsi",
    settings: period,
    outputs: value,
    isSourced: true,
    level: (random) => random.integer(15, 85) + 0.137,
    turn: (at) => 100 - at
  },
  {
    name: "stochastic",
    settings: (random) => ({ ...period(random), smooth: 2, signal: 3 }),
    outputs: { k: "k", d: "d" },
    level: (random) => random.integer(15, 85) + 0.137,
    turn: (at) => 100 - at
  },
  {
    name: "williams_r",
    settings: period,
    outputs: value,
    level: (random) => -random.integer(15, 85) - 0.137,
    turn: (at) => -100 - at
  }
]

/** The others that divide. */
export const oscillators: ReadonlyArray<Oscillator> = [
  {
    name: "slope",
    settings: period,
    outputs: value,
    isSourced: true,
    level: (random) => random.integer(-4, 4) / 8 + 0.0137,
    turn: (at) => -at
  },
  {
    name: "tsi",
    settings: () => ({ long: 9, short: 5, signal: 4 }),
    outputs: { value: "value", signal: "signal" },
    isSourced: true,
    level: (random) => random.integer(-60, 60) + 0.137,
    turn: (at) => -at
  },
  {
    name: "z_score",
    settings: period,
    outputs: value,
    isSourced: true,
    level: (random) => random.integer(-10, 10) / 8 + 0.0137,
    turn: (at) => -at
  },
  {
    name: "cmf",
    settings: period,
    outputs: value,
    level: (random) => random.integer(-3, 3) / 8 + 0.0137,
    turn: (at) => -at
  },
  // These change places, and stay what they are.
  {
    name: "adx",
    settings: period,
    outputs: { adx: "adx", plus_di: "minus_di", minus_di: "plus_di" },
    level: (random) => random.integer(10, 40) + 0.137,
    turn: null
  },
  {
    name: "aroon",
    settings: period,
    outputs: { up: "down", down: "up" },
    level: (random) => random.integer(10, 90) + 0.137,
    turn: null
  },
  {
    name: "vortex",
    settings: period,
    outputs: { plus: "minus", minus: "plus" },
    level: (random) => random.integer(6, 12) / 8 + 0.0137,
    turn: null
  }
]
