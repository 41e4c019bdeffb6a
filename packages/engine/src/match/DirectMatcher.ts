/**
 * A matcher whose orders its host fills. The host looks at a candle, asks which levels it reaches,
 * and names the price of each order. No stage fills anything meanwhile.
 *
 * The books, the costs and the prices are those of every other matcher; `directOrders.ts` and
 * `reachRules.ts` have the rules.
 *
 * @since 0.1.0
 */
import { fillDirect } from "./directOrders.ts"
import { closesWhole, passesThrough, reducesOnly, reversesPosition } from "./directSizes.ts"
import { growBlock } from "./matcherBlock.ts"
import * as codes from "./matcherCodes.ts"
import * as layout from "./matcherLayout.ts"
import { marketOffset, MatcherReader } from "./MatcherReader.ts"
import { type DirectFill, takeDirectFill } from "./directFill.ts"
import { attachBlock } from "./memory.ts"
import {
  gapToInside,
  gapToLevel,
  gapToOpen,
  limitReached,
  movedStopReached,
  stopOfLot,
  stopReached,
  stopReasonOfLot,
  targetOfLot,
  targetReached,
  trailTo,
  watchLevels
} from "./reachRules.ts"
import * as stage from "./stageLayout.ts"

const effects = {
  through: passesThrough,
  reduce: reducesOnly,
  close: closesWhole,
  turn: reversesPosition
}

const reasons = {
  signal: codes.bySignal,
  stop_loss: codes.byStopLoss,
  trailing_stop: codes.byTrailingStop,
  take_profit: codes.byTakeProfit,
  time_limit: codes.byTimeLimit
}

const gaps = { open: gapToOpen, level: gapToLevel, inside: gapToInside }

/** The price of a level that the open of a candle has passed. */
export type GapRule = keyof typeof gaps

/** Columns of candles that a host looks at one by one. */
export interface DirectCandles {
  readonly time: Float64Array
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
  readonly close: Float64Array
}

/** An order that fills at once, at a price of its own, and nets with the position. */
export interface DirectOrder {
  readonly side: 1 | -1
  /**
   * The effect on a position of the other side: trade the size against it, through zero too, or
   * reduce it by the size. Otherwise close it, or reverse it to the size.
   */
  readonly effect: keyof typeof effects
  /** Units, or a fraction: of cash where the order opens, of the position where it reduces. */
  readonly size: number
  readonly isFraction: boolean
  readonly price: number
  /** A maker's order keeps its price, and a taker's slips. */
  readonly isMaker: boolean
  /** The matcher drops a smaller order. */
  readonly least: number
  /** The matcher cuts a larger order, or drops it where it drops orders that can't be paid. */
  readonly most: number
  /** The reason that the log gives for the units that the order closes. */
  readonly reason: keyof typeof reasons
}

/** Whether a target is reached. */
export interface TargetRule {
  readonly gap: GapRule
  /** Whether the target begins with the candle. */
  readonly isNew: boolean
  /** Whether a touch is not enough. */
  readonly mustPass: boolean
  /** Whether a lot that was opened inside the candle knows only the prices after its entry. */
  readonly isAfterEntry: boolean
  /** The price of that entry. */
  readonly entry: number
}

/** The part of a matcher that fills direct orders. */
export class DirectMatcher extends MatcherReader {
  /** Looks at a candle of a market; those before it are over. */
  lookAt(market: number, candles: DirectCandles, index: number): void {
    const { doubles, words } = this.block
    const from = marketOffset(market)
    words[(from + layout.candleIndexAt) >> 2] = index
    if (index > 0) {
      doubles[(from + stage.lastCloseAt) >> 3] = candles.close[index - 1]!
      doubles[(from + stage.lastTimeAt) >> 3] = candles.time[index - 1]!
    }
    doubles[(from + layout.timeAt) >> 3] = candles.time[index]!
    doubles[(from + layout.openAt) >> 3] = candles.open[index]!
    doubles[(from + layout.highAt) >> 3] = candles.high[index]!
    doubles[(from + layout.lowAt) >> 3] = candles.low[index]!
    doubles[(from + layout.closeAt) >> 3] = candles.close[index]!
  }

  /**
   * Fills an order in the candle that is looked at, and answers its fill, or null where it trades
   * nothing. The matcher keeps one lot a market: its netting is `average`.
   */
  fillNow(market: number, order: DirectOrder): DirectFill | null {
    attachBlock(this.block)
    const first = this.rowCount
    let id = this.#put(market, order)
    while (id === codes.full) {
      this.block = growBlock(this.block)
      attachBlock(this.block)
      id = this.#put(market, order)
    }
    return id > 0 ? takeDirectFill(this.block, first) : null
  }

  #put(market: number, order: DirectOrder): number {
    return fillDirect(
      0,
      market,
      order.side,
      effects[order.effect],
      order.isFraction ? 1 : 0,
      order.size,
      order.price,
      order.isMaker ? 1 : 0,
      order.least,
      order.most,
      reasons[order.reason],
      0
    )
  }

  /** The price at which the candle fills a limit, or NaN. */
  limitReached(market: number, side: 1 | -1, limit: number, gap: GapRule): number {
    attachBlock(this.block)
    return limitReached(0, market, side, limit, gaps[gap])
  }

  /** Whether a candle touches the stop or the target of the lot, before the candle is shown. */
  touchesLevels(market: number, { high, low, open }: DirectCandles, index: number): boolean {
    const from = marketOffset(market)
    if (this.block.words[(from + layout.isWatchedAt) >> 2] === 0) {
      attachBlock(this.block)
      watchLevels(0, market)
    }
    const below = this.block.doubles[(from + layout.watchedBelowAt) >> 3]!
    const above = this.block.doubles[(from + layout.watchedAboveAt) >> 3]!
    const first = open[index]!
    return !(low[index]! > below && first > below && high[index]! < above && first < above)
  }

  /** The price at which the candle triggers the stop of the lot, or NaN. */
  stopReached(market: number, gap: GapRule): number {
    attachBlock(this.block)
    return stopReached(0, market, gaps[gap])
  }

  /** The price of the stop where the candle passes it after it has moved the stop there, or NaN. */
  movedStopReached(market: number): number {
    attachBlock(this.block)
    return movedStopReached(0, market)
  }

  /** The price at which the candle reaches the target of the lot, or NaN. */
  targetReached(market: number, rule: TargetRule): number {
    attachBlock(this.block)
    return targetReached(
      0,
      market,
      gaps[rule.gap],
      rule.isNew ? 1 : 0,
      rule.mustPass ? 1 : 0,
      rule.isAfterEntry ? 1 : 0,
      rule.entry
    )
  }

  /** Where the stop of the lot lies, or NaN. */
  stopOf(market: number): number {
    attachBlock(this.block)
    return stopOfLot(0, market)
  }

  /** Where the target of the lot lies, or NaN. */
  targetOf(market: number): number {
    attachBlock(this.block)
    return targetOfLot(0, market)
  }

  /** Whether the stop of the lot has trailed; there must be one. */
  hasTrailed(market: number): boolean {
    attachBlock(this.block)
    return stopReasonOfLot(0, market) === codes.byTrailingStop
  }

  /** Moves the stop of the lot, which trails from now on. */
  trailTo(market: number, price: number): void {
    attachBlock(this.block)
    trailTo(0, market, price)
  }
}
