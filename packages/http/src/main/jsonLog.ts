/**
 * The log of the process: one JSON object a line, with the fields that lines of requests have.
 *
 * A reader of the log then needs one schema. `timestamp`, `level` and `message` stand in each line,
 * and everything else is beside them under a name of its own.
 *
 * @since 0.1.0
 */
import { Cause, Formatter, Logger, References } from "effect"

const reserved: ReadonlySet<string> = new Set(["timestamp", "level", "message", "detail", "cause"])

const isText = (value: unknown): value is string => typeof value === "string"

const textOf = (value: unknown): string => {
  if (isText(value)) return value
  return value instanceof Error ? Cause.pretty(Cause.fail(value)) : Formatter.formatJson(value)
}

/** The annotations, under names that don't hide the fields of every line. */
const fieldsOf = (annotations: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [
      reserved.has(name) ? `annotated_${name}` : name,
      value
    ])
  )

/**
 * One line for each message: its first text is the `message`, the rest its `detail`.
 *
 * @category models
 * @since 0.1.0
 */
export const jsonLine: Logger.Logger<unknown, string> = Logger.make(
  ({ cause, date, fiber, logLevel, message }) => {
    const parts = Array.isArray(message) ? (message as ReadonlyArray<unknown>) : [message]
    const [first, ...rest] = parts.map(textOf)
    return Formatter.formatJson({
      timestamp: date.toISOString(),
      level: logLevel.toLowerCase(),
      message: first ?? "",
      ...(rest.length === 0 ? {} : { detail: rest.join(" ") }),
      ...(cause.reasons.length === 0 ? {} : { cause: Cause.pretty(cause) }),
      ...fieldsOf(fiber.getRef(References.CurrentLogAnnotations))
    })
  }
)

/** Writes the lines to standard output. @category models @since 0.1.0 */
export const jsonLog: Logger.Logger<unknown, void> = Logger.withConsoleLog(jsonLine)
