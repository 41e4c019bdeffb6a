/**
 * Strategies of other software in the strategy language, as far as it can say them.
 */
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import {
  above,
  below,
  crossesAbove,
  crossesBelow,
  ema,
  indicator,
  level,
  mul,
  price,
  rsi,
  sma,
  constant,
  type ParameterIn
} from "../../src/research/index.ts"

type Rules = Pick<StrategyDefinition, "long" | "short" | "exits" | "entry">

type Whole = number | ParameterIn<"integer">

/** The parameters of a case; null is none, and a grid's are those of the strategy. */
export type SourceSettings = Readonly<Record<string, number | string | null | ParameterIn>>

/** Where a case's candles are. */
export interface Frame {
  readonly symbols: readonly ["A/B"]
  readonly timeframe: "1m" | "1h" | "1d"
}

const numberOf = (parameters: SourceSettings, name: string): number => Number(parameters[name])
/** A number, or the parameter that stands for it. */
const settingOf = (parameters: SourceSettings, name: string): Whole => {
  const given = parameters[name]
  return typeof given === "object" && given !== null ? (given as Whole) : Number(given)
}

/** The levels of a long entry at a price: the source's are fixed when it is decided. */
const levels = (parameters: SourceSettings, offset = 0): Rules => {
  const at = (name: string, side: 1 | -1) =>
    level(mul(price.close, (1 - offset) * (1 + side * numberOf(parameters, name))))
  return {
    exits: {
      ...(typeof parameters["sl_pct"] === "number" && { stop_loss: at("sl_pct", -1) }),
      ...(typeof parameters["tp_pct"] === "number" && { take_profit: at("tp_pct", 1) })
    }
  }
}

/** Only the directions that the case takes. */
const directions = ({ mode }: SourceSettings, { long, short }: Rules): Rules => ({
  ...(mode !== "short" && { long }),
  ...(mode !== "long" && { short })
})

const cross =
  (average: typeof sma | typeof ema) =>
  (parameters: SourceSettings): Rules => {
    const fast = average(settingOf(parameters, "fast"))
    const slow = average(settingOf(parameters, "slow"))
    const [up, down] = [crossesAbove(fast, slow), crossesBelow(fast, slow)]
    return {
      ...directions(parameters, {
        long: { enter: up, exit: down },
        short: { enter: down, exit: up }
      }),
      ...levels(parameters)
    }
  }

const reversal = (parameters: SourceSettings): Rules => {
  const strength = rsi(settingOf(parameters, "n"))
  const low = below(strength, constant(settingOf(parameters, "lo")))
  const high = above(strength, constant(settingOf(parameters, "hi")))
  return {
    ...directions(parameters, {
      long: { enter: low, exit: high },
      short: { enter: high, exit: low }
    }),
    ...levels(parameters)
  }
}

const bandBreak = (parameters: SourceSettings): Rules => {
  const band = (output: "upper" | "middle" | "lower") =>
    indicator("bollinger", {
      period: numberOf(parameters, "n"),
      deviations: numberOf(parameters, "k"),
      output
    })
  return directions(parameters, {
    long: { enter: above(price.close, band("upper")), exit: below(price.close, band("middle")) },
    short: { enter: below(price.close, band("lower")), exit: above(price.close, band("middle")) }
  })
}

const pullback = (parameters: SourceSettings): Rules => {
  const offset = numberOf(parameters, "off")
  return {
    long: { enter: above(price.close, sma(numberOf(parameters, "n"))) },
    entry: { type: "limit", offset, expires_after: 1 },
    ...levels(parameters, offset)
  }
}

const rules: Readonly<Record<string, (parameters: SourceSettings) => Rules>> = {
  SmaCross: cross(sma),
  EmaCross: cross(ema),
  Exclusive: cross(sma),
  RsiMR: reversal,
  BollBreak: bandBreak,
  LimitPull: pullback
}

/**
 * Whether a strategy can be said in the language. A level is one for both directions, and a
 * position that is left for one direction is entered in the other at the same close.
 */
export const isSayable = (name: string, parameters: SourceSettings): boolean =>
  Object.hasOwn(rules, name) &&
  (parameters["mode"] !== "both" ||
    (name !== "BollBreak" &&
      typeof parameters["sl_pct"] !== "number" &&
      typeof parameters["tp_pct"] !== "number"))

/** A strategy of a case in the language. */
export const sourceRules = (
  frame: Frame,
  name: string,
  settings: SourceSettings,
  parameters: StrategyDefinition["parameters"] = {}
): StrategyDefinition => {
  const { units } = settings
  return {
    format: 1,
    ...frame,
    parameters,
    ...rules[name]!(settings),
    ...(typeof units === "number" && { sizing: { type: "fixed_quantity", quantity: units } })
  }
}
