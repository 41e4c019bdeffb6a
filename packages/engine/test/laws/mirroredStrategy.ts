/**
 * Strategies of the language, each drawn together with its mirror image. The image says of a market
 * turned upside down what the strategy says of the market.
 *
 * Prices are turned around (`top` - price) and changes change their sign; what only measures how
 * far something moved stays as it is. Fractions of prices are no mirror images, so that offsets and
 * fractions are left out, as is whatever divides by a price. Compared values tie on paper or are
 * far apart. Sources of averages are whole steps, of which averages are exact. Series that divide
 * are compared only with numbers that they do not meet. Left out as well are `sar` and
 * `supertrend`, which begin as rising on unclear first candles, and `mfi`, which weighs by prices.
 * So are `hlc3`, `hma` and `vwma`, whose ties their own rounding may break.
 */
import type { Rule, Series } from "../../src/language/Rule.ts"
import type { Distance } from "../../src/language/Exits.ts"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import type { Random } from "../../src/kernel/random.ts"
import {
  levels,
  lively,
  type Measure,
  multiple,
  oscillators,
  type Oscillator,
  period,
  type Row,
  rows
} from "./mirroredIndicators.ts"

/** Prices are turned around half of this. */
export const top = 256

/** A part of a strategy, and its mirror image. */
export interface Mirrored<A> {
  readonly plain: A
  readonly turned: A
}

const both = <A>(plain: A, turned: A = plain): Mirrored<A> => ({ plain, turned })

const constant = (at: number): Series => ({ type: "constant", value: at })

const zip = <A, B>(
  { plain, turned }: Mirrored<A>,
  make: (part: A, isTurned: boolean) => B
): Mirrored<B> => ({ plain: make(plain, false), turned: make(turned, true) })

/** The other one in the mirror, where there is another one. */
const opposite = {
  above: "below",
  below: "above",
  crosses_above: "crosses_below",
  crosses_below: "crosses_above",
  rising: "falling",
  falling: "rising",
  highest: "lowest",
  lowest: "highest",
  min: "max",
  max: "min"
} as const

type Exits = NonNullable<StrategyDefinition["exits"]>

const dropLimit = ({ time_limit: _limit, ...exits }: Exits): Exits => exits

/** Draws parts of strategies with their mirror images. */
export class MirroredGenerator {
  readonly #random: Random
  readonly #oscillators: ReadonlyArray<Oscillator>

  /** The indicators that it draws. */
  static readonly indicatorNames: ReadonlyArray<string> = [
    ...Object.values(rows).flat(),
    ...lively,
    ...oscillators
  ].map(({ name }) => name)

  /** On candles all of which move, there are those that need it. */
  constructor(random: Random, isMoving: boolean) {
    this.#random = random
    this.#oscillators = isMoving ? [...lively, ...lively, ...oscillators] : oscillators
  }

  #field(): Mirrored<Series> {
    const fields = ["open", "close", "high", "low", "hl2", "ohlc4"] as const
    const field = this.#random.pick(fields)
    const turned = field === "high" ? "low" : field === "low" ? "high" : field
    return both<Series>({ type: "price", field }, { type: "price", field: turned })
  }

  #row({ isSourced, name, outputs, settings }: Row): Mirrored<Series> {
    const random = this.#random
    const output = random.pick(Object.keys(outputs))
    const set = settings?.(random)
    const source = isSourced === true && random.next() < 0.5 ? this.#field() : null
    // The names of the catalogue, which the compiler can't put together.
    const named = (said: string, of: Series | undefined) =>
      ({ type: name, ...set, output: said, ...(of && { source: of }) }) as unknown as Series
    return both(named(output, source?.plain), named(outputs[output]!, source?.turned))
  }

  #difference(): Mirrored<Series> {
    const [left, right] = [this.#field(), this.#field()]
    return zip(left, (one, isTurned) => ({
      type: "sub",
      left: one,
      right: isTurned ? right.turned : right.plain
    }))
  }

  /** The kinds of windows; what is on steps only has exact means. */
  #window(measure: Measure, depth: number): Mirrored<Series> {
    const random = this.#random
    const span = random.integer(2, 9)
    const isTurned = measure !== "spread"
    switch (random.integer(0, 4)) {
      case 0:
        return zip(this.series(measure, depth - 1), (of) => ({ type: "shift", of, by: span }))
      case 1: {
        const rank = random.integer(0, 8) / 8
        return zip(this.series(measure, depth - 1), (of, isMirror) => ({
          type: "percentile",
          of,
          period: span,
          rank: isMirror && isTurned ? 1 - rank : rank
        }))
      }
      case 2: {
        const of = measure === "price" ? this.#field() : this.#difference()
        const mean = zip(of, (one): Series => ({ type: "mean", of: one, period: span }))
        return measure === "spread" ? zip(mean, (one) => ({ type: "abs", of: one })) : mean
      }
      default: {
        const type = random.pick(["highest", "lowest"] as const)
        return zip(this.series(measure, depth - 1), (of, isMirror) => ({
          type: isMirror && isTurned ? opposite[type] : type,
          of,
          period: span
        }))
      }
    }
  }

  #combination(measure: Measure, depth: number): Mirrored<Series> {
    const random = this.#random
    const [one, other] = [this.series(measure, depth - 1), this.series(measure, depth - 1)]
    if (random.next() < 0.5) {
      const type = random.pick(["min", "max"] as const)
      return zip(one, (left, isMirror) => ({
        type: isMirror && measure !== "spread" ? opposite[type] : type,
        left,
        right: isMirror ? other.turned : other.plain
      }))
    }
    if (measure === "price") {
      const change = this.series("change", depth - 1)
      const type = random.pick(["add", "sub"] as const)
      return zip(one, (left, isMirror) => ({
        type,
        left,
        right: isMirror ? change.turned : change.plain
      }))
    }
    return zip(one, (left) => ({ type: "mul", left, right: constant(1.375) }))
  }

  #leaf(measure: Measure): Mirrored<Series> {
    switch (measure) {
      case "price":
        return this.#field()
      case "change":
        return this.#difference()
      case "spread":
        return zip(this.#difference(), (of) => ({ type: "abs", of }))
    }
  }

  /** A series that measures this, nested at most so deep. */
  series(measure: Measure, depth: number): Mirrored<Series> {
    const share = this.#random.next()
    if (depth <= 1 || share < 0.2) return this.#leaf(measure)
    if (share < 0.6) return this.#row(this.#random.pick(rows[measure]))
    return share < 0.85 ? this.#window(measure, depth) : this.#combination(measure, depth)
  }

  /** The same on longer candles, now and then. */
  #laned(series: Mirrored<Series>): Mirrored<Series> {
    if (this.#random.next() >= 0.15) return series
    return zip(series, (of) => ({ type: "timeframe", timeframe: "4h", of }))
  }

  #compared(left: Mirrored<Series>, right: Mirrored<Series>, isTurned: boolean): Mirrored<Rule> {
    const type = this.#random.pick(["above", "below", "crosses_above", "crosses_below"] as const)
    return zip(left, (one, isMirror) => ({
      type: isMirror && isTurned ? opposite[type] : type,
      left: one,
      right: isMirror ? right.turned : right.plain
    }))
  }

  #comparison(depth: number): Mirrored<Rule> {
    const random = this.#random
    if (random.next() < 0.3) {
      const row = random.pick(this.#oscillators)
      const at = row.level(random)
      const level = both(constant(at), constant(row.turn?.(at) ?? at))
      return this.#compared(this.#laned(this.#row(row)), level, row.turn !== null)
    }
    const measure = random.pick(["price", "price", "price", "change", "spread"] as const)
    const draw = () => this.#laned(this.series(measure, depth))
    const isTurned = measure !== "spread"
    const number = (): Mirrored<Series> => {
      const price = random.integer(60, 190)
      const change = random.integer(-8, 8) / 4 + 0.0137
      if (measure === "price") return both(constant(price), constant(top - price))
      return both(constant(change), constant(isTurned ? -change : change))
    }
    const other = () => (random.next() < 0.2 ? number() : draw())
    if (random.next() >= 0.15) return this.#compared(draw(), other(), isTurned)
    const [low, high] = [other(), other()]
    return zip(draw(), (of, isMirror) => {
      if (!isMirror) return { type: "between", of, low: low.plain, high: high.plain }
      return isTurned
        ? { type: "between", of, low: high.turned, high: low.turned }
        : { type: "between", of, low: low.turned, high: high.turned }
    })
  }

  /** A rule, nested at most so deep. */
  rule(depth: number): Mirrored<Rule> {
    const random = this.#random
    const share = random.next()
    if (depth <= 1 || share < 0.45) return this.#comparison(2)
    if (share < 0.65) {
      const type = random.pick(["all", "any"] as const)
      const parts = [this.rule(depth - 1), this.rule(depth - 1)]
      return {
        plain: { type, rules: parts.map(({ plain }) => plain) },
        turned: { type, rules: parts.map(({ turned }) => turned) }
      }
    }
    if (share < 0.72) return zip(this.rule(depth - 1), (rule) => ({ type: "not", rule }))
    const count = random.integer(1, 3)
    if (share < 0.8) {
      return zip(this.rule(depth - 1), (rule) => ({ type: "true_for", rule, for: count }))
    }
    if (share < 0.93) {
      const type = random.pick(["rising", "falling"] as const)
      const of = random.pick([() => this.#field(), () => this.#row(rows.price[0]!)])()
      return zip(of, (one, isMirror) => ({
        type: isMirror ? opposite[type] : type,
        of: one,
        for: count
      }))
    }
    const from = random.integer(0, 23)
    return both<Rule>({ type: "hours", from, to: (from + 8) % 24 })
  }

  /** A price or a multiple of the range as a distance; multiples never end between two steps. */
  #distance(): Mirrored<Distance> {
    const random = this.#random
    if (random.next() < 0.5) {
      return both<Distance>({ type: "atr", ...period(random), multiple: multiple(random) })
    }
    const series = this.#row(random.pick(levels))
    return zip(series, (one) => ({ type: "level", series: one }))
  }

  #exits(): Mirrored<NonNullable<StrategyDefinition["exits"]>> {
    const random = this.#random
    const chance = (rate: number) => random.next() < rate
    const maybe = (rate: number) => (chance(rate) ? this.#distance() : null)
    const range = (): Distance => ({ type: "atr", ...period(random), multiple: multiple(random) })
    const [stop, target, activation] = [maybe(0.6), maybe(0.5), maybe(0.4)]
    const trailing = chance(0.3) ? range() : null
    const even = chance(0.3) ? range() : null
    const limit = chance(0.3) ? random.integer(2, 20) : null
    const of = (side: "plain" | "turned") => ({
      ...(stop && { stop_loss: stop[side] }),
      ...(target && { take_profit: target[side] }),
      ...(trailing && {
        trailing_stop: {
          distance: trailing,
          ...(activation && { activation: activation[side] })
        }
      }),
      ...(even && { break_even: { activation: even } }),
      ...(limit !== null && { time_limit: limit })
    })
    return both(of("plain"), of("turned"))
  }

  /** Reductions by halves, so that no quantity is rounded. */
  #reductions(): Mirrored<Pick<StrategyDefinition, "reductions">> {
    return zip(this.rule(2), (when) => ({ reductions: [{ when, portion: 0.5 }] }))
  }

  /** Additions by rules, each a lot with exits of its own: an average price would be rounded. */
  #additions(): Mirrored<Partial<StrategyDefinition>> {
    const random = this.#random
    const times = random.integer(1, 3)
    const lots = random.pick(["first_in_first_out", "by_name"] as const)
    const exits = random.next() < 0.4 ? this.#exits() : null
    const own = exits && { plain: dropLimit(exits.plain), turned: dropLimit(exits.turned) }
    return zip(this.rule(2), (enter, isMirror) => ({
      lots,
      additions: [
        { name: "more", enter, times, ...(own && { exits: isMirror ? own.turned : own.plain }) }
      ]
    }))
  }

  #targets(): Mirrored<Partial<StrategyDefinition>> {
    const [first, second] = [this.#distance(), this.#distance()]
    const stop = this.#random.pick(["entry", "previous_target", null] as const)
    return zip(first, (at, isMirror) => ({
      targets: [
        { at, portion: 0.5, ...(stop === "entry" && { stop }) },
        {
          at: isMirror ? second.turned : second.plain,
          portion: 0.25,
          ...(stop === "previous_target" && { stop })
        }
      ]
    }))
  }

  /** Parts of a ladder in which no price and no quantity is rounded. */
  ladder(): Mirrored<Partial<StrategyDefinition>> {
    const random = this.#random
    if (random.next() < 0.25) return both({ overlap: true, max_positions: random.integer(2, 4) })
    const parts = random.next() < 0.5 ? this.#additions() : this.#targets()
    if (random.next() < 0.6) return parts
    const reduced = this.#reductions()
    return zip(parts, (part, isMirror) => ({
      ...part,
      ...(isMirror ? reduced.turned : reduced.plain)
    }))
  }

  /** A ladder on hours of a fixed quantity. */
  laddered(): Mirrored<StrategyDefinition> {
    const whole = this.strategy()
    const parts = this.ladder()
    return zip(whole, (strategy, isMirror) => ({
      ...strategy,
      ...(isMirror ? parts.turned : parts.plain)
    }))
  }

  /** A strategy on hours of a fixed quantity. */
  strategy(): Mirrored<StrategyDefinition> {
    const random = this.#random
    const chance = (rate: number) => random.next() < rate
    const rules = () => {
      const enter = this.rule(3)
      const exit = chance(0.7) ? this.rule(2) : null
      return zip(enter, (one, isMirror) => ({
        enter: one,
        ...(exit && { exit: isMirror ? exit.turned : exit.plain })
      }))
    }
    const isBoth = chance(0.5)
    const long = isBoth || chance(0.5) ? rules() : null
    const short = isBoth || long === null ? rules() : null
    const exits = this.#exits()
    const entry = chance(0.8)
      ? null
      : ({ type: random.pick(["limit", "stop"] as const), offset: 0, expires_after: 2 } as const)
    const frame = {
      format: 1,
      symbols: ["AAA/USD"],
      timeframe: "1h",
      parameters: {},
      sizing: { type: "fixed_quantity", quantity: random.pick([0.5, 1, 2]) },
      reentry: { cooldown: random.integer(0, 2), cooldown_after_stop: random.integer(0, 3) },
      ...(entry && { entry })
    } as const
    return {
      plain: {
        ...frame,
        exits: exits.plain,
        ...(long && { long: long.plain }),
        ...(short && { short: short.plain })
      },
      turned: {
        ...frame,
        exits: exits.turned,
        ...(short && { long: short.turned }),
        ...(long && { short: long.turned })
      }
    }
  }
}
