/**
 * The course of the differences between both sides: where each began, and when it is over.
 *
 * A difference has an effect on a market until both sides agree there. They agree once they open
 * the same position while no other market differs. It is the same if both held nothing, and one
 * decision fills in one candle at one price. From then on it changes no order, but the size of one
 * where sizes depend on equity.
 *
 * @since 0.1.0
 */
import type { Cause } from "./Cause.ts"
import type { ComparedFill, Comparison } from "./Comparison.ts"
import { marketOfPiece, type Piece, timeOf } from "./pairFills.ts"
import type { RestingEntries } from "./restingEntries.ts"

/** A difference under way in a market. @category models @since 0.1.0 */
export interface Ongoing {
  readonly cause: Cause
  /** Whether both hold the same position there, if not the same quantity of it. */
  readonly isOfSize: boolean
}

/** The candles of a market from a time on, at whose closes something holds. */
interface Span {
  readonly market: number
  readonly from: number
  /** The first candle after them; Infinity as long as it is unknown. */
  until: number
}

/** The known facts of the differences so far. @category models @since 0.1.0 */
export interface Course {
  /** The first difference in each market since both held nothing there. */
  readonly ofMarket: Map<number, Ongoing>
  /** The first cause of each market before both held nothing there, and when that was over. */
  readonly over: Map<number, { readonly cause: Cause; readonly time: number }>
  /** Until when the cooldown of each side lets no entry of a market fill. */
  readonly cools: Record<"expected" | "realized", Map<number, number>>
  /** The first candle of the newest order in which both sides of a market agreed. */
  readonly agreed: Map<number, number>
  /** When differences were under way that concern more than sizes, oldest first. */
  readonly spans: Array<Span & { readonly cause: Cause }>
  /** When one side alone held a position, oldest first. */
  readonly apart: Array<Span>
  /** The newest cause that came of nothing earlier, and when. */
  last: Cause | null
  lastTime: number
}

/** A course in which nothing has differed yet. @category constructors @since 0.1.0 */
export const makeCourse = (): Course => ({
  ofMarket: new Map(),
  over: new Map(),
  cools: { expected: new Map(), realized: new Map() },
  agreed: new Map(),
  spans: [],
  apart: [],
  last: null,
  lastTime: Number.NEGATIVE_INFINITY
})

const openSpan = <S extends Span>(spans: ReadonlyArray<S>, market: number): S | undefined =>
  spans.findLast((span) => span.market === market && span.until === Number.POSITIVE_INFINITY)

const endSpan = (spans: ReadonlyArray<Span>, market: number, time: number): void => {
  const span = openSpan(spans, market)
  if (span !== undefined) span.until = time
}

/** Begins the effect of a difference on a market. @category comparisons @since 0.1.0 */
export const beginDifference = (
  { ofMarket, spans }: Course,
  market: number,
  ongoing: Ongoing,
  time: number
): void => {
  ofMarket.set(market, ongoing)
  endSpan(spans, market, time)
  if (ongoing.isOfSize) return
  spans.push({ market, cause: ongoing.cause, from: time, until: Number.POSITIVE_INFINITY })
}

type Side = "expected" | "realized"

/** The holdings of both, to find when they agree again. */
interface Holding {
  /** The fill that opened what the backtest holds. */
  opener: ComparedFill | null
  expected: number
  realized: number
  largest: number
}

const nothingHeld: Holding = { opener: null, expected: 0, realized: 0, largest: 0 }

interface SideFill {
  readonly fill: ComparedFill
  readonly of: Side
}

const restMax = 1e-9

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

/** Whether both sides filled the same entry, or it is a rest that such a pair has left. */
const isSameEntry = ({ expected, met, realized, rest }: Piece): boolean => {
  const wanted = expected ?? met
  const made = realized ?? met
  if (wanted === null || made === null) return false
  const isSame =
    wanted.decision !== null &&
    wanted.decision === made.decision &&
    wanted.time === made.time &&
    wanted.price === made.price
  return isSame && (rest === "none" || rest === "of_whole")
}

/**
 * The first candle of the order by which both sides enter a market in a candle. It is null where
 * one of them makes an entry of its own there.
 */
const makeSameEntry = (pieces: ReadonlyArray<Piece>) => {
  const keyOf = (market: number, time: number) => `${market} ${time}`
  const entries = pieces.filter(({ expected, realized }) => (expected ?? realized)!.leg === "entry")
  const ofCandles = Map.groupBy(entries, (piece) => keyOf(marketOfPiece(piece), timeOf(piece)))
  return (market: number, time: number): number | null => {
    const found = ofCandles.get(keyOf(market, time)) ?? []
    if (found.length === 0 || !found.every(isSameEntry)) return null
    return Math.min(...found.map(({ expected, realized }) => (expected ?? realized)!.since))
  }
}

/** The same position that both sides open in a candle. */
interface Opening {
  readonly market: number
  /** The first candle in which its order might have filled. */
  readonly since: number
  /** Whether both open the same quantity. */
  readonly isEven: boolean
  /** Whether neither closes another position in the candle first. */
  readonly isFirst: boolean
}

const sides = ["expected", "realized"] as const

const sumOf = (fills: ReadonlyArray<SideFill>): number =>
  fills.reduce((sum, { fill }) => sum + fill.side * fill.quantity, 0)

/** Finds the markets whose sides open the same position in a candle. */
const makeOpenings = (
  { lasting }: Comparison,
  pieces: ReadonlyArray<Piece>,
  holdings: ReadonlyMap<number, Holding>
) => {
  const sameEntry = makeSameEntry(pieces)
  const waits = makeWaits(pieces)
  return (at: number, fills: ReadonlyArray<SideFill>): ReadonlyArray<Opening> => {
    if (lasting === "everything") return []
    const ofMarkets = Map.groupBy(fills, ({ fill }) => fill.market)
    return [...ofMarkets].flatMap(([market, own]) => {
      const since = sameEntry(market, at)
      if (since === null || waits(market, at)) return []
      const held = holdings.get(market) ?? { expected: 0, realized: 0, largest: 0 }
      const isNone = (quantity: number) => Math.abs(quantity) <= held.largest * restMax
      const exits = own.filter(({ fill }) => fill.leg !== "entry")
      const isFirst = sides.every((side) => isNone(held[side]))
      const isNew = sides.every((side) =>
        isNone(held[side] + sumOf(exits.filter(({ of }) => of === side)))
      )
      if (!isFirst && !isNew) return []
      const entries = own.filter(({ fill }) => fill.leg === "entry")
      const [one, other] = sides.map((side) => sumOf(entries.filter(({ of }) => of === side)))
      return [
        { market, since, isEven: Math.abs(one! - other!) <= Math.abs(one!) * restMax, isFirst }
      ]
    })
  }
}

/** Ends the effect of earlier differences on a market whose sides have opened the same position. */
const agree = (
  { lasting }: Comparison,
  { agreed, lastTime, ofMarket, over, spans }: Course,
  { isEven, market, since }: Opening
): void => {
  const differs = [...ofMarket].some(([other, { isOfSize }]) => other !== market && !isOfSize)
  if (differs || lastTime >= since || (!isEven && lasting === "nothing")) return
  agreed.set(market, since)
  over.delete(market)
  const ongoing = ofMarket.get(market)
  if (ongoing === undefined) return
  endSpan(spans, market, since)
  if (isEven) ofMarket.delete(market)
  else ofMarket.set(market, { ...ongoing, isOfSize: true })
}

/** Whether one side may enter a market from a candle on, and the other side still waits. */
const coolApart = ({ cools }: Course, market: number, time: number): boolean => {
  const [one, other] = sides.map((side) => cools[side].get(market) ?? Number.NEGATIVE_INFINITY)
  return one !== other && Math.max(one!, other!) >= time
}

/** Notes where one side alone holds a position once a candle is over. */
const noteApart = (
  { apart }: Course,
  holdings: ReadonlyMap<number, Holding>,
  time: number
): void => {
  for (const [market, held] of holdings) {
    const [one, other] = sides.map((side) => Math.abs(held[side]) > held.largest * restMax)
    if (one === other) endSpan(apart, market, time)
    else if (openSpan(apart, market) === undefined) {
      apart.push({ market, from: time, until: Number.POSITIVE_INFINITY })
    }
  }
}

/**
 * The cause of a difference that was under way in another market at a close; or null. One side
 * alone held a position there, or entries rested that did not rest on the other.
 *
 * @category accessors
 * @since 0.1.0
 */
export const apartBeside = (
  { apart, spans }: Course,
  { differAfter }: Pick<RestingEntries, "differAfter">,
  own: number,
  time: number
): Cause | null => {
  const isAt = ({ from, until }: Span) => from <= time && time < until
  const isApart = (market: number) => apart.some((one) => one.market === market && isAt(one))
  const found = spans.findLast(
    (span) =>
      span.market !== own && isAt(span) && (isApart(span.market) || differAfter(span.market, time))
  )
  return found?.cause ?? null
}

/** Ends the course of each market where both hold nothing and wait for the same. */
const endFlat = (
  { ofMarket, over, spans }: Course,
  holdings: Map<number, Holding>,
  time: number,
  waits: (market: number) => boolean
): void => {
  for (const [market, { expected, largest, realized }] of holdings) {
    if (Math.max(Math.abs(expected), Math.abs(realized)) > largest * restMax) continue
    if (waits(market)) continue
    const ongoing = ofMarket.get(market)
    if (ongoing === undefined || ongoing.isOfSize) over.delete(market)
    else over.set(market, { cause: ongoing.cause, time })
    ofMarket.delete(market)
    endSpan(spans, market, time)
    holdings.delete(market)
  }
}

/**
 * Follows both holdings up to a time, each by its own fills. The course of a market ends whenever
 * both hold nothing there, and wait for the same: for entries that rest, the end of a cooldown, or
 * no fill that the other has had.
 *
 * @category comparisons
 * @since 0.1.0
 */
export const makeFollower = (
  comparison: Comparison,
  pieces: ReadonlyArray<Piece>,
  course: Course,
  { differAfter, differIn }: RestingEntries
) => {
  const holdings = new Map<number, Holding>()
  const fills: ReadonlyArray<SideFill> = [
    ...comparison.expected.map((fill) => ({ fill, of: "expected" as const })),
    ...comparison.realized.map((fill) => ({ fill, of: "realized" as const }))
  ]
  const candles = [...Map.groupBy(fills, ({ fill }) => fill.time)].toSorted(
    ([one], [other]) => one - other
  )
  let next = 0
  let reached = Number.NEGATIVE_INFINITY
  const waits = makeWaits(pieces)
  const openings = makeOpenings(comparison, pieces, holdings)
  const shared = new Set(pieces.flatMap((one) => (one.realized === null ? [] : [one.expected])))
  const take = ({ fill, of }: SideFill): void => {
    const held = holdings.get(fill.market) ?? { ...nothingHeld }
    if (of === "expected" && Math.abs(held.expected) <= held.largest * restMax) held.opener = fill
    held[of] += fill.side * fill.quantity
    if (fill.coolsUntil !== null) course.cools[of].set(fill.market, fill.coolsUntil)
    held.largest = Math.max(held.largest, Math.abs(held.expected), Math.abs(held.realized))
    holdings.set(fill.market, held)
  }
  const follow = (until: number): void => {
    while (next < candles.length && candles[next]![0] < until) {
      const [time, ofCandle] = candles[next++]!
      const opened = openings(time, ofCandle).filter(({ isFirst }) => !isFirst)
      for (const one of ofCandle) take(one)
      for (const one of opened) agree(comparison, course, one)
      noteApart(course, holdings, time)
      const differs = (market: number) =>
        differAfter(market, time) || coolApart(course, market, time + 1)
      endFlat(course, holdings, time, (market) => waits(market, time) || differs(market))
    }
    const last = candles[next - 1]?.[0] ?? Number.NEGATIVE_INFINITY
    const differs = (market: number) => differIn(market, until) || coolApart(course, market, until)
    endFlat(course, holdings, until - 1, (market) => waits(market, last) || differs(market))
    const [time, ofCandle] = candles[next] ?? []
    if (time !== until || time === reached) return
    reached = time
    // Nothing is over in this candle that might have an effect on the position.
    for (const one of openings(time, ofCandle!)) if (one.isFirst) agree(comparison, course, one)
  }
  const entered = Map.groupBy(
    fills.filter(({ fill, of }) => of === "realized" && fill.leg === "entry"),
    ({ fill }) => `${fill.market} ${fill.time}`
  )
  /** The quantity that the bot enters in a market in a candle, negative for a short. */
  const enteredIn = (market: number, time: number): number =>
    sumOf(entered.get(`${market} ${time}`) ?? [])
  /**
   * Whether a fill depends on a position that the bot does not have. It closes one that the bot
   * does not hold and does not enter in its candle, or adds to one that the bot never opened.
   */
  const isOfLacking = ({ leg, market, side, time }: ComparedFill): boolean => {
    if (!course.ofMarket.has(market)) return false
    const { expected, largest, opener, realized } = holdings.get(market) ?? nothingHeld
    const rest = largest * restMax
    if (leg !== "entry") return -side * (realized + enteredIn(market, time)) <= rest
    return side * expected > rest && !shared.has(opener)
  }
  return { follow, isOfLacking }
}
