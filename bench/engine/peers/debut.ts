/**
 * `@debut/indicators`: classes that take one value at a time, columns by calling them in a loop.
 */
import { ATR, BollingerBands, EMA, MACD, RSI, SMA } from "@debut/indicators"
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { SixColumns } from "../sixColumns.ts"
import { botEnters, type BotPeriods } from "../work/liveBots.ts"
import type { IndicatorPeer } from "./IndicatorPeer.ts"

const indicators = ({ close, high, low, length }: CandleColumns, into: SixColumns) => {
  const sma = new SMA(20)
  const ema = new EMA(20)
  const rsi = new RSI(14)
  const macd = new MACD(12, 26, 9)
  const bands = new BollingerBands(20, 2)
  const atr = new ATR(14)
  // A value that the library leaves undefined while it warms up becomes NaN in a column.
  for (let index = 0; index < length; index++) into.sma[index] = sma.nextValue(close[index]!)
  for (let index = 0; index < length; index++) into.ema[index] = ema.nextValue(close[index]!)
  for (let index = 0; index < length; index++) into.rsi[index] = rsi.nextValue(close[index]!)
  for (let index = 0; index < length; index++) {
    const found = macd.nextValue(close[index]!)
    into.macd[index] = found === undefined ? Number.NaN : found.macd
    into.signal[index] = found === undefined ? Number.NaN : found.signal
    into.histogram[index] = found === undefined ? Number.NaN : found.histogram
  }
  for (let index = 0; index < length; index++) {
    const found = bands.nextValue(close[index]!)
    into.upper[index] = found === undefined ? Number.NaN : found.upper
    into.middle[index] = found === undefined ? Number.NaN : found.middle
    into.lower[index] = found === undefined ? Number.NaN : found.lower
  }
  for (let index = 0; index < length; index++) {
    into.atr[index] = atr.nextValue(high[index]!, low[index]!, close[index]!)
  }
  return into
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
