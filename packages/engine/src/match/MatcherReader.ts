/**
 * The readers' view of a matcher: its worth, its lots, and the orders that rest in it.
 *
 * Reading changes nothing, and may come between any two candles.
 *
 * @since 0.1.0
 */
import * as codes from "./matcherCodes.ts"
import * as layout from "./matcherLayout.ts"
import {
  type LotExits,
  type HeldLot,
  type QueuedOrder,
  readEntries,
  readLotExits,
  readLots,
  readResting,
  type RestingRecord,
  type Tags
} from "./matcherViews.ts"
import { attachBlock, type MatcherBlock } from "./memory.ts"
import { committedNotional, equityNow, openNotional } from "./settleMatcher.ts"
import * as stage from "./stageLayout.ts"

/** The state of a matcher, read from its block of bytes. */
export class MatcherReader {
  protected block: MatcherBlock

  protected constructor(block: MatcherBlock) {
    this.block = block
  }

  /** Cash, without lots. */
  get cash(): number {
    return this.block.doubles[layout.cashAt >> 3]!
  }

  /** Fees of all fills. */
  get feesPaid(): number {
    return this.block.doubles[layout.feesPaidAt >> 3]!
  }

  /** Results of all closings, net of fees. */
  get realizedPnl(): number {
    return this.block.doubles[layout.realizedPnlAt >> 3]!
  }

  /** Notional of all fills. */
  get turnover(): number {
    return this.block.doubles[layout.turnoverAt >> 3]!
  }

  /** Funding that lots paid, less the funding that they got. */
  get fundingPaid(): number {
    return this.block.doubles[stage.fundingPaidAt >> 3]!
  }

  /** Candles in which the end of a lot depends on the path of prices inside them. */
  get ambiguousCount(): number {
    return this.block.words[stage.ambiguousCountAt >> 2]!
  }

  /** Whether a lot was held after the open in any of the candles that were shown last. */
  get isHeld(): boolean {
    return this.block.words[stage.isHeldAt >> 2] === 1
  }

  /** Cash and all lots, at their last closes. */
  get equity(): number {
    attachBlock(this.block)
    return equityNow(0)
  }

  /** Notional of all lots, at their last closes. */
  get openNotional(): number {
    attachBlock(this.block)
    return openNotional(0)
  }

  /** Notional of all lots, and of entries that rest in the other markets. */
  committedNotional(market: number): number {
    attachBlock(this.block)
    return committedNotional(0, market)
  }

  /** Candle in which the last lot of a market was closed, and whether by a stop. */
  lastExit(market: number): { readonly index: number; readonly wasStopped: boolean } | null {
    const from = marketOffset(market)
    const index = this.block.words[(from + stage.lastExitIndexAt) >> 2]!
    if (index === layout.none) return null
    return { index, wasStopped: this.block.words[(from + stage.wasStoppedAt) >> 2] === 1 }
  }

  /** The number of open lots, in all markets. */
  get lotCount(): number {
    return this.block.words[layout.lotCountAt >> 2]!
  }

  /** The number of log rows that are not drained yet. */
  get rowCount(): number {
    return this.block.words[layout.logCountAt >> 2]!
  }

  /** The last id that was given. */
  get lastId(): number {
    return this.block.words[layout.lastIdAt >> 2]!
  }

  /** The number of markets. */
  get marketCount(): number {
    return this.block.words[layout.marketCountAt >> 2]!
  }

  /** Whether a lot is open in a market. */
  hasLot(market: number): boolean {
    return this.block.words[(marketOffset(market) + layout.firstLotAt) >> 2] !== layout.none
  }

  /** Whether any order rests in a market: entries, exits, or stops and targets of lots. */
  hasOrder(market: number): boolean {
    return this.block.words[(marketOffset(market) + layout.firstOrderAt) >> 2] !== layout.none
  }

  /** Index of the candle in which the oldest lot of a market was opened; there must be one. */
  entryIndex(market: number): number {
    const { words } = this.block
    const slot = words[(marketOffset(market) + layout.firstLotAt) >> 2]!
    return words[(words[layout.lotsAt >> 2]! + slot + layout.entryIndexAt) >> 2]!
  }

  /** Units of all lots of a market; units of shorts are negative. */
  heldQuantity(market: number): number {
    const { doubles, words } = this.block
    const from = words[layout.lotsAt >> 2]!
    let held = 0
    let slot = words[(marketOffset(market) + layout.firstLotAt) >> 2]!
    while (slot !== layout.none) {
      held += doubles[(from + slot + layout.heldAt) >> 3]!
      slot = words[(from + slot + layout.nextLotAt) >> 2]!
    }
    return held
  }

  /** The number of entries that rest in a market. */
  restingEntryCount(market: number): number {
    const { words } = this.block
    const from = words[layout.ordersAt >> 2]!
    let count = 0
    let slot = words[(marketOffset(market) + layout.firstOrderAt) >> 2]!
    while (slot !== layout.none) {
      if (words[(from + slot + layout.legAt) >> 2] === codes.entryLeg) count++
      slot = words[(from + slot + layout.nextOrderAt) >> 2]!
    }
    return count
  }

  /** Candles of a market that were shown, less one. */
  index(market: number): number {
    return this.block.words[(marketOffset(market) + layout.candleIndexAt) >> 2]!
  }

  /** Close of the last candle of a market that is over, or null before the first. */
  lastClose(market: number): number | null {
    return orNull(this.block.doubles[(marketOffset(market) + stage.lastCloseAt) >> 3]!)
  }

  /** Open time of the last candle of a market that is over, or null before the first. */
  lastTime(market: number): number | null {
    return orNull(this.block.doubles[(marketOffset(market) + stage.lastTimeAt) >> 3]!)
  }

  /** Whether each entry opens a lot of its own. */
  get hasSeparateLots(): boolean {
    return this.block.words[layout.nettingAt >> 2] === codes.opensBeside
  }

  /** Open lots of a market, the oldest first. */
  lots(market: number, tags: Tags): ReadonlyArray<HeldLot> {
    return readLots(this.block, market, tags)
  }

  /** The protective exits of a market's lots, the oldest first. */
  exits(market: number): ReadonlyArray<LotExits> {
    return readLotExits(this.block, market)
  }

  /** Entries at rest, in the order in which they were placed. */
  entries(market: number, tags: Tags): ReadonlyArray<QueuedOrder> {
    return readEntries(this.block, market, tags)
  }

  /** Entries and exits at rest, in the order in which they are looked at. */
  resting(market: number): ReadonlyArray<RestingRecord> {
    return readResting(this.block, market)
  }
}

/** Where a market is in the block. */
export const marketOffset = (market: number): number =>
  layout.headerBytes + market * layout.marketBytes

const orNull = (number: number): number | null => (Number.isNaN(number) ? null : number)
