/**
 * `trading-signals`: classes that take one value at a time, columns by calling them in a loop.
 */
import { ATR, BollingerBands, EMA, MACD, RSI, SMA } from "trading-signals"
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { SixColumns } from "../sixColumns.ts"
import { botEnters, type BotPeriods } from "../work/liveBots.ts"
import type { IndicatorPeer } from "./IndicatorPeer.ts"

const makeMacd = (fast: number, slow: number, signal: number): MACD =>
  new MACD(new EMA(fast), new EMA(slow), new EMA(signal))

const indicators = ({ close, high, low, length }: CandleColumns, into: SixColumns) => {
  const sma = new SMA(20)
  const ema = new EMA(20)
  const rsi = new RSI(14)
  const macd = makeMacd(12, 26, 9)
  const bands = new BollingerBands(20, 2)
  const atr = new ATR(14)
  // A value that the library leaves null while it warms up becomes NaN in a column.
  for (let index = 0; index < length; index++) {
    into.sma[index] = sma.update(close[index]!, false) ?? Number.NaN
  }
  for (let index = 0; index < length; index++) {
    into.ema[index] = ema.update(close[index]!, false) ?? Number.NaN
  }
  for (let index = 0; index < length; index++) {
    into.rsi[index] = rsi.update(close[index]!, false) ?? Number.NaN
  }
  for (let index = 0; index < length; index++) {
    const found = macd.update(close[index]!, false)
    into.macd[index] = found === null ? Number.NaN : found.macd
    into.signal[index] = found === null ? Number.NaN : found.signal
    into.histogram[index] = found === null ? Number.NaN : found.histogram
  }
  for (let index = 0; index < length; index++) {
    const found = bands.update(close[index]!, false)
    into.upper[index] = found === null ? Number.NaN : found.upper
    into.middle[index] = found === null ? Number.NaN : found.middle
    into.lower[index] = found === null ? Number.NaN : found.lower
  }
  for (let index = 0; index < length; index++) {
    const candle = { high: high[index]!, low: low[index]!, close: close[index]! }
    into.atr[index] = atr.update(candle, false) ?? Number.NaN
  }
  return into
}

const makeBot = (periods: BotPeriods) => {
  const sma = new SMA(periods.sma)
  const ema = new EMA(periods.ema)
  const rsi = new RSI(periods.rsi)
  const macd = makeMacd(periods.fast, periods.slow, periods.signal)
  const bands = new BollingerBands(periods.band, 2)
  const atr = new ATR(periods.atr)
  return (high: number, low: number, close: number): boolean => {
    const average = sma.update(close, false)
    const exponential = ema.update(close, false)
    const strength = rsi.update(close, false)
    const difference = macd.update(close, false)
    const band = bands.update(close, false)
    const range = atr.update({ high, low, close }, false)
    if (average === null || strength === null || range === null) return false
    if (difference === null || band === null) return false
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

/** `trading-signals` 8.3.0. */
export const tradingSignals: IndicatorPeer = {
  name: "trading-signals",
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
