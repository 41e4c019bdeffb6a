/**
 * The entries that one side alone decided, as both differed in another market.
 *
 * A position takes money, and a place among the positions, and so does an entry that rests. A side
 * that has one in another market may be unable to enter, and comes to an entry of its own later.
 *
 * @since 0.1.0
 */
import type { Cause } from "./Cause.ts"
import type { Comparison } from "./Comparison.ts"
import { apartBeside, type Course } from "./Course.ts"
import type { Piece } from "./pairFills.ts"
import { decidedTimeOf, type RestingEntries } from "./restingEntries.ts"

/**
 * Finds the cause for which both sides differed in another market when the entry of a fill was
 * decided; or when one was that rests in its place.
 *
 * @category comparisons
 * @since 0.1.0
 */
export const makeDecidedApart = (
  { isOnPaper }: Pick<Comparison, "isOnPaper">,
  course: Course,
  entries: RestingEntries
): ((piece: Piece) => Cause | null) => {
  const known = new Map<string, Cause | null>()
  /** Each entry that differs was decided earlier, so that this ends. */
  const findAt = (market: number, time: number): Cause | null => {
    const cause = apartBeside(course, entries, market, time)
    if (cause !== null) return cause
    for (const one of entries.differing(market, time)) {
      const earlier = causeAt(one.market, one.decidedTime)
      if (earlier !== null) return earlier
    }
    return null
  }
  // Ways through entries that rest at once are many, and lead to the same few closes.
  const causeAt = (market: number, time: number): Cause | null => {
    const key = `${market} ${time}`
    const cause = known.has(key) ? known.get(key)! : findAt(market, time)
    known.set(key, cause)
    return cause
  }
  return ({ expected, realized, rest }) => {
    const fill = (expected ?? realized)!
    const { decision, leg, market } = fill
    if (isOnPaper || leg !== "entry" || rest !== "none" || decision === null) return null
    if (entries.areBoth(fill)) return null
    const cause = causeAt(market, decidedTimeOf(decision))
    if (cause !== null || expected !== null) return cause
    return entries.lacked(fill, (entry) => causeAt(entry.market, entry.decidedTime))
  }
}
