/**
 * `technicalindicators`: whole arrays in, arrays without the warm-up out; generators when live. Its
 * RSI is rounded to two decimals.
 */
import { ATR, BollingerBands, EMA, MACD, RSI, SMA } from "technicalindicators"
import type { CandleColumns } from "@candlewick/core/kernel"
import { botEnters, type BotPeriods } from "../work/liveBots.ts"
import type { IndicatorPeer } from "./IndicatorPeer.ts"

/** Puts the warm-up back in front. */
const aligned = (found: ReadonlyArray<number | undefined>, length: number): Float64Array => {
  const result = new Float64Array(length).fill(Number.NaN)
  const offset = length - found.length
  for (let index = 0; index < found.length; index++) {
    const value = found[index]
    if (value !== undefined) result[offset + index] = value
  }
  return result
}

const macdInput = (values: Array<number>, fast: number, slow: number, signal: number) => ({
  values,
  fastPeriod: fast,
  slowPeriod: slow,
  signalPeriod: signal,
  SimpleMAOscillator: false,
  SimpleMASignal: false
})

const indicators = (candles: CandleColumns) => {
  const { length } = candles
  const values = Array.from(candles.close)
  const high = Array.from(candles.high)
  const low = Array.from(candles.low)
  const macd = MACD.calculate(macdInput(values, 12, 26, 9))
  const bands = BollingerBands.calculate({ period: 20, stdDev: 2, values })
  const macdColumn = (name: "MACD" | "signal" | "histogram") =>
    aligned(
      macd.map((one) => one[name]),
      length
    )
  const bandColumn = (name: "upper" | "middle" | "lower") =>
    aligned(
      bands.map((one) => one[name]),
      length
    )
  return {
    sma: aligned(SMA.calculate({ period: 20, values }), length),
    ema: aligned(EMA.calculate({ period: 20, values }), length),
    rsi: aligned(RSI.calculate({ period: 14, values }), length),
    macd: macdColumn("MACD"),
    signal: macdColumn("signal"),
    histogram: macdColumn("histogram"),
    upper: bandColumn("upper"),
    middle: bandColumn("middle"),
    lower: bandColumn("lower"),
    atr: aligned(ATR.calculate({ period: 14, high, low, close: values }), length)
  }
}

const makeBot = (periods: BotPeriods) => {
  const sma = new SMA({ period: periods.sma, values: [] })
  const ema = new EMA({ period: periods.ema, values: [] })
  const rsi = new RSI({ period: periods.rsi, values: [] })
  const macd = new MACD(macdInput([], periods.fast, periods.slow, periods.signal))
  const bands = new BollingerBands({ period: periods.band, stdDev: 2, values: [] })
  const atr = new ATR({ period: periods.atr, high: [], low: [], close: [] })
  return (open: number, high: number, low: number, close: number): boolean => {
    const average = sma.nextValue(close)
    const exponential = ema.nextValue(close)
    const strength = rsi.nextValue(close)
    const histogram = macd.nextValue(close)?.histogram
    const band = bands.nextValue(close)
    const range = atr.nextValue({ open, high, low, close })
    if (average === undefined || exponential === undefined || strength === undefined) return false
    if (histogram === undefined || band === undefined || range === undefined) return false
    return botEnters({
      close,
      sma: average,
      ema: exponential,
      rsi: strength,
      histogram,
      upper: band.upper,
      atr: range
    })
  }
}

/** `technicalindicators` 3.1.0. */
export const technicalIndicators: IndicatorPeer = {
  name: "technicalindicators",
  tolerance: 2e-4,
  decisionTolerance: 1e-3,
  botCount: 1_000,
  indicators,
  makeBots: ({ close, high, low, open }, periods) => {
    const bots = periods.map(makeBot)
    const enters = new Uint8Array(bots.length)
    return {
      step: (index) => {
        bots.forEach((bot, at) => {
          enters[at] = bot(open[index]!, high[index]!, low[index]!, close[index]!) ? 1 : 0
        })
        return enters
      }
    }
  }
}
