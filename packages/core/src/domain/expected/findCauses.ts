/**
 * The cause of each difference between fills.
 *
 * A fill that is missing has the cause that the bot's records name for its candle. A later
 * difference of the same position has the cause of the first. That ends once both hold nothing in
 * that market and neither waits for a fill of the other. An entry that one of them makes during the
 * cooldown of the other has that cause still. A quantity that differs as the equity does has the
 * cause of the difference before.
 *
 * @since 0.1.0
 */
import type { Cause } from "./Cause.ts"
import type {
  ComparedFill,
  Comparison,
  FillDifference,
  RealizedFill,
  Stretch,
  UnfilledOrder
} from "./Comparison.ts"
import type { Piece } from "./pairFills.ts"

/** The known facts of the differences so far. */
interface Course {
  /** The first cause in each market since both held nothing there. */
  readonly ofMarket: Map<number, Cause>
  /** The first cause of each market before both held nothing there. */
  readonly over: Map<number, Cause>
  /** Until when the cooldown of each side lets no entry of a market fill. */
  readonly cools: Record<"expected" | "realized", Map<number, number>>
  last: Cause | null
}

/** The holdings of both, to find when they agree again. */
interface Holding {
  expected: number
  realized: number
  largest: number
}

const restMax = 1e-9

const timeOf = ({ expected, realized }: Piece): number =>
  Math.min(expected?.time ?? Infinity, realized?.time ?? Infinity)

/** Pieces by the time at which the first of both fills came about. */
const inOrder = (pieces: ReadonlyArray<Piece>): ReadonlyArray<Piece> =>
  pieces.toSorted((one, other) => timeOf(one) - timeOf(other))

/** Whether an order of a bot was open still in a candle. */
const isOpenAt = ({ filledTime, isOpen, overTime, time }: UnfilledOrder, at: number): boolean =>
  time < at && (isOpen || at <= Math.max(filledTime ?? time, overTime ?? time))

/** Whether an entry had its first part before a candle; no backtest fills in parts. */
const isFillingOn = ({ filledTime, leg }: UnfilledOrder, at: number): boolean =>
  leg === "entry" && filledTime !== null && filledTime < at

/** Looks causes of missing fills up in the records of a bot. */
const recordsOf = (comparison: Comparison) => {
  const { barred, expected, heldBack, missed, passedOver, realized, unfilled } = comparison
  const spent = new Set<UnfilledOrder>()
  const passed = new Set(passedOver)
  const ofMarkets = Map.groupBy([...expected, ...realized], ({ market }) => market)
  const lastBefore = (market: number, time: number): number =>
    (ofMarkets.get(market) ?? []).reduce(
      (last, fill) => (fill.time < time && fill.time > last ? fill.time : last),
      Number.NEGATIVE_INFINITY
    )
  const causeOf = (
    { leg, market, side, time }: ComparedFill,
    fits: (one: UnfilledOrder) => boolean
  ): Cause | null => {
    const found = unfilled.findLast(
      (one) =>
        !spent.has(one) &&
        one.market === market &&
        one.side === side &&
        one.leg === leg &&
        one.time < time &&
        fits(one)
    )
    if (found === undefined) return null
    spent.add(found)
    return found.cause
  }
  /** The cause of an entry that was never ordered; it might have rested at a price for long. */
  const passedOverCause = ({ leg, market, side, time }: ComparedFill, since: number) => {
    if (leg !== "entry") return null
    const found = [...passed].findLast(
      (one) => one.market === market && one.side === side && one.time >= since && one.time < time
    )
    if (found === undefined) return null
    passed.delete(found)
    return found.cause
  }
  /** The cause of a missing fill while the bot waits for all of what the backtest has filled. */
  const waited = ({ market, time }: ComparedFill): Cause | null =>
    unfilled.findLast(
      (one) =>
        one.market === market && (spent.has(one) || isFillingOn(one, time)) && isOpenAt(one, time)
    )?.cause ?? null
  const named = (fill: ComparedFill): Cause | null => {
    const before = lastBefore(fill.market, fill.time)
    // Until a bot hears that an entry was refused, it orders no other one.
    const refusal = causeOf(
      fill,
      ({ cause, overTime, time }) =>
        cause === "refusal" && Math.max(time, overTime ?? time) >= before
    )
    if (refusal !== null) return refusal
    const never = passedOverCause(fill, before)
    if (never !== null) return never
    const isAt = ({ after, until }: Stretch, at: number) => at > after && at <= until
    if (missed.some((one) => isAt(one, fill.since) || isAt(one, fill.time))) return "missed_candle"
    // A bot that may not enter orders nothing, and takes entries back that rest.
    const since = fill.leg === "entry" ? fill.since : fill.time
    const isKept = ({ after, until }: Stretch) => fill.time > after && since <= until
    if (heldBack.some(isKept)) return "command"
    if (barred.some(isKept)) return "refusal"
    // An order with a price may rest for long before the fill that it lacks.
    return causeOf(
      fill,
      ({ cause, filledTime, time }) =>
        cause !== "refusal" && time < fill.time && (filledTime === null || filledTime > fill.time)
    )
  }
  return { named, waited }
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
  return (until: number): void => {
    while (next < fills.length && fills[next]!.fill.time < until) {
      const { fill, of } = fills[next++]!
      const held = holdings.get(fill.market) ?? { expected: 0, realized: 0, largest: 0 }
      held[of] += fill.side * fill.quantity
      if (fill.coolsUntil !== null) course.cools[of].set(fill.market, fill.coolsUntil)
      held.largest = Math.max(held.largest, Math.abs(held.expected), Math.abs(held.realized))
      holdings.set(fill.market, held)
      if (fills[next]?.fill.time !== fill.time) endFlat(fill.time)
    }
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
  const lateMs = realized!.time - expected!.time
  if (price !== 0n || lateMs !== 0) {
    const cause = lateMs > 0 ? "delay" : "slippage"
    if (!course.ofMarket.has(market)) course.ofMarket.set(market, cause)
    course.last = cause
    if (price !== 0n) found.push({ ...about, cause, steps: price })
  }
  const fee = expectedFee - piece.realizedFee
  if (fee === 0n) return found
  course.last = "fee"
  return [...found, { ...about, cause: "fee", steps: fee }]
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

/** Finds the cause of every difference, oldest first. @category comparisons @since 0.1.0 */
export const findCauses = (
  comparison: Comparison,
  pieces: ReadonlyArray<Piece>
): ReadonlyArray<FillDifference> => {
  const { named, waited } = recordsOf(comparison)
  const cools = { expected: new Map(), realized: new Map() }
  const course: Course = { ofMarket: new Map(), over: new Map(), cools, last: null }
  const follow = makeFollower(comparison, pieces, course)

  const ownCause = ({ expected, realized, rest }: Piece): Cause | null => {
    if (expected === null) return causeOfExtra(realized!)
    if (rest === "none") return named(expected)
    return rest === "of_whole" ? null : rest
  }

  /** A quantity that has no counterpart. */
  const differenceOf = (piece: Piece): FillDifference => {
    const { expected, quantity, realized } = piece
    const { leg, market, side } = (expected ?? realized)!
    const own = ownCause(piece)
    const earlier = own ?? followed(course, piece)
    const before = earlier ?? waited((expected ?? realized)!)
    const alone = before === null && expected === null ? causeOfAlone(realized!) : null
    const cause = before ?? alone
    if (cause !== null && !course.ofMarket.has(market)) course.ofMarket.set(market, cause)
    if (own !== null || alone !== null) course.last = cause
    return {
      cause,
      follows: own === null && before !== null,
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
      differences.push(...differencesOfPair(piece, course))
    } else {
      differences.push(differenceOf(piece))
    }
  }
  return differences
}
