/**
 * A backtest's loop: candles through the matching engine, signals through the decision, equity at
 * every close.
 *
 * One or several markets share one account; candles come in time order, and those of one time in
 * the order of the markets.
 *
 * @since 0.1.0
 */
import { type CandleColumns, indexAt } from "./columns.ts"
import {
  type CandleDecision,
  decideOrders,
  type DroppedEntries,
  type EntryLevels,
  exitOrder,
  noLevels,
  type Signal,
  type TradingPlan
} from "./decide.ts"
import { type BookView, viewAccount } from "./accountView.ts"
import type { ClosedTrade } from "./ledger.ts"
import {
  type Book,
  cancelOrder,
  type CandleInput,
  type CandleSlice,
  type EndedOrder,
  equityOf,
  makeMatchingAccount,
  makeOutcome,
  type MarketSpec,
  type MatchFill,
  type MatchingAccount,
  placeOrder
} from "./account.ts"
import { matchAtClose, matchCandles } from "./matching.ts"
import {
  allowsEntry,
  makeRiskGate,
  observeEquity,
  type RiskGate,
  type RiskLimits
} from "./riskGate.ts"
import type { GateReason } from "./riskGateMachine.ts"

/** What the rules say, candle by candle: 1 where they hold. @category models @since 0.1.0 */
export interface SignalColumns {
  readonly enterLong: Uint8Array | null
  readonly exitLong: Uint8Array | null
  readonly enterShort: Uint8Array | null
  readonly exitShort: Uint8Array | null
}

interface MarketCandles {
  readonly columns: CandleColumns
  readonly spec: MarketSpec
  /** Shorter candles of the same market, which tell what came first inside a candle. */
  readonly detail?: CandleDetail | undefined
}

/** A market whose signals are known before the simulation. @category models @since 0.1.0 */
export interface SignalledMarket extends MarketCandles {
  readonly signals: SignalColumns
  /** Exit levels and volatility of an entry that is decided at this candle. */
  readonly levelsAt: (index: number) => EntryLevels
  readonly decide?: undefined
}

/** A market whose signals may depend on what is held. @category models @since 0.1.0 */
export interface DecidedMarket extends MarketCandles {
  /** Asked at each candle that counts, in their order. */
  readonly decide: (index: number, book: BookView) => CandleDecision
}

/** One market of a simulation. @category models @since 0.1.0 */
export type SimulatedMarket = SignalledMarket | DecidedMarket

/** Shorter candles, and how long those last that they tell of. @category models @since 0.1.0 */
export interface CandleDetail {
  readonly columns: CandleColumns
  readonly candleMs: number
}

/** A whole simulation. @category models @since 0.1.0 */
export interface SimulationInput {
  readonly markets: ReadonlyArray<SimulatedMarket>
  readonly plan: TradingPlan
  readonly capital: number
  readonly limits: RiskLimits
  readonly fill: "next_open" | "close"
  readonly endOfData: "close" | "open"
  /** First candle index that counts, for each market; earlier ones only warm indicators up. */
  readonly from?: ReadonlyArray<number> | undefined
  /** Asked now and then; true ends the simulation early. */
  readonly shouldStop?: (() => boolean) | undefined
}

/** A change of the risk gate. @category models @since 0.1.0 */
export interface GateChange {
  readonly time: number
  readonly state: RiskGate["state"]
  readonly reason: GateReason
}

/** What came out. @category models @since 0.1.0 */
export interface Simulation {
  /** Open time of each candle time that was simulated. */
  readonly time: Float64Array
  /** Equity at each of them. */
  readonly equity: Float64Array
  /** Notional of all positions at each of them. */
  readonly notional: Float64Array
  /** 1 at each of them at which a position was held, if only for a part of the candle, else 0. */
  readonly held: Uint8Array
  readonly fills: ReadonlyArray<MatchFill>
  readonly ended: ReadonlyArray<EndedOrder>
  readonly closed: ReadonlyArray<ClosedTrade>
  readonly account: MatchingAccount
  readonly gate: RiskGate
  readonly gateChanges: ReadonlyArray<GateChange>
  /** Candles of which it depends on the path inside them what became of a position. */
  readonly ambiguousCount: number
  /** Entries that were not ordered, as their stop was not on the losing side of the price. */
  readonly misplacedStopCount: number
  /** Entries that were not ordered, as less than a lot or the minimum notional was left of them. */
  readonly tooSmallCount: number
  /** Short entries that were not ordered, as their market allows no shorts. */
  readonly forbiddenShortCount: number
  readonly isComplete: boolean
}

const noSignal: Signal = { enterLong: false, exitLong: false, enterShort: false, exitShort: false }
const silence: CandleDecision = { signal: noSignal, levels: noLevels }

/** Runs a simulation from its first candle to its last. @category models @since 0.1.0 */
export const simulate = (input: SimulationInput): Simulation => {
  const timeline = makeTimeline(input)
  const account = makeMatchingAccount(input.capital, input.markets.length)
  const gate = makeRiskGate(input.capital)
  const outcome = makeOutcome()
  const specs = input.markets.map((market) => market.spec)
  const equity = new Float64Array(timeline.count)
  const notional = new Float64Array(timeline.count)
  const held = new Uint8Array(timeline.count)
  const time = new Float64Array(timeline.count)
  const gateChanges: Array<GateChange> = []
  const dropped: DroppedEntries = { misplacedStops: 0, tooSmall: 0, forbiddenShorts: 0 }
  // Code may take its time over a candle.
  const askedAfter = input.markets.some(({ decide }) => decide !== undefined) ? 63 : 4095
  let step = 0
  for (; step < timeline.count; step++) {
    if ((step & askedAfter) === askedAfter && input.shouldStop?.() === true) break
    const candles = timeline.next()
    matchCandles(account, candles, specs, outcome)
    const now = candles[0]!.time
    time[step] = now
    let closing = equityOf(account)
    if (observeEquity(gate, input.limits, now, closing)) {
      gateChanges.push({ time: now, state: gate.state, reason: gate.reason })
    }
    for (const candle of candles) {
      decideAt(input, account, candle.market, allowsEntry(gate), dropped)
      if (input.fill === "close") {
        const { market, volume } = candle
        matchAtClose(account, market, specs[market]!, outcome, { volume })
      }
    }
    if (input.endOfData === "close" && step < timeline.count - 1) {
      for (const { market } of candles) {
        if (timeline.hasEnded(market)) closeMarket(account, market, specs[market]!, outcome)
      }
    }
    // What was filled at this close shows in its equity.
    closing = equityOf(account)
    equity[step] = closing
    if (outcome.isHeld) held[step] = 1
    for (const { position, lastClose } of account.books) {
      if (position === null) continue
      held[step] = 1
      notional[step]! += Math.abs(position.quantity) * lastClose!
    }
  }
  if (input.endOfData === "close") {
    specs.forEach((spec, market) => closeMarket(account, market, spec, outcome))
  }
  if (step > 0) equity[step - 1] = equityOf(account)
  const closed = outcome.fills.flatMap((fill) => (fill.closed === null ? [] : [fill.closed]))
  return {
    time: time.subarray(0, step),
    equity: equity.subarray(0, step),
    notional: notional.subarray(0, step),
    held: held.subarray(0, step),
    fills: outcome.fills,
    ended: outcome.ended,
    closed,
    account,
    gate,
    gateChanges,
    ambiguousCount: outcome.ambiguousCount,
    misplacedStopCount: dropped.misplacedStops,
    tooSmallCount: dropped.tooSmall,
    forbiddenShortCount: dropped.forbiddenShorts,
    isComplete: step === timeline.count
  }
}

const decideAt = (
  input: SimulationInput,
  account: MatchingAccount,
  market: number,
  canEnter: boolean,
  dropped: DroppedEntries
): void => {
  const simulated = input.markets[market]!
  const book = account.books[market]!
  const index = book.index + firstIndex(input, market)
  const decided = decisionOf(simulated, index, book)
  if (decided === null) return
  const instructions = decideOrders({
    account: viewAccount(account),
    market,
    spec: simulated.spec,
    plan: input.plan,
    limits: input.limits,
    signal: decided.signal,
    levels: decided.levels,
    canEnter,
    dropped
  })
  for (const instruction of instructions) {
    if (instruction.type === "place") placeOrder(account, market, instruction.order)
    else cancelOrder(account, market, instruction.orderId)
  }
}

/** What is decided on at a candle, or null where nothing can come of it. */
const decisionOf = (
  simulated: SimulatedMarket,
  index: number,
  book: Book
): CandleDecision | null => {
  if (simulated.decide !== undefined) return simulated.decide(index, book)
  const { enterLong, exitLong, enterShort, exitShort } = simulated.signals
  const isQuiet =
    enterLong?.[index] !== 1 &&
    exitLong?.[index] !== 1 &&
    enterShort?.[index] !== 1 &&
    exitShort?.[index] !== 1
  if (isQuiet) return book.position === null && book.orders.length === 0 ? null : silence
  const signal = {
    enterLong: enterLong?.[index] === 1,
    exitLong: exitLong?.[index] === 1,
    enterShort: enterShort?.[index] === 1,
    exitShort: exitShort?.[index] === 1
  }
  const enters = signal.enterLong || signal.enterShort
  return { signal, levels: enters ? simulated.levelsAt(index) : noLevels }
}

const firstIndex = (input: SimulationInput, market: number): number => input.from?.[market] ?? 0

/** Closes what is open in a market whose candles have ended, at its last close. */
const closeMarket = (
  account: MatchingAccount,
  market: number,
  spec: MarketSpec,
  outcome: ReturnType<typeof makeOutcome>
): void => {
  const book = account.books[market]!
  book.orders = []
  if (book.position === null) return
  placeOrder(account, market, { ...exitOrder(book, "end_of_data"), id: `end${book.index}` })
  matchAtClose(account, market, spec, outcome)
}

interface MutableCandle {
  market: number
  time: number
  open: number
  high: number
  low: number
  close: number
  volume: number
  detail: CandleSlice | undefined
}

/** The shorter candles within the one that opens at this time. */
const detailAt = (detail: CandleDetail | undefined, time: number): CandleSlice | undefined => {
  if (detail === undefined) return undefined
  const { candleMs, columns } = detail
  return { columns, from: indexAt(columns, time), to: indexAt(columns, time + candleMs) }
}

/** Candles in time order; those of one time together, in the order of the markets. */
const makeTimeline = (input: SimulationInput) => {
  const { markets } = input
  const cursors = markets.map((_, market) => firstIndex(input, market))
  const slots: ReadonlyArray<MutableCandle> = markets.map((_, market) => ({
    market,
    time: 0,
    open: 0,
    high: 0,
    low: 0,
    close: 0,
    volume: 0,
    detail: undefined
  }))
  const batch: Array<CandleInput> = []
  const load = (market: number): void => {
    const { columns, detail } = markets[market]!
    const index = cursors[market]!++
    const slot = slots[market]!
    slot.time = columns.time[index]!
    slot.open = columns.open[index]!
    slot.high = columns.high[index]!
    slot.low = columns.low[index]!
    slot.close = columns.close[index]!
    slot.volume = columns.volume[index]!
    slot.detail = detailAt(detail, slot.time)
    batch.push(slot)
  }
  return {
    count: countTimes(input),
    hasEnded: (market: number): boolean => cursors[market]! >= markets[market]!.columns.length,
    next: (): ReadonlyArray<CandleInput> => {
      batch.length = 0
      let now = Infinity
      for (let market = 0; market < markets.length; market++) {
        const { columns } = markets[market]!
        const index = cursors[market]!
        if (index < columns.length && columns.time[index]! < now) now = columns.time[index]!
      }
      for (let market = 0; market < markets.length; market++) {
        const { columns } = markets[market]!
        const index = cursors[market]!
        if (index < columns.length && columns.time[index] === now) load(market)
      }
      return batch
    }
  }
}

const countTimes = (input: SimulationInput): number => {
  const [only] = input.markets
  if (input.markets.length === 1) return only!.columns.length - firstIndex(input, 0)
  const times = new Set<number>()
  input.markets.forEach(({ columns }, market) => {
    for (let index = firstIndex(input, market); index < columns.length; index++) {
      times.add(columns.time[index]!)
    }
  })
  return times.size
}
