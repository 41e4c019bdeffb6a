/**
 * Causes of missing fills, as the records of a bot name them.
 *
 * The order of the same decision comes first: its end is what became of the fill. Then come the
 * entries that the bot passed over, and the stretches in which it was kept from acting.
 *
 * @since 0.1.0
 */
import type { Cause } from "./Cause.ts"
import type {
  ComparedFill,
  Comparison,
  LackingOrder,
  Stretch,
  UnfilledOrder
} from "./Comparison.ts"
import { purposeOf } from "./pairFills.ts"
import type { RestingEntries } from "./restingEntries.ts"

/** The causes that a bot's records name for fills. @category models @since 0.1.0 */
export interface NamedCauses {
  /**
   * The cause of a fill that is missing, or null. Orders of other decisions that were over before
   * `clearedAt` are left out.
   */
  readonly named: (fill: ComparedFill, clearedAt: number) => Cause | null
  /** Whether a fill depends on a candle that the bot never processed. */
  readonly isMissed: (fill: ComparedFill) => boolean
  /** Why the bot lacks another entry, which rests in the backtest as the bot enters; or null. */
  readonly renewed: (fill: ComparedFill) => Cause | null
  /** The backtest's order of the decision of a fill, where it lacks something; or null. */
  readonly lacking: (fill: ComparedFill) => LackingOrder | null
  /** Whether the backtest has filled some of the order of a fill's decision. */
  readonly isFilled: (fill: ComparedFill) => boolean
  /** The cause of a missing fill while the bot waits for all of what the backtest has filled. */
  readonly waited: (fill: ComparedFill) => Cause | null
  /** The cause for which the bot never filled the decision of a fill, but another one; or null. */
  readonly replaced: (fill: ComparedFill) => Cause | null
  /**
   * The newest record of something that disturbed the bot before a fill, or null. Records that were
   * over before `clearedAt` are left out.
   */
  readonly newest: (
    fill: ComparedFill,
    clearedAt: number
  ) => { readonly cause: Cause; readonly time: number } | null
}

/** Whether an order of a bot was not over before a candle. */
const lastsUntil = ({ filledTime, isOpen, overTime, time }: UnfilledOrder, at: number): boolean =>
  isOpen || at <= Math.max(filledTime ?? time, overTime ?? time)

/** Whether an order of a bot was open still in a candle. */
const isOpenAt = (order: UnfilledOrder, at: number): boolean =>
  order.time < at && lastsUntil(order, at)

/** Whether an order asks for a fill: an exit at a price that takes a profit is an exit for it. */
const isOfLeg = (order: UnfilledOrder, { decision, leg }: ComparedFill): boolean => {
  if (purposeOf(order.leg) === purposeOf(leg)) return true
  // A stop and a target have the decision of their entry, and no other exit has.
  const isOwn = decision !== null && order.decision === decision
  return isOwn && order.leg === "exit" && leg === "take_profit"
}

const lacks = ({ filledTime }: UnfilledOrder, at: number): boolean =>
  filledTime === null || filledTime > at

/** Whether an entry had its first part before a candle; no backtest fills in parts. */
const isFillingOn = ({ filledTime, leg }: UnfilledOrder, at: number): boolean =>
  leg === "entry" && filledTime !== null && filledTime < at

const isIn = ({ after, until }: Stretch, at: number): boolean => at > after && at <= until

/** The stretches with their causes, those of a bot at rest first. */
const stretchesOf = ({ atRest, barred, heldBack, missed }: Comparison) => [
  ...atRest.map((stretch) => ({ ...stretch, cause: "command" as const })),
  ...heldBack.map((stretch) => ({ ...stretch, cause: "command" as const })),
  ...missed.map((stretch) => ({ ...stretch, cause: "missed_candle" as const })),
  ...barred.map((stretch) => ({ ...stretch, cause: "refusal" as const }))
]

/** The last fill of either side in a market before a time. */
const makeLastBefore = ({ expected, realized }: Comparison) => {
  const ofMarkets = Map.groupBy([...expected, ...realized], ({ market }) => market)
  return (market: number, time: number): number =>
    (ofMarkets.get(market) ?? []).reduce(
      (last, fill) => (fill.time < time && fill.time > last ? fill.time : last),
      Number.NEGATIVE_INFINITY
    )
}

/** The newest record before a fill. */
const makeNewest = (comparison: Comparison): NamedCauses["newest"] => {
  const { passedOver, realized, unfilled } = comparison
  const records = [
    ...stretchesOf(comparison).map(({ after, cause, until }) => ({ cause, time: after, until })),
    ...passedOver.map(({ cause, time }) => ({ cause, time, until: time })),
    ...unfilled.flatMap(({ cause, overTime, time }) =>
      cause === "command" ? [{ cause, time, until: overTime ?? time }] : []
    ),
    ...realized.flatMap(({ isCommanded, time }) =>
      isCommanded ? [{ cause: "command" as const, time, until: time }] : []
    )
  ].toSorted((one, other) => one.time - other.time)
  return ({ time }, clearedAt) =>
    records.findLast((one) => one.time < time && one.until >= clearedAt) ?? null
}

/** The cause of a decision that the bot never filled. */
const makeReplaced = (comparison: Comparison): NamedCauses["replaced"] => {
  const stretches = stretchesOf(comparison)
  const unfilled = comparison.unfilled.filter(
    ({ cause, filledTime }) => cause !== "delay" && filledTime === null
  )
  return ({ decision, leg, market, side, since }) => {
    const order = unfilled.find(
      (one) =>
        one.decision === decision &&
        one.market === market &&
        one.side === side &&
        purposeOf(one.leg) === purposeOf(leg)
    )
    if (order !== undefined) return order.cause
    return leg === "entry" ? (stretches.find((one) => isIn(one, since))?.cause ?? null) : null
  }
}

/** The cause of an order whose fill the bot waits for, among those that named a cause before. */
const makeWaited =
  ({ unfilled }: Comparison, spent: ReadonlySet<UnfilledOrder>): NamedCauses["waited"] =>
  ({ market, time }) =>
    unfilled.findLast(
      (one) =>
        one.market === market && (spent.has(one) || isFillingOn(one, time)) && isOpenAt(one, time)
    )?.cause ?? null

const keyOf = (market: number, decision: string) => `${market} ${decision}`

/** Finds out whether the backtest has filled some of a decision. */
const makeIsFilled = ({ expected }: Comparison): NamedCauses["isFilled"] => {
  const filled = new Set(
    expected.flatMap(({ decision, market }) => (decision === null ? [] : [keyOf(market, decision)]))
  )
  return ({ decision, market }) => decision !== null && filled.has(keyOf(market, decision))
}

/** Finds the backtest's order of a decision that lacks something. */
const makeLacking = ({ lacking }: Comparison): NamedCauses["lacking"] => {
  const orders = new Map(lacking.map((one) => [keyOf(one.market, one.decision), one]))
  return ({ decision, market }) =>
    decision === null ? null : (orders.get(keyOf(market, decision)) ?? null)
}

/** The cause of an entry that a bot ordered in place of one that rests in the backtest. */
const makeRenewed = (comparison: Comparison, entries: RestingEntries): NamedCauses["renewed"] => {
  const { passedOver } = comparison
  const stretches = stretchesOf(comparison)
  return (fill) => {
    if (fill.leg !== "entry") return null
    return entries.lacked(fill, ({ decidedTime, market }) => {
      const never = passedOver.find((one) => one.market === market && one.time === decidedTime)
      if (never !== undefined) return never.cause
      const isKept = ({ after, until }: Stretch) => after <= decidedTime && decidedTime < until
      return stretches.find(isKept)?.cause ?? null
    })
  }
}

/** The cause of an entry that was never ordered; it might have rested at a price for long. */
const makePassedOver = ({ passedOver }: Comparison) => {
  const passed = new Set(passedOver)
  return ({ leg, market, side, time }: ComparedFill, since: number): Cause | null => {
    if (leg !== "entry") return null
    const found = [...passed].findLast(
      (one) => one.market === market && one.side === side && one.time >= since && one.time < time
    )
    if (found === undefined) return null
    passed.delete(found)
    return found.cause
  }
}

/** Looks causes up in the records of a bot. @category comparisons @since 0.1.0 */
export const readCauses = (comparison: Comparison, entries: RestingEntries): NamedCauses => {
  const { atRest, barred, heldBack, missed, unfilled } = comparison
  const spent = new Set<UnfilledOrder>()
  const passedOverCause = makePassedOver(comparison)
  const lastBefore = makeLastBefore(comparison)
  const causeOf = (fill: ComparedFill, fits: (one: UnfilledOrder) => boolean): Cause | null => {
    const { market, side, time } = fill
    const found = unfilled.findLast(
      (one) =>
        !spent.has(one) &&
        one.market === market &&
        one.side === side &&
        isOfLeg(one, fill) &&
        one.time < time &&
        fits(one)
    )
    if (found === undefined) return null
    spent.add(found)
    return found.cause
  }
  const isMissed = ({ since, time }: ComparedFill): boolean =>
    missed.some((one) => isIn(one, since) || isIn(one, time))
  const named = (fill: ComparedFill, clearedAt: number): Cause | null => {
    const { decision, leg, since, time } = fill
    const own = causeOf(
      fill,
      (one) => one.decision === decision && decision !== null && lacks(one, time)
    )
    if (own !== null) return own
    const before = lastBefore(fill.market, time)
    // Until a bot hears that an entry was refused, it orders no other one.
    const refusal = causeOf(
      fill,
      (one) => one.cause === "refusal" && Math.max(one.time, one.overTime ?? one.time) >= before
    )
    if (refusal !== null) return refusal
    const never = passedOverCause(fill, before)
    if (never !== null) return never
    // A bot that may not enter orders nothing, and takes entries back that rest.
    const first = leg === "entry" ? since : time
    const isKept = ({ after, until }: Stretch) => time > after && first <= until
    if (atRest.some(isKept)) return "command"
    if (isMissed(fill)) return "missed_candle"
    if (leg === "entry" && heldBack.some(isKept)) return "command"
    if (barred.some(isKept)) return "refusal"
    // An order with a price may rest for long before the fill that it lacks, and beside its order.
    const isBeside = (one: UnfilledOrder) => one.overTime === null || lastsUntil(one, since)
    const mayEnd = (one: UnfilledOrder) =>
      one.cause !== "refusal" && lastsUntil(one, clearedAt) && isBeside(one)
    const ended = causeOf(fill, (one) => mayEnd(one) && lacks(one, time))
    return ended ?? (heldBack.some(isKept) ? "command" : null)
  }
  return {
    isMissed,
    isFilled: makeIsFilled(comparison),
    lacking: makeLacking(comparison),
    named,
    newest: makeNewest(comparison),
    renewed: makeRenewed(comparison, entries),
    replaced: makeReplaced(comparison),
    waited: makeWaited(comparison, spent)
  }
}
