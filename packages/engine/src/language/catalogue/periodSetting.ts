/**
 * A number of candles as a setting of an indicator.
 *
 * @since 0.1.0
 */
import type { IndicatorSetting } from "../IndicatorRow.ts"

/** A period from 1 to 1000 candles. @category tables @since 0.1.0 */
export const periodSetting = (value: number): IndicatorSetting & { readonly kind: "integer" } => ({
  default: value,
  min: 1,
  max: 1000,
  kind: "integer"
})
