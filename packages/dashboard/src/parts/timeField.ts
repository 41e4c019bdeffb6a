/**
 * Times of fields that have no zone, which are all in UTC.
 */

/** A time as the text of a field, to the minute. */
export const toField = (timestamp: string): string => new Date(timestamp).toISOString().slice(0, 16)

/** The text of a field as a time. */
export const fromField = (text: string): string => new Date(`${text}Z`).toISOString()
