/**
 * The entries that one side alone decided, as only one of them held a position elsewhere.
 *
 * A position takes money, and a place among the positions. A side that holds one in another market
 * may be unable to enter, and comes to an entry of its own later.
 *
 * @since 0.1.0
 */
import type { Cause } from "./Cause.ts"
import type { Comparison } from "./Comparison.ts"
import { apartBeside, type Course } from "./Course.ts"
import type { Piece } from "./pairFills.ts"
import { decidedTimeOf, type RestingEntries } from "./restingEntries.ts"

/**
 * Finds the cause of the position that one side alone held in another market when the entry of a
 * fill was decided; or that of an entry which rests in the backtest in its place.
 *
 * @category comparisons
 * @since 0.1.0
 */
export const makeDecidedApart =
  (
    { isOnPaper }: Pick<Comparison, "isOnPaper">,
    course: Course,
    { areBoth, lacked }: Pick<RestingEntries, "areBoth" | "lacked">
  ) =>
  ({ expected, realized, rest }: Piece): Cause | null => {
    const fill = (expected ?? realized)!
    const { decision, leg, market } = fill
    if (isOnPaper || leg !== "entry" || rest !== "none" || decision === null) return null
    if (areBoth(fill)) return null
    const cause = apartBeside(course, market, decidedTimeOf(decision))
    if (cause !== null || expected !== null) return cause
    return lacked(fill, (entry) => apartBeside(course, entry.market, entry.decidedTime))
  }
