/**
 * A desk that goes by stages as its host sees it: it is shown the candles of one time of all its
 * markets, and tells of each fill.
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
  readBlock,
  withDetails,
  writeNetting,
  writeTerms
} from "./deskBlock.ts"
import * as codes from "./deskCodes.ts"
import * as layout from "./deskLayout.ts"
import { DeskReader, marketAt } from "./DeskReader.ts"
import type { Tags } from "./deskViews.ts"
import { endStages, matchInside, matchLast, matchOpens } from "./matchStages.ts"
import { rowBytes, rowKindAt } from "./logLayout.ts"
import { attachBlock, type DeskBlock } from "./memory.ts"
import {
  dropStops,
  dropTargets,
  limitLife,
  moveStops,
  moveTargets,
  placeEntry
} from "./placeOrders.ts"
import { endQuiet, isQuiet } from "./quietCandle.ts"
import { passStretch, type QuietStretch, readStretch } from "./quietStretch.ts"
import * as stage from "./stageLayout.ts"
import { limitTime, placeExit, withdraw } from "./stageOrders.ts"
import { readStageRows, type StageRow } from "./stageViews.ts"

const firstCapacity: DeskCapacity = { orders: 8, lots: 4, rows: 64 }

/** One position a market, entries cut to what can be paid. */
const stageRules: DeskRules = {
  fill: "next_open",
  netting: "single",
  sequence: "stage",
  sizingPrice: "fill",
  feeReserve: "fill",
  shortfall: "cut",
  portionRounding: "down",
  stopLimitGap: "open",
  hasTargetOnStopEntry: false
}

/** A candle of one market. */
export interface StagedCandle {
  readonly market: number
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** Where nobody knows it, orders are filled whole. */
  readonly volume?: number | undefined
  /** Shorter candles of the same time, which tell what came first. */
  readonly detail?: StagedDetail | undefined
}

/** The candles in `[from, to)` of some columns. */
export interface StagedDetail {
  readonly columns: {
    readonly open: Float64Array
    readonly high: Float64Array
    readonly low: Float64Array
  }
  readonly from: number
  readonly to: number
}

/** An order as it is placed; null where there is none of a thing. */
export interface StagedOrder {
  readonly side: 1 | -1
  readonly quantity: number
  readonly limit: number | null
  readonly stop: number | null
  /** Candles after which it ends unfilled. */
  readonly expiresAfter: number | null
  /** The time from which on no candle fills it. */
  readonly until?: number | undefined
  /** Of an order with a limit alone: the limit holds for the next open, where it fills or ends. */
  readonly isImmediate?: boolean | undefined
  /**
   * The order belongs to a position and ends with it. An entry adds to the position and fills while
   * a lot of its side is open; an exit reduces the position.
   */
  readonly endsWithPosition?: boolean | undefined
  /** A number of the host, which rows and the lot that an entry opens tell again. */
  readonly tagNumber?: number | undefined
  /** The group of orders of a market of which one is filled and ends the others; above 0. */
  readonly groupId?: number | undefined
  /** Of an exit: the lot that it closes, by the id of its entry; without it, the oldest first. */
  readonly lotId?: number | undefined
}

/** Where the stop and the target of lots are to lie. */
export interface StagedLevels {
  readonly stop?: number | null | undefined
  readonly target?: number | null | undefined
}

const exitReasons = {
  signal: codes.bySignal,
  take_profit: codes.byTakeProfit,
  time_limit: codes.byTimeLimit,
  force_exit: codes.byForceExit,
  end_of_data: codes.byEndOfData,
  kill_switch: codes.byKillSwitch
}

/** Why the host orders an exit. */
export type StagedExitReason = keyof typeof exitReasons

/** A desk of markets that share cash, in one block of bytes. */
export class StagedDesk extends DeskReader {
  private constructor(block: DeskBlock) {
    super(block)
  }

  /** A desk that holds nothing but cash. */
  static open(
    cash: number,
    markets: ReadonlyArray<DeskMarket>,
    netting: DeskRules["netting"] = "single"
  ): StagedDesk {
    const block = makeBlock(cash, { ...stageRules, netting }, markets, firstCapacity)
    block.words[stage.tellsFillsAt >> 2] = 1
    return new StagedDesk(block)
  }

  /**
   * The desk of a snapshot.
   *
   * @throws RangeError where the bytes are no desk, or one that does not go by stages.
   */
  static restore(bytes: Uint8Array): StagedDesk {
    const block = readBlock(bytes)
    if (block.words[layout.sequenceAt >> 2] !== codes.byStage) {
      throw new RangeError("The desk does not go by stages")
    }
    return new StagedDesk(block)
  }

  /** All that the desk is. */
  snapshot(): Uint8Array {
    return copyBytes(this.block)
  }

  /** Shows the candles of one time, of each market at most one, and fills what fills. */
  show(candles: ReadonlyArray<StagedCandle>): void {
    attachBlock(this.block)
    if (this.#isQuiet(candles)) return
    while (matchOpens(0) === codes.full) this.#replace(growBlock(this.block))
    for (const candle of candles) this.#showInside(candle)
    while (endStages(0) === codes.full) this.#replace(growBlock(this.block))
  }

  /** How far candles may go until one may change something of a market. */
  stretch(market: number): QuietStretch {
    return readStretch(this.block, marketAt(market))
  }

  /** Takes a market past candles within its stretch; the last opened and closed there. */
  pass(market: number, count: number, time: number, close: number): void {
    passStretch(this.block, marketAt(market), count, time, close)
  }

  /** Writes the candles, and ends them where they change nothing of any market. */
  #isQuiet(candles: ReadonlyArray<StagedCandle>): boolean {
    let isAllQuiet = true
    for (const candle of candles) {
      this.#write(candle)
      if (isAllQuiet && isQuiet(0, candle.market) === 0) isAllQuiet = false
    }
    if (!isAllQuiet) return false
    this.block.words[stage.isHeldAt >> 2] = 0
    for (const { market } of candles) endQuiet(0, market)
    return true
  }

  #write({ close, detail, high, low, market, open, time, volume }: StagedCandle): void {
    const { doubles, words } = this.block
    const from = marketAt(market)
    words[(from + layout.indexAt) >> 2]! += 1
    words[(from + stage.isShownAt) >> 2] = 1
    words[(from + stage.detailStateAt) >> 2] =
      detail === undefined ? codes.noDetail : codes.detailWaits
    doubles[(from + layout.timeAt) >> 3] = time
    doubles[(from + layout.openAt) >> 3] = open
    doubles[(from + layout.highAt) >> 3] = high
    doubles[(from + layout.lowAt) >> 3] = low
    doubles[(from + layout.closeAt) >> 3] = close
    doubles[(from + stage.volumeAt) >> 3] = volume ?? Number.NaN
  }

  #showInside({ detail, market }: StagedCandle): void {
    let answer = matchInside(0, market)
    while (answer !== codes.done) {
      if (answer === codes.full) this.#replace(growBlock(this.block))
      else this.#layOut(market, detail!)
      answer = matchInside(0, market)
    }
  }

  /** Lays out the shorter candles of the one that is shown. */
  #layOut(market: number, { columns, from, to }: StagedDetail): void {
    const count = to - from
    if (this.block.words[stage.detailCapacityAt >> 2]! < count) {
      this.#replace(withDetails(this.block, count))
    }
    const { doubles, words } = this.block
    const first = words[stage.detailsAt >> 2]!
    for (let index = from; index < to; index++) {
      const at = first + (index - from) * stage.detailBytes
      doubles[(at + stage.detailOpenAt) >> 3] = columns.open[index]!
      doubles[(at + stage.detailHighAt) >> 3] = columns.high[index]!
      doubles[(at + stage.detailLowAt) >> 3] = columns.low[index]!
    }
    words[stage.detailCountAt >> 2] = count
    words[(marketAt(market) + stage.detailStateAt) >> 2] = codes.detailIsLaid
  }

  /**
   * Fills market orders at the last close: exits, and entries unless they wait. Without a volume
   * they are filled whole.
   */
  matchLast(market: number, volume?: number, withEntries = true): void {
    attachBlock(this.block)
    this.block.doubles[(marketAt(market) + stage.volumeAt) >> 3] = volume ?? Number.NaN
    while (matchLast(0, market, withEntries ? 1 : 0) === codes.full) {
      this.#replace(growBlock(this.block))
    }
  }

  /** Places an entry, and answers its id: that of the lot that it opens, too. */
  placeEntry(market: number, order: StagedOrder, exits: AttachedExits | null): number {
    const { limit, quantity, side, stop, tagNumber = 0 } = order
    const flags = flagsOf(order) | codes.hasQuantity
    const put = (): number =>
      placeEntry(0, market, side, flags, quantity, limit ?? 0, stop ?? 0, 0, 0, tagNumber)
    const id = this.#place(put)
    if (exits !== null) attachTo(market, id, exits)
    this.#limit(market, id, order)
    return id
  }

  /**
   * Places an exit and answers its id. The exit reduces a named lot, or the lots that are held the
   * other way. Where the lot is not open, the desk refuses the exit, and the log tells so.
   */
  placeExit(market: number, order: StagedOrder, reason: StagedExitReason): number {
    const { limit, lotId = 0, quantity, side, stop, tagNumber = 0 } = order
    const flags = flagsOf(order)
    const code = exitReasons[reason]
    const id = this.#place(() =>
      placeExit(0, market, side, flags, quantity, limit ?? 0, stop ?? 0, code, lotId, tagNumber)
    )
    this.#limit(market, id, order)
    return id
  }

  #place(put: () => number): number {
    attachBlock(this.block)
    let id = put()
    while (id === codes.full) {
      this.#replace(growBlock(this.block))
      id = put()
    }
    return id
  }

  #limit(market: number, id: number, { expiresAfter, groupId = 0, until }: StagedOrder): void {
    if (expiresAfter !== null || groupId !== 0) {
      limitLife(0, market, id, expiresAfter ?? layout.none, groupId)
    }
    if (until !== undefined) limitTime(0, market, id, until)
  }

  /** Takes an order back, or all of a market; false where there is none. */
  withdraw(market: number, id: number | null): boolean {
    attachBlock(this.block)
    return withdraw(0, market, id ?? 0) > 0
  }

  /** Moves the stop and the target of all lots of a market; an absent one stays. */
  protect(market: number, levels: StagedLevels): void {
    this.protectLot(market, 0, levels)
  }

  /** Moves the stop and the target of a lot, by the id of its entry; null takes a level away. */
  protectLot(market: number, lotId: number, { stop, target }: StagedLevels): void {
    attachBlock(this.block)
    const grow = (): void => this.#replace(growBlock(this.block))
    if (stop === null) dropStops(0, market, lotId)
    else if (stop !== undefined) {
      while (moveStops(0, market, lotId, stop) === codes.full) grow()
    }
    if (target === null) dropTargets(0, market, lotId)
    else if (target !== undefined) {
      while (moveTargets(0, market, lotId, target) === codes.full) grow()
    }
  }

  /** Goes by other steps, costs and permissions from the next candle on. */
  renew(markets: ReadonlyArray<DeskMarket>): void {
    markets.forEach((market, index) => {
      writeTerms(this.block, market, index)
      this.block.words[(marketAt(index) + layout.isWatchedAt) >> 2] = 0
    })
  }

  /** Goes by another effect of entries on lots that are open. */
  net(netting: DeskRules["netting"]): void {
    writeNetting(this.block, netting)
  }

  /** The fills, payments and ended orders since the last call, in their order. */
  drain(tags: Tags): ReadonlyArray<StageRow> {
    const rows = readStageRows(this.block, tags)
    this.block.words[layout.logCountAt >> 2] = 0
    return rows
  }

  /** How many entries were filled since the last call; their rows are drained, and all others. */
  countEntries(): number {
    const { words } = this.block
    const from = words[layout.logAt >> 2]!
    let count = 0
    for (let row = 0; row < words[layout.logCountAt >> 2]!; row++) {
      if (words[(from + row * rowBytes + rowKindAt) >> 2] === codes.openedRow) count++
    }
    words[layout.logCountAt >> 2] = 0
    return count
  }

  #replace(block: DeskBlock): void {
    this.block = block
    attachBlock(block)
  }
}

const flagsOf = ({ endsWithPosition, isImmediate, limit, stop }: StagedOrder): number =>
  (limit === null ? 0 : codes.hasLimit) |
  (stop === null ? 0 : codes.hasStop) |
  (endsWithPosition === true ? codes.endsWithPosition : 0) |
  (isImmediate === true && limit !== null && stop === null ? codes.isImmediate : 0)
