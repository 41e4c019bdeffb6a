/**
 * Times as ISO 8601 text.
 *
 * @since 0.1.0
 */

const pattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/

/**
 * Epoch milliseconds of a date, or of a date and a time of day, as ISO 8601 writes them; NaN of
 * anything else.
 *
 * **Details**
 *
 * A time without an offset is UTC, on a machine in any zone. A space may stand for the `T`.
 *
 * @category times
 * @since 0.1.0
 */
export const isoTimeMs = (text: string): number => {
  const [, date, time = "00:00", offset = "Z"] = pattern.exec(text) ?? []
  if (date === undefined) return Number.NaN
  const midnight = Date.parse(`${date}T00:00Z`)
  // Some engines read a 30th of February as the 1st of March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) {
    return Number.NaN
  }
  return Date.parse(`${date}T${time}${offset}`)
}
