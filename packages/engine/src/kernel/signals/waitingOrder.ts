/**
 * Limit orders from signals, which wait for their price.
 *
 * To the matcher each is an order of one candle; it waits, moves and ends here.
 *
 * @since 0.1.0
 */
import type { SignalIntent } from "./decideSignal.ts"
import { fillSignal, lookAt, type SignalRun, type StopChange } from "./signalRun.ts"
import { numberAt } from "./signalStops.ts"

/**
 * Lets an order wait from a candle on, if its signal has a limit; whether it does.
 *
 * @category kernels
 * @since 0.1.0
 */
export const placeWaitingOrder = (
  run: SignalRun,
  intent: SignalIntent,
  decidedAt: number,
  index: number
): boolean => {
  const { options, candles } = run
  const isEntry = intent.effect === "increase"
  // An entry against the position does not wait: it is an exit as well.
  const prices = isEntry ? options.entryPrices : isExit(intent) ? options.exitPrices : null
  const limit = numberAt(prices, decidedAt)
  if (Number.isNaN(limit)) return false
  const since = candles.time[index] ?? Infinity
  run.waiting = { intent, isEntry, limit, decidedAt, index, since }
  return true
}

const isExit = ({ effect }: SignalIntent): boolean => effect === "close" || effect === "reduce"

/** Ends or moves an order that waits, before a candle. @category kernels @since 0.1.0 */
export const reviewWaitingOrder = (run: SignalRun, index: number): void => {
  const { waiting, options, candles } = run
  if (waiting === null || waiting.index === index) return
  const time = candles.time[index]!
  const timeout = waiting.isEntry ? options.entryTimeoutMs : options.exitTimeoutMs
  const isOver = waiting.isEntry && options.unfilledEntry === "cancel"
  if (isOver || time - waiting.since > timeout) {
    run.waiting = null
    return
  }
  if (!waiting.isEntry || options.unfilledEntry !== "reprice") return
  const limit = numberAt(options.entryPrices, index - 1)
  if (!Number.isNaN(limit)) run.waiting = { ...waiting, limit, since: time }
}

/** Fills an order that waits where the candle reaches it. @category kernels @since 0.1.0 */
export const fillWaitingOrder = (run: SignalRun, index: number): StopChange | null => {
  const { matcher, options, waiting } = run
  if (waiting === null) return null
  const { intent, limit, decidedAt } = waiting
  lookAt(run, index)
  const price = matcher.limitReached(0, intent.side, limit, options.gapFill)
  if (Number.isNaN(price)) return null
  run.waiting = null
  const orderIndex = waiting.index
  return fillSignal(run, {
    intent,
    reason: "signal",
    index,
    decidedAt,
    price,
    isMaker: true,
    orderIndex
  })
}
