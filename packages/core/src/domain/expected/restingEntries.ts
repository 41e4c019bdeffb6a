/**
 * The entries that rest on each side, and whether they are the same.
 *
 * A bot whose entry has ended orders another one, while the backtest waits for the first. So two
 * sides that hold nothing may still come to different fills.
 *
 * @since 0.1.0
 */
import type { Cause } from "./Cause.ts"
import type { ComparedFill, Comparison } from "./Comparison.ts"

/** An entry of one side, from its decision to the candle of its fill or its end. */
interface RestingEntry {
  readonly market: number
  readonly decision: string
  /** Open time of the candle at whose close it was decided. */
  readonly decidedTime: number
  /** Open time of the last candle in which it might fill. */
  readonly lastTime: number
}

/** An entry of a bot, which may have ended without a fill. */
interface OwnEntry extends RestingEntry {
  readonly isUnfilled: boolean
  readonly cause: Cause
}

/** The entries of both sides. @category models @since 0.1.0 */
export interface RestingEntries {
  /** Whether both sides have ordered the entry of a fill. */
  readonly areBoth: (fill: Pick<ComparedFill, "decision" | "market">) => boolean
  /** Whether the entries of a market differ that may fill in a candle. */
  readonly differIn: (market: number, time: number) => boolean
  /** Whether those differ that may fill once a candle is over. */
  readonly differAfter: (market: number, time: number) => boolean
  /** The entries of other markets that one side alone has once a candle is over, and had before. */
  readonly differing: (
    market: number,
    time: number
  ) => ReadonlyArray<Pick<RestingEntry, "decidedTime" | "market">>
  /**
   * Why the bot lacks an entry that rests in the backtest when the bot decides on another one:
   * what became of its own, or what kept the bot from it; or null.
   */
  readonly lacked: (
    fill: ComparedFill,
    passedOver: (entry: RestingEntry) => Cause | null
  ) => Cause | null
}

/** The time of a decision as it stands in its name. @category accessors @since 0.1.0 */
export const decidedTimeOf = (decision: string): number =>
  Number(/\d+/.exec(decision)?.[0] ?? Number.NaN)

/** Whether a decision is that of an entry, by the letter of its order. */
const isOfEntry = (decision: string | null): decision is string =>
  decision?.startsWith("e") === true

type Rests = (entry: RestingEntry) => boolean

const restsIn =
  (time: number): Rests =>
  ({ decidedTime, lastTime }) =>
    decidedTime < time && time <= lastTime

const restsAfter =
  (time: number): Rests =>
  ({ decidedTime, lastTime }) =>
    decidedTime <= time && time < lastTime

const ofBacktest = ({ expected, lacking }: Comparison): ReadonlyArray<RestingEntry> => {
  const filled = expected.map(({ decision, leg, market, time }) => ({
    market,
    decision: leg === "entry" ? decision : null,
    lastTime: time
  }))
  const others = lacking.map(({ decision, market, overTime }) => ({
    market,
    decision,
    lastTime: overTime ?? Number.POSITIVE_INFINITY
  }))
  return [...filled, ...others].flatMap((one) =>
    isOfEntry(one.decision)
      ? [{ ...one, decision: one.decision, decidedTime: decidedTimeOf(one.decision) }]
      : []
  )
}

const ofBot = ({ unfilled }: Comparison): ReadonlyArray<OwnEntry> =>
  unfilled.flatMap(({ cause, decision, filledTime, isOpen, leg, market, overTime, time }) => {
    if (leg !== "entry" || decision === null) return []
    const end = Math.max(filledTime ?? time, overTime ?? time)
    return [
      {
        market,
        decision,
        decidedTime: time,
        lastTime: isOpen ? Number.POSITIVE_INFINITY : end,
        isUnfilled: filledTime === null && !isOpen,
        cause
      }
    ]
  })

/**
 * Reads the entries of both sides. On paper the records of a bot have no orders but those that a
 * command ended, and nothing differs.
 *
 * @category comparisons
 * @since 0.1.0
 */
export const readRestingEntries = (comparison: Comparison): RestingEntries => {
  const { isOnPaper } = comparison
  const keyOf = ({ decision, market }: RestingEntry) => `${market} ${decision}`
  const expected = isOnPaper ? [] : ofBacktest(comparison)
  const own = isOnPaper ? [] : ofBot(comparison)
  const expectedKeys = new Set(expected.map(keyOf))
  const ownByKey = new Map(own.map((one) => [keyOf(one), one]))
  /** Whether the bot never ordered an entry, or has lost its own. */
  const isLacked = (one: RestingEntry, rests: Rests): boolean => {
    const other = ownByKey.get(keyOf(one))
    return other === undefined || (other.isUnfilled && !rests(other))
  }
  const expectedByKey = Map.groupBy(expected, keyOf)
  const hasResting = (one: RestingEntry, rests: Rests): boolean =>
    expectedByKey.get(keyOf(one))?.some(rests) ?? false
  const differ = (market: number, rests: Rests): boolean => {
    const isIn = (one: RestingEntry) => one.market === market && rests(one)
    return (
      expected.some((one) => isIn(one) && isLacked(one, rests)) ||
      own.some((one) => isIn(one) && !hasResting(one, rests))
    )
  }
  return {
    areBoth: ({ decision, market }) => {
      const key = `${market} ${decision}`
      return expectedKeys.has(key) && ownByKey.has(key)
    },
    differing: (market, time) => {
      const rests = restsAfter(time)
      const isOther = (one: RestingEntry) =>
        one.market !== market && one.decidedTime < time && rests(one)
      return [
        ...expected.filter((one) => isOther(one) && isLacked(one, rests)),
        ...own.filter((one) => isOther(one) && !expectedKeys.has(keyOf(one)))
      ]
    },
    differIn: (market, time) => differ(market, restsIn(time)),
    differAfter: (market, time) => differ(market, restsAfter(time)),
    lacked: ({ decision, market, since }, passedOver) => {
      const lackedWhere = (rests: Rests, but: string | null): Cause | null => {
        for (const one of expected) {
          if (one.market !== market || one.decision === but) continue
          if (!rests(one) || !isLacked(one, rests)) continue
          const cause = ownByKey.get(keyOf(one))?.cause ?? passedOver(one) ?? keptFrom(one)
          if (cause !== null) return cause
        }
        return null
      }
      /** The cause of the bot's own entry that rested when the backtest decided on another one. */
      const keptFrom = ({ decidedTime }: RestingEntry): Cause | null => {
        const restsThen = restsAfter(decidedTime)
        const earlier = own.find(
          (one) =>
            one.market === market &&
            one.decidedTime < decidedTime &&
            restsThen(one) &&
            !expectedKeys.has(keyOf(one))
        )
        if (earlier === undefined) return null
        return lackedWhere(restsAfter(earlier.decidedTime), earlier.decision)
      }
      return lackedWhere(restsIn(since), decision)
    }
  }
}
