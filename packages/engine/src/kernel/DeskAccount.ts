/**
 * An account whose orders a desk fills: the desk, and the names that a host has for its orders.
 *
 * @since 0.1.0
 */
import type { DeskMarket } from "../match/deskBlock.ts"
import type { OpenLot } from "../match/deskViews.ts"
import type { QuietStretch } from "../match/quietStretch.ts"
import { StagedDesk } from "../match/StagedDesk.ts"
import type { LotExits, RestingRecord } from "../match/stageViews.ts"
import type {
  CandleInput,
  HeldPosition,
  MarketSpec,
  MatchOutcome,
  OrderRequest
} from "./account.ts"
import type { AccountView, BookView, OrderView } from "./accountView.ts"
import { addRow } from "./deskRows.ts"
import type { Ledger, PositionState } from "./ledger.ts"
import { definedExits } from "./protection.ts"

/** All that an account is. @category models @since 0.1.0 */
export interface DeskSnapshot {
  readonly bytes: Uint8Array
  /** Of the orders that rest and of the entries that opened lots. */
  readonly names: ReadonlyArray<readonly [id: number, name: string]>
}

/** A lot, and what protects it. @category models @since 0.1.0 */
export interface DeskLot {
  /** Of the entry that opened it. */
  readonly entryOrderId: string
  /** Negative for a short. */
  readonly quantity: number
  readonly entryPrice: number
  readonly entryTime: number
  /** Null where nothing does. */
  readonly protection: {
    readonly entryOrderId: string
    readonly stop: number | null
    readonly stopReason: LotExits["stopReason"]
    readonly target: number | null
    /** Whether the stop trails the price. */
    readonly isTrailing: boolean
  } | null
}

const noNames = [null]

const toDeskMarket = (spec: MarketSpec): DeskMarket => ({ ...spec, entrySpread: 0 })

const typeOf = ({ limit, stop }: RestingRecord): OrderRequest["type"] => {
  if (limit === null) return stop === null ? "market" : "stop"
  return stop === null ? "limit" : "stop_limit"
}

/** Lots of one side as one position; a single lot is that position to the digit. */
const mergedPosition = (lots: ReadonlyArray<OpenLot>): Readonly<PositionState> | null => {
  const [first] = lots
  if (first === undefined) return null
  if (lots.length === 1) return first.position
  let [cost, fees, quantity] = [0, 0, 0]
  for (const { position } of lots) {
    cost += position.quantity * position.entryPrice
    fees += position.entryFees
    quantity += position.quantity
  }
  return { ...first.position, quantity, entryPrice: cost / quantity, entryFees: fees }
}

/** An account on a desk. @category models @since 0.1.0 */
export class DeskAccount implements AccountView {
  readonly #desk: StagedDesk
  readonly #names: Map<number, string>
  readonly #books: ReadonlyArray<DeskBook>
  /** How often the desk was changed: books keep what they have read until then. */
  readonly #changes = { count: 0 }
  readonly #nameOf = (id: number): string => this.#names.get(id) ?? String(id)

  private constructor(desk: StagedDesk, names: Map<number, string>) {
    this.#desk = desk
    this.#names = names
    this.#books = Array.from(
      { length: desk.marketCount },
      (_, market) => new DeskBook(desk, market, this.#nameOf, this.#changes)
    )
  }

  /** An account with this much cash and nothing else. */
  static open(cash: number, specs: ReadonlyArray<MarketSpec>): DeskAccount {
    return new DeskAccount(StagedDesk.open(cash, specs.map(toDeskMarket)), new Map())
  }

  /**
   * The account of a snapshot.
   *
   * @throws RangeError where its bytes are no desk that goes by stages.
   */
  static restore({ bytes, names }: DeskSnapshot): DeskAccount {
    return new DeskAccount(StagedDesk.restore(bytes), new Map(names))
  }

  /** All that the account is; names that nothing has any more are left out. */
  snapshot(): DeskSnapshot {
    return { bytes: this.#desk.snapshot(), names: this.#usedNames() }
  }

  #usedNames(): ReadonlyArray<readonly [id: number, name: string]> {
    // Rows that were not drained may name any order.
    if (this.#desk.rowCount > 0) return [...this.#names]
    const used = new Set<number>()
    for (let market = 0; market < this.#books.length; market++) {
      for (const { id } of this.#desk.resting(market)) used.add(id)
      for (const { id } of this.#desk.lots(market, noNames)) used.add(id)
    }
    return [...this.#names].filter(([id]) => used.has(id))
  }

  get marketCount(): number {
    return this.#books.length
  }

  /** Goes by other steps, costs and permissions of its markets from the next candle on. */
  renew(specs: ReadonlyArray<MarketSpec>): void {
    this.#changes.count++
    this.#desk.renew(specs.map(toDeskMarket))
  }

  /** The lots of a market, the oldest first. */
  lots(market: number): ReadonlyArray<DeskLot> {
    const exits = this.#desk.exits(market)
    return this.#desk.lots(market, noNames).map(({ id, position }, nth) => {
      const { breaksEven, isTrailing, stop, stopReason, target } = exits[nth]!
      const entryOrderId = this.#nameOf(id)
      const isProtected = stop !== null || target !== null || isTrailing || breaksEven
      const { entryPrice, entryTime, quantity } = position
      const levels = { entryOrderId, stop, stopReason, target, isTrailing }
      const protection = isProtected ? levels : null
      return { entryOrderId, quantity, entryPrice, entryTime, protection }
    })
  }

  get cash(): number {
    return this.#desk.cash
  }

  get equity(): number {
    return this.#desk.equity
  }

  /** Notional of every open position, at its market's last close. */
  get openNotional(): number {
    return this.#desk.openNotional
  }

  get ledger(): Ledger {
    const { cash, feesPaid, fundingPaid, realizedPnl, turnover } = this.#desk
    return { cash, realizedPnl, feesPaid, fundingPaid, turnover }
  }

  /** Candles of which it depends on the path inside them what became of a position. */
  get ambiguousCount(): number {
    return this.#desk.ambiguousCount
  }

  /** Whether a position is open in any market. */
  get hasPosition(): boolean {
    return this.#desk.lotCount > 0
  }

  /** Whether one was held after the open in any of the candles that were shown last. */
  get wasHeld(): boolean {
    return this.#desk.isHeld
  }

  /** Whether anything has happened that was not drained. */
  get hasNews(): boolean {
    return this.#desk.rowCount > 0
  }

  committedNotional(market: number): number {
    return this.#desk.committedNotional(market)
  }

  enteredBeside(market: number): number {
    let count = 0
    for (let other = 0; other < this.#books.length; other++) {
      if (other !== market && this.#isEntered(other)) count++
    }
    return count
  }

  #isEntered(market: number): boolean {
    if (this.#desk.hasLot(market)) return true
    if (!this.#desk.hasOrder(market)) return false
    return this.#desk.resting(market).some(({ leg }) => leg === "entry")
  }

  /** One market; what it says is what is so when it is read. */
  book(market: number): BookView {
    return this.#books[market]!
  }

  /** Candles of a market that were shown, less one. */
  index(market: number): number {
    return this.#desk.index(market)
  }

  /** Index of the candle in which the oldest lot of a market was opened. */
  entryIndex(market: number): number {
    return this.#desk.entryIndex(market)
  }

  /** Whether anything rests in a market, what protects a position included. */
  hasOrder(market: number): boolean {
    return this.#desk.hasOrder(market)
  }

  /** Whether a position is open in a market. */
  isHeld(market: number): boolean {
    return this.#desk.hasLot(market)
  }

  /** Shows the candles of one time, of each market at most one, and fills what fills. */
  show(candles: ReadonlyArray<CandleInput>): void {
    this.#changes.count++
    this.#desk.show(candles)
  }

  /** How far candles may go until one may change something of a market. */
  stretch(market: number): QuietStretch {
    return this.#desk.stretch(market)
  }

  /** Takes a market past candles within its stretch; the last opened and closed there. */
  pass(market: number, count: number, time: number, close: number): void {
    this.#changes.count++
    this.#desk.pass(market, count, time, close)
  }

  /**
   * Fills market orders at the last close: exits, and entries unless they wait. Without a volume
   * they are filled whole.
   */
  atClose(market: number, volume?: number, withEntries = true): void {
    this.#changes.count++
    this.#desk.matchLast(market, volume, withEntries)
  }

  /** Places an order; it is matched from the next candle on. */
  place(market: number, order: OrderRequest): void {
    this.#changes.count++
    const { attached, id: name, leg, reason } = order
    const exits = attached && definedExits(attached)
    const id =
      leg === "exit"
        ? this.#desk.placeExit(market, order, reason)
        : this.#desk.placeEntry(market, order, exits)
    // An order that the desk refuses has an id all the same, which the log tells.
    this.#names.set(id === 0 ? this.#desk.lastId : id, name)
  }

  /** Takes an order back; false where it is not there. */
  cancel(market: number, name: string): boolean {
    this.#changes.count++
    let isFound = false
    for (const { id } of this.#desk.resting(market)) {
      if (this.#nameOf(id) === name) isFound = this.#desk.withdraw(market, id)
    }
    return isFound
  }

  /** Takes all orders of a market back. */
  cancelAll(market: number): void {
    this.#changes.count++
    this.#desk.withdraw(market, null)
  }

  /** Moves the stop or the target of an open position; an absent one stays. */
  protect(market: number, levels: { readonly stop?: number; readonly target?: number }): void {
    this.#changes.count++
    this.#desk.protect(market, levels)
  }

  /** Adds the fills, payments and ended orders since the last call to an outcome. */
  drain(outcome: MatchOutcome): void {
    for (const row of this.#desk.drain(noNames)) addRow(outcome, row, this.#nameOf)
  }

  /** Every open position, in the order of the markets; of separate lots, each. */
  held(): ReadonlyArray<HeldPosition> {
    return this.#books.flatMap((_, market) =>
      this.#desk.lots(market, noNames).map(({ position, stopLoss, takeProfit }) => {
        const { entryFees, entryPrice, entryTime, quantity } = position
        const price = this.#desk.lastClose(market) ?? entryPrice
        return {
          market,
          direction: quantity > 0 ? 1 : -1,
          quantity: Math.abs(quantity),
          entryTime,
          entryPrice,
          price,
          value: Math.abs(quantity) * price,
          unrealizedPnl: quantity * (price - entryPrice),
          fees: entryFees,
          stop: stopLoss,
          target: takeProfit
        }
      })
    )
  }
}

/** A market of a desk; what takes long to read is read once after each change. */
class DeskBook implements BookView {
  readonly #desk: StagedDesk
  readonly #market: number
  readonly #nameOf: (id: number) => string
  readonly #changes: { readonly count: number }
  #position: Readonly<PositionState> | null = null
  #positionAt = -1

  constructor(
    desk: StagedDesk,
    market: number,
    nameOf: (id: number) => string,
    changes: { readonly count: number }
  ) {
    this.#desk = desk
    this.#market = market
    this.#nameOf = nameOf
    this.#changes = changes
  }

  get position(): Readonly<PositionState> | null {
    if (!this.#desk.hasLot(this.#market)) return null
    if (this.#positionAt !== this.#changes.count) {
      this.#position = mergedPosition(this.#desk.lots(this.#market, noNames))
      this.#positionAt = this.#changes.count
    }
    return this.#position
  }

  get orders(): ReadonlyArray<OrderView> {
    if (!this.#desk.hasOrder(this.#market)) return noOrders
    return this.#desk.resting(this.#market).map((order) => ({
      ...order,
      id: this.#nameOf(order.id),
      type: typeOf(order)
    }))
  }

  get lastClose(): number | null {
    return this.#desk.lastClose(this.#market)
  }

  get index(): number {
    return this.#desk.index(this.#market)
  }

  get lastExitIndex(): number | null {
    return this.#desk.lastExit(this.#market)?.index ?? null
  }

  get wasStopped(): boolean {
    return this.#desk.lastExit(this.#market)?.wasStopped ?? false
  }
}

const noOrders: ReadonlyArray<OrderView> = []
