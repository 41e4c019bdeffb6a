/**
 * The cause of each difference between fills.
 *
 * A fill that is missing has the cause that the bot's records name for its candle. A later
 * difference of the same position has the cause of the first, until both hold nothing in that
 * market. A quantity that differs as the equity does has the cause of the difference before.
 *
 * @since 0.1.0
 */
import type { Cause } from "./Cause.ts"
import type {
  ComparedFill,
  Comparison,
  FillDifference,
  RefusedOrder,
  Stretch
} from "./Comparison.ts"
import type { Piece } from "./pairFills.ts"

/** The known facts of the differences so far. */
interface Course {
  /** The first cause in each market since both held nothing there. */
  readonly ofMarket: Map<number, Cause>
  last: Cause | null
}

/** The holdings of both, to tell when they agree again. */
interface Holding {
  expected: number
  realized: number
  largest: number
}

const restMax = 1e-9

const timeOf = ({ expected, realized }: Piece): number => (expected ?? realized)!.time

/** Pieces by the time at which the first of both fills came about. */
const inOrder = (pieces: ReadonlyArray<Piece>): ReadonlyArray<Piece> =>
  pieces.toSorted((one, other) => timeOf(one) - timeOf(other))

/** Looks causes of missing fills up in the records of a bot. */
const recordsOf = ({ expected, heldBack, missed, realized, refused }: Comparison) => {
  const spent = new Set<RefusedOrder>()
  const ofMarkets = Map.groupBy([...expected, ...realized], ({ market }) => market)
  const lastBefore = (market: number, time: number): number =>
    (ofMarkets.get(market) ?? []).reduce(
      (last, fill) => (fill.time < time && fill.time > last ? fill.time : last),
      Number.NEGATIVE_INFINITY
    )
  const refusalOf = ({ leg, market, side, time }: ComparedFill): RefusedOrder | undefined => {
    const before = lastBefore(market, time)
    return refused.findLast(
      (one) =>
        !spent.has(one) &&
        one.market === market &&
        one.side === side &&
        one.leg === leg &&
        one.time <= time &&
        one.time >= before
    )
  }
  return (fill: ComparedFill): Cause | null => {
    const refusal = refusalOf(fill)
    if (refusal !== undefined) {
      spent.add(refusal)
      return "refusal"
    }
    const isIn = ({ after, until }: Stretch) => fill.time > after && fill.time <= until
    if (missed.some(isIn)) return "missed_candle"
    return heldBack.some(isIn) ? "command" : null
  }
}

/** The cause of a difference that no record names: that of an earlier one. */
const followed = ({ last, ofMarket }: Course, market: number, isSize: boolean): Cause | null =>
  ofMarket.get(market) ?? (isSize ? last : ([...ofMarket.values()].at(-1) ?? null))

/** Follows both holdings, and ends the course of a market once both hold nothing. */
const follow = (holdings: Map<number, Holding>, course: Course, fills: ReadonlyArray<Piece>) => {
  for (const { expected, quantity, realized } of fills) {
    const { market, side } = (expected ?? realized)!
    const held = holdings.get(market) ?? { expected: 0, realized: 0, largest: 0 }
    if (expected !== null) held.expected += side * quantity
    if (realized !== null) held.realized += side * quantity
    held.largest = Math.max(held.largest, Math.abs(held.expected), Math.abs(held.realized))
    holdings.set(market, held)
  }
  for (const [market, { expected, largest, realized }] of holdings) {
    if (Math.max(Math.abs(expected), Math.abs(realized)) > largest * restMax) continue
    course.ofMarket.delete(market)
    holdings.delete(market)
  }
}

/** The differences of a pair: of its price, and of its fee. */
const differencesOfPair = (piece: Piece, course: Course): ReadonlyArray<FillDifference> => {
  const { expected, expectedFee, expectedGross, quantity, realized } = piece
  const { leg, market, side } = expected!
  const about = {
    follows: false,
    market,
    side,
    leg,
    quantity,
    expectedTime: expected!.time,
    realizedTime: realized!.time
  }
  const found: Array<FillDifference> = []
  const price = piece.realizedGross - expectedGross
  const isLate = realized!.time !== expected!.time
  if (price !== 0n || isLate) {
    const cause = isLate ? "delay" : "slippage"
    if (!course.ofMarket.has(market)) course.ofMarket.set(market, cause)
    course.last = cause
    if (price !== 0n) found.push({ ...about, cause, steps: price })
  }
  const fee = expectedFee - piece.realizedFee
  if (fee === 0n) return found
  course.last = "fee"
  return [...found, { ...about, cause: "fee", steps: fee }]
}

/** Finds the cause of every difference, oldest first. @category comparisons @since 0.1.0 */
export const findCauses = (
  comparison: Comparison,
  pieces: ReadonlyArray<Piece>
): ReadonlyArray<FillDifference> => {
  const named = recordsOf(comparison)
  const course: Course = { ofMarket: new Map(), last: null }
  const holdings = new Map<number, Holding>()

  const ownCause = ({ expected, realized, rest }: Piece): Cause | null => {
    if (expected === null) return realized!.isCommanded ? "command" : null
    if (rest === "of_part") return "part"
    return rest === "none" ? named(expected) : null
  }

  /** A quantity that has no counterpart. */
  const differenceOf = (piece: Piece): FillDifference => {
    const { expected, quantity, realized } = piece
    const { leg, market, side } = (expected ?? realized)!
    const own = ownCause(piece)
    const cause = own ?? followed(course, market, piece.rest !== "none")
    if (cause !== null && !course.ofMarket.has(market)) course.ofMarket.set(market, cause)
    if (own !== null) course.last = own
    return {
      cause,
      follows: own === null && cause !== null,
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
  for (const together of Map.groupBy(inOrder(pieces), timeOf).values()) {
    for (const piece of together) {
      if (piece.expected !== null && piece.realized !== null) {
        differences.push(...differencesOfPair(piece, course))
      } else {
        differences.push(differenceOf(piece))
      }
    }
    follow(holdings, course, together)
  }
  return differences
}
