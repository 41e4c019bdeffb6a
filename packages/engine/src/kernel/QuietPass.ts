/**
 * Takes a simulation past the candles that change nothing, at a few nanoseconds each. None of their
 * prices touches an order, and none of their signals changes a position or an order.
 *
 * Its results are, to the bit, the results of showing each of these candles.
 *
 * @since 0.1.0
 */
import type { QuietStretch } from "../match/quietStretch.ts"
import type { BookView } from "./accountView.ts"
import { dayMs, dayOf } from "./calendar.ts"
import { type CodeView, QuietView } from "./codeView.ts"
import { type CandleColumns, indexAt } from "./columns.ts"
import type { CandleDecision } from "./decide.ts"
import type { SimulatedAccount } from "./SimulatedAccount.ts"
import type { MarketLadders } from "./ladder/marketLadders.ts"
import { allowsEntry, observeEquity, type RiskGate, type RiskLimits } from "./riskGate.ts"
import {
  makeSignalCursors,
  nextOfAny,
  nextSignal,
  type SignalColumns,
  type SignalCursors
} from "./signalCursors.ts"
import type { Timeline } from "./timeline.ts"

type Decide = (index: number, book: BookView, view?: CodeView) => CandleDecision

/** A market whose signals are known, or that code decides on. */
type AskedMarket = { readonly columns: CandleColumns } & (
  | { readonly signals: SignalColumns; readonly decide?: undefined }
  | { readonly decide: Decide }
)

/** A simulation on its way, as far as candles that change nothing count. */
export interface PassedRun {
  readonly input: {
    readonly markets: ReadonlyArray<AskedMarket>
    readonly plan: { readonly timeLimit: number | null }
    readonly limits: RiskLimits
    readonly shouldStop?: (() => boolean) | undefined
  }
  readonly from: ReadonlyArray<number>
  readonly timeline: Timeline
  readonly account: SimulatedAccount
  /** Null where positions are entered and left as a whole. */
  readonly ladders: MarketLadders | null
  readonly gate: RiskGate
  readonly gateChanges: Array<Pick<RiskGate, "state" | "reason"> & { readonly time: number }>
  readonly time: Float64Array
  readonly equity: Float64Array
  readonly notional: Float64Array
  readonly held: Uint8Array
}

/** A market whose candles are passed. */
interface PassedMarket {
  readonly columns: CandleColumns
  /** Index of the first candle that counts. */
  readonly from: number
  /** Null where code decides. */
  readonly cursors: SignalCursors | null
  /** Prices that candles were compared with last, and the first candle that touches one of them. */
  scanned: { readonly below: number; readonly above: number; readonly at: number } | null
}

/** Candles after which a run of code is asked whether it is to stop: code may take its time. */
export const codeCandlesMax = 63

const isLimited = ({ dailyLossMax, drawdownMax }: RiskLimits): boolean =>
  dailyLossMax !== null || drawdownMax !== null

/** Index of the first candle from `from` on, and before `end`, that touches a price; else `end`. */
const touchedAt = (
  { high, low }: CandleColumns,
  below: number,
  above: number,
  from: number,
  end: number
): number => {
  if (above === Infinity && below === -Infinity) return end
  let index = from
  while (index < end && low[index]! > below && high[index]! < above) index++
  return index
}

/** Whether code's answer may change a position or an order. */
const changes = ({ signal }: CandleDecision, { hasOrder, held }: QuietStretch): boolean => {
  if (held !== 0) return held > 0 ? signal.exitLong : signal.exitShort
  if (signal.enterLong || signal.enterShort) return true
  return hasOrder && (signal.exitLong || signal.exitShort)
}

const heldOf = ({ held }: QuietStretch): ReadonlyArray<number> => (held === 0 ? [] : [held])

/** Passes the candles of a simulation that change nothing. @category simulating @since 0.1.0 */
export class QuietPass {
  readonly #run: PassedRun
  readonly #markets: ReadonlyArray<PassedMarket>
  readonly #isPossible: boolean
  #decision: CandleDecision | null = null
  readonly #view: QuietView

  constructor(run: PassedRun) {
    const { from, input, timeline } = run
    this.#run = run
    this.#view = new QuietView(run.account)
    this.#markets = input.markets.map((market, nth) => ({
      columns: market.columns,
      from: from[nth]!,
      cursors: market.decide === undefined ? makeSignalCursors(market.signals) : null,
      scanned: null
    }))
    const isDecided = input.markets.some(({ decide }) => decide !== undefined)
    const isAlone = input.markets.length === 1
    this.#isPossible =
      run.ladders === null ? isAlone || (!isDecided && timeline.isShared) : isAlone && !isDecided
  }

  /** The step that has to be looked at, from this one on; all before it are passed. */
  pass(step: number): number {
    if (!this.#isPossible || step === 0) return step
    const { account, input, ladders } = this.#run
    if (ladders !== null) return this.#passBeside(step, ladders)
    const stretches: Array<QuietStretch> = []
    for (let market = 0; market < this.#markets.length; market++) {
      const stretch = account.stretch(market)
      const { hasOrder, held } = stretch
      // Orders beside a position may be of any kind.
      if (hasOrder && held !== 0) return step
      // Beside other markets, the price at which equity is gone moves.
      if (this.#markets.length > 1 && (held < 0 || account.cash < 0)) return step
      stretches.push(stretch)
    }
    const { decide } = input.markets[0]!
    // A gate that shuts takes back resting entries.
    const isGated = isLimited(input.limits) && stretches.some(({ hasOrder }) => hasOrder)
    if (decide !== undefined) return isGated ? step : this.#ask(step, stretches[0]!, decide)
    const end = this.#quietUntil(step, stretches)
    if (isGated) return this.#writeGated(step, end, stretches.map(heldOf))
    if (end > step) this.#write(step, end, stretches.map(heldOf))
    return end
  }

  /** The same of one market whose position is built or left in parts. */
  #passBeside(step: number, ladders: MarketLadders): number {
    const { account, gate } = this.#run
    if (!ladders.isQuiet(0, allowsEntry(gate))) return step
    const market = this.#markets[0]!
    const stretch = account.stretch(0)
    const { held } = stretch
    const lots = account.lotQuantities(0)
    // Lots of both sides owe funding each for itself.
    if (held === 0 && lots.length > 0) return step
    const from = market.from + step
    const signalled = nextOfAny(market.cursors!, ladders.mayEnter(0), from)
    const last = Math.min(this.#lastOf(0, stretch), signalled)
    if (last <= from) return step
    const untouched = this.#untouchedUntil(market, stretch, from, last)
    const { close } = market.columns
    const { cash } = account
    const quiet = { market: 0, from, end: untouched, close, cash, lots }
    const end = ladders.quietUntil(quiet) - market.from
    return this.#writeGated(step, end, [lots])
  }

  /**
   * Writes a stretch up to the first candle at whose close the gate changes, and returns the candle
   * after the last written one. Orders are cancelled or placed at such a close.
   */
  #writeGated(step: number, end: number, lots: ReadonlyArray<ReadonlyArray<number>>): number {
    const { equity, gate, held, input, notional, time } = this.#run
    if (end <= step) return step
    const highest = this.#writeCurves(step, end, lots)
    let at = end
    if (isLimited(input.limits)) {
      const shown = { ...gate }
      at = step
      while (at < end && !observeEquity(shown, input.limits, time[at]!, equity[at]!)) at++
      held.fill(0, at, end)
      notional.fill(0, at, end)
    }
    if (at > step) this.#goPast(step, at, highest)
    return at
  }

  /** The decision of code on the candle that is looked at, where code was asked already. */
  takeDecision(): CandleDecision | null {
    const decision = this.#decision
    this.#decision = null
    return decision
  }

  /** Index of the first candle of a market that is looked at in any case. */
  #lastOf(nth: number, { dueIndex, dueTime, held }: QuietStretch): number {
    const { columns, from } = this.#markets[nth]!
    const { account, input } = this.#run
    const { timeLimit } = input.plan
    let last = Math.min(columns.length - 1, from + dueIndex)
    if (dueTime < Infinity) last = Math.min(last, indexAt(columns, dueTime))
    if (timeLimit === null || held === 0) return last
    return Math.min(last, from + account.entryIndex(nth) + timeLimit)
  }

  #quietUntil(step: number, stretches: ReadonlyArray<QuietStretch>): number {
    let end = Infinity
    for (let nth = 0; nth < stretches.length; nth++) {
      const market = this.#markets[nth]!
      const stretch = stretches[nth]!
      const from = market.from + step
      const signalled = nextSignal(market.cursors!, stretch.held, stretch.hasOrder, from)
      const last = Math.min(this.#lastOf(nth, stretch), signalled, market.from + end)
      if (last <= from) return step
      end = this.#untouchedUntil(market, stretch, from, last) - market.from
    }
    return end
  }

  /** The first candle that touches a price of a stretch; scanned candles are not scanned again. */
  #untouchedUntil(
    market: PassedMarket,
    { above, below }: QuietStretch,
    from: number,
    last: number
  ): number {
    const { columns, scanned } = market
    const isKnown = scanned?.below === below && scanned.above === above && scanned.at >= from
    if (isKnown) return Math.min(scanned.at, last)
    const at = touchedAt(columns, below, above, from, last)
    // Also where no price was touched: another market may end the stretch long before.
    market.scanned = { below, above, at }
    return at
  }

  /**
   * Writes the figures of a stretch's candles, and takes the account past them; `lots` has the lots
   * of each market.
   */
  #write(step: number, end: number, lots: ReadonlyArray<ReadonlyArray<number>>): void {
    this.#goPast(step, end, this.#writeCurves(step, end, lots))
  }

  /** Takes the account and the gate past the candles of a stretch. */
  #goPast(step: number, end: number, highest: number): void {
    this.#markets.forEach(({ columns, from }, nth) => {
      const last = from + end - 1
      this.#run.account.pass(nth, end - step, columns.time[last]!, columns.close[last]!)
    })
    this.#observe(step, end, highest)
  }

  /** Writes the curves of a stretch's candles; answers the highest equity. */
  #writeCurves(step: number, end: number, lots: ReadonlyArray<ReadonlyArray<number>>): number {
    const { account, equity, held } = this.#run
    let heldCount = 0
    let highest = account.cash
    for (let nth = 0; nth < lots.length; nth++) {
      const { columns, from } = this.#markets[nth]!
      const closes = columns.close.subarray(from + step, from + end)
      for (const quantity of lots[nth]!) {
        highest =
          heldCount === 0
            ? this.#setHeld(step, closes, quantity)
            : this.#addHeld(step, closes, quantity)
        heldCount++
      }
    }
    if (heldCount === 0) equity.fill(highest, step, end)
    else held.fill(1, step, end)
    return highest
  }

  /** Writes the curves of a position in one market; answers the highest equity. */
  #setHeld(step: number, closes: Float64Array, quantity: number): number {
    const { account, equity, notional } = this.#run
    const { cash } = account
    const size = Math.abs(quantity)
    let highest = -Infinity
    for (let at = 0; at < closes.length; at++) {
      const price = closes[at]!
      const value = cash + quantity * price
      equity[step + at] = value
      notional[step + at] = size * price
      if (value > highest) highest = value
    }
    return highest
  }

  /** The same of a position in a further market. */
  #addHeld(step: number, closes: Float64Array, quantity: number): number {
    const { equity, notional } = this.#run
    const size = Math.abs(quantity)
    let highest = -Infinity
    for (let at = 0; at < closes.length; at++) {
      const price = closes[at]!
      const value = equity[step + at]! + quantity * price
      equity[step + at] = value
      notional[step + at]! += size * price
      if (value > highest) highest = value
    }
    return highest
  }

  /** Asks code at each candle until one touches a price, or its answer may change something. */
  #ask(step: number, stretch: QuietStretch, decide: Decide): number {
    const { account, input } = this.#run
    const { columns, from } = this.#markets[0]!
    const { close, high, low } = columns
    const { above, below } = stretch
    // A run that no caller can stop has no reason to end a stretch.
    const most = input.shouldStop === undefined ? Infinity : codeCandlesMax
    const last = Math.min(this.#lastOf(0, stretch) - from, step + most)
    const { lastExitIndex, orders, position, wasStopped } = account.book(0)
    // The book as it stays until the end of the stretch, but for the candle.
    const book = { lastExitIndex, orders, position, wasStopped, index: 0, lastClose: 0 }
    this.#view.follow(book, stretch.held)
    const first = account.index(0) + 1
    let at = step
    for (; at < last && low[from + at]! > below && high[from + at]! < above; at++) {
      book.index = first + at - step
      book.lastClose = close[from + at]!
      const decision = decide(from + at, book, this.#view)
      if (!changes(decision, stretch)) continue
      this.#decision = decision
      break
    }
    if (at > step) this.#write(step, at, [heldOf(stretch)])
    return at
  }

  /** Shows the gate the equity of the candles that were passed. */
  #observe(step: number, end: number, highest: number): void {
    const { equity, gate, gateChanges, input, time } = this.#run
    const { limits } = input
    if (isLimited(limits)) {
      for (let at = step; at < end; at++) {
        if (!observeEquity(gate, limits, time[at]!, equity[at]!)) continue
        gateChanges.push({ time: time[at]!, state: gate.state, reason: gate.reason })
      }
      return
    }
    const day = dayOf(time[end - 1]!)
    if (day !== gate.dayIndex) {
      const { columns, from } = this.#markets[0]!
      const first = indexAt(columns, day * dayMs) - from
      gate.dayIndex = day
      gate.dayStartEquity = first > step ? equity[first - 1]! : gate.lastEquity
    }
    if (highest > gate.peakEquity) gate.peakEquity = highest
    gate.lastEquity = equity[end - 1]!
  }
}
