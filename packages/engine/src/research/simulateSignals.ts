/**
 * Trades signals after checking them, for callers without types.
 *
 * A fault of the input is reported with its place. The run itself is the same as that of typed
 * callers.
 *
 * @since 0.1.0
 */
import { invalidInput } from "../language/Fault.ts"
import { notAmong } from "../language/notAmong.ts"
import { type Fault } from "../language/Fault.ts"
import type { CandleColumns } from "../kernel/columns.ts"
import type { EntryExitSignals, SignalOptions } from "../kernel/signals/signalOptions.ts"
import type { SignalsResult } from "../kernel/signals/signalResult.ts"
import { simulateEntriesAndExits as simulateUnchecked } from "../kernel/signals/simulateEntriesAndExits.ts"
import { checkValues } from "./checkColumns.ts"
import { checkRunOptions } from "./checkOptions.ts"
import { isListOf } from "./runOptions.ts"

const needed = ["entries", "exits"]
const names = [...needed, "shortEntries", "shortExits"]

const isSignal = (value: unknown): boolean =>
  typeof value === "boolean" || typeof value === "number"

const faultOf = (name: string, given: unknown, length: number): Fault | null => {
  const pointer = `/${name}`
  if (!names.includes(name)) {
    const message = notAmong(`signals ${name}`, names)
    return { pointer, code: "unknown_field", message }
  }
  if (given === undefined && !needed.includes(name)) return null
  if (!isListOf(given, isSignal)) {
    const message = `${name} must be an array with true or false for each candle`
    return { pointer, code: "wrong_type", message }
  }
  const count = (given as ArrayLike<unknown>).length
  if (count === length) return null
  const message = `${name} has ${count} values for ${length} candles`
  return { pointer, code: "wrong_length", message }
}

const checkSignals = (signals: unknown, length: number): void => {
  if (typeof signals !== "object" || signals === null || Array.isArray(signals)) {
    const message = "Expected signals: an object with entries and exits"
    throw invalidInput([{ pointer: "/signals", code: "wrong_type", message }])
  }
  const given = signals as Readonly<Record<string, unknown>>
  const faults = [...new Set([...needed, ...Object.keys(given)])]
    .map((name) => faultOf(name, given[name], length))
    .filter((fault) => fault !== null)
  if (faults.length > 0) throw invalidInput(faults)
}

/** Options with one value for each candle, and ages that rise. */
const checkSeries = (options: Partial<SignalOptions>, length: number): void => {
  for (const [name, given] of Object.entries(options)) {
    if (typeof given !== "object" || given === null || name === "targets") continue
    const count = (given as ArrayLike<unknown>).length
    if (count === length) continue
    const message = `${name} has ${count} values for ${length} candles`
    throw invalidInput([{ pointer: `/${name}`, code: "wrong_length", message }])
  }
  const ages = options.targets?.map(({ afterMs }) => afterMs) ?? []
  if (ages.every((age, nth) => nth === 0 || age > ages[nth - 1]!)) return
  const message = "targets must be in ascending order of afterMs"
  throw invalidInput([{ pointer: "/targets", code: "not_allowed", message }])
}

/**
 * Trades one market on signals, as the kernel's `simulateEntriesAndExits` does.
 *
 * **Details**
 *
 * It is free of cost unless an option says otherwise, unlike `backtest`. Its purpose is to give the
 * positions of other software, which charges nothing by itself either. Name `feeRate` and
 * `slippageRate` where its figures are to be believed.
 *
 * Throws an `InvalidInput` where the candles, the signals or an option is at fault.
 *
 * @category backtests
 * @since 0.1.0
 */
export const simulateSignals = (
  candles: CandleColumns,
  signals: EntryExitSignals,
  options: Partial<SignalOptions> = {}
): SignalsResult => {
  checkRunOptions("run of signals", options)
  checkValues(candles, "/candles")
  checkSignals(signals, candles.length)
  checkSeries(options, candles.length)
  return simulateUnchecked(candles, signals, options)
}
