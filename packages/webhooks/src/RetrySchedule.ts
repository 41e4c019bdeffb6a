/**
 * The waits between the attempts of a delivery, as a list, and the rule that picks the next one.
 *
 * A delivery has ten attempts over three days, as the Standard Webhooks specification proposes. The
 * rule stretches a wait, and never shortens it: `Retry-After` of a receiver always holds, up to a
 * ceiling. Chance adds a fifth at most, so that receivers do not get all repetitions at once.
 *
 * The schedule sends nothing and reads no clock.
 *
 * **Example** (The time of all attempts)
 *
 * ```ts
 * import { retryWaitsMs } from "@candlewick/webhooks"
 *
 * const hours = retryWaitsMs.reduce((sum, wait) => sum + wait, 0) / 3_600_000
 * console.log(retryWaitsMs.length, hours.toFixed(1))
 * ```
 *
 * ```text output
 * 10 75.6
 * ```
 *
 * @since 0.1.0
 */

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/**
 * The wait before each of the ten attempts, counted from the one before.
 *
 * @category constants
 * @since 0.1.0
 */
export const retryWaitsMs: ReadonlyArray<number> = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour
]

const jitterRate = 0.2
const overloadWaitMs = 60 * second
const retryAfterFloorMs = 2 * hour
const retryAfterCeilingMs = 24 * hour
const overloadStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** The facts of a failed attempt that the schedule needs. @category models @since 0.1.0 */
export interface FailedAttempt {
  readonly status: number | null
  readonly error: string | null
  /** The text of the `Retry-After` header. */
  readonly retryAfter: string | null
}

/** Whether and when a delivery is tried again. @category models @since 0.1.0 */
export type RetryDecision =
  | { readonly _tag: "RetryIn"; readonly inMs: number }
  | { readonly _tag: "Exhausted" }

/**
 * Whether the receiver has too much to do, rather than a fault of its own.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isOverload = (outcome: Pick<FailedAttempt, "status" | "error">): boolean =>
  outcome.error === "timeout" || (outcome.status !== null && overloadStatuses.has(outcome.status))

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
const httpDate =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/

const parseHttpDate = (text: string): number | null => {
  const parts = httpDate.exec(text)
  if (parts === null) return null
  const [day, hours, minutes, seconds] = [parts[1], parts[4], parts[5], parts[6]].map(Number)
  const month = months.indexOf(parts[2]!)
  if (month < 0 || day! < 1 || day! > 31 || hours! > 23 || minutes! > 59 || seconds! > 60)
    return null
  return Date.UTC(Number(parts[3]), month, day, hours, minutes, seconds)
}

/**
 * Reads a `Retry-After` header as a wait in milliseconds; null for a value that is neither seconds
 * nor an HTTP date.
 *
 * @category parsing
 * @since 0.1.0
 */
export const parseRetryAfter = (text: string | null, nowMs: number): number | null => {
  if (text === null) return null
  const trimmed = text.trim()
  if (/^\d{1,15}(?:\.\d{1,15})?$/.test(trimmed)) return Number(trimmed) * second
  const at = parseHttpDate(trimmed)
  return at === null ? null : Math.max(0, at - nowMs)
}

/**
 * Decides when a delivery is tried again after a failed attempt, or that it has been tried often
 * enough.
 *
 * **Details**
 *
 * The wait is the schedule's. It is at least a minute where the receiver is overloaded. It is also
 * at least the value of `Retry-After` within max(twice the wait, 2 h) and 24 h. It is then
 * stretched by 1.0 to 1.2 according to `random` in [0, 1).
 *
 * @category decisions
 * @since 0.1.0
 */
export const decideRetry = (
  attemptsMade: number,
  outcome: FailedAttempt,
  nowMs: number,
  random: number
): RetryDecision => {
  const scheduled = retryWaitsMs[attemptsMade]
  if (scheduled === undefined) return { _tag: "Exhausted" }
  const base = isOverload(outcome) ? Math.max(scheduled, overloadWaitMs) : scheduled
  const ceiling = Math.min(Math.max(2 * base, retryAfterFloorMs), retryAfterCeilingMs)
  const asked = Math.min(parseRetryAfter(outcome.retryAfter, nowMs) ?? 0, ceiling)
  const wait = Math.max(base, asked) * (1 + jitterRate * random)
  return { _tag: "RetryIn", inMs: Math.ceil(wait) }
}
