/**
 * A desk that goes by stages as its host sees it: it is shown the candles of one time of all its
 * markets, and tells of each fill.
 *
 * @since 0.1.0
 */
import {
  copyBytes,
  type DeskCapacity,
  type DeskMarket,
  type DeskRules,
  growBlock,
  makeBlock,
  readBlock,
  withDetails
} from "./deskBlock.ts"
import * as codes from "./deskCodes.ts"
import * as layout from "./deskLayout.ts"
import { type DeskOrder, type OpenLot, readEntries, readLots, type Tags } from "./deskViews.ts"
import { endStages, matchInside, matchLast, matchOpens } from "./matchStages.ts"
import { attachBlock, type DeskBlock } from "./memory.ts"
import { type DeskExits, exitKindsOf } from "./OrderDesk.ts"
import { attachExits, limitLife, moveStops, moveTargets, placeEntry } from "./placeOrders.ts"
import { endQuiet, isQuiet } from "./quietCandle.ts"
import { committedNotional, equityNow, openNotional } from "./settleDesk.ts"
import * as stage from "./stageLayout.ts"
import { limitTime, placeExit, withdraw } from "./stageOrders.ts"
import { readResting, readStageRows, type RestingRecord, type StageRow } from "./stageViews.ts"

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
}

const exitReasons = {
  signal: codes.bySignal,
  time_limit: codes.byTimeLimit,
  force_exit: codes.byForceExit,
  end_of_data: codes.byEndOfData,
  kill_switch: codes.byKillSwitch
}

/** Why the host orders an exit. */
export type StagedExitReason = keyof typeof exitReasons

/** A desk of markets that share cash, in one block of bytes. */
export class StagedDesk {
  #block: DeskBlock

  private constructor(block: DeskBlock) {
    this.#block = block
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

  /** Results of what was closed, net of fees. */
  get realizedPnl(): number {
    return this.#block.doubles[layout.realizedPnlAt >> 3]!
  }

  /** Notional of all fills. */
  get turnover(): number {
    return this.#block.doubles[layout.turnoverAt >> 3]!
  }

  /** Funding that lots paid, less what they got. */
  get fundingPaid(): number {
    return this.#block.doubles[stage.fundingPaidAt >> 3]!
  }

  /** Candles of which it depends on the path inside them what became of a lot. */
  get ambiguousCount(): number {
    return this.#block.words[stage.ambiguousCountAt >> 2]!
  }

  /** Whether a lot was held after the open in any of the candles that were shown last. */
  get isHeld(): boolean {
    return this.#block.words[stage.isHeldAt >> 2] === 1
  }

  /** Cash and all lots, at their last closes. */
  get equity(): number {
    attachBlock(this.#block)
    return equityNow(0)
  }

  /** Notional of all lots, at their last closes. */
  get openNotional(): number {
    attachBlock(this.#block)
    return openNotional(0)
  }

  /** Notional of all lots, and of entries that rest in the other markets. */
  committedNotional(market: number): number {
    attachBlock(this.#block)
    return committedNotional(0, market)
  }

  /** Candle in which the last lot of a market was closed, and whether by a stop. */
  lastExit(market: number): { readonly index: number; readonly wasStopped: boolean } | null {
    const from = marketAt(market)
    const index = this.#block.words[(from + stage.lastExitIndexAt) >> 2]!
    if (index === layout.none) return null
    return { index, wasStopped: this.#block.words[(from + stage.wasStoppedAt) >> 2] === 1 }
  }

  /** How many lots are open, in all markets. */
  get lotCount(): number {
    return this.#block.words[layout.lotCountAt >> 2]!
  }

  /** How many rows the log has that nobody has drained. */
  get rowCount(): number {
    return this.#block.words[layout.logCountAt >> 2]!
  }

  /** The last id that was given. */
  get lastId(): number {
    return this.#block.words[layout.lastIdAt >> 2]!
  }

  /** How many markets there are. */
  get marketCount(): number {
    return this.#block.words[layout.marketCountAt >> 2]!
  }

  /** Whether a lot is open in a market. */
  hasLot(market: number): boolean {
    return this.#block.words[(marketAt(market) + layout.firstLotAt) >> 2] !== layout.none
  }

  /** Whether anything rests in a market: entries, exits, or what protects a lot. */
  hasOrder(market: number): boolean {
    return this.#block.words[(marketAt(market) + layout.firstOrderAt) >> 2] !== layout.none
  }

  /** Candles of a market that were shown, less one. */
  index(market: number): number {
    return this.#block.words[(marketAt(market) + layout.indexAt) >> 2]!
  }

  /** Close of the last candle of a market that is over, or null before the first. */
  lastClose(market: number): number | null {
    return orNull(this.#block.doubles[(marketAt(market) + stage.lastCloseAt) >> 3]!)
  }

  /** Open time of that candle. */
  lastTime(market: number): number | null {
    return orNull(this.#block.doubles[(marketAt(market) + stage.lastTimeAt) >> 3]!)
  }

  /** Shows the candles of one time, of each market at most one, and fills what fills. */
  show(candles: ReadonlyArray<StagedCandle>): void {
    attachBlock(this.#block)
    if (this.#isQuiet(candles)) return
    while (matchOpens(0) === codes.full) this.#replace(growBlock(this.#block))
    for (const candle of candles) this.#showInside(candle)
    while (endStages(0) === codes.full) this.#replace(growBlock(this.#block))
  }

  /** Writes the candles, and ends them where they change nothing of any market. */
  #isQuiet(candles: ReadonlyArray<StagedCandle>): boolean {
    let isAllQuiet = true
    for (const candle of candles) {
      this.#write(candle)
      if (isAllQuiet && isQuiet(0, candle.market) === 0) isAllQuiet = false
    }
    if (!isAllQuiet) return false
    this.#block.words[stage.isHeldAt >> 2] = 0
    for (const { market } of candles) endQuiet(0, market)
    return true
  }

  #write({ close, detail, high, low, market, open, time, volume }: StagedCandle): void {
    const { doubles, words } = this.#block
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
      if (answer === codes.full) this.#replace(growBlock(this.#block))
      else this.#layOut(market, detail!)
      answer = matchInside(0, market)
    }
  }

  /** Lays out the shorter candles of the one that is shown. */
  #layOut(market: number, { columns, from, to }: StagedDetail): void {
    const count = to - from
    if (this.#block.words[stage.detailCapacityAt >> 2]! < count) {
      this.#replace(withDetails(this.#block, count))
    }
    const { doubles, words } = this.#block
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
    attachBlock(this.#block)
    this.#block.doubles[(marketAt(market) + stage.volumeAt) >> 3] = volume ?? Number.NaN
    while (matchLast(0, market, withEntries ? 1 : 0) === codes.full) {
      this.#replace(growBlock(this.#block))
    }
  }

  /** Places an entry, and answers its id: that of the lot that it opens, too. */
  placeEntry(market: number, order: StagedOrder, exits: DeskExits | null): number {
    const { limit, quantity, side, stop } = order
    const flags = flagsOf(order) | codes.hasQuantity
    const put = (): number =>
      placeEntry(0, market, side, flags, quantity, limit ?? 0, stop ?? 0, 0, 0, 0)
    const id = this.#place(put)
    if (exits !== null) {
      attachExits(
        0,
        market,
        id,
        exitKindsOf(exits),
        exits.stopLoss?.value ?? 0,
        exits.takeProfit?.value ?? 0,
        exits.trailingStop?.distance.value ?? 0,
        exits.trailingStop?.activation?.value ?? 0,
        exits.breakEven?.activation.value ?? 0,
        exits.breakEven?.offsetRate ?? 0
      )
    }
    this.#limit(market, id, order)
    return id
  }

  /** Places an exit that reduces what is held the other way, and answers its id. */
  placeExit(market: number, order: StagedOrder, reason: StagedExitReason): number {
    const { limit, quantity, side, stop } = order
    const code = exitReasons[reason]
    const id = this.#place(() =>
      placeExit(0, market, side, flagsOf(order), quantity, limit ?? 0, stop ?? 0, code)
    )
    this.#limit(market, id, order)
    return id
  }

  #place(put: () => number): number {
    attachBlock(this.#block)
    let id = put()
    while (id === codes.full) {
      this.#replace(growBlock(this.#block))
      id = put()
    }
    return id
  }

  #limit(market: number, id: number, { expiresAfter, until }: StagedOrder): void {
    if (expiresAfter !== null) limitLife(0, market, id, expiresAfter, 0)
    if (until !== undefined) limitTime(0, market, id, until)
  }

  /** Takes an order back, or all of a market; false where there is none. */
  withdraw(market: number, id: number | null): boolean {
    attachBlock(this.#block)
    return withdraw(0, market, id ?? 0) > 0
  }

  /** Moves the stop and the target of all lots of a market; an absent one stays. */
  protect(market: number, levels: { readonly stop?: number; readonly target?: number }): void {
    const { stop, target } = levels
    attachBlock(this.#block)
    const grow = (): void => this.#replace(growBlock(this.#block))
    if (stop !== undefined) while (moveStops(0, market, 0, stop) === codes.full) grow()
    if (target !== undefined) while (moveTargets(0, market, 0, target) === codes.full) grow()
  }

  /** Open lots of a market, the oldest first. */
  lots(market: number, tags: Tags): ReadonlyArray<OpenLot> {
    return readLots(this.#block, market, tags)
  }

  /** Entries at rest, in the order in which they were placed. */
  entries(market: number, tags: Tags): ReadonlyArray<DeskOrder> {
    return readEntries(this.#block, market, tags)
  }

  /** Entries and exits at rest, in the order in which they are looked at. */
  resting(market: number): ReadonlyArray<RestingRecord> {
    return readResting(this.#block, market)
  }

  /** The fills, payments and ended orders since the last call, in their order. */
  drain(tags: Tags): ReadonlyArray<StageRow> {
    const rows = readStageRows(this.#block, tags)
    this.#block.words[layout.logCountAt >> 2] = 0
    return rows
  }

  #replace(block: DeskBlock): void {
    this.#block = block
    attachBlock(block)
  }
}

const marketAt = (market: number): number => layout.headerBytes + market * layout.marketBytes

const orNull = (number: number): number | null => (Number.isNaN(number) ? null : number)

const flagsOf = ({ limit, stop }: StagedOrder): number =>
  (limit === null ? 0 : codes.hasLimit) | (stop === null ? 0 : codes.hasStop)
