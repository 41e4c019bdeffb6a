/**
 * Orders, positions and equity from signals of any source: signals decide, and a matcher fills
 * their orders.
 *
 * @since 0.1.0
 */
import type { CandleColumns } from "../columns.ts"
import { passSignalStops } from "./passSignalStops.ts"
import { numberAt } from "./signalStops.ts"
import { decideSignal, effectAgainst, type SignalFlags, type SignalIntent } from "./decideSignal.ts"
import {
  type EntryExitSignals,
  type SignalOptions,
  type SignalSeries,
  signalDefaults
} from "./signalOptions.ts"
import type { SignalOrderReason, SignalsResult } from "./signalResult.ts"
import {
  fillSignal,
  heldSide,
  makeSignalRun,
  openRoundTrip,
  settleStops,
  type SignalRun,
  type StopChange
} from "./signalRun.ts"
import { fillWaitingOrder, placeWaitingOrder, reviewWaitingOrder } from "./waitingOrder.ts"

/**
 * Trades one market on signals.
 *
 * **Details**
 *
 * Signals fill at the close of their candle, after stops were checked on it. With `fillPrice`
 * "next_open" they fill at the next open, before stops are checked. Orders with a limit wait from
 * the next candle on, and fill before stops are checked. Stops are live from the candle after that
 * of the fill, unless `stopsFrom` says otherwise. A candle on which a stop fills has no fills at
 * its close.
 *
 * **Gotchas**
 *
 * Shorts of a fixed size are not limited by cash, and nothing is liquidated: the simulator of
 * strategies does that.
 *
 * **Example** (Long on a signal, with a stop)
 *
 * ```ts no-run
 * import { type CandleColumns, simulateEntriesAndExits } from "@candlewick/engine/kernel"
 *
 * declare const candles: CandleColumns
 * const entries = [true, false, false, true, false]
 * const exits = [false, false, true, false, false]
 *
 * const signals = { entries, exits }
 * const { orders, equity } = simulateEntriesAndExits(candles, signals, { stopLoss: 0.02 })
 * ```
 *
 * @throws RangeError where an array has not one value for each candle, or targets are unordered.
 * @category kernels
 * @since 0.1.0
 */
export const simulateEntriesAndExits = (
  candles: CandleColumns,
  signals: EntryExitSignals,
  options: Partial<SignalOptions> = {}
): SignalsResult => {
  const all = { ...signalDefaults, ...options }
  const run = makeSignalRun(candles, all, all.direction === "both" || hasShorts(signals))
  checkLengths(candles.length, { ...signals, ...options, targets: null })
  checkTargets(all)
  const { length } = candles
  const position = new Float64Array(length)
  const cash = new Float64Array(length)
  const equity = new Float64Array(length)
  let [filledCount, held, left] = [0, 0, all.capital]
  for (let index = 0; index < length; index++) {
    passCandle(run, signals, index)
    if (run.orders.length > filledCount) {
      filledCount = run.orders.length
      held = run.matcher.heldQuantity(0)
      left = run.matcher.cash
    }
    position[index] = held
    cash[index] = left
    equity[index] = left + held * candles.close[index]!
  }
  const open = openRoundTrip(run)
  const trades = open === null ? run.trades : [...run.trades, open]
  return { orders: run.orders, trades, position, cash, equity }
}

const checkLengths = (length: number, inputs: Readonly<Record<string, unknown>>): void => {
  for (const [name, input] of Object.entries(inputs)) {
    if (typeof input !== "object" || input === null || !("length" in input)) continue
    if (input.length === length) continue
    throw new RangeError(`${name} has ${String(input.length)} values for ${length} candles`)
  }
}

const checkTargets = ({ targets }: SignalOptions): void => {
  const ages = targets?.map(({ afterMs }) => afterMs) ?? []
  if (ages.every((age, nth) => nth === 0 || age > (ages[nth - 1] ?? Number.NaN))) return
  throw new RangeError(`targets are not in ascending order of afterMs: ${ages.join(", ")}`)
}

const passCandle = (run: SignalRun, signals: EntryExitSignals, index: number): void => {
  const { fillPrice, stopsFrom } = run.options
  const isNextOpen = fillPrice === "next_open"
  reviewWaitingOrder(run, index)
  const atOpen = isNextOpen && index > 0 ? actOn(run, signals, index - 1, index) : null
  const early = atOpen ?? fillWaitingOrder(run, index)
  const isLive = stopsFrom === "entry_candle"
  if (isLive) settleStops(run, early, index)
  // A position whose stops are not set yet was opened on this candle.
  const { isTouched, change } = passStops(run, index)
  if (isTouched) return settleStops(run, change, index)
  const late = isNextOpen ? null : actOn(run, signals, index, index)
  if (!isLive) settleStops(run, early, index)
  settleStops(run, late, index)
}

interface StopOutcome {
  readonly isTouched: boolean
  readonly change: StopChange | null
}

const untouched: StopOutcome = { isTouched: false, change: null }

const passStops = (run: SignalRun, index: number): StopOutcome => {
  const { stops, options } = run
  if (stops === null) return untouched
  const touch = passSignalStops(run, stops, index)
  if (touch === null) return untouched
  const change = fillSignal(run, {
    intent: stopIntent(run, -stops.side),
    reason: touch.reason,
    index,
    decidedAt: index,
    price: stopPriceAt(run, touch.price, index),
    isMaker: options.stopFillPrice === "stop_limit"
  })
  return { isTouched: true, change }
}

/** A stop turns the position only where signals could have opened the other side. */
const stopIntent = ({ canTurn, options }: SignalRun, side: number): SignalIntent => {
  const { stopExit, accumulation } = options
  const closes = stopExit === "reverse" ? "close" : "close_reduce"
  const isTurning = stopExit === "reverse" || stopExit === "reverse_reduce"
  const rule = isTurning && !canTurn ? closes : stopExit
  return { side: side > 0 ? 1 : -1, effect: effectAgainst(rule, accumulation) }
}

const stopPriceAt = (run: SignalRun, level: number, index: number): number => {
  switch (run.options.stopFillPrice) {
    case "stop_limit":
    case "stop_market":
      return level
    case "close":
      return run.candles.close[index]!
    case "price":
      return signalPriceAt(run, index, index)
  }
}

const signalPriceAt = ({ candles, options }: SignalRun, decidedAt: number, index: number) => {
  switch (options.fillPrice) {
    case "close":
      return candles.close[index]!
    case "previous_close":
      return candles.close[index - 1] ?? Number.NaN
    case "next_open":
      return candles.open[index]!
    default:
      return numberAt(options.fillPrice, decidedAt)
  }
}

/** Fills the orders of one candle's signals, or lets them wait for their limits. */
const actOn = (
  run: SignalRun,
  signals: EntryExitSignals,
  decidedAt: number,
  index: number
): StopChange | null => {
  const wanted = wantedAt(run, signals, decidedAt)
  if (wanted === null) return null
  const { intent, reason } = wanted
  const first = run.options.fillPrice === "next_open" ? index : index + 1
  if (reason === "signal" && placeWaitingOrder(run, intent, decidedAt, first)) return null
  const price = signalPriceAt(run, decidedAt, index)
  return fillSignal(run, { intent, reason, index, decidedAt, price, isMaker: false })
}

const wantedAt = (
  run: SignalRun,
  signals: EntryExitSignals,
  decidedAt: number
): { readonly intent: SignalIntent; readonly reason: SignalOrderReason } | null => {
  if (run.options.timeLimit === null && isSilent(signals, decidedAt)) return null
  const flags = flagsAt(signals, run.options.direction, decidedAt)
  const held = heldSide(run)
  const decided = run.waiting === null ? decideSignal(flags, held, run.options) : null
  const intent = decided === null ? null : timely(run, decided, decidedAt)
  if (isPastTimeLimit(run, decidedAt) && (intent === null || intent.side === held)) {
    return { intent: { side: held === 1 ? -1 : 1, effect: "close" }, reason: "time_limit" }
  }
  return intent === null ? null : { intent, reason: "signal" }
}

const isPastTimeLimit = ({ matcher, options }: SignalRun, decidedAt: number): boolean =>
  options.timeLimit !== null &&
  matcher.hasLot(0) &&
  decidedAt - matcher.entryIndex(0) >= options.timeLimit

/** Returns the part of an intent that the position's age and the cooldown allow. */
const timely = (run: SignalRun, intent: SignalIntent, decidedAt: number): SignalIntent | null => {
  const { matcher, options, exitIndex } = run
  if (!matcher.hasLot(0)) return decidedAt < exitIndex + options.cooldown ? null : intent
  if (intent.effect === "increase") return intent
  if (decidedAt - matcher.entryIndex(0) < options.holdMin) return null
  // A position that is turned begins its cooldown instead.
  const isTurning = intent.effect === "reverse" || intent.effect === "turn"
  return isTurning && options.cooldown > 0 ? { ...intent, effect: "close" } : intent
}

const isOn = (series: SignalSeries | undefined, index: number): boolean => Boolean(series?.[index])

const isSilent = (
  { entries, exits, shortEntries, shortExits }: EntryExitSignals,
  index: number
): boolean =>
  !isOn(entries, index) &&
  !isOn(exits, index) &&
  !isOn(shortEntries, index) &&
  !isOn(shortExits, index)

const hasShorts = ({ shortEntries, shortExits }: EntryExitSignals): boolean =>
  shortEntries !== undefined || shortExits !== undefined

/** Signals for shorts follow from the others by the direction, unless they are given. */
const flagsAt = (
  signals: EntryExitSignals,
  direction: SignalOptions["direction"],
  index: number
): SignalFlags => {
  const entry = isOn(signals.entries, index)
  const exit = isOn(signals.exits, index)
  if (hasShorts(signals)) {
    const shortEntry = isOn(signals.shortEntries, index)
    const shortExit = isOn(signals.shortExits, index)
    return { longEntry: entry, longExit: exit, shortEntry, shortExit }
  }
  switch (direction) {
    case "long_only":
      return { longEntry: entry, longExit: exit, shortEntry: false, shortExit: false }
    case "short_only":
      return { longEntry: false, longExit: false, shortEntry: entry, shortExit: exit }
    case "both":
      return { longEntry: entry, longExit: false, shortEntry: exit, shortExit: false }
  }
}
