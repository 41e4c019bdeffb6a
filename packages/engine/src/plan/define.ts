/**
 * A strategy whose rules are TypeScript: a definition with indicators as columns, and a decision
 * for each candle in place of rules.
 *
 * @since 0.1.0
 */
import { Result } from "effect"
import { invalidInput } from "../language/Fault.ts"
import { refuse } from "../language/Fault.ts"
import { isObject } from "../language/isObject.ts"
import type { CodeContext, CodeDecision, CodedStrategy, CodeRules } from "../language/CodeRules.ts"
import { decodeStrategy } from "./decodeStrategy.ts"
import {
  type CommonParts,
  type Declared,
  formatOf,
  type Only,
  resolveParts,
  type StrategyWith
} from "../language/StrategyParts.ts"
import type { ExitParts, ReentryParts } from "../language/TypedParts.ts"

type Decision = CodeDecision | null | undefined

/**
 * The parts of a strategy with code. A part that uses parameters is a function of them.
 *
 * @category models
 * @since 0.1.0
 */
export type CodeParts<
  P extends Declared,
  K extends string,
  E extends ExitParts = ExitParts,
  R extends ReentryParts = ReentryParts,
  D extends Decision = Decision
> = CommonParts<P, E, R> &
  Pick<CodeRules<keyof P & string, K>, "warmup" | "lookback" | "indicators"> & {
    /** Its name in definitions, in snake_case. */
    readonly name: string
    /** Decides at the close of a candle; nothing is wanted where nothing is given. */
    readonly onCandle: (context: CodeContext<keyof P & string, K>) => Only<D, keyof CodeDecision>
  }

/**
 * A strategy with code, checked.
 *
 * **Details**
 *
 * Symbols, timeframe, parameters, entry order, exits, sizing and re-entry mean the same as in the
 * format. The code runs at each candle that counts, and must keep nothing of its own from one to
 * the next. A restarted bot would not have it.
 *
 * Throws an `InvalidInput` whose `errors` name the faults.
 *
 * **Example** (Long while the fast average is above the slow one)
 *
 * ```ts setup=market
 * import { backtest, define, fractionOf, indicators, integer } from "@candlewick/engine/research"
 *
 * const crossing = define({
 *   name: "crossing",
 *   symbols: ["BTC/USD"],
 *   timeframe: "1d",
 *   parameters: { fast: integer(10, 2, 50), slow: integer(30, 10, 200) },
 *   exits: { stop_loss: fractionOf(0.05) },
 *   warmup: ({ slow }) => slow,
 *   indicators: ({ close }, { fast, slow }) => ({
 *     fast: indicators.sma(close, { period: fast }),
 *     slow: indicators.sma(close, { period: slow })
 *   }),
 *   onCandle: ({ value }) => ({
 *     enterLong: value("fast") > value("slow"),
 *     exitLong: value("fast") < value("slow")
 *   })
 * })
 * const { metrics } = backtest(columns, crossing, { parameters: { fast: 5 } })
 * ```
 *
 * @category strategies
 * @since 0.1.0
 */
export const define = <
  const P extends Declared = {},
  K extends string = never,
  E extends ExitParts = ExitParts,
  R extends ReentryParts = ReentryParts,
  D extends Decision = Decision
>(
  parts: CodeParts<P, K, E, R, D>
): CodedStrategy<keyof P & string, K> => {
  const { indicators, lookback, name, onCandle, warmup, ...rest } = parts
  const parameters: Declared = parts.parameters ?? {}
  const format = formatOf(rest)
  const definition = { ...resolveParts(rest, parameters), format, code: name, parameters }
  const strategy: CodedStrategy<keyof P & string, K> = {
    // The functions of the parameters are now their results.
    definition: definition as unknown as StrategyWith<keyof P & string>,
    rules: {
      parameters,
      warmup,
      lookback,
      ...(indicators && { indicators }),
      onCandle
    }
  }
  checkCoded(strategy)
  return strategy
}

const checkCount = (name: string, value: unknown, least: number): void => {
  if (value === undefined || typeof value === "function") return
  if (typeof value === "number" && Number.isInteger(value) && value >= least) return
  const message = `${name} must be a whole number from ${least} on, or a function`
  refuse(`/${name}`, "wrong_type", message)
}

/**
 * Throws where the code of a strategy lacks a function or has a wrong one.
 *
 * @category checks
 * @since 0.1.0
 */
export const checkRules = (rules: unknown): void => {
  if (!isObject(rules)) {
    return refuse("", "wrong_type", "Expected a strategy with code; define makes one")
  }
  const { indicators, lookback, onCandle, warmup } = rules
  if (typeof onCandle !== "function") {
    return refuse("/onCandle", "wrong_type", "onCandle must be a function")
  }
  if (indicators !== undefined && typeof indicators !== "function") {
    return refuse("/indicators", "wrong_type", "indicators must be a function")
  }
  checkCount("warmup", warmup, 0)
  checkCount("lookback", lookback, 1)
}

/** Throws where a strategy with code could not run. @category checks @since 0.1.0 */
export const checkCoded = ({ definition, rules }: CodedStrategy): void => {
  checkRules(rules)
  const name = isObject(definition) ? definition.code : undefined
  if (name === undefined) {
    return refuse(
      "/definition/code",
      "wrong_type",
      "Expected a strategy with code; define makes one"
    )
  }
  const byName = new Map([[name, rules]])
  Result.mapError(decodeStrategy(definition, null, byName), (faults) => {
    throw invalidInput(faults)
  })
}
