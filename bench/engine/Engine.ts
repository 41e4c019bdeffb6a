/**
 * The engine as the benchmark needs it. The engine under test is behind this and nothing else:
 * `ours.ts` says which one that is.
 */
import type { ParameterValues, StrategyDefinition } from "@candlewick/core"
import type { CandleColumns } from "@candlewick/engine/kernel"

/** How orders fill, what they cost, and which returns the Sharpe ratio is made from. */
export interface RunSetting {
  readonly capital: number
  readonly fill: "close" | "next_open"
  /** Maker and taker alike, of notional, on both sides. */
  readonly feeRate: number
  readonly slippageRate: number
  /** The step of quantities, or 0. */
  readonly lot: number
  /** The step of prices, or 0. */
  readonly tick: number
  readonly canShort: boolean
  /** Returns of each candle, a year being 525 600 of them, or of each UTC day, 365 a year. */
  readonly returns: "candle" | "day"
}

/** One strategy with one set of values; a sweep's runs share their definition. */
export interface Run {
  readonly definition: StrategyDefinition
  readonly values: ParameterValues
}

/**
 * Total return, Sharpe ratio, largest drawdown and entries of each run, four numbers after four,
 * in the order of the runs. There is no minimum notional, and a position at the end is valued at
 * the last close without being closed.
 */
export type Figures = Float64Array

/** Closed trades as columns, in the order in which they were closed. */
export interface Trades {
  readonly entryIndex: ArrayLike<number>
  readonly exitIndex: ArrayLike<number>
  readonly entryPrice: ArrayLike<number>
  readonly exitPrice: ArrayLike<number>
}

/** SMA 20, EMA 20, RSI 14, MACD 12/26/9, Bollinger 20/2 and ATR 14, with all of their outputs. */
export interface SixIndicators {
  readonly sma: ArrayLike<number>
  readonly ema: ArrayLike<number>
  readonly rsi: ArrayLike<number>
  readonly macd: ArrayLike<number>
  readonly signal: ArrayLike<number>
  readonly histogram: ArrayLike<number>
  readonly upper: ArrayLike<number>
  readonly middle: ArrayLike<number>
  readonly lower: ArrayLike<number>
  readonly atr: ArrayLike<number>
}

/** Bots that follow one market; `step` takes the candle of this index, candle after candle. */
export interface Bots {
  /** 1 for each bot whose entry rule holds; it may be the same array at every candle. */
  readonly step: (index: number) => Uint8Array
}

/** An engine under test. */
export interface Engine {
  readonly name: string
  /** One run with its list of trades. */
  readonly backtest: (
    candles: CandleColumns,
    run: Run,
    setting: RunSetting
  ) => { readonly figures: Figures; readonly trades: Trades }
  readonly runMany: (
    candles: CandleColumns,
    runs: ReadonlyArray<Run>,
    setting: RunSetting
  ) => Figures
  readonly runManyOnWorkers: (
    candles: CandleColumns,
    runs: ReadonlyArray<Run>,
    setting: RunSetting,
    workerCount: number
  ) => Promise<Figures>
  /** Into columns that are kept for the next call, or into new ones. */
  readonly indicators: (candles: CandleColumns, columns: "kept" | "new") => SixIndicators
  readonly makeBots: (candles: CandleColumns, runs: ReadonlyArray<Run>) => Bots
}
