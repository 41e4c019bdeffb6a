/**
 * The output of commands: results to standard output, everything else to standard error.
 *
 * @since 0.1.0
 */
import { Console, Effect } from "effect"
import { JsonFlag } from "./flags.ts"

/** A value of a table or a list, as text. @category conversions @since 0.1.0 */
export const cell = (value: unknown): string => {
  if (value === null || value === undefined) return "-"
  if (typeof value === "string") return value
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return JSON.stringify(value)
}

/** A fraction as percent. @category conversions @since 0.1.0 */
export const percent = (value: unknown): string =>
  typeof value === "number" ? `${(value * 100).toFixed(2)} %` : "-"

/** A number with two digits, or with as many as it needs below one. @category conversions */
export const number = (value: unknown): string =>
  typeof value === "number" ? String(Number(value.toPrecision(6))) : "-"

/** Lines of a name and a value, the values below one another. @category conversions @since 0.1.0 */
export const pairs = (rows: ReadonlyArray<readonly [name: string, value: unknown]>): string => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`).join("\n")
}

/** Rows below a line of names; numbers stand to the right. @category conversions @since 0.1.0 */
export const table = (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<unknown>>
): string => {
  const texts = [names, ...rows.map((row) => row.map(cell))]
  const widths = names.map((_, at) => Math.max(...texts.map((row) => row[at]!.length)))
  const isNumber = names.map((_, at) => rows.some((row) => typeof row[at] === "number"))
  return texts
    .map((row) =>
      row
        .map((text, at) => (isNumber[at] ? text.padStart(widths[at]!) : text.padEnd(widths[at]!)))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** Prints a result: its text, or itself with `--json`. @category output @since 0.1.0 */
export const show = <A>(result: A, text: (result: A) => string) =>
  Effect.flatMap(JsonFlag, (json) =>
    Console.log(json ? JSON.stringify(result, null, 2) : text(result))
  )

/** Prints one of several results: a line of its own with `--json`. @category output @since 0.1.0 */
export const showOne = <A>(result: A, text: (result: A) => string) =>
  Effect.flatMap(JsonFlag, (json) => Console.log(json ? JSON.stringify(result) : text(result)))

/** Says something that is no result. @category output @since 0.1.0 */
export const say = (line: string): Effect.Effect<void> => Console.error(line)
