/**
 * One run over several markets that share one account, from event to event.
 *
 * Each market knows the next candle with an event: a signal, a price that an order waits for, an
 * order's end, a payment. Candles before the nearest of these are passed in all markets at once. At
 * that candle the matcher fills orders and `kernel/decide.ts` decides, as in `kernel/simulate.ts`:
 * the results are equal to the bit.
 *
 * @since 0.1.0
 */
import type { MatchOutcome } from "../../kernel/account.ts"
import { indexAt } from "../../kernel/columns.ts"
import {
  decideOrders,
  type DroppedEntries,
  exitOrder,
  noLevels,
  type TradingPlan
} from "../../kernel/decide.ts"
import type { RiskLimits } from "../../kernel/riskGate.ts"
import type { QuietStretch } from "../../match/quietStretch.ts"
import type { MatcherCandle } from "../../match/MatcherCandle.ts"
import type { MergedTimes } from "./MergedTimes.ts"
import { PortfolioAccount } from "./PortfolioAccount.ts"
import type { EquityFollower, PortfolioBalance } from "./PortfolioEquity.ts"
import {
  endless,
  type Followed,
  followMarket,
  mayBorrow,
  type PortfolioMarket,
  touchedAt
} from "./PortfolioMarket.ts"
import { holdsAt, nextPortfolioSignal } from "./PortfolioSignals.ts"

/** A run. */
export interface PortfolioRun {
  readonly markets: ReadonlyArray<PortfolioMarket>
  readonly plan: TradingPlan
  readonly capital: number
  readonly fill: "next_open" | "close"
  readonly endOfData: "close" | "open"
  readonly limits: RiskLimits
  readonly times: MergedTimes
  readonly follower: EquityFollower
  /** Takes each fill; null where only their number counts. */
  readonly outcome: MatchOutcome | null
}

/** More than the part of its positions' worth that an equity may be off by. */
const roundingShare = 1e-9

/** A run on its way. */
export class PortfolioWay {
  readonly #run: PortfolioRun
  readonly #account: PortfolioAccount
  readonly #markets: ReadonlyArray<Followed>
  readonly #shown: Array<MatcherCandle> = []
  readonly #ended: Array<number> = []
  /** Whether a fill may leave the cash below zero, or units below none. */
  readonly #mayBorrow: boolean
  /** Whether anything is due by the clock. */
  readonly #needsTimes: boolean
  /** Whether a position was held in the candles of the step. */
  #wasHeld = false
  /** Notional after it, where somebody asks for it. */
  #notional = 0
  /** Whether the step is looked at as equity may be used up there. */
  #isForced = false
  readonly #holdings: PortfolioBalance
  readonly #dropped: DroppedEntries = { misplacedStops: 0, tooSmall: 0, forbiddenShorts: 0 }
  #enteredCount = 0
  /** The first step that is not over. */
  #step = 0

  constructor(run: PortfolioRun) {
    const { capital, markets, outcome, times } = run
    this.#run = run
    const specs = markets.map(({ spec }) => spec)
    this.#account = new PortfolioAccount(capital, specs, outcome !== null)
    this.#holdings = { cash: capital, held: new Float64Array(markets.length) }
    this.#needsTimes = outcome !== null || markets.some(({ spec }) => spec.funding !== undefined)
    this.#mayBorrow = markets.some(mayBorrow)
    this.#markets = markets.map((one, market) => followMarket(one, market, times))
  }

  /** Goes on to a step, and not beyond. */
  goUntil(end: number): void {
    let step = this.#step
    while (step < end) {
      const look = step === 0 ? 0 : this.#quietUntil(step, end)
      if (look > step) this.#run.follower.follow(step, look, this.#holdings)
      if (look < end) this.#look(look)
      step = look + 1
    }
    this.#step = Math.min(step, end)
  }

  /** Entries that were filled. */
  get enteredCount(): number {
    return this.#enteredCount
  }

  /** Entries that were not ordered, by why. */
  get dropped(): DroppedEntries {
    return this.#dropped
  }

  get account(): PortfolioAccount {
    return this.#account
  }

  /** The first step from this one on, and before `end`, that has to be looked at; else `end`. */
  #quietUntil(step: number, end: number): number {
    const { times } = this.#run
    const { matcher } = this.#account
    const { held } = this.#holdings
    let until = Math.min(times.count - 1, end)
    const isAtRisk = this.#isForced || this.#isAtRisk()
    for (const followed of this.#markets) {
      // Only a market that was looked at has changed, unless equity was used up.
      const { look, market } = followed
      const isKnown = look >= step && !isAtRisk && matcher.heldQuantity(market) === held[market]
      if (!isKnown) this.#findLook(followed, step)
      if (followed.look < until) until = followed.look
    }
    this.#isForced = this.#isAtRisk()
    if (!this.#isForced) return until
    return times.isShared ? this.#ruinedUntil(step, until) : step
  }

  /** Whether a price may use the equity up, as it does of shorts and of borrowed cash. */
  #isAtRisk(): boolean {
    const { cash, held } = this.#holdings
    if (cash < 0) return true
    for (let market = 0; market < held.length; market++) if (held[market]! < 0) return true
    return false
  }

  /** The first of these steps at which some market's price may use the equity up, or `until`. */
  #ruinedUntil(step: number, until: number): number {
    const { cash, held } = this.#holdings
    for (let at = step; at < until; at++) {
      let equity = cash
      let worth = Math.abs(cash)
      for (const { columns, from, market } of this.#markets) {
        const value = held[market]! * columns.close[from + at - 1]!
        if (value === 0) continue
        equity += value
        worth += Math.abs(value)
      }
      for (const { columns, from, market } of this.#markets) {
        const quantity = held[market]!
        if (quantity === 0) continue
        const worst = (quantity > 0 ? columns.low : columns.high)[from + at]!
        const loss = quantity * (worst - columns.close[from + at - 1]!)
        if (equity + loss <= roundingShare * (worth + Math.abs(quantity * worst))) return at
      }
    }
    return until
  }

  /** Finds the next step of a market that has to be looked at. */
  #findLook(followed: Followed, step: number): void {
    const { columns, from, market, signals } = followed
    const { times } = this.#run
    const stretch = this.#stretchOf(followed)
    const { hasOrder, held } = stretch
    this.#holdings.held[market] = held
    const first = times.nextCandle(market, step)
    if (first >= columns.length) {
      followed.look = Infinity
      return
    }
    const last = Math.max(first, this.#lastOf(followed, stretch))
    // The first candle is shown, and an order beside a position may be of any kind.
    const isAtOnce = first === from || (hasOrder && held !== 0)
    const end = isAtOnce ? first : nextPortfolioSignal(signals, held, hasOrder, first, last)
    const touched = touchedAt(followed, stretch, first, end + 1)
    followed.look = times.stepOf(market, Math.min(touched, end))
    followed.isShown = isAtOnce || touched <= end || end >= last
  }

  /**
   * The number of a market's candles that may pass; where no order rests, only a payment may be
   * due.
   */
  #stretchOf({ isStill, market, spec }: Followed): QuietStretch {
    const { matcher } = this.#account
    const isBound = !isStill || spec.funding !== undefined || matcher.hasOrder(market)
    if (isBound) return matcher.stretch(market)
    return { ...endless, held: matcher.heldQuantity(market) }
  }

  /** Index of the first candle of a market that is looked at in any case. */
  #lastOf({ columns, from, market }: Followed, { dueIndex, dueTime, held }: QuietStretch): number {
    const { timeLimit } = this.#run.plan
    let last = Math.min(columns.length - 1, from + dueIndex)
    if (dueTime < Infinity) last = Math.min(last, indexAt(columns, dueTime))
    if (timeLimit === null || held === 0) return last
    return Math.min(last, from + this.#account.matcher.entryIndex(market) + timeLimit)
  }

  /**
   * Takes the matcher to the close of a step's candles and decides, as `kernel/simulate.ts` does.
   */
  #look(step: number): void {
    const { endOfData, fill, times } = this.#run
    const account = this.#account
    this.#show(step)
    for (const followed of this.#markets) {
      if (followed.look > step && followed.seen !== step) continue
      const { columns, market, next, spec } = followed
      this.#decide(followed)
      if (fill === "close" && account.matcher.hasOrder(market)) {
        const isBounded = spec.volumeShare !== undefined
        account.atClose(market, isBounded ? columns.volume[next - 1] : undefined)
      }
      if (endOfData === "close" && step < times.count - 1 && next >= columns.length) {
        this.#ended.push(market)
      }
    }
    while (this.#ended.length > 0) this.#leave(this.#ended.shift()!)
    this.#takeRows()
    const { matcher } = account
    this.#holdings.cash = matcher.cash
    if (this.#run.outcome !== null) {
      this.#notional = matcher.openNotional
      this.#wasHeld ||= matcher.lotCount > 0
    }
    // The last equity is known once all positions are closed.
    if (step < times.count - 1) this.#add(step)
  }

  /**
   * Shows the matcher the candles of a step that it has to see, and passes the others. While the
   * matcher looks at a candle, other markets are worth their closes before it.
   */
  #show(step: number): void {
    const shown = this.#shown
    shown.length = 0
    let isShown = this.#isForced
    for (const { isShown: isOne, look } of this.#markets) if (look <= step && isOne) isShown = true
    if (isShown) {
      const isAll = this.#isForced || this.#mayBorrow
      for (const followed of this.#markets) {
        this.#passBefore(followed, step)
        if (isAll || (followed.look <= step && followed.isShown)) this.#layOut(followed, step)
      }
      this.#account.show(shown)
    }
    const { matcher } = this.#account
    this.#wasHeld = isShown && matcher.isHeld
    for (const followed of this.#markets) {
      if (this.#passBefore(followed, step + 1) && matcher.hasLot(followed.market))
        this.#wasHeld = true
    }
  }

  /** Passes a market's candles before a step; false where there are none. */
  #passBefore(followed: Followed, step: number): boolean {
    const { columns, market, next } = followed
    const at = this.#run.times.nextCandle(market, step)
    if (at === next) return false
    // A time that no rule asks for may be far from the processor.
    const time = this.#needsTimes ? columns.time[at - 1]! : 0
    this.#account.pass(market, at - next, time, columns.close[at - 1]!)
    followed.next = at
    return true
  }

  /** Lays out the candle of a step, where the market has one. */
  #layOut(followed: Followed, step: number): void {
    const { columns, market, next, slot } = followed
    const { times } = this.#run
    if (next >= columns.length || (!times.isShared && times.stepOf(market, next) !== step)) return
    slot.time = this.#needsTimes ? columns.time[next]! : 0
    slot.open = columns.open[next]!
    slot.high = columns.high[next]!
    slot.low = columns.low[next]!
    slot.close = columns.close[next]!
    slot.volume = columns.volume[next]!
    followed.next = next + 1
    followed.seen = step
    this.#shown.push(slot)
  }

  /** Decides at the close of a market's candle. */
  #decide({ levelsAt, market, next, signals, spec }: Followed): void {
    const candle = next - 1
    const enterLong = holdsAt(signals.enterLong, candle)
    const exitLong = holdsAt(signals.exitLong, candle)
    const enterShort = holdsAt(signals.enterShort, candle)
    const exitShort = holdsAt(signals.exitShort, candle)
    const enters = enterLong || enterShort
    const isSilent = !(enters || exitLong || exitShort)
    if (isSilent && !this.#outlasts(market)) return
    const { limits, plan } = this.#run
    const instructions = decideOrders({
      account: this.#account,
      market,
      spec,
      plan,
      limits,
      signal: { enterLong, exitLong, enterShort, exitShort },
      levels: enters ? levelsAt(candle) : noLevels,
      canEnter: true,
      dropped: this.#dropped
    })
    for (const instruction of instructions) this.#account.follow(market, instruction)
  }

  /** Whether a position lasts longer than it may, so that a silent candle ends it. */
  #outlasts(market: number): boolean {
    const { timeLimit } = this.#run.plan
    const { matcher } = this.#account
    if (timeLimit === null || !matcher.hasLot(market)) return false
    return matcher.index(market) - matcher.entryIndex(market) >= timeLimit
  }

  /** Takes the equity at the end of a step. */
  #add(step: number): void {
    this.#run.follower.add(step, this.#account.matcher.equity, this.#notional, this.#wasHeld)
  }

  /** Closes the positions in a market whose candles have ended, at its last close. */
  #leave(market: number): void {
    const account = this.#account
    account.cancelAll(market)
    if (!account.matcher.hasLot(market)) return
    const book = account.book(market)
    account.place(market, { ...exitOrder(book, "end_of_data"), id: `end${book.index}` })
    account.atClose(market)
  }

  #takeRows(): void {
    const { outcome } = this.#run
    if (this.#account.matcher.rowCount === 0) return
    if (outcome === null) this.#enteredCount += this.#account.matcher.countEntries()
    else this.#account.drain(outcome)
  }

  /** Ends the run, once all steps are over: closes open positions, and takes the last equity. */
  end(): void {
    const { endOfData, markets, times } = this.#run
    if (endOfData === "close")
      for (let market = 0; market < markets.length; market++) this.#leave(market)
    this.#takeRows()
    if (times.count > 0) this.#add(times.count - 1)
  }
}
