/**
 * A desk as its host sees it: it is shown candles, orders are placed, and what came of them is
 * drained.
 *
 * The host gives the desk more room where it asks for that, and knows what its numbers mean.
 *
 * @since 0.1.0
 */
import { type AttachedExits, attachTo } from "./AttachedExits.ts"
import {
  copyBytes,
  type DeskCapacity,
  type DeskMarket,
  type DeskRules,
  growBlock,
  makeBlock,
  readBlock
} from "./deskBlock.ts"
import * as codes from "./deskCodes.ts"
import * as layout from "./deskLayout.ts"
import {
  type DeskOrder,
  type DeskRow,
  type OpenLot,
  readEntries,
  readLots,
  readRows,
  type Tags
} from "./deskViews.ts"
import { matchClose, matchShown } from "./matchOrders.ts"
import { attachBlock, type DeskBlock } from "./memory.ts"
import {
  cancelEntries,
  cancelEntry,
  closeLotsNext,
  dropStops,
  dropTargets,
  limitLife,
  moveStops,
  moveTargets,
  placeEntry
} from "./placeOrders.ts"
import { closeAllLots, equityOf, ruin } from "./settleDesk.ts"

/** A desk begins with room for this much. */
const firstCapacity: DeskCapacity = { orders: 16, lots: 8, rows: 64 }

/** An entry as it is placed; null where there is none of a thing. */
export interface DeskEntry {
  readonly side: 1 | -1
  /** Units, or null where `fraction` says. */
  readonly quantity: number | null
  /** Fraction of what can be opened at the fill. */
  readonly fraction: number
  readonly limit: number | null
  readonly stop: number | null
  readonly stopLoss: number | null
  readonly takeProfit: number | null
  /** A number that the lot keeps. */
  readonly tag: number
}

/** Candles as columns. */
export interface DeskCandles {
  readonly time: Float64Array
  readonly open: Float64Array
  readonly high: Float64Array
  readonly low: Float64Array
  readonly close: Float64Array
}

/** Why the host closes all lots. */
export type ClosingReason = "liquidation" | "end_of_data"

/** A desk: orders, lots and cash in one block of bytes. */
export class OrderDesk {
  #block: DeskBlock
  /** The last shown candle of each market: its columns and its index. */
  readonly #candles: Array<DeskCandles> = []
  readonly #indices: Array<number> = []
  /** Whether the block was not told of that yet. */
  #isBehind = false

  private constructor(block: DeskBlock) {
    this.#block = block
  }

  /** A desk that holds nothing but cash. */
  static open(
    cash: number,
    rules: DeskRules,
    markets: ReadonlyArray<DeskMarket>,
    capacity: DeskCapacity = firstCapacity
  ): OrderDesk {
    return new OrderDesk(makeBlock(cash, rules, markets, capacity))
  }

  /**
   * The desk of a snapshot.
   *
   * @throws RangeError where the bytes are no desk, one of another version, or one that goes by
   *   stages.
   */
  static restore(bytes: Uint8Array): OrderDesk {
    const block = readBlock(bytes)
    if (block.words[layout.sequenceAt >> 2] === codes.byStage) {
      throw new RangeError("The desk goes by stages")
    }
    return new OrderDesk(block)
  }

  /** All that the desk is. */
  snapshot(): Uint8Array {
    if (this.#isBehind) this.#catchUp()
    return copyBytes(this.#block)
  }

  /** Cash, without lots. */
  get cash(): number {
    return this.#block.doubles[layout.cashAt >> 3]!
  }

  /** Fees of all fills. */
  get feesPaid(): number {
    return this.#block.doubles[layout.feesPaidAt >> 3]!
  }

  /** Gives a market its next candle, or the last one once more, and fills what fills. */
  show(market: number, candles: DeskCandles, index: number): void {
    this.#candles[market] = candles
    this.#indices[market] = index
    this.#isBehind = true
    if (this.#isUntouched(market, candles, index)) return
    this.#attach()
    while (matchShown(0, market) === codes.full) this.#grow()
  }

  /**
   * Whether the candle touches nothing that rests: then the desk is told of it later, when somebody
   * asks for more.
   */
  #isUntouched(market: number, { high, low, open }: DeskCandles, index: number): boolean {
    const { doubles, words } = this.#block
    const at = layout.headerBytes + market * layout.marketBytes
    if (words[(at + layout.isWatchedAt) >> 2] !== 1) return false
    if (index >= words[(at + layout.dueAt) >> 2]!) return false
    const below = doubles[(at + layout.watchedBelowAt) >> 3]!
    const above = doubles[(at + layout.watchedAboveAt) >> 3]!
    const first = open[index]!
    return low[index]! > below && first > below && high[index]! < above && first < above
  }

  /** Writes the candles that were shown last into their markets. */
  #catchUp(): void {
    const { doubles, words } = this.#block
    for (let market = 0; market < this.#candles.length; market++) {
      const index = this.#indices[market]!
      const from = layout.headerBytes + market * layout.marketBytes
      const { close, high, low, open, time } = this.#candles[market]!
      words[(from + layout.indexAt) >> 2] = index
      words[(from + layout.previousIndexAt) >> 2] = index - 1
      doubles[(from + layout.previousCloseAt) >> 3] = index > 0 ? close[index - 1]! : Number.NaN
      doubles[(from + layout.previousTimeAt) >> 3] = index > 0 ? time[index - 1]! : Number.NaN
      doubles[(from + layout.timeAt) >> 3] = time[index]!
      doubles[(from + layout.openAt) >> 3] = open[index]!
      doubles[(from + layout.highAt) >> 3] = high[index]!
      doubles[(from + layout.lowAt) >> 3] = low[index]!
      doubles[(from + layout.closeAt) >> 3] = close[index]!
    }
    this.#isBehind = false
  }

  /** Fills market orders at the close of the candle that is shown. */
  matchClose(market: number): void {
    this.#attach()
    while (matchClose(0, market) === codes.full) this.#grow()
  }

  /** Cash and all lots, those of the market at this price. */
  equityAt(market: number, price: number): number {
    const { doubles, words } = this.#block
    if (words[layout.lotCountAt >> 2] === 0) return doubles[layout.cashAt >> 3]!
    // The candle of a market is asked for by no other than the others.
    if (this.#candles.length > 1) this.#attach()
    else attachBlock(this.#block)
    return equityOf(0, market, price)
  }

  /** Places an entry; answers its id, or null where it contradicts itself, which the log tells. */
  place(market: number, entry: DeskEntry): number | null {
    const { fraction, limit, quantity, side, stop, stopLoss, tag, takeProfit } = entry
    const flags =
      (quantity === null ? 0 : codes.hasQuantity) |
      (limit === null ? 0 : codes.hasLimit) |
      (stop === null ? 0 : codes.hasStop) |
      (stopLoss === null ? 0 : codes.hasStopLoss) |
      (takeProfit === null ? 0 : codes.hasTakeProfit)
    const size = quantity ?? fraction
    this.#attach()
    const put = (): number =>
      placeEntry(
        0,
        market,
        side,
        flags,
        size,
        limit ?? 0,
        stop ?? 0,
        stopLoss ?? 0,
        takeProfit ?? 0,
        tag
      )
    let id = put()
    while (id === codes.full) {
      this.#grow()
      id = put()
    }
    return id === 0 ? null : id
  }

  /**
   * Says of an entry after how many candles it ends unfilled, null for never, and of which group of
   * entries one is filled, 0 for no group.
   */
  limitLife(market: number, id: number, candles: number | null, group = 0): void {
    this.#attach()
    limitLife(0, market, id, candles ?? layout.none, group)
  }

  /** Places an entry whose exits lie beside the price of its fill, or follow the price. */
  placeProtected(
    market: number,
    entry: Omit<DeskEntry, "stopLoss" | "takeProfit">,
    exits: AttachedExits
  ): number | null {
    const id = this.place(market, { ...entry, stopLoss: null, takeProfit: null })
    if (id === null) return null
    attachTo(market, id, exits)
    return id
  }

  /** Cancels the entries of a market, but the one of this id. */
  cancelAll(market: number, kept = 0): void {
    this.#attach()
    while (cancelEntries(0, market, kept) === codes.full) this.#grow()
  }

  /** Cancels an entry; nothing happens where none of this id rests. */
  cancel(market: number, id: number): void {
    this.#attach()
    while (cancelEntry(0, market, id) === codes.full) this.#grow()
  }

  /** Orders a portion of a lot, or of every lot, closed at the market. */
  close(market: number, lotId: number | null, portion: number): void {
    this.#attach()
    while (closeLotsNext(0, market, lotId ?? 0, portion) === codes.full) this.#grow()
  }

  /** Moves the stop of a lot, or of every lot; null takes it away. */
  setStop(market: number, lotId: number | null, price: number | null): void {
    this.#attach()
    if (price === null) return dropStops(0, market, lotId ?? 0)
    while (moveStops(0, market, lotId ?? 0, price) === codes.full) this.#grow()
  }

  /** Moves the target of a lot, or of every lot; null takes it away. */
  setTarget(market: number, lotId: number | null, price: number | null): void {
    this.#attach()
    if (price === null) return dropTargets(0, market, lotId ?? 0)
    while (moveTargets(0, market, lotId ?? 0, price) === codes.full) this.#grow()
  }

  /** Closes all lots of a market at the close of the candle that is shown. */
  closeAll(market: number, reason: ClosingReason): void {
    const code = reason === "liquidation" ? codes.byLiquidation : codes.byEndOfData
    this.#attach()
    while (closeAllLots(0, market, code) === codes.full) this.#grow()
  }

  /** Takes orders and cash away, as no equity is left. */
  ruin(): void {
    this.#attach()
    ruin(0)
  }

  /** Open lots of a market, the oldest first. */
  lots(market: number, tags: Tags): ReadonlyArray<OpenLot> {
    return readLots(this.#block, market, tags)
  }

  /** Entries at rest, in the order in which they were placed. */
  entries(market: number, tags: Tags): ReadonlyArray<DeskOrder> {
    return readEntries(this.#block, market, tags)
  }

  /** Whether anything was closed or ended since the log was drained. */
  get hasRows(): boolean {
    return this.#block.words[layout.logCountAt >> 2]! > 0
  }

  /** The closings and ended orders since the last call, in the order in which they happened. */
  drain(tags: Tags): ReadonlyArray<DeskRow> {
    const rows = readRows(this.#block, tags)
    this.#block.words[layout.logCountAt >> 2] = 0
    return rows
  }

  #attach(): void {
    if (this.#isBehind) this.#catchUp()
    attachBlock(this.#block)
  }

  #grow(): void {
    this.#block = growBlock(this.#block)
    this.#attach()
  }
}
