/**
 * The number of candles until one may change something of a market, and the candles up to there.
 *
 * A host that looks at prices itself takes a matcher past them at once.
 *
 * @since 0.1.0
 */
import { enterMatcher } from "./matcherRecords.ts"
import * as layout from "./matcherLayout.ts"
import { attachBlock, type MatcherBlock } from "./memory.ts"
import { netHeld, ruinOf } from "./quietCandle.ts"
import { raiseFrom } from "./protectLots.ts"
import * as stage from "./stageLayout.ts"
import { watchQueue } from "./watchedRange.ts"

/** A candle within these bounds changes nothing of a market. */
export interface QuietStretch {
  /** The low of a candle is above this price. */
  readonly below: number
  /** The high of a candle is below this price. */
  readonly above: number
  /** The index of a candle, as the matcher counts, is below this one. */
  readonly dueIndex: number
  /** A candle opens before this time. */
  readonly dueTime: number
  /** Units that are held; units of a short are negative. */
  readonly held: number
  /** Whether an order rests that a host placed. */
  readonly hasOrder: boolean
}

/** The time at which the position pays funding again, or infinity. */
const fundingTime = ({ doubles }: MatcherBlock, market: number): number => {
  const interval = doubles[(market + stage.fundingIntervalAt) >> 3]!
  if (interval === 0 || doubles[(market + stage.fundingRateAt) >> 3] === 0) return Infinity
  const last = doubles[(market + stage.lastTimeAt) >> 3]!
  return (Math.floor(last / interval) + 1) * interval
}

/** The price from which on a candle moves a stop of a market's lots, the long or the short ones. */
const raiseOf = ({ doubles, words }: MatcherBlock, market: number, side: 1 | -1): number => {
  const from = words[layout.lotsAt >> 2]!
  let nearest = side * Infinity
  for (let slot = words[(market + layout.firstLotAt) >> 2]!; slot !== layout.none;) {
    const lot = from + slot
    slot = words[(lot + layout.nextLotAt) >> 2]!
    const moves = words[(lot + layout.movesAt) >> 2]!
    if (moves === 0 || doubles[(lot + layout.heldAt) >> 3]! > 0 !== side > 0) continue
    const raise = raiseFrom(market, lot, moves, side)
    nearest = side === 1 ? Math.min(nearest, raise) : Math.max(nearest, raise)
  }
  return nearest
}

/**
 * The bounds of a market; the bounds of a held market count while the other markets stay as they
 * are.
 */
export const readStretch = (block: MatcherBlock, market: number): QuietStretch => {
  attachBlock(block)
  enterMatcher(0)
  const { doubles, words } = block
  if (words[(market + layout.isWatchedAt) >> 2] === 0) watchQueue(market)
  const held = netHeld(market)
  // NaN differs from itself.
  const ruin = held === 0 ? Number.NaN : ruinOf(market)
  const isRuined = !Number.isNaN(ruin)
  const watchedBelow = doubles[(market + layout.watchedBelowAt) >> 3]!
  const watchedAbove = doubles[(market + layout.watchedAboveAt) >> 3]!
  // Candles that only move a stop skip the stages, and a host still has to show them.
  const below = Math.max(watchedBelow, raiseOf(block, market, -1))
  const above = Math.min(watchedAbove, raiseOf(block, market, 1))
  const dueTime = doubles[(market + stage.dueTimeAt) >> 3]!
  return {
    below: isRuined && held > 0 ? Math.max(below, ruin) : below,
    above: isRuined && held < 0 ? Math.min(above, ruin) : above,
    dueIndex: words[(market + layout.dueAt) >> 2]!,
    dueTime: held === 0 ? dueTime : Math.min(dueTime, fundingTime(block, market)),
    held,
    hasOrder: words[(market + stage.ownOrderCountAt) >> 2]! > 0
  }
}

/**
 * Takes a market past so many candles that change nothing; the last opened and closed there, and
 * orders may be filled at its close.
 */
export const passStretch = (
  { doubles, words }: MatcherBlock,
  market: number,
  count: number,
  time: number,
  close: number
): void => {
  words[(market + layout.candleIndexAt) >> 2]! += count
  doubles[(market + layout.timeAt) >> 3] = time
  doubles[(market + stage.lastTimeAt) >> 3] = time
  doubles[(market + stage.lastCloseAt) >> 3] = close
}
