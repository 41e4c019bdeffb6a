/**
 * Random strategies over the whole format, valid by construction, for property tests.
 *
 * @since 0.1.0
 */
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import { type Timeframe, timeframeNames } from "../language/Timeframe.ts"
import type { NextNumber } from "./randomSeries.ts"
import { StrategyGenerator, type Writable } from "./StrategyGenerator.ts"

/** The options of a random strategy. @category models @since 0.1.0 */
export interface RandomStrategyOptions {
  readonly symbols?: readonly [string, ...ReadonlyArray<string>]
  readonly timeframe?: Timeframe
  /** The depth of nested expressions; 5 where it is left out. */
  readonly depth?: number
  /** The share of settings that are parameters; 0.3 where it is left out. */
  readonly parameterRate?: number
  /** Whether it may enter short; it may, where this is left out. */
  readonly canShort?: boolean
  /** Whether rules may read other markets; they may, where there are several. */
  readonly readsOthers?: boolean
  /** Whether there is always a stop loss. */
  readonly hasStopLoss?: boolean
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
  const symbols = options.symbols ?? ["AAA/USD"]
  const read = { symbols: options.readsOthers === false ? [] : symbols, timeframe }
  const draw = new StrategyGenerator(next, options.parameterRate ?? 0.3, read)
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
  if (symbols.length > 1 && draw.chance(0.2)) rest.trades = [draw.pick(symbols)]
  return {
    format: 1,
    symbols,
    timeframe,
    parameters: draw.parameters,
    ...directions,
    ...rest
  }
}
