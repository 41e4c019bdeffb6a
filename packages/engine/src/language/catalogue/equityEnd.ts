/**
 * The equity left at the end.
 *
 * @since 0.1.0
 */
import type { Measurement } from "../Measurement.ts"

/** Equity at the last candle; the initial one without any. @category measuring @since 0.1.0 */
export const equityEnd = ({ equity, equityStart }: Measurement): number =>
  equity[equity.length - 1] ?? equityStart
