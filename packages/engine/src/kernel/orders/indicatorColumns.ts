/**
 * The columns that a code strategy reads.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../columns.ts"
import type { CodeParameters, CodeStrategy } from "./defineStrategy.ts"

/**
 * The indicators of a code strategy, by name.
 *
 * @throws RangeError where one has not one value for each candle.
 * @category kernels
 * @since 0.1.0
 */
export const indicatorColumns = <P extends CodeParameters, K extends string>(
  { indicators, parameters }: CodeStrategy<P, K>,
  candles: CandleColumns
): ReadonlyMap<string, ArrayLike<number>> => {
  const columns = new Map<string, ArrayLike<number>>()
  if (indicators === undefined) return columns
  const found: Readonly<Record<string, ArrayLike<number> | undefined>> = indicators(
    candles,
    parameters
  )
  for (const [name, column] of Object.entries(found)) {
    const count = column?.length ?? 0
    if (column === undefined || count !== candles.length) {
      throw new RangeError(`${name} has ${count} values for ${candles.length} candles`)
    }
    columns.set(name, column)
  }
  return columns
}
