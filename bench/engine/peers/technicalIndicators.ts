/**
 * `technicalindicators`: whole arrays in, arrays without the warm-up out; generators when live. Its
 * RSI is rounded to two decimals.
 */
import { ATR, BollingerBands, EMA, MACD, RSI, SMA } from "technicalindicators"
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { SixColumns } from "../sixColumns.ts"
import { botEnters, type BotPeriods } from "../work/liveBots.ts"
import type { IndicatorPeer } from "./IndicatorPeer.ts"

/** Puts the warm-up back in front. */
const align = (found: ReadonlyArray<number | undefined>, into: Float64Array): void => {
  const offset = into.length - found.length
  into.fill(Number.NaN, 0, offset)
  for (let index = 0; index < found.length; index++) {
    into[offset + index] = found[index] ?? Number.NaN
  }
}

/** The same of one of several outputs. */
const alignOutput = <Name extends string>(
  found: ReadonlyArray<{ readonly [Output in Name]?: number | undefined }>,
  name: Name,
  into: Float64Array
): void => {
  const offset = into.length - found.length
  into.fill(Number.NaN, 0, offset)
  for (let index = 0; index < found.length; index++) {
    into[offset + index] = found[index]![name] ?? Number.NaN
  }
}

const macdInput = (values: Array<number>, fast: number, slow: number, signal: number) => ({
  values,
  fastPeriod: fast,
  slowPeriod: slow,
  signalPeriod: signal,
  SimpleMAOscillator: false,
  SimpleMASignal: false
})

const indicators = (candles: CandleColumns, into: SixColumns) => {
  const values = Array.from(candles.close)
  const high = Array.from(candles.high)
  const low = Array.from(candles.low)
  const macd = MACD.calculate(macdInput(values, 12, 26, 9))
  const bands = BollingerBands.calculate({ period: 20, stdDev: 2, values })
  align(SMA.calculate({ period: 20, values }), into.sma)
  align(EMA.calculate({ period: 20, values }), into.ema)
  align(RSI.calculate({ period: 14, values }), into.rsi)
  alignOutput(macd, "MACD", into.macd)
  alignOutput(macd, "signal", into.signal)
  alignOutput(macd, "histogram", into.histogram)
  alignOutput(bands, "upper", into.upper)
  alignOutput(bands, "middle", into.middle)
  alignOutput(bands, "lower", into.lower)
  align(ATR.calculate({ period: 14, high, low, close: values }), into.atr)
  return into
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
