/**
 * Random strategies over the whole format, valid by construction, for property tests.
 *
 * @since 0.1.0
 */
import type { Distance } from "../language/Exits.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import { type Timeframe, timeframeNames } from "../language/Timeframe.ts"
import { SeriesGenerator } from "./randomSeries.ts"
import type { NextNumber } from "./randomSeries.ts"

/** What a random strategy may be. @category models @since 0.1.0 */
export interface RandomStrategyOptions {
  readonly symbols?: readonly [string, ...ReadonlyArray<string>]
  readonly timeframe?: Timeframe
  /** How deep expressions are nested; 5 where it is left out. */
  readonly depth?: number
  /** How often a setting is a parameter; 0.3 where it is left out. */
  readonly parameterRate?: number
  /** Whether it may enter short; it may, where this is left out. */
  readonly canShort?: boolean
  /** Whether there is always a stop loss. */
  readonly hasStopLoss?: boolean
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

class StrategyGenerator extends SeriesGenerator {
  readonly #timeframe: Timeframe

  constructor(next: NextNumber, parameterRate: number, timeframe: Timeframe) {
    super(next, parameterRate)
    this.#timeframe = timeframe
  }

  distance(levelUnit: "price" | "price_difference"): Distance {
    switch (this.integer(0, 4)) {
      case 0:
      case 1:
        return {
          type: "fraction",
          value: this.setting({ kind: "float", min: 0.005, max: 0.2 })
        }
      case 2:
        return { type: "level", series: this.series(levelUnit, 2, this.#timeframe) }
      default:
        return {
          type: "atr",
          period: this.period(1),
          multiple: this.setting({ kind: "float", min: 0.5, max: 5 })
        }
    }
  }

  exits(hasStopLoss: boolean): NonNullable<StrategyDefinition["exits"]> {
    const exits: Writable<NonNullable<StrategyDefinition["exits"]>> = {}
    if (hasStopLoss || this.chance(0.5)) exits.stop_loss = this.distance("price")
    if (this.chance(0.4)) exits.take_profit = this.distance("price")
    if (this.chance(0.3)) {
      const distance = this.distance("price_difference")
      exits.trailing_stop = this.chance(0.5)
        ? { distance, activation: this.distance("price") }
        : { distance }
    }
    if (this.chance(0.2)) {
      const activation = this.distance("price")
      const offset = this.setting({ kind: "float", min: 0, max: 0.01 })
      exits.break_even = this.chance(0.5) ? { activation } : { activation, offset }
    }
    if (this.chance(0.2)) {
      exits.time_limit = this.setting({ kind: "integer", min: 1, max: 40 })
    }
    return exits
  }

  sizing(hasStopLoss: boolean): NonNullable<StrategyDefinition["sizing"]> {
    const fraction = this.setting({ kind: "float", min: 0.05, max: 1 })
    switch (this.integer(hasStopLoss ? 0 : 1, 4)) {
      case 0:
        return {
          type: "risk_per_trade",
          fraction: this.setting({ kind: "float", min: 0.002, max: 0.05 })
        }
      case 1:
        return { type: "equity_fraction", fraction }
      case 2:
        return {
          type: "fixed_notional",
          notional: this.setting({ kind: "float", min: 100, max: 5000 })
        }
      case 3:
        return {
          type: "fixed_quantity",
          quantity: this.setting({ kind: "float", min: 0.5, max: 20 })
        }
      default:
        return {
          type: "volatility_target",
          target: this.setting({ kind: "float", min: 0.05, max: 1 }),
          period: this.period(2)
        }
    }
  }

  entry(): NonNullable<StrategyDefinition["entry"]> {
    const type = this.pick(["market", "limit", "stop"] as const)
    if (type === "market") return { type }
    return {
      type,
      offset: this.setting({ kind: "float", min: 0, max: 0.01 }),
      expires_after: this.setting({ kind: "integer", min: 1, max: 6 })
    }
  }

  reentry(): NonNullable<StrategyDefinition["reentry"]> {
    const reentry: Writable<NonNullable<StrategyDefinition["reentry"]>> = {}
    if (this.chance(0.8)) reentry.cooldown = this.setting({ kind: "integer", min: 0, max: 5 })
    if (this.chance(0.8)) {
      reentry.cooldown_after_stop = this.setting({ kind: "integer", min: 0, max: 8 })
    }
    return reentry
  }

  directions(depth: number, canShort: boolean): Pick<StrategyDefinition, "long" | "short"> {
    const rules = () => {
      const enter = this.rule(depth, this.#timeframe)
      return this.chance(0.8) ? { enter, exit: this.rule(depth, this.#timeframe) } : { enter }
    }
    if (!canShort || this.chance(0.4)) return { long: rules() }
    return this.chance(0.3) ? { short: rules() } : { long: rules(), short: rules() }
  }
}

/**
 * Draws one strategy that decodes and passes every check; equal numbers give equal strategies.
 *
 * @category generators
 * @since 0.1.0
 */
export const randomDefinition = (
  next: NextNumber,
  options: RandomStrategyOptions = {}
): StrategyDefinition => {
  const timeframe = options.timeframe ?? timeframeNames[Math.floor(next() * timeframeNames.length)]!
  const draw = new StrategyGenerator(next, options.parameterRate ?? 0.3, timeframe)
  const directions = draw.directions(options.depth ?? 5, options.canShort ?? true)
  const rest: Writable<Partial<StrategyDefinition>> = {}
  if (draw.chance(0.4)) rest.entry = draw.entry()
  if (options.hasStopLoss === true || draw.chance(0.8)) {
    rest.exits = draw.exits(options.hasStopLoss ?? false)
  }
  if (draw.chance(0.7)) rest.sizing = draw.sizing(rest.exits?.stop_loss !== undefined)
  if (draw.chance(0.3)) rest.max_positions = draw.integer(1, 3)
  if (draw.chance(0.3)) {
    rest.reentry = draw.reentry()
  }
  return {
    format: 1,
    symbols: options.symbols ?? ["AAA/USD"],
    timeframe,
    parameters: draw.parameters,
    ...directions,
    ...rest
  }
}
