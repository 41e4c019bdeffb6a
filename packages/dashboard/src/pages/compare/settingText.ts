/**
 * A setting of a backtest, as a person reads it.
 */
import { words } from "../../parts/format.ts"

/** The text of a setting: fields of an object by name, and a dash for none. */
export const settingText = (value: unknown): string => {
  if (value === undefined || value === null) return "–"
  if (Array.isArray(value)) return value.map(settingText).join(", ")
  if (typeof value !== "object") return `${value as string | number | boolean}`
  return Object.entries(value)
    .map(([name, one]) => `${words(name)} ${settingText(one)}`)
    .join(", ")
}
