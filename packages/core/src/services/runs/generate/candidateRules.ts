/**
 * The entry families of a generated strategy: each is a handful of rules with their mirror images,
 * drawn at random.
 *
 * A family states why prices should move. They trend, keep their speed, break out, come back, wake
 * up, or follow the clock.
 *
 * @since 0.1.0
 */
import {
  type Parameter,
  type PriceField,
  type Rule,
  type Series,
  type Setting,
  weekdays
} from "@candlewick/engine"
import { dayMs, hourMs, type Random } from "@candlewick/engine/kernel"

/** When to enter and leave, for both directions. */
export interface RulePair {
  readonly enterLong: Rule
  readonly exitLong: Rule
  readonly enterShort: Rule
  readonly exitShort: Rule
}

/** The means of drawing rules: randomness, and a place for the parameters they name. */
export interface Draw {
  readonly random: Random
  readonly parameters: Record<string, Parameter>
  /** Median average true range over close of the training candles. */
  readonly atrRate: number
  readonly durationMs: number
}

/** The number to the digits that people write. */
export const tidy = (value: number): number => Number(value.toPrecision(2))

/** A named whole number at this value, with room around it for an optimization. */
export const integerOf = (draw: Draw, name: string, value: number, min: number): Setting => {
  const low = Math.max(min, Math.floor(value / 2))
  draw.parameters[name] = {
    kind: "integer",
    default: value,
    min: low,
    max: Math.max(low + 1, value * 2)
  }
  return { parameter: name }
}

/** A named number at this value, with room around it for an optimization. */
export const floatOf = (
  draw: Draw,
  name: string,
  value: number,
  min: number,
  max: number
): Setting => {
  draw.parameters[name] = { kind: "float", default: tidy(value), min: tidy(min), max: tidy(max) }
  return { parameter: name }
}

/**
 * A whole number from `min` to `max` whose logarithm is uniform, so that short periods are as
 * likely as long ones.
 */
export const drawPeriod = (random: Random, min: number, max: number): number =>
  Math.round(min * (max / min) ** random.next())

const price = (field: PriceField): Series => ({ type: "price", field })
const close = price("close")
const constant = (value: Setting): Series => ({ type: "constant", value })
const above = (left: Series, right: Series): Rule => ({ type: "above", left, right })
const below = (left: Series, right: Series): Rule => ({ type: "below", left, right })
const all = (...rules: ReadonlyArray<Rule>): Rule => ({ type: "all", rules })
const scaled = (left: Series, by: Setting): Series => ({ type: "mul", left, right: constant(by) })
const before = (of: Series, by: Setting = 1): Series => ({ type: "shift", of, by })

/** Swaps the directions: a rule of continuation becomes a rule of turning back. */
const faded = ({ enterLong, enterShort, exitLong, exitShort }: RulePair): RulePair => ({
  enterLong: enterShort,
  exitLong: exitShort,
  enterShort: enterLong,
  exitShort: exitLong
})

const trend = (draw: Draw): RulePair => {
  const { random } = draw
  const kind = random.pick(["sma", "ema"] as const)
  const fastPeriod = drawPeriod(random, 2, 40)
  const fast: Series = { type: kind, period: integerOf(draw, "fast", fastPeriod, 2) }
  const slowPeriod = Math.max(fastPeriod * 2 + 1, drawPeriod(random, 8, 200))
  const slow: Series = { type: kind, period: integerOf(draw, "slow", slowPeriod, 4) }
  const pair = {
    exitLong: below(fast, slow),
    exitShort: above(fast, slow)
  }
  if (random.next() < 0.5) {
    const enterLong: Rule = { type: "crosses_above", left: fast, right: slow }
    const enterShort: Rule = { type: "crosses_below", left: fast, right: slow }
    return { ...pair, enterLong, enterShort }
  }
  return {
    ...pair,
    enterLong: all(above(fast, slow), above(close, fast)),
    enterShort: all(below(fast, slow), below(close, fast))
  }
}

const rateOfChange = (draw: Draw): RulePair => {
  const { atrRate, random } = draw
  const period = drawPeriod(random, 1, 60)
  const rate = tidy(atrRate * Math.sqrt(period) * (0.2 + 1.2 * random.next()))
  const past = before(close, integerOf(draw, "lookback", period, 1))
  const up: Setting = { parameter: "rise" }
  draw.parameters["rise"] = { kind: "float", default: 1 + rate, min: 1, max: 1 + 3 * rate }
  return {
    enterLong: above(close, scaled(past, up)),
    exitLong: below(close, past),
    enterShort: above(past, scaled(close, up)),
    exitShort: above(close, past)
  }
}

const oscillator = (draw: Draw): RulePair => {
  const { random } = draw
  const rsi: Series = {
    type: "rsi",
    period: integerOf(draw, "rsi_period", drawPeriod(random, 2, 40), 2)
  }
  const width = Math.round(5 + 25 * random.next())
  draw.parameters["rsi_level"] = { kind: "integer", default: 50 + width, min: 51, max: 95 }
  const level = constant({ parameter: "rsi_level" })
  const mirrored: Series = { type: "sub", left: constant(100), right: level }
  return {
    enterLong: above(rsi, level),
    exitLong: below(rsi, constant(50)),
    enterShort: below(rsi, mirrored),
    exitShort: above(rsi, constant(50))
  }
}

const convergence = (draw: Draw): RulePair => {
  const { random } = draw
  const fast = drawPeriod(random, 4, 24)
  const macd: Series = {
    type: "macd",
    output: "histogram",
    fast: integerOf(draw, "fast", fast, 2),
    slow: integerOf(draw, "slow", fast * 2 + random.integer(1, 10), 4),
    signal: integerOf(draw, "signal", drawPeriod(random, 3, 20), 2)
  }
  const zero = constant(0)
  return {
    enterLong: { type: "crosses_above", left: macd, right: zero },
    exitLong: below(macd, zero),
    enterShort: { type: "crosses_below", left: macd, right: zero },
    exitShort: above(macd, zero)
  }
}

const streak = (draw: Draw): RulePair => {
  const count = integerOf(draw, "streak", draw.random.integer(1, 5), 1)
  return {
    enterLong: { type: "rising", of: close, for: count },
    exitLong: { type: "falling", of: close, for: 1 },
    enterShort: { type: "falling", of: close, for: count },
    exitShort: { type: "rising", of: close, for: 1 }
  }
}

const momentum = (draw: Draw): RulePair =>
  draw.random.pick([rateOfChange, rateOfChange, oscillator, convergence, streak])(draw)

const channel = (draw: Draw): RulePair => {
  const { random } = draw
  const period = drawPeriod(random, 4, 120)
  const outer = integerOf(draw, "channel", period, 2)
  const inner = integerOf(draw, "exit_channel", Math.max(2, Math.round(period / 2)), 2)
  const edge = (output: "upper" | "lower", of: Setting): Series =>
    before({ type: "donchian", output, period: of })
  return {
    enterLong: above(close, edge("upper", outer)),
    exitLong: below(close, edge("lower", inner)),
    enterShort: below(close, edge("lower", outer)),
    exitShort: above(close, edge("upper", inner))
  }
}

const bands = (draw: Draw): RulePair => {
  const { random } = draw
  const period = integerOf(draw, "band", drawPeriod(random, 6, 100), 2)
  const deviations = floatOf(draw, "deviations", 0.8 + 1.7 * random.next(), 0.5, 4)
  const band = (output: "upper" | "middle" | "lower"): Series => ({
    type: "bollinger",
    output,
    period,
    deviations
  })
  return {
    enterLong: above(close, band("upper")),
    exitLong: below(close, band("middle")),
    enterShort: below(close, band("lower")),
    exitShort: above(close, band("middle"))
  }
}

const breakout = (draw: Draw): RulePair => draw.random.pick([channel, channel, bands])(draw)

/** Comes back: enters against an extreme and leaves at the middle. */
const returning = (draw: Draw): RulePair => {
  const { atrRate, random } = draw
  const period = drawPeriod(random, 3, 80)
  const middle: Series = { type: "ema", period: integerOf(draw, "middle", period, 2) }
  const rate = tidy(atrRate * Math.sqrt(period) * (0.3 + 0.9 * random.next()))
  draw.parameters["stretch"] = { kind: "float", default: 1 + rate, min: 1, max: 1 + 3 * rate }
  const stretch: Setting = { parameter: "stretch" }
  return {
    enterLong: above(middle, scaled(close, stretch)),
    exitLong: above(close, middle),
    enterShort: above(close, scaled(middle, stretch)),
    exitShort: below(close, middle)
  }
}

const meanReversion = (draw: Draw): RulePair => {
  const style = draw.random.pick(["bands", "rsi", "average", "streak", "change"] as const)
  if (style === "average") return returning(draw)
  const continuing = { bands, rsi: oscillator, streak, change: rateOfChange }[style](draw)
  const turned = faded(continuing)
  if (style === "bands" || style === "rsi")
    return {
      ...turned,
      // A return waits for the end of a run.
      exitLong: continuing.exitShort,
      exitShort: continuing.exitLong
    }
  return { ...turned, exitLong: continuing.enterLong, exitShort: continuing.enterShort }
}

const volatility = (draw: Draw): RulePair => {
  const { random } = draw
  const period = integerOf(draw, "range_period", drawPeriod(random, 5, 60), 2)
  const atr: Series = { type: "atr", period }
  const range: Series = { type: "sub", left: price("high"), right: price("low") }
  const times = floatOf(draw, "expansion", 1 + 1.5 * random.next(), 0.8, 4)
  const average: Series = {
    type: "ema",
    period: integerOf(draw, "exit_average", drawPeriod(random, 3, 40), 2)
  }
  const isWide = above(range, scaled(before(atr), times))
  const pair = {
    enterLong: all(isWide, above(close, price("open"))),
    exitLong: below(close, average),
    enterShort: all(isWide, below(close, price("open"))),
    exitShort: above(close, average)
  }
  if (random.next() < 0.35) {
    return { ...faded(pair), exitLong: above(close, average), exitShort: below(close, average) }
  }
  return pair
}

/** The rule that it is a certain time of the day. */
export const drawHours = (random: Random): Rule => {
  const from = random.integer(0, 23)
  return { type: "hours", from, to: (from + random.integer(1, 8)) % 24 }
}

const drawDays = (random: Random): Rule => {
  const first = random.integer(0, 6)
  const count = random.integer(1, 3)
  const days = Array.from({ length: count }, (_, at) => weekdays[(first + at) % 7]!)
  return { type: "weekdays", days }
}

/**
 * A time of the day or week; of candles too long for either, a calm or a stormy time above or below
 * the average.
 */
const regime = (draw: Draw): RulePair => {
  const { durationMs, random } = draw
  if (durationMs <= dayMs) {
    const isDaily = durationMs > 4 * hourMs || random.next() < 0.2
    const when = isDaily ? drawDays(random) : drawHours(random)
    const over: Rule = { type: "not", rule: when }
    return { enterLong: when, exitLong: over, enterShort: when, exitShort: over }
  }
  const average: Series = {
    type: "sma",
    period: integerOf(draw, "regime", drawPeriod(random, 6, 60), 2)
  }
  const short: Series = {
    type: "atr",
    period: integerOf(draw, "calm", drawPeriod(random, 3, 10), 2)
  }
  const long: Series = {
    type: "atr",
    period: integerOf(draw, "usual", drawPeriod(random, 15, 60), 4)
  }
  const isCalm = random.next() < 0.5 ? below(short, long) : above(short, long)
  return {
    enterLong: all(above(close, average), isCalm),
    exitLong: below(close, average),
    enterShort: all(below(close, average), isCalm),
    exitShort: above(close, average)
  }
}

/** The entry families, by name. */
export const families = {
  trend,
  momentum,
  breakout,
  mean_reversion: meanReversion,
  volatility,
  regime
} as const satisfies Record<string, (draw: Draw) => RulePair>

/** The name of an entry family. */
export type Family = keyof typeof families

/** The names of the entry families, in the order in which candidates take turns. */
export const familyNames = Object.keys(families) as ReadonlyArray<Family>

/**
 * Narrows the entries of a pair by the long trend, by how lively the market is, or by the clock.
 */
export const filtered = (draw: Draw, pair: RulePair): RulePair => {
  const { durationMs, random } = draw
  const style = random.pick(["trend", "lively", "calm", ...(durationMs <= hourMs ? ["clock"] : [])])
  if (style === "trend") {
    const average: Series = {
      type: "ema",
      period: integerOf(draw, "filter", drawPeriod(random, 30, 200), 5)
    }
    return {
      ...pair,
      enterLong: all(pair.enterLong, above(close, average)),
      enterShort: all(pair.enterShort, below(close, average))
    }
  }
  const atr: Series = { type: "atr", period: 14 }
  const usual: Series = {
    type: "mean",
    of: atr,
    period: integerOf(draw, "filter", drawPeriod(random, 40, 200), 5)
  }
  const narrow =
    style === "clock"
      ? drawHours(random)
      : style === "lively"
        ? above(atr, usual)
        : below(atr, usual)
  return {
    ...pair,
    enterLong: all(pair.enterLong, narrow),
    enterShort: all(pair.enterShort, narrow)
  }
}
