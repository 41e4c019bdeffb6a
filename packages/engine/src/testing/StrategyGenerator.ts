/**
 * Parts of random strategies, valid by construction: entries, exits, sizes and rules of each side.
 *
 * @since 0.1.0
 */
import type { EntryOrder } from "../language/EntryOrder.ts"
import type { Distance, Exits } from "../language/Exits.ts"
import type { Sizing } from "../language/Sizing.ts"
import type { DirectionRules, Reentry } from "../language/StrategyDefinition.ts"
import type { Timeframe } from "../language/Timeframe.ts"
import { type ReadMarkets, SeriesGenerator } from "./randomSeries.ts"
import type { NextNumber } from "./randomSeries.ts"

/** An object that is put together field by field. @category models @since 0.1.0 */
export type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** The rules of each side that is traded. @category models @since 0.1.0 */
export interface Directions {
  readonly long?: DirectionRules
  readonly short?: DirectionRules
}

/** Draws parts of strategies on candles of one timeframe. @category generators @since 0.1.0 */
export class StrategyGenerator extends SeriesGenerator {
  readonly timeframe: Timeframe

  constructor(next: NextNumber, parameterRate: number, read: ReadMarkets) {
    super(next, parameterRate, read)
    this.timeframe = read.timeframe
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
        return { type: "level", series: this.series(levelUnit, 2, this.timeframe) }
      default:
        return {
          type: "atr",
          period: this.period(1),
          multiple: this.setting({ kind: "float", min: 0.5, max: 5 })
        }
    }
  }

  exits(hasStopLoss: boolean): Exits {
    const exits: Writable<Exits> = {}
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

  sizing(hasStopLoss: boolean): Sizing {
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

  entry(): EntryOrder {
    const type = this.pick(["market", "limit", "stop"] as const)
    if (type === "market") return { type }
    return {
      type,
      offset: this.setting({ kind: "float", min: 0, max: 0.01 }),
      expires_after: this.setting({ kind: "integer", min: 1, max: 6 })
    }
  }

  reentry(): typeof Reentry.Type {
    const reentry: Writable<typeof Reentry.Type> = {}
    if (this.chance(0.8)) reentry.cooldown = this.setting({ kind: "integer", min: 0, max: 5 })
    if (this.chance(0.8)) {
      reentry.cooldown_after_stop = this.setting({ kind: "integer", min: 0, max: 8 })
    }
    return reentry
  }

  directions(depth: number, canShort: boolean): Directions {
    const rules = () => {
      const enter = this.rule(depth, this.timeframe)
      return this.chance(0.8) ? { enter, exit: this.rule(depth, this.timeframe) } : { enter }
    }
    if (!canShort || this.chance(0.4)) return { long: rules() }
    return this.chance(0.3) ? { short: rules() } : { long: rules(), short: rules() }
  }
}
