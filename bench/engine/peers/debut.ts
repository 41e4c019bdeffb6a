/**
 * `@debut/indicators`: classes that take one value at a time, columns by calling them in a loop.
 */
import { ATR, BollingerBands, EMA, MACD, RSI, SMA } from "@debut/indicators"
import type { CandleColumns } from "@candlewick/core/kernel"
import { botEnters, type BotPeriods } from "../work/liveBots.ts"
import type { IndicatorPeer } from "./IndicatorPeer.ts"

const column = (length: number): Float64Array => new Float64Array(length).fill(Number.NaN)

const each = (values: Float64Array, next: (value: number) => number): Float64Array => {
  const result = new Float64Array(values.length)
  // What a library leaves undefined while it warms up becomes NaN here.
  for (let index = 0; index < values.length; index++) result[index] = next(values[index]!)
  return result
}

const indicators = ({ close, high, low, length }: CandleColumns) => {
  const sma = new SMA(20)
  const ema = new EMA(20)
  const rsi = new RSI(14)
  const macd = new MACD(12, 26, 9)
  const bands = new BollingerBands(20, 2)
  const atr = new ATR(14)
  const result = {
    sma: each(close, (value) => sma.nextValue(value)),
    ema: each(close, (value) => ema.nextValue(value)),
    rsi: each(close, (value) => rsi.nextValue(value)),
    macd: column(length),
    signal: column(length),
    histogram: column(length),
    upper: column(length),
    middle: column(length),
    lower: column(length),
    atr: column(length)
  }
  for (let index = 0; index < length; index++) {
    const found = macd.nextValue(close[index]!)
    if (found === undefined) continue
    result.macd[index] = found.macd
    result.signal[index] = found.signal
    result.histogram[index] = found.histogram
  }
  for (let index = 0; index < length; index++) {
    const found = bands.nextValue(close[index]!)
    if (found === undefined) continue
    result.upper[index] = found.upper
    result.middle[index] = found.middle
    result.lower[index] = found.lower
  }
  for (let index = 0; index < length; index++) {
    result.atr[index] = atr.nextValue(high[index]!, low[index]!, close[index]!)
  }
  return result
}

const makeBot = (periods: BotPeriods) => {
  const sma = new SMA(periods.sma)
  const ema = new EMA(periods.ema)
  const rsi = new RSI(periods.rsi)
  const macd = new MACD(periods.fast, periods.slow, periods.signal)
  const bands = new BollingerBands(periods.band, 2)
  const atr = new ATR(periods.atr)
  return (high: number, low: number, close: number): boolean => {
    const average = sma.nextValue(close)
    const exponential = ema.nextValue(close)
    const strength = rsi.nextValue(close)
    const difference = macd.nextValue(close)
    const band = bands.nextValue(close)
    const range = atr.nextValue(high, low, close)
    if (difference === undefined || band === undefined) return false
    return botEnters({
      close,
      sma: average,
      ema: exponential,
      rsi: strength,
      histogram: difference.histogram,
      upper: band.upper,
      atr: range
    })
  }
}

/** `@debut/indicators` 1.4.2. */
export const debut: IndicatorPeer = {
  name: "@debut/indicators",
  tolerance: 1e-6,
  decisionTolerance: 0,
  botCount: 10_000,
  indicators,
  makeBots: ({ close, high, low }, periods) => {
    const bots = periods.map(makeBot)
    const enters = new Uint8Array(bots.length)
    return {
      step: (index) => {
        bots.forEach((bot, at) => {
          enters[at] = bot(high[index]!, low[index]!, close[index]!) ? 1 : 0
        })
        return enters
      }
    }
  }
}
