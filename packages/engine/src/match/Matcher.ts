/**
 * A matcher is a simulated exchange: its host shows it candles and places orders, and reads fills.
 *
 * Backtests, sweeps, paper bots, `simulateOrders` and `simulateSignals` all have such a matcher,
 * each with its rules.
 *
 * - All of its state is one block of bytes: orders, lots and cash of several markets.
 * - An order rests until a candle fills it, it expires, its host cancels it, or cash rejects it.
 * - It asks its host for more room, or for shorter candles, before it changes anything.
 *
 * It never reads a strategy, allocates no objects for a candle, and reads no clock. Its host knows
 * the meaning of its numbers. `SimulatedAccount` is such a host: it gives orders their names.
 *
 * **Example** (A limit order that a candle reaches)
 *
 * ```ts
 * import { makeOutcome, SimulatedAccount } from "@candlewick/engine/kernel"
 *
 * const costs = { makerRate: 0, takerRate: 0.001, slippageRate: 0, feePerFill: 0 }
 * const market = { tick: 0.01, lot: 0.001, minNotional: 0, canShort: false, leverage: 1 }
 * const account = SimulatedAccount.open(1_000, [{ ...market, ...costs }])
 * account.place(0, {
 *   id: "buy-1",
 *   side: 1,
 *   type: "limit",
 *   leg: "entry",
 *   quantity: 2,
 *   limit: 95,
 *   stop: null,
 *   expiresAfter: null,
 *   reason: "signal",
 *   attached: null
 * })
 * account.show([{ market: 0, time: 0, open: 100, high: 101, low: 94, close: 98 }])
 * const outcome = makeOutcome()
 * account.drain(outcome)
 * console.log(outcome.fills.map(({ orderId, price, quantity }) => [orderId, quantity, price]))
 * ```
 *
 * ```text output
 * [ [ 'buy-1', 2, 95 ] ]
 * ```
 *
 * @since 0.1.0
 */
import { type AttachedExits, attachTo } from "./AttachedExits.ts"
import {
  copyBytes,
  growBlock,
  makeBlock,
  type MatcherCapacity,
  readBlock,
  withDetails,
  writeNetting,
  writeTerms
} from "./matcherBlock.ts"
import * as codes from "./matcherCodes.ts"
import * as layout from "./matcherLayout.ts"
import { marketOffset } from "./MatcherReader.ts"
import type { MatcherCandle, MatcherDetail } from "./MatcherCandle.ts"
import {
  exitReasonCodes,
  flagsOf,
  type LotLevels,
  type MatcherExit,
  type MatcherExitReason,
  type MatcherOrder
} from "./MatcherOrder.ts"
import { matcherDefaults, type MatcherMarket, type MatcherRules } from "./matcherRules.ts"
import { DirectMatcher } from "./DirectMatcher.ts"
import type { Tags } from "./matcherViews.ts"
import { rowBytes, rowKindAt } from "./logLayout.ts"
import { type MatcherRow, readRows } from "./logViews.ts"
import { matchClose } from "./marketFills.ts"
import { matchShown } from "./matchOrders.ts"
import { endStages, matchInside, matchOpens } from "./matchStages.ts"
import { attachBlock, type MatcherBlock } from "./memory.ts"
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
import { endQuiet, isQuiet } from "./quietCandle.ts"
import { passStretch, type QuietStretch, readStretch } from "./quietStretch.ts"
import { closeAllLots, ruin } from "./settleMatcher.ts"
import * as stage from "./stageLayout.ts"
import { limitTime, placeExit, withdraw } from "./stageOrders.ts"

/** A matcher begins with room for this much. */
const firstCapacity: MatcherCapacity = { orders: 8, lots: 4, rows: 64 }

/** A matcher of markets that share cash, in one block of bytes. */
export class Matcher extends DirectMatcher {
  readonly #isByStage: boolean

  private constructor(block: MatcherBlock) {
    super(block)
    this.#isByStage = block.words[layout.sequenceAt >> 2] === codes.byStage
  }

  /** A matcher that holds nothing but cash, with `matcherDefaults` where no rule is given. */
  static open(
    cash: number,
    markets: ReadonlyArray<MatcherMarket>,
    rules: Partial<MatcherRules> = {},
    capacity: MatcherCapacity = firstCapacity
  ): Matcher {
    return new Matcher(makeBlock(cash, { ...matcherDefaults, ...rules }, markets, capacity))
  }

  /**
   * The matcher of a snapshot.
   *
   * @throws RangeError where the bytes are no matcher, or one of another version.
   */
  static restore(bytes: Uint8Array): Matcher {
    return new Matcher(readBlock(bytes))
  }

  /** All that the matcher is. */
  snapshot(): Uint8Array {
    return copyBytes(this.block)
  }

  /** Shows the candles of one time, at most one of each market, and fills orders. */
  show(candles: ReadonlyArray<MatcherCandle>): void {
    this.#attach()
    if (this.#isQuiet(candles)) return
    if (!this.#isByStage) {
      for (const { market } of candles) this.#repeat(() => matchShown(0, market))
      return
    }
    while (matchOpens(0) === codes.full) this.#replace(growBlock(this.block))
    for (const candle of candles) this.#showInside(candle)
    while (endStages(0) === codes.full) this.#replace(growBlock(this.block))
  }

  /** Shows the last candle of a market once more, as though it had not been shown. */
  showAgain(candle: MatcherCandle): void {
    const { doubles, words } = this.block
    const from = marketOffset(candle.market)
    const [close, time] = [
      doubles[(from + layout.previousCloseAt) >> 3]!,
      doubles[(from + layout.previousTimeAt) >> 3]!
    ]
    words[(from + layout.candleIndexAt) >> 2]! -= 1
    doubles[(from + stage.lastCloseAt) >> 3] = close
    doubles[(from + stage.lastTimeAt) >> 3] = time
    this.show([candle])
  }

  /** The number of candles until one may change something of a market. */
  stretch(market: number): QuietStretch {
    return readStretch(this.block, marketOffset(market))
  }

  /** Takes a market past candles within its stretch; the last opened and closed there. */
  pass(market: number, count: number, time: number, close: number): void {
    passStretch(this.block, marketOffset(market), count, time, close)
  }

  /** Writes the candles, and ends them where they change nothing of any market. */
  #isQuiet(candles: ReadonlyArray<MatcherCandle>): boolean {
    let isAllQuiet = true
    for (const candle of candles) {
      this.#write(candle)
      if (isAllQuiet && isQuiet(0, candle.market) === 0) isAllQuiet = false
    }
    if (!isAllQuiet && this.#isByStage) return false
    this.block.words[stage.isHeldAt >> 2] = 0
    if (!isAllQuiet) return false
    for (const { market } of candles) endQuiet(0, market)
    return true
  }

  #write({ close, detail, high, low, market, open, time, volume }: MatcherCandle): void {
    const { doubles, words } = this.block
    const from = marketOffset(market)
    if (!this.#isByStage) this.#keepPrevious(from)
    words[(from + layout.candleIndexAt) >> 2]! += 1
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

  /** The last candle becomes the previous one, at whose close orders may fill. */
  #keepPrevious(from: number): void {
    const { doubles, words } = this.block
    words[(from + layout.previousIndexAt) >> 2] = words[(from + layout.candleIndexAt) >> 2]!
    doubles[(from + layout.previousCloseAt) >> 3] = doubles[(from + stage.lastCloseAt) >> 3]!
    doubles[(from + layout.previousTimeAt) >> 3] = doubles[(from + stage.lastTimeAt) >> 3]!
  }

  #showInside({ detail, market }: MatcherCandle): void {
    let answer = matchInside(0, market)
    while (answer !== codes.done) {
      if (answer === codes.full) this.#replace(growBlock(this.block))
      else this.#layOut(market, detail!)
      answer = matchInside(0, market)
    }
  }

  /** Lays out the shorter candles of the one that is shown. */
  #layOut(market: number, { columns, from, to }: MatcherDetail): void {
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
    words[(marketOffset(market) + stage.detailStateAt) >> 2] = codes.detailIsLaid
  }

  /**
   * Fills market orders at the last close: exits, and entries unless they wait. Without a volume
   * they are filled whole.
   */
  matchClose(market: number, volume?: number, withEntries = true): void {
    this.#attach()
    this.block.doubles[(marketOffset(market) + stage.volumeAt) >> 3] = volume ?? Number.NaN
    this.#repeat(() => matchClose(0, market, withEntries ? 1 : 0))
  }

  /**
   * Places an entry, and answers its id: that of the lot that it opens, too. An entry that
   * contradicts itself has the id 0, and the log shows why.
   */
  placeEntry(market: number, order: MatcherOrder, exits: AttachedExits | null = null): number {
    const { fraction = 1, limit, quantity, side, stop, stopLoss, tagNumber = 0, takeProfit } = order
    const flags =
      flagsOf(order) |
      (quantity === null ? 0 : codes.hasQuantity) |
      (stopLoss == null ? 0 : codes.hasStopLoss) |
      (takeProfit == null ? 0 : codes.hasTakeProfit)
    const size = quantity ?? fraction
    const [loss, gain] = [stopLoss ?? 0, takeProfit ?? 0]
    this.#attach()
    const id = this.#repeat(() =>
      placeEntry(0, market, side, flags, size, limit ?? 0, stop ?? 0, loss, gain, tagNumber)
    )
    if (exits !== null) attachTo(market, id, exits)
    this.#limit(market, id, order)
    return id
  }

  /**
   * Places an exit and answers its id. The exit reduces a named lot, or the lots that are held the
   * other way. Where the lot is not open, the matcher refuses the exit, and the log shows so.
   */
  placeExit(market: number, order: MatcherExit, reason: MatcherExitReason): number {
    const { limit, lotId = 0, quantity, side, stop, tagNumber = 0 } = order
    const flags = flagsOf(order)
    const code = exitReasonCodes[reason]
    this.#attach()
    const id = this.#repeat(() =>
      placeExit(0, market, side, flags, quantity, limit ?? 0, stop ?? 0, code, lotId, tagNumber)
    )
    this.#limit(market, id, order)
    return id
  }

  #limit(market: number, id: number, { expiresAfter, groupId = 0, until }: MatcherOrder): void {
    if (expiresAfter !== null || groupId !== 0) {
      limitLife(0, market, id, expiresAfter ?? layout.none, groupId)
    }
    if (until !== undefined) limitTime(0, market, id, until)
  }

  /** Orders a portion of a lot, or of every lot, closed at the market. */
  close(market: number, lotId: number | null, portion: number): void {
    this.#attach()
    this.#repeat(() => closeLotsNext(0, market, lotId ?? 0, portion))
  }

  /** Closes all lots of a market at its last close, at once. */
  closeAll(market: number, reason: MatcherExitReason): void {
    this.#attach()
    this.#repeat(() => closeAllLots(0, market, exitReasonCodes[reason]))
  }

  /** Takes orders and cash away, as no equity is left. */
  ruin(): void {
    this.#attach()
    ruin(0)
  }

  /** Cancels an entry, which the log shows; nothing happens where none of this id rests. */
  cancelEntry(market: number, id: number): void {
    this.#attach()
    this.#repeat(() => cancelEntry(0, market, id))
  }

  /** Cancels the entries of a market but the one of this id, which the log shows. */
  cancelEntries(market: number, kept = 0): void {
    this.#attach()
    this.#repeat(() => cancelEntries(0, market, kept))
  }

  /**
   * Takes an order back, or all of a market; false where there is none. The log does not show it.
   */
  withdraw(market: number, id: number | null): boolean {
    this.#attach()
    return withdraw(0, market, id ?? 0) > 0
  }

  /** Moves the stop and the target of all lots of a market; an absent one stays. */
  protect(market: number, levels: LotLevels): void {
    this.protectLot(market, 0, levels)
  }

  /** Moves the stop and the target of a lot, by the id of its entry; null takes a level away. */
  protectLot(market: number, lotId: number, { stop, target }: LotLevels): void {
    this.#attach()
    if (stop === null) dropStops(0, market, lotId)
    else if (stop !== undefined) this.#repeat(() => moveStops(0, market, lotId, stop))
    if (target === null) dropTargets(0, market, lotId)
    else if (target !== undefined) this.#repeat(() => moveTargets(0, market, lotId, target))
  }

  /** Goes by other steps, costs and permissions from the next candle on. */
  renew(markets: ReadonlyArray<MatcherMarket>): void {
    markets.forEach((market, index) => {
      writeTerms(this.block, market, index)
      this.block.words[(marketOffset(index) + layout.isWatchedAt) >> 2] = 0
    })
  }

  /** Goes by another effect of entries on lots that are open. */
  net(netting: MatcherRules["netting"]): void {
    writeNetting(this.block, netting)
  }

  /** The fills, payments and ended orders since the last call, in their order. */
  drain(tags: Tags): ReadonlyArray<MatcherRow> {
    const rows = readRows(this.block, tags)
    this.block.words[layout.logCountAt >> 2] = 0
    return rows
  }

  /** The number of entries filled since the last call; their rows are drained, and all others. */
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

  #attach(): void {
    attachBlock(this.block)
  }

  /**
   * Calls a function, again in a larger block where there is too little room. Returns its result.
   */
  #repeat(act: () => number): number {
    let answer = act()
    while (answer === codes.full) {
      this.#replace(growBlock(this.block))
      answer = act()
    }
    return answer
  }

  #replace(block: MatcherBlock): void {
    this.block = block
    attachBlock(block)
  }
}
