/**
 * The indicator catalogue: for each indicator its name, settings, inputs, outputs, units, kernels
 * and reference.
 *
 * The rule language, the documentation and the contract tests are derived from these rows. An
 * indicator is one row in `catalogue/` and one file in `kernel/indicators/`.
 *
 * @since 0.1.0
 */
import { averages } from "./catalogue/averages.ts"
import { channels } from "./catalogue/channels.ts"
import { oscillators } from "./catalogue/oscillators.ts"
import type { Indicator } from "./IndicatorRow.ts"

/**
 * Every indicator, by the name that a strategy uses. Settings and outputs are in the kernels'
 * order, and the first output is the one meant when none is named.
 *
 * @category tables
 * @since 0.1.0
 */
export const indicatorCatalogue = {
  ...averages,
  ...oscillators,
  ...channels
} as const satisfies Record<string, Indicator>

/** The name of an indicator. @category models @since 0.1.0 */
export type IndicatorName = keyof typeof indicatorCatalogue

/** The names of all indicators. @category tables @since 0.1.0 */
export const indicatorNames = Object.keys(indicatorCatalogue) as ReadonlyArray<IndicatorName>
