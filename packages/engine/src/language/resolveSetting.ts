/**
 * The value of a setting: its own, or that of the parameter that it names.
 *
 * @since 0.1.0
 */
import type { ParameterValues, Setting } from "./Parameter.ts"

/** The value of a setting in one parameter set. @category parameters @since 0.1.0 */
export const resolveSetting = (setting: Setting, values: ParameterValues): number => {
  if (typeof setting === "number") return setting
  const value = values[setting.parameter]
  return value === undefined ? Number.NaN : value
}
