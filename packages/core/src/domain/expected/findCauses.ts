/**
 * The cause of each difference between fills.
 *
 * A fill that is missing has the cause that the bot's records name for its candle. A later
 * difference of the same position has the cause of the first. That ends once both hold nothing in
 * that market and wait for the same: for entries that rest, the end of a cooldown, or no fill of
 * the other. An entry that was ordered before has that cause still. So has one during the cooldown
 * of the other side.
 *
 * A quantity that differs as the equity does has the cause of the difference before. Else it has
 * that of a change of the bot's cash beside its fills. A fill of another decision has the cause of
 * the backtest's decision, which came to nothing.
 *
 * A bot on paper differs only because of something earlier. Its price, fee or fill may have no
 * record. It then has the cause of the newest difference, or of the newest record, until both sides
 * agree again.
 *
 * @since 0.1.0
 */
import type { Cause } from "./Cause.ts"
import type { ComparedFill, Comparison, FillDifference, RealizedFill } from "./Comparison.ts"
import { beginDifference, type Course, makeCourse, makeFollower, type Ongoing } from "./Course.ts"
import { makeDecidedApart } from "./decidedApart.ts"
import { isOfOtherDecision, marketOfPiece, type Piece, timeOf } from "./pairFills.ts"
import { decidedTimeOf, readRestingEntries } from "./restingEntries.ts"
import { type NamedCauses, readCauses } from "./readCauses.ts"
import { readLosses } from "./readLosses.ts"

/** A cause, and whether it is that of an earlier difference. */
type Found = Pick<FillDifference, "cause" | "follows">

/** Whether a fill of a bot has a cause of its own, and no decision of the strategy. */
const isForced = ({ isCommanded, isUnprotected }: RealizedFill): boolean =>
  isCommanded || isUnprotected

/** Pieces by the time at which the first of both fills came about, the forced ones first. */
const inOrder = (pieces: ReadonlyArray<Piece>): ReadonlyArray<Piece> => {
  const placeOf = ({ realized }: Piece) => (realized !== null && isForced(realized) ? 0 : 1)
  return pieces.toSorted(
    (one, other) => timeOf(one) - timeOf(other) || placeOf(one) - placeOf(other)
  )
}

/**
 * The cause of an entry that one side had ordered before a difference was over. It is that of one
 * during the cooldown after the last exit of the other side, too.
 */
const orderedBefore = ({ cools, over }: Course, { expected, realized }: Piece): Cause | null => {
  const { leg, market, since } = (expected ?? realized)!
  const last = over.get(market)
  if (leg !== "entry" || last === undefined) return null
  const until = cools[expected === null ? "expected" : "realized"].get(market) ?? 0
  return since <= Math.max(until, last.time) ? last.cause : null
}

/** Since when nothing from before has an effect on a piece; a size may have one for ever. */
const clearedAt = ({ agreed }: Course, piece: Piece, lasting: Comparison["lasting"]): number => {
  if (piece.rest !== "none" && lasting !== "nothing") return Number.NEGATIVE_INFINITY
  return agreed.get(marketOfPiece(piece)) ?? Number.NEGATIVE_INFINITY
}

/** The cause of the newest difference, as long as it has an effect on a piece. */
const lastOf = (course: Course, piece: Piece, lasting: Comparison["lasting"]): Cause | null =>
  course.lastTime < clearedAt(course, piece, lasting) ? null : course.last

/** The cause of the newest change of cash before the order of a piece; or null. */
const chargedBefore = (
  { charges, lasting }: Comparison,
  { expected, realized }: Piece
): Cause | null => {
  const { since } = (realized ?? expected)!
  if (lasting === "nothing") return null
  return charges.findLast(({ time }) => time < since)?.cause ?? null
}

/** The cause of a difference that no record names: that of an earlier one. */
const followed = (comparison: Comparison, course: Course, piece: Piece): Cause | null => {
  const { lasting } = comparison
  const { ofMarket } = course
  const isRest = piece.rest !== "none"
  /** Another size makes no fill come about, and keeps none from it. */
  const reaches = ({ isOfSize }: Ongoing) => isRest || !isOfSize
  const ongoing = ofMarket.get(marketOfPiece(piece))
  if (ongoing !== undefined && reaches(ongoing)) return ongoing.cause
  const own = orderedBefore(course, piece)
  if (own !== null) return own
  if (isRest) return lastOf(course, piece, lasting) ?? chargedBefore(comparison, piece)
  return [...ofMarket.values()].findLast(reaches)?.cause ?? null
}

/** Notes a cause that begins a course, unless one is under way in that market. */
const note = (course: Course, piece: Piece, { cause, follows }: Found): void => {
  const market = marketOfPiece(piece)
  const ongoing = course.ofMarket.get(market)
  const { realized } = piece
  // An exit that was forced leaves nothing of the position in which both differed before.
  const isTurn = !follows && realized !== null && realized.leg !== "entry" && isForced(realized)
  const isMore =
    ongoing === undefined || isTurn || (ongoing.isOfSize && (!follows || piece.rest === "none"))
  const isOfSize =
    follows && piece.rest !== "none" && course.lastTime < (course.agreed.get(market) ?? 0)
  if (cause !== null && isMore) beginDifference(course, market, { cause, isOfSize }, timeOf(piece))
  if (!follows && cause !== null) remember(course, piece, cause)
}

const remember = (course: Course, piece: Piece, cause: Cause): void => {
  course.last = cause
  course.lastTime = timeOf(piece)
}

/** The disturbance before a fill of a bot on paper, which nothing else sets apart. */
const disturbed = (
  { lasting }: Comparison,
  course: Course,
  piece: Piece,
  { newest }: NamedCauses
): Found | null => {
  const record = newest((piece.expected ?? piece.realized)!, clearedAt(course, piece, lasting))
  if (record !== null && record.time > course.lastTime) {
    return { cause: record.cause, follows: false }
  }
  const last = lastOf(course, piece, lasting)
  return last === null ? null : { cause: last, follows: true }
}

/** The cause of another price, or another candle, of a pair. */
const causeOfPair = (
  comparison: Comparison,
  piece: Piece,
  course: Course,
  records: NamedCauses
): Found => {
  const { isOnPaper } = comparison
  const expected = piece.expected!
  const realized = piece.realized!
  const cause = realized.time > expected.time ? "delay" : "slippage"
  const ongoing = course.ofMarket.get(expected.market)
  const earlier = ongoing?.isOfSize === false ? ongoing.cause : null
  const isOther = isOfOtherDecision(expected, realized)
  // Two orders of different decisions have different prices.
  if (earlier !== null && (isOnPaper || isOther)) return { cause: earlier, follows: true }
  const replaced = isOther ? records.replaced(expected) : null
  if (replaced !== null) return { cause: replaced, follows: true }
  if (realized.isUnprotected && realized.time !== expected.time) {
    return { cause: "refusal", follows: false }
  }
  const alone = { cause, follows: false } as const
  if (!isOnPaper || (cause === "delay" && records.isMissed(expected))) return alone
  return disturbed(comparison, course, piece, records) ?? alone
}

/** The differences of a pair: of its price, and of its fee. */
const differencesOfPair = (
  comparison: Comparison,
  piece: Piece,
  course: Course,
  records: NamedCauses
): ReadonlyArray<FillDifference> => {
  const { expected, expectedFee, expectedGross, quantity, realized } = piece
  const { leg, market, side } = expected!
  const about = {
    market,
    side,
    leg,
    quantity,
    expectedTime: expected!.time,
    realizedTime: realized!.time
  }
  const differences: Array<FillDifference> = []
  const price = piece.realizedGross - expectedGross
  if (price !== 0n || realized!.time !== expected!.time) {
    const found = causeOfPair(comparison, piece, course, records)
    note(course, piece, found)
    if (price !== 0n) differences.push({ ...about, ...found, steps: price })
  }
  const fee = expectedFee - piece.realizedFee
  if (fee === 0n) return differences
  // The fees of shares are rounded apart where the sizes differ.
  const isOfSize = expected!.quantity !== realized!.quantity
  const last = isOfSize ? course.last : lastOf(course, piece, comparison.lasting)
  const earlier = comparison.isOnPaper ? (course.ofMarket.get(market)?.cause ?? last) : null
  if (earlier === null) remember(course, piece, "fee")
  const found = { cause: earlier ?? "fee", follows: earlier !== null }
  return [...differences, { ...about, ...found, steps: fee }]
}

/** The cause of a fill that the backtest lacks, whatever differed before; null for none. */
const causeOfExtra = ({
  isBesideOther,
  isCommanded,
  isUnprotected
}: RealizedFill): Cause | null => {
  if (isCommanded) return "command"
  if (isUnprotected) return "refusal"
  return isBesideOther ? "delay" : null
}

/** The cause of a fill that the backtest lacks, where nothing differed before. */
const causeOfAlone = (
  realized: RealizedFill,
  { isFilled, lacking }: Pick<NamedCauses, "isFilled" | "lacking">
): Cause | null => {
  const { decision, isLate, isPriced, leg, time } = realized
  const order = lacking(realized)
  if (order?.isCut === true) return "part"
  if (order != null && (order.overTime ?? time) < time) return "delay"
  // The backtest never decided it, and so nothing that became of the order explains it.
  const isOrder = leg === "entry" || leg === "exit"
  if (isOrder && decision !== null && order === null && !isFilled(realized)) return null
  // Its exchange reached a price that the candles do not have.
  if (isPriced) return "slippage"
  return isLate ? "delay" : null
}

/**
 * Whether a bot enters in the candle in which its stop, or another exit at a price, has filled. A
 * gap at the open may fill it before the bot decides at the close before. Its backtest holds the
 * position at that close still.
 */
const makeEntersAfterExit =
  ({ realized }: Pick<Comparison, "realized">) =>
  (entry: RealizedFill): boolean =>
    entry.leg === "entry" &&
    realized
      .slice(0, realized.indexOf(entry))
      .some(
        ({ isPriced, leg, market, time }) =>
          isPriced && leg !== "entry" && market === entry.market && time === entry.time
      )

/** The cause of a decision for which the bot lacked a fill that it had not heard of yet. */
const makeUnheard =
  ({ realized }: Comparison) =>
  ({ decision, market }: ComparedFill): Cause | null => {
    const at = decidedTimeOf(decision ?? "")
    const isUnheard = realized.some(
      ({ heardAfter, market: other, time }) =>
        other === market && heardAfter !== null && time <= at && at <= heardAfter
    )
    return isUnheard ? "delay" : null
  }

/** The cause that has earned the bot most, of the differences up to a time; or null. */
const mostEarned = (differences: ReadonlyArray<FillDifference>, until: number): Cause | null => {
  const sums = new Map<Cause, bigint>()
  for (const { cause, expectedTime, realizedTime, steps } of differences) {
    const time = Math.min(expectedTime ?? Infinity, realizedTime ?? Infinity)
    if (cause !== null && time <= until) sums.set(cause, (sums.get(cause) ?? 0n) + steps)
  }
  const [most] = [...sums].toSorted(([, one], [, other]) => Number(other - one))
  return most?.[0] ?? null
}

/**
 * The cause of an entry that the bot made while the gate of the backtest was shut. Somebody has
 * opened the gate of the bot, or the bot had lost less by then.
 */
const makeGated =
  ({ resumed, shut }: Comparison, differences: ReadonlyArray<FillDifference>) =>
  ({ expected, realized, rest }: Piece): Found | null => {
    if (expected !== null || realized!.leg !== "entry" || rest !== "none") return null
    const { since, time } = realized!
    const stretch = shut.find(({ after, until }) => time > after && since <= until)
    if (stretch === undefined) return null
    if (resumed.some((one) => one >= stretch.after && one < since)) {
      return { cause: "command", follows: false }
    }
    const cause = mostEarned(differences, stretch.after)
    return cause === null ? null : { cause, follows: true }
  }

/** The cause of a quantity that has no counterpart. */
const makeCauseOfAlone = (
  comparison: Comparison,
  course: Course,
  records: NamedCauses,
  isOfLacking: (fill: ComparedFill) => boolean,
  gated: (piece: Piece) => Found | null,
  decidedApart: (piece: Piece) => Cause | null
) => {
  const { isOnPaper, lasting } = comparison
  const lossCause = readLosses(comparison)
  const entersAfterExit = makeEntersAfterExit(comparison)
  const unheard = makeUnheard(comparison)
  const ownCause = (piece: Piece): Cause | null => {
    const { expected, realized, rest } = piece
    if (expected === null) return causeOfExtra(realized!)
    if (rest !== "none") return rest === "of_whole" ? null : rest
    // A bot without the position has nothing to close or to add to.
    return isOfLacking(expected) ? null : records.named(expected, clearedAt(course, piece, lasting))
  }
  const causeOfExtraAlone = (fill: RealizedFill): Cause | null =>
    causeOfAlone(fill, records) ?? (entersAfterExit(fill) ? "slippage" : null)
  /** The cause of a rest whose pair is of two decisions. */
  const replaced = ({ expected, met, realized }: Piece): Cause | null => {
    if (met === null) return null
    const wanted = expected ?? met
    return isOfOtherDecision(wanted, realized ?? met) ? records.replaced(wanted) : null
  }
  return (piece: Piece): Found => {
    const { expected, realized } = piece
    const own = ownCause(piece)
    if (own !== null) return { cause: own, follows: false }
    const shutOut = gated(piece)
    if (shutOut !== null) return shutOut
    const isExtra = expected === null && piece.rest === "none"
    const renewed = isExtra ? records.renewed(realized!) : null
    if (renewed !== null) return { cause: renewed, follows: false }
    const earlier =
      replaced(piece) ??
      followed(comparison, course, piece) ??
      records.waited((expected ?? realized)!) ??
      decidedApart(piece)
    if (earlier !== null) return { cause: earlier, follows: true }
    if (isOnPaper) {
      return disturbed(comparison, course, piece, records) ?? { cause: null, follows: false }
    }
    const cause = expected === null ? causeOfExtraAlone(realized!) : unheard(expected)
    return { cause: cause ?? lossCause(piece), follows: false }
  }
}

/** Finds the cause of every difference, oldest first. @category comparisons @since 0.1.0 */
export const findCauses = (
  comparison: Comparison,
  pieces: ReadonlyArray<Piece>
): ReadonlyArray<FillDifference> => {
  const entries = readRestingEntries(comparison)
  const records = readCauses(comparison, entries)
  const course = makeCourse()
  const { follow, isOfLacking } = makeFollower(comparison, pieces, course, entries)
  const differences: Array<FillDifference> = []
  const gated = makeGated(comparison, differences)
  const decidedApart = makeDecidedApart(comparison, course, entries)
  const causeOf = makeCauseOfAlone(comparison, course, records, isOfLacking, gated, decidedApart)

  /** A quantity that has no counterpart. */
  const differenceOf = (piece: Piece): FillDifference => {
    const { expected, quantity, realized } = piece
    const { leg, market, side } = (expected ?? realized)!
    const found = causeOf(piece)
    note(course, piece, found)
    return {
      ...found,
      market,
      side,
      leg,
      quantity,
      expectedTime: expected?.time ?? null,
      realizedTime: realized?.time ?? null,
      steps: piece.realizedGross - piece.realizedFee - (piece.expectedGross - piece.expectedFee)
    }
  }

  for (const piece of inOrder(pieces)) {
    follow(timeOf(piece))
    if (piece.expected !== null && piece.realized !== null) {
      differences.push(...differencesOfPair(comparison, piece, course, records))
    } else {
      differences.push(differenceOf(piece))
    }
  }
  return differences
}
