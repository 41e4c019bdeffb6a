/**
 * The plain path: signals as columns, then the simulator, one run after the other.
 */
import {
  makeColumnCache,
  makeSignalStep,
  toSignalColumns,
  type ParameterValues,
  type StrategyDefinition
} from "@candlewick/core"
import {
  atrColumn,
  bollingerColumn,
  type CandleColumns,
  dailyReturns,
  emaColumn,
  macdColumn,
  type MarketSpec,
  maxDrawdown,
  noRiskLimits,
  rsiColumn,
  sharpeRatio,
  simpleReturns,
  simulate,
  type Simulation,
  smaColumn
} from "@candlewick/core/kernel"
import type { Bots, Engine, Figures, Run, RunSetting, SixIndicators, Trades } from "./Engine.ts"

const minutesPerYear = 525_600
const daysPerYear = 365

const toSpec = (setting: RunSetting): MarketSpec => ({
  tick: setting.tick,
  lot: setting.lot,
  minNotional: 0,
  makerRate: setting.feeRate,
  takerRate: setting.feeRate,
  feePerFill: 0,
  slippageRate: setting.slippageRate,
  canShort: setting.canShort,
  leverage: 1
})

type SignalSource = Parameters<typeof toSignalColumns>[2]

const simulateRun = (
  candles: CandleColumns,
  source: SignalSource,
  run: { readonly definition: StrategyDefinition; readonly values: ParameterValues },
  setting: RunSetting
): Simulation => {
  const { plan, signals, levelsAt } = toSignalColumns(run.definition, run.values, source)
  return simulate({
    markets: [{ columns: candles, signals, levelsAt, spec: toSpec(setting) }],
    plan,
    capital: setting.capital,
    limits: noRiskLimits,
    fill: setting.fill,
    endOfData: "open"
  })
}

const writeFigures = (
  { equity, fills, time }: Simulation,
  setting: RunSetting,
  figures: Figures,
  at: number
): void => {
  const { capital } = setting
  const entryCount = fills.reduce((count, { leg }) => count + (leg === "entry" ? 1 : 0), 0)
  figures[at] = equity[equity.length - 1]! / capital - 1
  figures[at + 1] =
    setting.returns === "candle"
      ? sharpeRatio(simpleReturns(capital, equity), minutesPerYear)
      : sharpeRatio(dailyReturns(time, equity, capital), daysPerYear)
  figures[at + 2] = maxDrawdown(capital, equity).rate
  figures[at + 3] = entryCount
}

const toTrades = ({ closed }: Simulation): Trades => ({
  entryIndex: Int32Array.from(closed, (trade) => trade.entryIndex),
  exitIndex: Int32Array.from(closed, (trade) => trade.exitIndex),
  entryPrice: Float64Array.from(closed, (trade) => trade.entryPrice),
  exitPrice: Float64Array.from(closed, (trade) => trade.exitPrice)
})

const runMany = (
  candles: CandleColumns,
  runs: ReadonlyArray<Run>,
  setting: RunSetting
): Figures => {
  const cache = makeColumnCache(candles)
  const figures = new Float64Array(runs.length * 4)
  runs.forEach((run, index) => {
    writeFigures(simulateRun(candles, cache, run, setting), setting, figures, index * 4)
  })
  return figures
}

const indicators = ({ close, high, low }: CandleColumns): SixIndicators => {
  const [sma] = smaColumn([close], [20])
  const [ema] = emaColumn([close], [20])
  const [rsi] = rsiColumn([close], [14])
  const [macd, signal, histogram] = macdColumn([close], [12, 26, 9])
  const [middle, upper, lower] = bollingerColumn([close], [20, 2])
  const [atr] = atrColumn([high, low, close], [14])
  return {
    sma: sma!,
    ema: ema!,
    rsi: rsi!,
    macd: macd!,
    signal: signal!,
    histogram: histogram!,
    upper: upper!,
    middle: middle!,
    lower: lower!,
    atr: atr!
  }
}

const makeBots = (candles: CandleColumns, runs: ReadonlyArray<Run>): Bots => {
  const bots = runs.map(({ definition, values }) => makeSignalStep(definition, values))
  const enters = new Uint8Array(runs.length)
  return {
    step: (index) => {
      const candle = {
        time: candles.time[index]!,
        open: candles.open[index]!,
        high: candles.high[index]!,
        low: candles.low[index]!,
        close: candles.close[index]!,
        volume: candles.volume[index]!
      }
      bots.forEach((bot, at) => {
        enters[at] = bot.next(candle).signal.enterLong ? 1 : 0
      })
      return enters
    }
  }
}

export const plainEngine: Engine = {
  name: "the plain path (signal columns and the simulator)",
  path: {
    backtest: "plain",
    runMany: "plain",
    runManyOnWorkers: "none",
    indicators: "plain",
    makeBots: "plain"
  },
  runsMax: 4,
  backtest: (candles, run, setting) => {
    const simulation = simulateRun(candles, candles, run, setting)
    const figures = new Float64Array(4)
    writeFigures(simulation, setting, figures, 0)
    return { figures, trades: toTrades(simulation) }
  },
  runMany,
  runManyOnWorkers: null,
  indicators,
  makeBots
}
