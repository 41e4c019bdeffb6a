/**
 * The cause of each difference between fills.
 *
 * A fill that is missing has the cause that the bot's records name for its candle. A later
 * difference of the same position has the cause of the first. That ends once both hold nothing in
 * that market and neither waits for a fill of the other. An entry that one of them makes during the
 * cooldown of the other has that cause still. A quantity that differs as the equity does has the
 * cause of the difference before.
 *
 * A bot on paper differs only because of something earlier. Its price, fee or fill may have no
 * record. It then has the cause of the newest difference, or of the newest record.
 *
 * @since 0.1.0
 */
import type { Cause } from "./Cause.ts"
import type { ComparedFill, Comparison, FillDifference, RealizedFill } from "./Comparison.ts"
import type { Piece } from "./pairFills.ts"
import { type NamedCauses, readCauses } from "./readCauses.ts"

/** The known facts of the differences so far. */
interface Course {
  /** The first cause in each market since both held nothing there. */
  readonly ofMarket: Map<number, Cause>
  /** The first cause of each market before both held nothing there. */
  readonly over: Map<number, Cause>
  /** Until when the cooldown of each side lets no entry of a market fill. */
  readonly cools: Record<"expected" | "realized", Map<number, number>>
  /** The newest cause that came of nothing earlier, and when. */
  last: Cause | null
  lastTime: number
}

/** A cause, and whether it is that of an earlier difference. */
type Found = Pick<FillDifference, "cause" | "follows">

/** The holdings of both, to find when they agree again. */
interface Holding {
  /** The fill that opened what the backtest holds. */
  opener: ComparedFill | null
  expected: number
  realized: number
  largest: number
}

const restMax = 1e-9

const timeOf = ({ expected, realized }: Piece): number =>
  Math.min(expected?.time ?? Infinity, realized?.time ?? Infinity)

/** Pieces by the time at which the first of both fills came about, a command's own ones first. */
const inOrder = (pieces: ReadonlyArray<Piece>): ReadonlyArray<Piece> => {
  const placeOf = ({ realized }: Piece) => (realized?.isCommanded === true ? 0 : 1)
  return pieces.toSorted(
    (one, other) => timeOf(one) - timeOf(other) || placeOf(one) - placeOf(other)
  )
}

/** The cause of an entry that one side made while the other waited after its own last exit. */
const cooled = ({ cools, over }: Course, { expected, realized }: Piece): Cause | null => {
  const { leg, market, since } = (expected ?? realized)!
  const until = cools[expected === null ? "expected" : "realized"].get(market) ?? 0
  return leg === "entry" && since <= until ? (over.get(market) ?? null) : null
}

/** The cause of a difference that no record names: that of an earlier one. */
const followed = (course: Course, piece: Piece): Cause | null => {
  const { last, ofMarket } = course
  const own = ofMarket.get((piece.expected ?? piece.realized)!.market) ?? cooled(course, piece)
  if (own !== null) return own
  return piece.rest === "none" ? ([...ofMarket.values()].at(-1) ?? null) : last
}

/** Whether one side of a pair has filled in a market, and the other side is yet to fill. */
const makeWaits = (pieces: ReadonlyArray<Piece>) => {
  const apart = pieces.flatMap(({ expected, realized }) => {
    if (expected === null || realized === null || expected.time === realized.time) return []
    const times = [expected.time, realized.time]
    return [{ market: expected.market, from: Math.min(...times), until: Math.max(...times) }]
  })
  const ofMarkets = Map.groupBy(apart, ({ market }) => market)
  return (market: number, at: number): boolean =>
    ofMarkets.get(market)?.some(({ from, until }) => from <= at && at < until) ?? false
}

/**
 * Follows both holdings up to a time, each by its own fills. The course of a market ends whenever
 * both hold nothing there, and neither waits for the fill that the other has had.
 */
const makeFollower = (
  { expected, realized }: Comparison,
  pieces: ReadonlyArray<Piece>,
  course: Course
) => {
  const holdings = new Map<number, Holding>()
  const fills = [
    ...expected.map((fill) => ({ fill, of: "expected" as const })),
    ...realized.map((fill) => ({ fill, of: "realized" as const }))
  ].toSorted((one, other) => one.fill.time - other.fill.time)
  let next = 0
  const waits = makeWaits(pieces)
  const shared = new Set(pieces.flatMap((one) => (one.realized === null ? [] : [one.expected])))
  const endFlat = (at: number) => {
    for (const [market, { expected, largest, realized }] of holdings) {
      if (Math.max(Math.abs(expected), Math.abs(realized)) > largest * restMax) continue
      if (waits(market, at)) continue
      const cause = course.ofMarket.get(market)
      if (cause === undefined) course.over.delete(market)
      else course.over.set(market, cause)
      course.ofMarket.delete(market)
      holdings.delete(market)
    }
  }
  const follow = (until: number): void => {
    while (next < fills.length && fills[next]!.fill.time < until) {
      const { fill, of } = fills[next++]!
      const held = holdings.get(fill.market) ?? {
        opener: null,
        expected: 0,
        realized: 0,
        largest: 0
      }
      if (of === "expected" && Math.abs(held.expected) <= held.largest * restMax) held.opener = fill
      held[of] += fill.side * fill.quantity
      if (fill.coolsUntil !== null) course.cools[of].set(fill.market, fill.coolsUntil)
      held.largest = Math.max(held.largest, Math.abs(held.expected), Math.abs(held.realized))
      holdings.set(fill.market, held)
      if (fills[next]?.fill.time !== fill.time) endFlat(fill.time)
    }
  }
  /**
   * Whether a fill depends on a position that the bot does not have. It closes one that the bot
   * does not hold, or adds to one that it never opened.
   */
  const isOfLacking = ({ leg, market, side }: ComparedFill): boolean => {
    if (!course.ofMarket.has(market)) return false
    const held = holdings.get(market)
    if (held === undefined) return leg !== "entry"
    const rest = held.largest * restMax
    if (leg !== "entry") return -side * held.realized <= rest
    return side * held.expected > rest && !shared.has(held.opener)
  }
  return { follow, isOfLacking }
}

/** Notes a cause that begins a course, unless one is under way in that market. */
const note = (course: Course, piece: Piece, { cause, follows }: Found): void => {
  const { market } = (piece.expected ?? piece.realized)!
  if (cause !== null && !course.ofMarket.has(market)) course.ofMarket.set(market, cause)
  if (!follows && cause !== null) remember(course, piece, cause)
}

const remember = (course: Course, piece: Piece, cause: Cause): void => {
  course.last = cause
  course.lastTime = timeOf(piece)
}

/** The disturbance before a fill of a bot on paper, which nothing else sets apart. */
const disturbed = (course: Course, piece: Piece, { newest }: NamedCauses): Found | null => {
  const record = newest((piece.expected ?? piece.realized)!)
  if (record !== null && record.time > course.lastTime) {
    return { cause: record.cause, follows: false }
  }
  return course.last === null ? null : { cause: course.last, follows: true }
}

/** The cause of another price, or another candle, of a pair. */
const causeOfPair = (
  { isOnPaper }: Comparison,
  piece: Piece,
  course: Course,
  records: NamedCauses
): Found => {
  const expected = piece.expected!
  const realized = piece.realized!
  const cause = realized.time > expected.time ? "delay" : "slippage"
  const earlier = course.ofMarket.get(expected.market)
  const isOther =
    expected.decision !== null &&
    realized.decision !== null &&
    expected.decision !== realized.decision
  // Two orders of different decisions have different prices.
  if (earlier !== undefined && (isOnPaper || isOther)) return { cause: earlier, follows: true }
  const alone = { cause, follows: false } as const
  if (!isOnPaper || (cause === "delay" && records.isMissed(expected))) return alone
  return disturbed(course, piece, records) ?? alone
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
  const earlier = comparison.isOnPaper ? (course.ofMarket.get(market) ?? course.last) : null
  if (earlier === null) remember(course, piece, "fee")
  const found = { cause: earlier ?? "fee", follows: earlier !== null }
  return [...differences, { ...about, ...found, steps: fee }]
}

/** The cause of a fill that the backtest lacks, whatever differed before; null for none. */
const causeOfExtra = ({ isBesideOther, isCommanded }: RealizedFill): Cause | null => {
  if (isCommanded) return "command"
  return isBesideOther ? "delay" : null
}

/** The cause of a fill that the backtest lacks, where nothing differed before. */
const causeOfAlone = ({ isLate, isPriced }: RealizedFill): Cause | null => {
  if (isLate) return "delay"
  // Its exchange reached a price that the candles do not have.
  return isPriced ? "slippage" : null
}

/** The cause of a quantity that has no counterpart. */
const makeCauseOfAlone = (
  { isOnPaper }: Comparison,
  course: Course,
  records: NamedCauses,
  isOfLacking: (fill: ComparedFill) => boolean
) => {
  const ownCause = ({ expected, realized, rest }: Piece): Cause | null => {
    if (expected === null) return causeOfExtra(realized!)
    if (rest !== "none") return rest === "of_whole" ? null : rest
    // A bot without the position has nothing to close or to add to.
    return isOfLacking(expected) ? null : records.named(expected)
  }
  return (piece: Piece): Found => {
    const { expected, realized } = piece
    const own = ownCause(piece)
    if (own !== null) return { cause: own, follows: false }
    const earlier = followed(course, piece) ?? records.waited((expected ?? realized)!)
    if (earlier !== null) return { cause: earlier, follows: true }
    if (isOnPaper) return disturbed(course, piece, records) ?? { cause: null, follows: false }
    return { cause: expected === null ? causeOfAlone(realized!) : null, follows: false }
  }
}

/** Finds the cause of every difference, oldest first. @category comparisons @since 0.1.0 */
export const findCauses = (
  comparison: Comparison,
  pieces: ReadonlyArray<Piece>
): ReadonlyArray<FillDifference> => {
  const records = readCauses(comparison)
  const cools = { expected: new Map(), realized: new Map() }
  const none = { last: null, lastTime: Number.NEGATIVE_INFINITY }
  const course: Course = { ofMarket: new Map(), over: new Map(), cools, ...none }
  const { follow, isOfLacking } = makeFollower(comparison, pieces, course)
  const causeOf = makeCauseOfAlone(comparison, course, records, isOfLacking)

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

  const differences: Array<FillDifference> = []
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
