/**
 * Finds the look-ahead of a code strategy: values that it knows too early.
 *
 * @since 0.1.0
 */
import { type CandleColumns, sliceColumns } from "../columns.ts"
import type { CodeParameters, CodeStrategy } from "./defineStrategy.ts"
import { indicatorColumns } from "./indicatorColumns.ts"
import type { OrderContext } from "./orderContext.ts"
import type { OrderOptions } from "./orderOptions.ts"
import { simulateCodeOrders } from "./simulateCodeOrders.ts"

/** Something that later candles change. @category models @since 0.1.0 */
export interface LookAhead {
  /** The indicator, or null where a decision of the strategy changes. */
  readonly indicator: string | null
  /** The earliest candle at which it was found. */
  readonly index: number
}

/** The largest difference of two values that count as one. */
const tolerance = 1e-9

const differs = (one: number, other: number): boolean =>
  !Object.is(one, other) && !(Math.abs(one - other) <= tolerance * Math.max(1, Math.abs(other)))

/**
 * The first of `count` places at which two columns differ by more than rounding, or null.
 *
 * @category kernels
 * @since 0.1.0
 */
export const firstDifference = (
  one: ArrayLike<number>,
  other: ArrayLike<number>,
  count: number
): number | null => {
  for (let index = 0; index < count; index++) {
    if (differs(one[index]!, other[index]!)) return index
  }
  return null
}

/** The wishes of a strategy on each candle of a run, as text. */
const wishesOf = <P extends CodeParameters, K extends string>(
  candles: CandleColumns,
  strategy: CodeStrategy<P, K>,
  options: Partial<OrderOptions>
): ReadonlyArray<string> => {
  const wishes = Array.from({ length: candles.length }, () => "")
  const told = (context: OrderContext<P, K>): OrderContext<P, K> => {
    const { index } = context
    const telling =
      <A extends ReadonlyArray<unknown>, R>(name: string, act: (...given: A) => R) =>
      (...given: A): R => {
        wishes[index] += `${name} ${JSON.stringify(given)}\n`
        return act(...given)
      }
    return {
      ...context,
      buy: telling("buy", context.buy),
      sell: telling("sell", context.sell),
      close: telling("close", context.close),
      cancel: telling("cancel", context.cancel),
      setStop: telling("setStop", context.setStop),
      setTarget: telling("setTarget", context.setTarget)
    }
  }
  const onCandle = (context: OrderContext<P, K>): void => strategy.onCandle(told(context))
  simulateCodeOrders(candles, { ...strategy, onCandle }, options)
  return wishes
}

/**
 * Runs a code strategy again on candles that end earlier, and lists the changes of the past.
 *
 * **Details**
 *
 * A strategy gets all candles to compute its indicators from. One slip then makes it peek: a mean
 * around each candle, or a scale taken from the whole series. Each of `cuts` ends of the candles,
 * evenly spread, is compared with the whole run. The wishes on each candle must be equal, and each
 * indicator's values within 1e-9 (relative where they are above one).
 *
 * **Gotchas**
 *
 * Nothing found is no proof: a peek that changes no value before any of the cuts stays hidden. A
 * strategy that keeps something of its own from run to run may be named without having peeked.
 *
 * @throws RangeError where an indicator has not one value for each candle.
 * @category kernels
 * @since 0.1.0
 */
export const findOrderLookAhead = <P extends CodeParameters, K extends string = never>(
  candles: CandleColumns,
  strategy: CodeStrategy<P, K>,
  options: Partial<OrderOptions> = {},
  cuts = 12
): ReadonlyArray<LookAhead> => {
  const found = new Map<string | null, number>()
  const note = (indicator: string | null, index: number | null): void => {
    if (index === null) return
    found.set(indicator, Math.min(index, found.get(indicator) ?? Infinity))
  }
  const columns = indicatorColumns(strategy, candles)
  const wishes = wishesOf(candles, strategy, options)
  for (let cut = 1; cut <= cuts; cut++) {
    const until = Math.floor((candles.length * cut) / (cuts + 1))
    const past = sliceColumns(candles, 0, until)
    for (const [name, column] of indicatorColumns(strategy, past)) {
      note(name, firstDifference(columns.get(name)!, column, until))
    }
    const index = wishesOf(past, strategy, options).findIndex((wish, at) => wish !== wishes[at])
    note(null, index < 0 ? null : index)
  }
  return Array.from(found, ([indicator, index]) => ({ indicator, index })).toSorted(
    (one, other) => one.index - other.index
  )
}
