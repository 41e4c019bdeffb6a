/**
 * A strategy in TypeScript: its parameters, its indicators as columns, and its orders on each
 * candle.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../columns.ts"
import type { OrderContext } from "./orderContext.ts"

/** Parameters by name. @category models @since 0.1.0 */
export type CodeParameters = Readonly<Record<string, unknown>>

/**
 * A strategy in TypeScript.
 *
 * @category models
 * @since 0.1.0
 */
export interface CodeStrategy<P extends CodeParameters, K extends string> {
  /** Values that a run may replace. */
  readonly parameters: P
  /**
   * Columns by name, one value for each candle, NaN where there is none yet; a value may depend on
   * no later candle than its own.
   */
  readonly indicators?: (
    candles: CandleColumns,
    parameters: P
  ) => Readonly<Record<K, ArrayLike<number> | undefined>>
  /** Decides at the close of a candle. */
  readonly onCandle: (context: OrderContext<P, K>) => void
}

/**
 * A strategy in TypeScript, with its types inferred.
 *
 * **Example** (Long while the fast average is above the slow one)
 *
 * ```ts
 * import { defineStrategy, smaColumn } from "@candlewick/engine/kernel"
 *
 * export const crossing = defineStrategy({
 *   parameters: { fast: 10, slow: 20 },
 *   indicators: ({ close }, { fast, slow }) => ({
 *     fast: smaColumn([close], [fast])[0],
 *     slow: smaColumn([close], [slow])[0]
 *   }),
 *   onCandle: ({ trades, value, buy, close }) => {
 *     const isUp = value("fast") > value("slow")
 *     if (isUp && trades().length === 0) buy({ stopLoss: value("slow") * 0.98 })
 *     if (!isUp) close()
 *   }
 * })
 * ```
 *
 * @category models
 * @since 0.1.0
 */
export const defineStrategy = <P extends CodeParameters, K extends string = never>(
  strategy: CodeStrategy<P, K>
): CodeStrategy<P, K> => strategy
