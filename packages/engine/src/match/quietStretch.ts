/**
 * How far candles may go until one may change something of a market, and the candles up to there.
 *
 * A host that looks at prices itself takes a desk past them at once.
 *
 * @since 0.1.0
 */
import { enterDesk } from "./desk.ts"
import * as layout from "./deskLayout.ts"
import { attachBlock, type DeskBlock } from "./memory.ts"
import { netHeld, ruinOf } from "./quietCandle.ts"
import * as stage from "./stageLayout.ts"
import { watchQueue } from "./watchedRange.ts"

/** A candle within these bounds changes nothing of a market. */
export interface QuietStretch {
  /** Its low is above this price. */
  readonly below: number
  /** Its high is below this price. */
  readonly above: number
  /** Its index, as the desk counts, is below this one. */
  readonly dueIndex: number
  /** It opens before this time. */
  readonly dueTime: number
  /** Units that are held, those of a short less than zero. */
  readonly held: number
  /** Whether an order rests that a host placed. */
  readonly hasOrder: boolean
}

/** When what is held pays funding again, or infinity. */
const fundingTime = ({ doubles }: DeskBlock, market: number): number => {
  const interval = doubles[(market + stage.fundingIntervalAt) >> 3]!
  if (interval === 0 || doubles[(market + stage.fundingRateAt) >> 3] === 0) return Infinity
  const last = doubles[(market + stage.lastTimeAt) >> 3]!
  return (Math.floor(last / interval) + 1) * interval
}

/** The bounds of a market; those of one that is held count while the others stay as they are. */
export const readStretch = (block: DeskBlock, market: number): QuietStretch => {
  attachBlock(block)
  enterDesk(0)
  const { doubles, words } = block
  if (words[(market + layout.isWatchedAt) >> 2] === 0) watchQueue(market)
  const held = netHeld(market)
  // NaN differs from itself.
  const ruin = held === 0 ? Number.NaN : ruinOf(market)
  const isRuined = !Number.isNaN(ruin)
  const below = doubles[(market + layout.watchedBelowAt) >> 3]!
  const above = doubles[(market + layout.watchedAboveAt) >> 3]!
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

/** Takes a market past so many candles that change nothing; the last opened and closed there. */
export const passStretch = (
  { doubles, words }: DeskBlock,
  market: number,
  count: number,
  time: number,
  close: number
): void => {
  words[(market + layout.indexAt) >> 2]! += count
  doubles[(market + stage.lastTimeAt) >> 3] = time
  doubles[(market + stage.lastCloseAt) >> 3] = close
}
