/**
 * Random series and rules of the strategy language, valid by construction.
 *
 * Each series is drawn for a wanted unit, so that all comparisons are between like units. Periods
 * are short, so that a few hundred candles are enough to see every node defined.
 *
 * @since 0.1.0
 */
import { indicatorNames, indicatorCatalogue } from "../language/Indicator.ts"
import type { IndicatorName } from "../language/Indicator.ts"
import type { Indicator, Unit } from "../language/IndicatorRow.ts"
import type { Parameter, Setting } from "../language/Parameter.ts"
import { priceFields, weekdays } from "../language/Rule.ts"
import type { Rule, Series } from "../language/Rule.ts"
import { isMultipleOf, timeframeMs, timeframeNames } from "../language/Timeframe.ts"
import type { Timeframe } from "../language/Timeframe.ts"
import { dayMs } from "../kernel/calendar.ts"

const periodSpan = 24
const laneSpan = 24
const prices = priceFields.filter((field) => field !== "volume")

/** A number from 0 up to, but without, 1. @category models @since 0.1.0 */
export type NextNumber = () => number

/** Bounds that a drawn setting stays in. @category models @since 0.1.0 */
export interface DrawnBounds {
  readonly kind: "integer" | "float"
  readonly min: number
  readonly max: number
}

/**
 * Markets that series may be read of, on candles of one timeframe.
 *
 * @category models
 * @since 0.1.0
 */
export interface ReadMarkets {
  readonly symbols: ReadonlyArray<string>
  readonly timeframe: Timeframe
}

const noMarkets: ReadMarkets = { symbols: [], timeframe: "1d" }

/**
 * Draws parts of strategies from one seeded source.
 *
 * @category generators
 * @since 0.1.0
 */
export class SeriesGenerator {
  /** The parameters that the drawn settings refer to. */
  readonly parameters: Record<string, Parameter> = {}
  readonly #next: NextNumber
  readonly #parameterRate: number
  readonly #read: ReadMarkets
  #isOfOther = false

  constructor(next: NextNumber, parameterRate: number, read: ReadMarkets = noMarkets) {
    this.#next = next
    this.#parameterRate = parameterRate
    this.#read = read
  }

  /** Whether something that happens at this rate happens. */
  chance(rate: number): boolean {
    return this.#next() < rate
  }

  /** A whole number from `min` to `max`. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.#next() * (max - min + 1))
  }

  /** A number from `min` to `max`, of three decimals. */
  float(min: number, max: number): number {
    const value = Math.round((min + this.#next() * (max - min)) * 1000) / 1000
    return Math.min(max, Math.max(min, value))
  }

  /** One of these. */
  pick<A>(from: ReadonlyArray<A>): A {
    return from[this.integer(0, from.length - 1)]!
  }

  /** A number within the bounds, or a parameter that stays within them. */
  setting({ kind, min, max }: DrawnBounds): Setting {
    const draw = (): number => (kind === "integer" ? this.integer(min, max) : this.float(min, max))
    const names = Object.keys(this.parameters)
    if (names.length >= 32 || !this.chance(this.#parameterRate)) return draw()
    const name = `p${names.length}`
    const [low = min, initial = min, high = max] = [draw(), draw(), draw()].toSorted(
      (a, b) => a - b
    )
    this.parameters[name] = this.chance(0.2)
      ? { kind: "choice", default: initial, options: [...new Set([initial, low, high])] as never }
      : { kind, default: initial, min: low, max: high, ...this.#scale(kind, low) }
    return { parameter: name }
  }

  /** On which steps a range is searched, or by equal ratios. */
  #scale(
    kind: DrawnBounds["kind"],
    low: number
  ): { readonly step?: number; readonly log?: boolean } {
    if (this.chance(0.6)) return {}
    if (kind === "integer") return { step: this.integer(1, 3) }
    return low > 0 && this.chance(0.5) ? { log: true } : { step: this.pick([0.001, 0.01, 0.25]) }
  }

  /** A short period from `min` on. */
  period(min: number): Setting {
    return this.setting({ kind: "integer", min, max: min + periodSpan })
  }

  #indicator(name: IndicatorName, output: string, source: Series | null): Series {
    const row: Indicator = indicatorCatalogue[name]
    const settings: Record<string, Setting> = {}
    for (const [setting, { kind, min, max }] of Object.entries(row.settings)) {
      // The defaults of those with several are long, and leave little of a few hundred candles.
      if (this.chance(row.warmup.length < 2 ? 0.2 : 0.03)) continue
      const highest = kind === "integer" ? Math.min(max, min + periodSpan) : max
      settings[setting] = this.setting({ kind, min, max: highest })
    }
    return {
      type: name,
      ...settings,
      ...(Object.keys(row.outputs)[0] === output && this.chance(0.5) ? {} : { output }),
      ...(source === null ? {} : { source })
    } as unknown as Series
  }

  #indicatorIn(unit: Unit, depth: number, timeframe: Timeframe): Series | null {
    const rows: Array<() => Series> = []
    for (const name of indicatorNames) {
      const row: Indicator = indicatorCatalogue[name]
      const hasSource = row.inputs.includes("source")
      for (const [output, measured] of Object.entries(row.outputs)) {
        const source =
          measured === "source"
            ? unit
            : measured === "source_difference"
              ? unit === "price_difference"
                ? "price"
                : unit
              : measured === unit
                ? this.pick(["price", "volume"] as const)
                : null
        if (source === null || (measured === "source_difference" && unit === "price")) continue
        if (!hasSource) rows.push(() => this.#indicator(name, output, null))
        else if (source === "price" && this.chance(0.3)) {
          rows.push(() => this.#indicator(name, output, null))
        } else
          rows.push(() => this.#indicator(name, output, this.series(source, depth - 1, timeframe)))
      }
    }
    return rows.length === 0 ? null : this.pick(rows)()
  }

  #leaf(unit: Unit): Series {
    switch (unit) {
      case "price":
        return { type: "price", field: this.pick(prices) }
      case "price_difference":
        return {
          type: "sub",
          left: { type: "price", field: this.pick(prices) },
          right: { type: "price", field: this.pick(prices) }
        }
      case "volume":
        return { type: "price", field: "volume" }
      case "percent":
        return { type: "rsi", period: this.period(2) }
      case "ratio":
        return {
          type: "div",
          left: { type: "price", field: this.pick(prices) },
          right: { type: "price", field: this.pick(prices) }
        }
      case "notional":
        return {
          type: "mul",
          left: { type: "price", field: this.pick(prices) },
          right: { type: "price", field: "volume" }
        }
      default:
        return { type: "constant", value: this.setting({ kind: "float", min: -5, max: 120 }) }
    }
  }

  #window(unit: Unit, depth: number, timeframe: Timeframe): Series {
    const of = this.series(unit, depth - 1, timeframe)
    switch (this.integer(0, 6)) {
      case 0:
        return { type: "shift", of, by: this.setting({ kind: "integer", min: 0, max: 9 }) }
      case 1:
        return { type: "abs", of }
      case 2: {
        const rank = this.setting({ kind: "float", min: 0, max: 1 })
        return { type: "percentile", of, period: this.period(1), rank }
      }
      case 3:
        if (unit === "price") return { type: "mean", of, period: this.period(1) }
        return {
          type: "stdev",
          of: this.series(unit === "price_difference" ? "price" : unit, depth - 1, timeframe),
          period: this.period(2)
        }
      default:
        return { type: this.pick(["highest", "lowest", "mean"]), of, period: this.period(1) }
    }
  }

  #combination(unit: Unit, depth: number, timeframe: Timeframe): Series {
    const of = (wanted: Unit): Series => this.series(wanted, depth - 1, timeframe)
    const scaled: Series = {
      type: this.pick(["mul", "div"]),
      left: of(unit),
      right: { type: "constant", value: this.setting({ kind: "float", min: 0, max: 3 }) }
    }
    if (this.chance(0.3)) return scaled
    if (this.chance(0.3))
      return { type: this.pick(["min", "max"]), left: of(unit), right: of(unit) }
    switch (unit) {
      case "price":
        return {
          type: this.pick(["add", "sub"]),
          left: of("price"),
          right: of("price_difference")
        }
      case "price_difference":
        return { type: "sub", left: of("price"), right: of("price") }
      case "ratio":
        return { type: "div", left: of("volume"), right: of("volume") }
      case "notional":
        return { type: "mul", left: of("volume"), right: of("price") }
      default:
        return { type: this.pick(["add", "sub"]), left: of(unit), right: of(unit) }
    }
  }

  /** The timeframes above one, up to a multiple that a few hundred candles can fill. */
  #higher(timeframe: Timeframe): ReadonlyArray<Timeframe> {
    const durationMs = timeframeMs(timeframe)
    return timeframeNames.filter(
      (name) =>
        isMultipleOf(name, timeframe) &&
        timeframeMs(name) > durationMs &&
        timeframeMs(name) <= laneSpan * durationMs
    )
  }

  #canReadOther(timeframe: Timeframe): boolean {
    const { symbols, timeframe: own } = this.#read
    return symbols.length > 1 && timeframe === own && !this.#isOfOther
  }

  #other(unit: Unit, depth: number, timeframe: Timeframe): Series {
    const symbol = this.pick(this.#read.symbols)
    this.#isOfOther = true
    const of = this.series(unit, depth - 1, timeframe)
    this.#isOfOther = false
    return { type: "symbol", symbol, of }
  }

  /** A series in this unit, nested at most so deep. */
  series(unit: Unit, depth: number, timeframe: Timeframe): Series {
    if (depth <= 1 || this.chance(0.15)) return this.#leaf(unit)
    if (this.#canReadOther(timeframe) && this.chance(0.1))
      return this.#other(unit, depth, timeframe)
    const higher = this.#higher(timeframe)
    if (higher.length > 0 && this.chance(0.12)) {
      const lane = this.pick(higher)
      return { type: "timeframe", timeframe: lane, of: this.series(unit, depth - 1, lane) }
    }
    const share = this.float(0, 1)
    if (share < 0.45) {
      return this.#indicatorIn(unit, depth, timeframe) ?? this.#leaf(unit)
    }
    return share < 0.75
      ? this.#window(unit, depth, timeframe)
      : this.#combination(unit, depth, timeframe)
  }

  #comparison(depth: number, timeframe: Timeframe): Rule {
    const unit = this.pick([
      "price",
      "price",
      "price_difference",
      "percent",
      "ratio",
      "volume",
      "notional"
    ] as const)
    const left = this.series(unit, depth - 1, timeframe)
    const other = (): Series =>
      this.series(unit === "percent" || this.chance(0.1) ? "number" : unit, depth - 1, timeframe)
    if (this.chance(0.15)) return { type: "between", of: left, low: other(), high: other() }
    const type = this.pick(["above", "below", "crosses_above", "crosses_below"] as const)
    return { type, left, right: other() }
  }

  #clock(timeframe: Timeframe): Rule | null {
    const durationMs = timeframeMs(timeframe)
    if (durationMs < dayMs && this.chance(0.5)) {
      const from = this.integer(0, 23)
      return { type: "hours", from, to: (from + this.integer(1, 23)) % 24 }
    }
    if (durationMs >= 7 * dayMs) return null
    const days = weekdays.filter(() => this.chance(0.6))
    return { type: "weekdays", days: days.length === 0 ? ["monday"] : days }
  }

  /** A rule, nested at most so deep. */
  rule(depth: number, timeframe: Timeframe): Rule {
    if (depth <= 2) return this.#comparison(Math.max(depth, 2), timeframe)
    const share = this.float(0, 1)
    const part = (): Rule => this.rule(depth - 1, timeframe)
    if (share < 0.35) return this.#comparison(depth, timeframe)
    if (share < 0.7) {
      const rules = [part(), ...Array.from({ length: this.integer(0, 2) }, part)] as const
      return { type: this.pick(["all", "any"]), rules: rules }
    }
    if (share < 0.78) return { type: "not", rule: part() }
    const count = this.setting({ kind: "integer", min: 1, max: 5 })
    if (share < 0.86) return { type: "true_for", rule: part(), for: count }
    if (share < 0.94) {
      const unit = this.pick(["price", "percent", "volume", "ratio"] as const)
      const of = this.series(unit, depth - 1, timeframe)
      return { type: this.pick(["rising", "falling"]), of, for: count }
    }
    return this.#clock(timeframe) ?? this.#comparison(depth, timeframe)
  }
}
