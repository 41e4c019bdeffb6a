/**
 * The candles that the code of a strategy is shown: as many as it looks back, and at most twice
 * that. A bot keeps no more of them however long it runs.
 *
 * Windows begin at multiples of the look-back, counted from the first candle of all, and not at
 * each candle anew. A backtest computes the indicators once for each window. A bot computes them at
 * each candle, and begins where the backtest did.
 *
 * @since 0.1.0
 */
import { askingCode } from "./codeError.ts"
import { engineLimits } from "../language/engineLimits.ts"
import type { ParameterValues } from "../language/Parameter.ts"
import { invalidInput } from "../language/Fault.ts"
import { type CandleColumns, columnNames, makeColumns, sliceColumns } from "../kernel/columns.ts"
import type { StepCandle } from "./candleLanes.ts"
import type { CodeRules } from "../language/CodeRules.ts"

/** Columns of indicators by name. */
export type CodeColumns = ReadonlyMap<string, ArrayLike<number>>

const countOf = (given: CodeRules["warmup"], values: ParameterValues): number =>
  typeof given === "function" ? askingCode(() => given(values)) : (given ?? 0)

/** Candles after which all indicators of code are defined. @category plans @since 0.1.0 */
export const codeWarmup = (rules: CodeRules, values: ParameterValues): number =>
  countOf(rules.warmup, values)

/**
 * The number of candles before the current one that code can count on. @category plans @since 0.1.0
 */
export const codeLookback = (rules: CodeRules, values: ParameterValues): number =>
  askingCode(() => {
    const warmup = Math.ceil(codeWarmup(rules, values))
    const lookback =
      rules.lookback === undefined
        ? Math.max(engineLimits.codeLookbackCandles, 10 * warmup)
        : Math.max(countOf(rules.lookback, values), warmup)
    if (Number.isInteger(lookback) && lookback > 0) return lookback
    const message = `lookback and warmup must be whole numbers, and lookback above 0: ${lookback}`
    throw invalidInput([{ pointer: "/lookback", code: "wrong_type", message }])
  })

/** Index of the first candle of the window that a candle is looked at in. */
const windowStart = (index: number, lookback: number): number =>
  Math.max(0, Math.floor(index / lookback) - 1) * lookback

/** Candles and the values computed from them; the same object for all candles of a window. */
export interface CodeWindow<A> {
  readonly candles: CandleColumns
  readonly computed: A
  /** Place of the current candle among them. */
  readonly index: number
}

/**
 * The windows of candles that are all known; the values of one are kept until the next.
 *
 * @category columns
 * @since 0.1.0
 */
export const makeCodeWindows = <A>(
  all: CandleColumns,
  lookback: number,
  compute: (candles: CandleColumns) => A
): ((index: number) => CodeWindow<A>) => {
  const open = (start: number) => {
    const candles = sliceColumns(all, start, start + 2 * lookback)
    // Each window but the last is left before its end.
    const from = start === 0 ? 0 : start + lookback
    return { candles, computed: compute(candles), index: 0, start, from, to: start + 2 * lookback }
  }
  let window = open(0)
  return (index) => {
    if (index < window.from || index >= window.to) window = open(windowStart(index, lookback))
    window.index = index - window.start
    return window
  }
}

/** The same window as candles come one after the other. @category steps @since 0.1.0 */
export const makeGrowingWindow = (lookback: number) => {
  const most = 2 * lookback
  let room = makeColumns(Math.min(256, most))
  let count = 0
  /** Moves the candles from `first` on into columns with room for more. */
  const move = (length: number, first: number): void => {
    const next = makeColumns(length)
    for (const name of columnNames) next[name].set(room[name].subarray(first, count))
    room = next
    count -= first
  }
  return {
    push: (candle: StepCandle): void => {
      if (count === most) move(most, lookback)
      else if (count === room.length) move(Math.min(most, room.length * 2), 0)
      for (const name of columnNames) room[name][count] = candle[name]
      count += 1
    },
    candles: (): CandleColumns => sliceColumns(room, 0, count)
  }
}

/** The candles of a market so far, shared by the steps of all markets that read it. */
class SharedWindow<A> {
  readonly #window: ReturnType<typeof makeGrowingWindow>
  #lastTime = -Infinity
  #shown: CodeWindow<A> | null = null

  constructor(lookback: number) {
    this.#window = makeGrowingWindow(lookback)
  }

  /** Takes the next candle, unless the step of another market brought it already. */
  push(candle: StepCandle): void {
    if (candle.time <= this.#lastTime) return
    this.#lastTime = candle.time
    this.#window.push(candle)
    this.#shown = null
  }

  /** All candles, and the values that are computed once from them. */
  show(compute: (candles: CandleColumns) => A): CodeWindow<A> {
    if (this.#shown !== null) return this.#shown
    const candles = this.#window.candles()
    this.#shown = { candles, computed: compute(candles), index: candles.length - 1 }
    return this.#shown
  }
}

/**
 * The candles of a bot's markets as its code sees them, one window a market.
 *
 * @category steps
 * @since 0.1.0
 */
export class SharedWindows {
  /** The markets, in the order of the account. */
  readonly symbols: ReadonlyArray<string>
  readonly #windows = new Map<string, SharedWindow<CodeColumns>>()

  constructor(symbols: ReadonlyArray<string>) {
    this.symbols = symbols
  }

  /** The window of a market, for code that looks back so many candles. */
  of(symbol: string, lookback: number): SharedWindow<CodeColumns> {
    const window = this.#windows.get(symbol) ?? new SharedWindow<CodeColumns>(lookback)
    this.#windows.set(symbol, window)
    return window
  }
}
