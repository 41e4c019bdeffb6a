/**
 * An account whose orders a matcher fills: the matcher, and the names that a host has for its
 * orders.
 *
 * A backtest has one for a run, and a paper bot keeps one as plain data between candles. It never
 * decides: it places and cancels at its host's word, and reports each fill and each end of an
 * order.
 *
 * @since 0.1.0
 */
import type { MatcherMarket, MatcherRules } from "../match/matcherRules.ts"
import type { QuietStretch } from "../match/quietStretch.ts"
import { Matcher } from "../match/Matcher.ts"
import type { LotExits } from "../match/matcherViews.ts"
import type {
  CandleInput,
  HeldPosition,
  MarketSpec,
  MatchOutcome,
  OrderRequest
} from "./account.ts"
import type { AccountView, BookView } from "./accountView.ts"
import { MatcherBook } from "./MatcherBook.ts"
import { addRow } from "./matcherRows.ts"
import { heldPositions } from "./heldPositions.ts"
import type { Ledger } from "./ledger.ts"
import { definedExits } from "./protection.ts"

/** A group of orders of a market of which one is filled. */
interface NamedGroup {
  readonly id: number
  readonly market: number
  readonly name: string
}

/** All that an account is. @category models @since 0.1.0 */
export interface MatcherSnapshot {
  readonly bytes: Uint8Array
  /** Names of the orders that rest, and of the entries that opened lots. */
  readonly names: ReadonlyArray<readonly [id: number, name: string]>
  /** The group that was placed last, where there is one: more orders of this group may follow. */
  readonly group?: NamedGroup | undefined
}

/** Where the levels of a lot, or of all that is held, are to lie. @category models @since 0.1.0 */
export interface MovedLevels {
  readonly stop?: number | null | undefined
  readonly target?: number | null | undefined
  /** Name of the entry that opened the lot. */
  readonly lot?: string | undefined
}

/** A lot with its protective exits. @category models @since 0.1.0 */
export interface MatcherLot {
  /** Name of the entry that opened the lot. */
  readonly entryOrderId: string
  /** Negative for a short. */
  readonly quantity: number
  readonly entryPrice: number
  readonly entryTime: number
  /** Index of the candle in which the lot was opened. */
  readonly entryIndex: number
  /** Null where neither a stop nor a target protects the lot. */
  readonly protection: {
    readonly entryOrderId: string
    readonly stop: number | null
    readonly stopReason: LotExits["stopReason"]
    readonly target: number | null
    /** Whether the stop trails the price. */
    readonly isTrailing: boolean
  } | null
}

/**
 * Whether a market has one lot, which entries add to under `average`, or a lot for each entry.
 *
 * @category models
 * @since 0.1.0
 */
export type NettingMode = "single" | "average" | "hedging"

const noNames = [null]

/**
 * Rules of size and price that an account may go by in place of `matcherDefaults`.
 *
 * @category models
 * @since 0.1.0
 */
export interface AccountRules extends Partial<
  Pick<MatcherRules, "feeReserve" | "shortfall" | "stopLimitGap">
> {
  /**
   * The price at which lots are valued when an entry is cut to the affordable size. It is the last
   * close before the candle, or the price of the fill.
   */
  readonly sizingPrice?: "last_close" | "fill"
}

/** The id of no lot. */
const noLot = 2 ** 31 - 1

const toMatcherMarket = (spec: MarketSpec): MatcherMarket => ({ ...spec, entrySpread: 0 })

/** An account on a matcher. @category models @since 0.1.0 */
export class SimulatedAccount implements AccountView {
  readonly #matcher: Matcher
  readonly #names: Map<number, string>
  readonly #books: ReadonlyArray<MatcherBook>
  /**
   * The number of the matcher's changes: books keep the values that they read until the next
   * change.
   */
  readonly #changes = { count: 0 }
  #group: NamedGroup | undefined
  readonly #nameOf = (id: number): string => this.#names.get(id) ?? String(id)

  private constructor(matcher: Matcher, names: Map<number, string>, group?: NamedGroup) {
    this.#matcher = matcher
    this.#names = names
    this.#group = group
    this.#books = Array.from(
      { length: matcher.marketCount },
      (_, market) => new MatcherBook(matcher, market, this.#nameOf, this.#changes)
    )
  }

  /** An account with this much cash and nothing else. */
  static open(
    cash: number,
    specs: ReadonlyArray<MarketSpec>,
    netting: NettingMode = "single",
    rules: AccountRules = {}
  ): SimulatedAccount {
    return new SimulatedAccount(
      Matcher.open(cash, specs.map(toMatcherMarket), { ...rules, netting }),
      new Map()
    )
  }

  /**
   * The account of a snapshot.
   *
   * @throws RangeError where its bytes are no matcher that goes by stages.
   */
  static restore({ bytes, group, names }: MatcherSnapshot): SimulatedAccount {
    return new SimulatedAccount(Matcher.restore(bytes), new Map(names), group)
  }

  /** All that the account is; names of orders and lots that are gone are left out. */
  snapshot(): MatcherSnapshot {
    const bytes = this.#matcher.snapshot()
    const group = this.#group
    return { bytes, names: this.#usedNames(), ...(group !== undefined && { group }) }
  }

  #usedNames(): ReadonlyArray<readonly [id: number, name: string]> {
    // Rows that were not drained may name any order.
    if (this.#matcher.rowCount > 0) return [...this.#names]
    const used = new Set<number>()
    for (let market = 0; market < this.#books.length; market++) {
      for (const { id } of this.#matcher.resting(market)) used.add(id)
      for (const { id } of this.#matcher.lots(market, noNames)) used.add(id)
    }
    return [...this.#names].filter(([id]) => used.has(id))
  }

  get marketCount(): number {
    return this.#books.length
  }

  /** Goes by other steps, costs and permissions of its markets from the next candle on. */
  renew(specs: ReadonlyArray<MarketSpec>): void {
    this.#changes.count++
    this.#matcher.renew(specs.map(toMatcherMarket))
  }

  /** Goes by another netting, unless something is held that was entered by the one before. */
  net(netting: NettingMode): void {
    if (!this.hasPosition) this.#matcher.net(netting)
  }

  /** Whether each entry has a lot of its own. */
  get hasSeparateLots(): boolean {
    return this.#matcher.hasSeparateLots
  }

  /** The lots of a market, the oldest first. */
  lots(market: number): ReadonlyArray<MatcherLot> {
    const exits = this.#matcher.exits(market)
    return this.#matcher.lots(market, noNames).map(({ id, position }, nth) => {
      const { breaksEven, isTrailing, stop, stopReason, target } = exits[nth]!
      const entryOrderId = this.#nameOf(id)
      const isProtected = stop !== null || target !== null || isTrailing || breaksEven
      const { entryIndex, entryPrice, entryTime, quantity } = position
      const levels = { entryOrderId, stop, stopReason, target, isTrailing }
      const protection = isProtected ? levels : null
      return { entryOrderId, quantity, entryPrice, entryTime, entryIndex, protection }
    })
  }

  /** Units of each lot of a market, the oldest first; units of shorts are negative. */
  lotQuantities(market: number): ReadonlyArray<number> {
    return this.#matcher.lots(market, noNames).map(({ position }) => position.quantity)
  }

  get cash(): number {
    return this.#matcher.cash
  }

  get equity(): number {
    return this.#matcher.equity
  }

  /** Notional of every open position, at its market's last close. */
  get openNotional(): number {
    return this.#matcher.openNotional
  }

  get ledger(): Ledger {
    const { cash, feesPaid, fundingPaid, realizedPnl, turnover } = this.#matcher
    return { cash, realizedPnl, feesPaid, fundingPaid, turnover }
  }

  /** Candles in which the end of a position depends on the path of prices inside them. */
  get ambiguousCount(): number {
    return this.#matcher.ambiguousCount
  }

  /** Whether a position is open in any market. */
  get hasPosition(): boolean {
    return this.#matcher.lotCount > 0
  }

  /** Whether a position was held after the open in any of the candles that were shown last. */
  get wasHeld(): boolean {
    return this.#matcher.isHeld
  }

  /** Whether anything has happened that was not drained. */
  get hasNews(): boolean {
    return this.#matcher.rowCount > 0
  }

  committedNotional(market: number): number {
    return this.#matcher.committedNotional(market)
  }

  enteredBeside(market: number): number {
    let count = 0
    for (let other = 0; other < this.#books.length; other++) {
      if (other !== market && this.#isEntered(other)) count++
    }
    return count
  }

  #isEntered(market: number): boolean {
    if (this.#matcher.hasLot(market)) return true
    if (!this.#matcher.hasOrder(market)) return false
    return this.#matcher.resting(market).some(({ leg }) => leg === "entry")
  }

  /** One market; the view is always up to date. */
  book(market: number): BookView {
    return this.#books[market]!
  }

  /** Candles of a market that were shown, less one. */
  index(market: number): number {
    return this.#matcher.index(market)
  }

  /** Index of the candle in which the oldest lot of a market was opened. */
  entryIndex(market: number): number {
    return this.#matcher.entryIndex(market)
  }

  /** Whether any order rests in a market, protective exits included. */
  hasOrder(market: number): boolean {
    return this.#matcher.hasOrder(market)
  }

  /** Whether a position is open in a market. */
  isHeld(market: number): boolean {
    return this.#matcher.hasLot(market)
  }

  /** Shows the candles of one time, at most one of each market, and fills orders. */
  show(candles: ReadonlyArray<CandleInput>): void {
    this.#changes.count++
    this.#matcher.show(candles)
  }

  /** The number of candles until one may change something of a market. */
  stretch(market: number): QuietStretch {
    return this.#matcher.stretch(market)
  }

  /** Takes a market past candles within its stretch; the last opened and closed there. */
  pass(market: number, count: number, time: number, close: number): void {
    this.#changes.count++
    this.#matcher.pass(market, count, time, close)
  }

  /**
   * Fills market orders at the last close: exits, and entries unless they wait. Without a volume
   * they are filled whole.
   */
  atClose(market: number, volume?: number, withEntries = true): void {
    this.#changes.count++
    this.#matcher.matchClose(market, volume, withEntries)
  }

  /** Places an order; it is matched from the next candle on. */
  place(market: number, order: OrderRequest): void {
    this.#changes.count++
    const { attached, group, id: name, leg, lot, reason } = order
    const exits = attached && definedExits(attached)
    const staged = {
      ...order,
      ...(group !== undefined && { groupId: this.#groupId(market, group) }),
      ...(lot !== undefined && { lotId: this.#lotId(market, lot) })
    }
    const id =
      leg === "exit"
        ? this.#matcher.placeExit(market, staged, reason)
        : this.#matcher.placeEntry(market, staged, exits)
    // An order that the matcher refuses has an id all the same, and the log shows this id.
    this.#names.set(id === 0 ? this.#matcher.lastId : id, name)
  }

  /** The number of a group: orders of one are placed one after the other. */
  #groupId(market: number, name: string): number {
    if (this.#group?.name !== name || this.#group.market !== market) {
      this.#group = { market, name, id: this.#matcher.lastId + 1 }
    }
    return this.#group.id
  }

  /** The lot of an entry. */
  #lotId(market: number, name: string): number {
    const found = this.#matcher.lots(market, noNames).find(({ id }) => this.#nameOf(id) === name)
    // No lot has this id, so that the matcher refuses the exit.
    return found?.id ?? noLot
  }

  /** The last close of a market, NaN before the first candle. */
  lastClose(market: number): number {
    return this.#matcher.lastClose(market) ?? Number.NaN
  }

  /** The tightest stop of a market's position or lots, or null. */
  stop(market: number): number | null {
    let tightest: number | null = null
    for (const { position, stopLoss } of this.#matcher.lots(market, noNames)) {
      if (stopLoss === null) continue
      const side = position.quantity > 0 ? 1 : -1
      if (tightest === null || (stopLoss - tightest) * side > 0) tightest = stopLoss
    }
    return tightest
  }

  /** Takes an order back; false where it is not there. */
  cancel(market: number, name: string): boolean {
    this.#changes.count++
    let isFound = false
    for (const { id } of this.#matcher.resting(market)) {
      if (this.#nameOf(id) === name) isFound = this.#matcher.withdraw(market, id)
    }
    return isFound
  }

  /** Takes all orders of a market back. */
  cancelAll(market: number): void {
    this.#changes.count++
    this.#matcher.withdraw(market, null)
  }

  /**
   * Moves the stop or the target of a lot, or of all that is held. An absent level stays, and null
   * takes it away.
   */
  protect(market: number, { lot, stop, target }: MovedLevels): void {
    this.#changes.count++
    const lotId = lot === undefined ? 0 : this.#lotId(market, lot)
    this.#matcher.protectLot(market, lotId, { stop, target })
  }

  /** Adds the fills, payments and ended orders since the last call to an outcome. */
  drain(outcome: MatchOutcome): void {
    const hasLots = this.#matcher.hasSeparateLots
    for (const row of this.#matcher.drain(noNames)) addRow(outcome, row, this.#nameOf, hasLots)
  }

  /** Every open position, in the order of the markets; where lots are separate, each lot. */
  held(): ReadonlyArray<HeldPosition> {
    return heldPositions(this.#matcher)
  }
}
