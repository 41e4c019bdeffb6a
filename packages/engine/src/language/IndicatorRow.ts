/**
 * The form of one row of the indicator catalogue.
 *
 * @since 0.1.0
 */
import type { ColumnsInto, IndicatorStep } from "../kernel/indicators/IndicatorStep.ts"

/**
 * The unit of a series; two series can be compared only where their units agree.
 *
 * **Details**
 *
 * `percent` runs to 100 and `ratio` to 1, so that neither can be mistaken for the other; `notional`
 * is price times volume. `number` is a constant, which goes with anything.
 *
 * @category models
 * @since 0.1.0
 */
export type Unit =
  | "price"
  | "price_difference"
  | "percent"
  | "ratio"
  | "volume"
  | "notional"
  | "number"

/** The input of an indicator. @category models @since 0.1.0 */
export type IndicatorInput = "source" | "time" | "open" | "high" | "low" | "close" | "volume"

/** A number that shapes an indicator, with its bounds. @category models @since 0.1.0 */
export interface IndicatorSetting {
  readonly default: number
  readonly min: number
  readonly max: number
  readonly kind: "integer" | "float"
}

/** One row of the catalogue. @category models @since 0.1.0 */
export interface Indicator {
  readonly title: string
  /** Its name in a sentence. */
  readonly label: string
  readonly settings: Readonly<Record<string, IndicatorSetting>>
  readonly inputs: ReadonlyArray<IndicatorInput>
  readonly outputs: Readonly<Record<string, Unit | "source" | "source_difference">>
  readonly warmup: (...settings: Array<number>) => number
  readonly column: (
    inputs: ReadonlyArray<Float64Array>,
    settings: ReadonlyArray<number>,
    into?: ColumnsInto
  ) => ReadonlyArray<Float64Array>
  readonly step: (settings: ReadonlyArray<number>) => IndicatorStep
  readonly reference: string
}
