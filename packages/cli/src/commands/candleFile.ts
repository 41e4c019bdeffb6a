/**
 * Flags that say how a file of candles is read, and refusals that name these flags.
 *
 * @since 0.1.0
 */
import { ApiProblem } from "@candlewick/http/api"
import { Effect, Option, Schema } from "effect"
import type { Command } from "effect/cli"
import { say } from "../terminal/output.ts"
import { textFlag } from "./options.ts"

/** How the columns and times of a file are read. @category flags @since 0.1.0 */
export const readFlags = {
  columns: textFlag("columns", "Which column is which: time:date,open:2"),
  time_unit: textFlag("time-unit", "The unit of epoch times: s, ms, us or ns"),
  date_order: textFlag(
    "date-order",
    "The order of dates such as 03/04/2024: day_first or month_first"
  ),
  decimal: textFlag("decimal", "The mark of the fraction in 75,300: comma or point"),
  zone: textFlag("zone", "The zone of times that name none: Europe/Berlin"),
  entry: textFlag("entry", "The file of a zip archive that has several")
}

/** A file of candles to run on, and how it is read. @category flags @since 0.1.0 */
export const candlesFlags = {
  candles: textFlag("candles", "A file of candles to run on, in memory; nothing is kept"),
  candles_timeframe: textFlag(
    "candles-timeframe",
    "The length of a candle of the file; else the steps between rows tell it"
  ),
  ...readFlags
}

/** A file of candles to run on, as it was given. @category models @since 0.1.0 */
export type CandlesGiven = Command.Command.Config.Infer<typeof candlesFlags>

const flagOf = (name: string): string => `--${name.replaceAll("_", "-")}`

/** The flag that was given for a file of candles although none is named. @category conversions */
export const flagWithoutFile = (given: CandlesGiven): string | null => {
  const { candles, candles_timeframe, columns, date_order, decimal, entry, time_unit, zone } = given
  if (Option.isSome(candles)) return null
  const others = { candles_timeframe, columns, date_order, decimal, entry, time_unit, zone }
  const found = Object.entries(others).find(([, value]) => Option.isSome(value))
  return found === undefined ? null : flagOf(found[0])
}

/** The flags of options whose names differ. @category models @since 0.1.0 */
export type FlagNames = Readonly<Record<string, string>>

/** The flags of `candles import`. @category tables @since 0.1.0 */
export const importNames: FlagNames = { file: "--entry" }

/** The flags of commands that run on a file of candles. @category tables @since 0.1.0 */
export const candlesNames: FlagNames = { ...importNames, timeframe: "--candles-timeframe" }

const options = "timeframe|columns|time_unit|date_order|decimal|zone|currency|file|on_conflict"
const optionWithValue = new RegExp(String.raw`\b(${options})=(?=\S)`, "g")
const optionPointer = new RegExp(`^#/query/(${options})$`)

/** A text with flags where the API names options as a query has them. @category conversions */
export const withFlags = (message: string, names: FlagNames): string =>
  message.replace(optionWithValue, (_, name: string) => `${names[name] ?? flagOf(name)} `)

/** Says the notes about a file's reading, with flags where these name options. @category output */
export const sayNotes = (
  reading: { readonly notes: ReadonlyArray<string> } | null,
  names: FlagNames
) => Effect.forEach(reading?.notes ?? [], (note) => say(`note: ${withFlags(note, names)}`))

const pointerWithFlag = (pointer: string, names: FlagNames): string =>
  pointer.replace(optionPointer, (_, name: string) => names[name] ?? flagOf(name))

/** The fields of a refusal. */
const fieldsOf = Schema.encodeSync(ApiProblem)

/** A refusal of a file with flags where the API names options. @category combinators */
export const refusedByFlags =
  (names: FlagNames) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.mapError(work, (error) =>
      error instanceof ApiProblem
        ? new ApiProblem({
            ...fieldsOf(error),
            detail: withFlags(error.detail, names),
            errors: error.errors.map((fault) => ({
              ...fault,
              pointer: pointerWithFlag(fault.pointer, names),
              message: withFlags(fault.message, names)
            }))
          })
        : error
    )
