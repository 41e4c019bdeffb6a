/**
 * A backtest's loop: candles through the matcher, signals through the decision, equity at
 * every close.
 *
 * One or several markets share one account; candles come in time order, and at one time in the
 * order of the markets.
 *
 * @since 0.1.0
 */
import {
  makeOutcome,
  type EndedOrder,
  type HeldPosition,
  type MarketSpec,
  type MatchFill,
  type MatchOutcome
} from "./account.ts"
import type { BookView } from "./accountView.ts"
import { type CodeView, viewMatcher } from "./codeView.ts"
import { type Curves, curvesFor } from "./curves.ts"
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
import { type AccountRules, SimulatedAccount } from "./SimulatedAccount.ts"
import { positionsOf } from "./ladder/joinParts.ts"
import { nettingOf } from "./ladder/LadderPlan.ts"
import { ladderPlanOf, type MarketLadder } from "./ladder/LadderView.ts"
import { type LadderClose, makeLadders, type MarketLadders } from "./ladder/marketLadders.ts"
import type { RoundTrip, Ledger } from "./ledger.ts"
import { codeCandlesMax, QuietPass } from "./QuietPass.ts"
import {
  allowsEntry,
  type LimitChange,
  makeRiskGate,
  observeEquity,
  type RiskGate,
  type RiskLimits
} from "./riskGate.ts"
import { type LostOrder, makeLosses, type WithdrawnOrder, withdrawOrder } from "./withdrawOrder.ts"
import type { GateReason } from "./riskGateMachine.ts"
import type { SignalColumns } from "./signalCursors.ts"
import { makeTimeline, type MarketCandles, type Timeline } from "./timeline.ts"

interface SpecifiedMarket extends MarketCandles {
  readonly spec: MarketSpec
  /** Positions that are built and sold in parts; the plan of the simulation is not asked then. */
  readonly ladder?: MarketLadder | undefined
}

/** A market whose signals are known before the simulation. @category models @since 0.1.0 */
export interface SignalledMarket extends SpecifiedMarket {
  readonly signals: SignalColumns
  /** Exit levels and volatility of an entry that is decided at this candle. */
  readonly levelsAt: (index: number) => EntryLevels
  readonly decide?: undefined
}

/** A market whose signals may depend on its position. @category models @since 0.1.0 */
export interface DecidedMarket extends SpecifiedMarket {
  /** Asked at each candle that counts, in their order. */
  readonly decide: (index: number, book: BookView, view?: CodeView) => CandleDecision
}

/** One market of a simulation. @category models @since 0.1.0 */
export type SimulatedMarket = SignalledMarket | DecidedMarket

/** A whole simulation. @category models @since 0.1.0 */
export interface SimulationInput {
  readonly markets: ReadonlyArray<SimulatedMarket>
  readonly plan: TradingPlan
  readonly capital: number
  /** Rules of size and price where they differ from every matcher's. */
  readonly rules?: AccountRules | undefined
  readonly limits: RiskLimits
  /** Limits that hold later, oldest first. */
  readonly limitChanges?: ReadonlyArray<LimitChange> | undefined
  /** Orders that are lost on the way, as an exchange refuses some. */
  readonly lost?: ReadonlyArray<LostOrder> | undefined
  /** Closes at which nothing is entered, whatever the gate says. */
  readonly barred?: ReadonlyArray<BarredCloses> | undefined
  readonly fill: "next_open" | "close"
  readonly endOfData: "close" | "open"
  /** First candle index that counts, for each market; earlier ones only warm indicators up. */
  readonly from?: ReadonlyArray<number> | undefined
  /** Room for the curves of the result, where another simulation's room is used again. */
  readonly curves?: Curves | undefined
  /** Asked now and then; true ends the simulation early. */
  readonly shouldStop?: (() => boolean) | undefined
}

/** Closes of candles from a time on, and before another. @category models @since 0.1.0 */
export interface BarredCloses {
  readonly from: number
  readonly until: number
}

/** A change of the risk gate. @category models @since 0.1.0 */
export interface GateChange {
  readonly time: number
  readonly state: RiskGate["state"]
  readonly reason: GateReason
}

/** The results of a simulation. @category models @since 0.1.0 */
export interface Simulation extends Curves {
  /** Open time of each candle time that was simulated; it may be that of the candles. */
  readonly time: Float64Array
  readonly fills: ReadonlyArray<MatchFill>
  readonly ended: ReadonlyArray<EndedOrder>
  /** The orders that its strategy took back. */
  readonly withdrawn: ReadonlyArray<WithdrawnOrder>
  /** The orders that rest after the last candle. */
  readonly resting: ReadonlyArray<Pick<EndedOrder, "market" | "orderId">>
  readonly closed: ReadonlyArray<RoundTrip>
  /** Positions that were entered. */
  readonly enteredCount: number
  /** The positions after the last candle, at their market's last close. */
  readonly open: ReadonlyArray<HeldPosition>
  readonly ledger: Ledger
  readonly gate: RiskGate
  readonly gateChanges: ReadonlyArray<GateChange>
  /** Candles in which the path decides the end of a position. */
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

/** A simulation on its way. */
interface Run {
  readonly input: SimulationInput
  /** The limits that hold now, and the number of changes that led to them. */
  limits: RiskLimits
  limitCount: number
  readonly from: ReadonlyArray<number>
  readonly timeline: Timeline
  readonly account: SimulatedAccount
  /** The account as code is shown it. */
  readonly view: CodeView
  readonly outcome: MatchOutcome
  readonly gate: RiskGate
  readonly gateChanges: Array<GateChange>
  readonly withdrawn: Array<WithdrawnOrder>
  /** Takes the orders that are lost before a candle from the account. */
  readonly loseBefore: (time: number) => void
  readonly dropped: DroppedEntries
  /** Null where positions are entered and left as a whole. */
  readonly ladders: MarketLadders | null
  readonly time: Float64Array
  readonly equity: Float64Array
  readonly notional: Float64Array
  readonly held: Uint8Array
}

const makeRun = (input: SimulationInput): Run => {
  const { capital, markets } = input
  const from = markets.map((_, market) => input.from?.[market] ?? 0)
  const timeline = makeTimeline(markets, from)
  const specs = markets.map(({ spec }) => spec)
  const netting = nettingOf(ladderPlanOf(markets))
  const account = SimulatedAccount.open(capital, specs, netting, input.rules)
  const dropped = { misplacedStops: 0, tooSmall: 0, forbiddenShorts: 0 }
  const withdrawn: Array<WithdrawnOrder> = []
  const ladders = makeLadders({ account, markets, limits: input.limits, dropped, withdrawn })
  return {
    input,
    limits: input.limits,
    limitCount: 0,
    from,
    timeline,
    account,
    view: viewMatcher(account),
    outcome: makeOutcome(),
    gate: makeRiskGate(capital),
    gateChanges: [],
    dropped,
    withdrawn,
    loseBefore: makeLosses(input.lost ?? [], { account, ladders, withdrawn }),
    ladders,
    // Times that all markets share are there already.
    time: timeline.isShared
      ? markets[0]!.columns.time.subarray(from[0])
      : new Float64Array(timeline.count),
    ...curvesFor(timeline.count, input.curves)
  }
}

/** Runs a simulation from its first candle to its last. @category models @since 0.1.0 */
export const simulate = (input: SimulationInput): Simulation => {
  const run = makeRun(input)
  const { account, timeline } = run
  const isCode = input.markets.some(({ decide }) => decide !== undefined)
  const askedAfter = isCode ? codeCandlesMax : 4095
  const quiet = new QuietPass(run)
  const { barred = [], limitChanges = [], lost = [] } = input
  const isSteady = barred.length + limitChanges.length + lost.length === 0
  let askAt = askedAfter
  let step = 0
  for (; step < timeline.count; step++) {
    const passed = isSteady ? quiet.pass(step) - step : 0
    timeline.skip(passed)
    step += passed
    if (step >= askAt) {
      if (input.shouldStop?.() === true) break
      askAt = step + askedAfter
    }
    takeStep(run, step, quiet.takeDecision())
  }
  if (input.endOfData === "close") {
    for (let market = 0; market < input.markets.length; market++) closeMarket(account, market)
    takeNews(run)
  }
  if (step > 0) run.equity[step - 1] = account.equity
  return toSimulation(run, step)
}

/** Goes by the limits that hold at a time. */
const limitAt = (run: Run, time: number): void => {
  const changes = run.input.limitChanges ?? []
  while (run.limitCount < changes.length && changes[run.limitCount]!.after < time) {
    run.limits = changes[run.limitCount++]!.limits
    run.ladders?.limit(run.limits)
  }
}

/** Shows the candles of one time to the account, and decides where no decision is `known`. */
const takeStep = (run: Run, step: number, known: CandleDecision | null): void => {
  const { account, gate, gateChanges, input, timeline } = run
  const candles = timeline.next()
  const now = candles[0]!.time
  run.loseBefore(now)
  account.show(candles)
  takeNews(run)
  limitAt(run, now)
  let equity = account.equity
  if (observeEquity(gate, run.limits, now, equity)) {
    gateChanges.push({ time: now, state: gate.state, reason: gate.reason })
  }
  const isAtClose = input.fill === "close"
  const isBarred = input.barred?.some(({ from, until }) => from <= now && now < until) ?? false
  const canEnter = allowsEntry(gate) && !isBarred
  for (const { market, volume } of candles) {
    const close = decideAt(run, market, known, canEnter)
    if (!isAtClose || !account.hasOrder(market)) continue
    account.atClose(market, volume)
    if (close !== null && takeNews(run)) run.ladders!.rest(close)
  }
  if (input.endOfData === "close" && step < timeline.count - 1) {
    for (const { market } of candles) {
      if (timeline.hasEnded(market)) closeMarket(account, market)
    }
  }
  // A fill at this close shows in its equity.
  if (takeNews(run) || run.ladders !== null) ({ equity } = account)
  if (!timeline.isShared) run.time[step] = now
  run.equity[step] = equity
  if (account.hasPosition) {
    run.held[step] = 1
    run.notional[step] = account.openNotional
  } else if (account.wasHeld) run.held[step] = 1
}

/** Takes over the news of the account; true where there is any. */
const takeNews = ({ account, ladders, outcome }: Run): boolean => {
  if (!account.hasNews) return false
  account.drain(outcome)
  ladders?.show(outcome)
  return true
}

const toSimulation = (run: Run, step: number): Simulation => {
  const { account, dropped, gate, gateChanges, outcome, timeline } = run
  const { ended, fills } = outcome
  return {
    time: run.time.subarray(0, step),
    equity: run.equity.subarray(0, step),
    notional: run.notional.subarray(0, step),
    held: run.held.subarray(0, step),
    fills,
    ended,
    withdrawn: run.withdrawn,
    resting: run.input.markets.flatMap((_, market) =>
      account.book(market).orders.map(({ id }) => ({ market, orderId: id }))
    ),
    ...positionsOf(fills, run.input.markets, (market, lot) =>
      account.lots(market).some(({ entryOrderId }) => entryOrderId === lot)
    ),
    open: account.held(),
    ledger: account.ledger,
    gate,
    gateChanges,
    ambiguousCount: account.ambiguousCount,
    misplacedStopCount: dropped.misplacedStops,
    tooSmallCount: dropped.tooSmall,
    forbiddenShortCount: dropped.forbiddenShorts,
    isComplete: step === timeline.count
  }
}

/** Decides at the close of a market's candle; answers that close where a ladder has decided. */
const decideAt = (
  run: Run,
  market: number,
  known: CandleDecision | null,
  canEnter: boolean
): LadderClose | null => {
  const { account, dropped, from, input } = run
  const simulated = input.markets[market]!
  const index = account.index(market) + from[market]!
  const decided = known ?? decisionOf(run, simulated, index, market)
  // A market that is only read has no ladder.
  if (run.ladders !== null && simulated.ladder != null) {
    const levels = simulated.decide === undefined ? undefined : decided.levels
    const { signal, wanted } = decided
    const close = { market, index, signal, levels, canEnter, wanted }
    run.ladders.decide(close)
    return close
  }
  if (isSilent(decided) && !outlasts(run, market, canEnter)) return null
  const instructions = decideOrders({
    account,
    market,
    spec: simulated.spec,
    plan: input.plan,
    limits: run.limits,
    signal: decided.signal,
    levels: decided.levels,
    canEnter,
    dropped
  })
  for (const instruction of instructions) {
    if (instruction.type === "place") account.place(market, instruction.order)
    else withdrawOrder(account, market, instruction.orderId, run.withdrawn)
  }
  return null
}

const isSilent = ({ signal }: CandleDecision): boolean =>
  signal === noSignal ||
  !(signal.enterLong || signal.exitLong || signal.enterShort || signal.exitShort)

/** Whether a position or an order lasts longer than it may, so that a silent candle ends it. */
const outlasts = ({ account, input }: Run, market: number, canEnter: boolean): boolean => {
  if (!canEnter && account.hasOrder(market)) return true
  const { timeLimit } = input.plan
  if (timeLimit === null || !account.isHeld(market)) return false
  return account.index(market) - account.entryIndex(market) >= timeLimit
}

/** The decision of a market's strategy at a candle. */
const decisionOf = (
  { account, view }: Run,
  simulated: SimulatedMarket,
  index: number,
  market: number
): CandleDecision => {
  if (simulated.decide !== undefined) return simulated.decide(index, account.book(market), view)
  const { enterLong, exitLong, enterShort, exitShort } = simulated.signals
  const isQuiet =
    enterLong?.[index] !== 1 &&
    exitLong?.[index] !== 1 &&
    enterShort?.[index] !== 1 &&
    exitShort?.[index] !== 1
  if (isQuiet) return silence
  const signal = {
    enterLong: enterLong?.[index] === 1,
    exitLong: exitLong?.[index] === 1,
    enterShort: enterShort?.[index] === 1,
    exitShort: exitShort?.[index] === 1
  }
  const enters = signal.enterLong || signal.enterShort
  return { signal, levels: enters ? simulated.levelsAt(index) : noLevels }
}

/** Closes the positions in a market whose candles have ended, at its last close. */
const closeMarket = (account: SimulatedAccount, market: number): void => {
  account.cancelAll(market)
  if (!account.isHeld(market)) return
  const book = account.book(market)
  account.place(market, { ...exitOrder(book, "end_of_data"), id: `end${book.index}` })
  account.atClose(market)
}
