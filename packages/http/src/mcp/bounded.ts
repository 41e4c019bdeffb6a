/**
 * Answers cut to a size that a model can read: no curve, no column and no long list goes to one.
 *
 * @since 0.1.0
 */
import type { Schema } from "effect"
import type { JsonObject } from "./askApi.ts"

/** The most characters of JSON that a tool answers with. @category constants @since 0.1.0 */
export const answerMaxCount = 24_000

const textMaxCount = 2_000
const depthMax = 12

interface Bounds {
  readonly items: number
  readonly fields: number
}

/** From generous to strict: the first whose answer is short enough is taken. */
const bounds: ReadonlyArray<Bounds> = [
  { items: 50, fields: 200 },
  { items: 20, fields: 100 },
  { items: 5, fields: 60 },
  { items: 2, fields: 30 },
  { items: 0, fields: 20 }
]

const cutText = (text: string): string =>
  text.length <= textMaxCount
    ? text
    : `${text.slice(0, textMaxCount)}… (${text.length} characters in all)`

const cut = (value: Schema.Json, { fields, items }: Bounds, depth: number): Schema.Json => {
  if (typeof value === "string") return cutText(value)
  if (typeof value !== "object" || value === null) return value
  if (depth >= depthMax) return "(left out: nested too deeply)"
  const within = (one: Schema.Json) => cut(one, { fields, items }, depth + 1)
  if (Array.isArray(value)) {
    const list = value as ReadonlyArray<Schema.Json>
    if (list.length <= items) return list.map(within)
    const left = list.length - items
    return [...list.slice(0, items).map(within), `(${left} more of ${list.length} left out)`]
  }
  const entries = Object.entries(value as JsonObject)
  const shown = entries.slice(0, fields).map(([name, one]) => [name, within(one)] as const)
  const rest = entries.length - shown.length
  return Object.fromEntries(
    rest === 0 ? shown : [...shown, ["(left out)", `${rest} more fields`] as const]
  )
}

/** The formats that only programs read: bytes for a chart, not facts for a sentence. */
const columns = ["equity_curve", "equity", "curve", "trials_columns"]

const withoutColumns = (answer: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(answer).map(([name, value]) =>
      columns.includes(name) && Array.isArray(value)
        ? [name, `(${value.length} points left out)`]
        : [name, value]
    )
  )

/** An answer cut to the bounds, which says so. @category conversions @since 0.1.0 */
export const bounded = (answer: JsonObject): JsonObject => {
  const kept = withoutColumns(answer)
  for (const bound of bounds) {
    const short = cut(kept, bound, 0) as JsonObject
    if (JSON.stringify(short).length <= answerMaxCount) return short
  }
  return { left_out: "The answer is too long for a model: ask for a part of it." }
}
