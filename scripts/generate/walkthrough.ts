/**
 * One small strategy on a few candles of a sample, taken through every stage by hand.
 *
 * Each stage calls the function that a backtest calls. The fills of the hand-made loop are compared
 * with the simulator, the fast path and the service. No page is written where they differ.
 */
import { deepStrictEqual, ok } from "node:assert/strict"
import { readFileSync } from "node:fs"
import {
  Candlewick,
  checkStrategy,
  decodeStrategy,
  evaluateRule,
  evaluateSeries,
  makeColumnCache,
  marketOf,
  measureAll,
  type ParameterValues,
  type PlanNode,
  planStrategy,
  resolveParameters,
  type StrategyDefinition,
  type StrategyPlan,
  timeframeMs,
  toMarketSpec,
  toMeasurement,
  toSignalColumns
} from "@candlewick/core"
import { type EngineOptions, planPath, runOne } from "@candlewick/engine/fast"
import {
  type CandleColumns,
  decideOrders,
  type Instruction,
  makeColumns,
  makeOutcome,
  noRiskLimits,
  simulate,
  SimulatedAccount
} from "@candlewick/engine/kernel"
import { MemoryStore } from "../../packages/store-memory/src/index.ts"
import { Result } from "effect"
import { followFastPath } from "./fastPath.ts"

const capital = 10_000
const candleCount = 24

/** The strategy as somebody would send it. */
export const json = `{
  "format": 1,
  "symbols": ["BTC/USD"],
  "timeframe": "1d",
  "parameters": {
    "fast": { "kind": "integer", "default": 3, "min": 2, "max": 20 },
    "slow": { "kind": "integer", "default": 6, "min": 3, "max": 60 }
  },
  "long": {
    "enter": {
      "type": "crosses_above",
      "left": { "type": "sma", "period": { "parameter": "fast" } },
      "right": { "type": "sma", "period": { "parameter": "slow" } }
    },
    "exit": {
      "type": "crosses_below",
      "left": { "type": "sma", "period": { "parameter": "fast" } },
      "right": { "type": "sma", "period": { "parameter": "slow" } }
    }
  },
  "exits": { "stop_loss": { "type": "fraction", "value": 0.05 } }
}`

const readCandles = (): CandleColumns => {
  const text = readFileSync(new URL("../../samples/bitcoin_1d.csv", import.meta.url), "utf8")
  const rows = text
    .trim()
    .split("\n")
    .slice(1, candleCount + 1)
  const columns = makeColumns(rows.length)
  rows.forEach((row, index) => {
    const [time, open, high, low, close, volume] = row.split(",").map(Number)
    columns.time[index] = time!
    columns.open[index] = open!
    columns.high[index] = high!
    columns.low[index] = low!
    columns.close[index] = close!
    columns.volume[index] = volume!
  })
  return columns
}

const found = <A, E>(result: Result.Result<A, E>): A =>
  Result.getOrElse(result, (error) => {
    throw new Error(JSON.stringify(error))
  })

/** The fault of this text, by the schema or, once it passes, by the check. */
const faultsOf = (text: string) =>
  Result.match(decodeStrategy(JSON.parse(text)), {
    onFailure: (faults) => faults,
    onSuccess: () => []
  })

/** Faults that the schema finds, and one that only the check can find. */
const faulty = () => ({
  schema: faultsOf(json.replace('"stop_loss"', '"stop_los"').replace('"min": 2', '"min": "2"')),
  check: faultsOf(json.replace('{ "parameter": "slow" }', '{ "parameter": "slwo" }'))
})

/** The simulator's loop without what one market and no risk limits don't need. */
const stepThrough = (
  definition: StrategyDefinition,
  candles: CandleColumns,
  { levelsAt, plan, signals }: ReturnType<typeof toSignalColumns>
) => {
  const spec = toMarketSpec(marketOf("BTC/USD"))
  const account = SimulatedAccount.open(capital, [spec])
  const outcome = makeOutcome()
  const orders: Array<{ readonly index: number; readonly instruction: Instruction }> = []
  const stops: Array<{ readonly index: number; readonly stop: number | null }> = []
  const equity: Array<number> = []
  for (let index = 0; index < candles.length; index++) {
    const candle = {
      market: 0,
      time: candles.time[index]!,
      open: candles.open[index]!,
      high: candles.high[index]!,
      low: candles.low[index]!,
      close: candles.close[index]!
    }
    const fillCount = outcome.fills.length
    account.show([candle])
    account.drain(outcome)
    const protection = account.lots(0)[0]?.protection ?? null
    if (outcome.fills.length > fillCount && protection !== null) {
      stops.push({ index, stop: protection.stop })
    }
    equity.push(account.equity)
    const instructions = decideOrders({
      account,
      market: 0,
      spec,
      plan,
      limits: noRiskLimits,
      signal: {
        enterLong: signals.enterLong?.[index] === 1,
        exitLong: signals.exitLong?.[index] === 1,
        enterShort: false,
        exitShort: false
      },
      levels: levelsAt(index),
      canEnter: true
    })
    for (const instruction of instructions) {
      orders.push({ index, instruction })
      if (instruction.type === "place") account.place(0, instruction.order)
    }
  }
  return { spec, path: planPath(definition, spec), orders, stops, equity, fills: outcome.fills }
}

const simulateWhole = (
  candles: CandleColumns,
  { levelsAt, plan, signals }: ReturnType<typeof toSignalColumns>,
  spec: ReturnType<typeof toMarketSpec>
) =>
  simulate({
    markets: [{ columns: candles, signals, levelsAt, spec }],
    plan,
    capital,
    limits: noRiskLimits,
    fill: "next_open",
    endOfData: "close"
  })

/** The same through the service, store and worker included. */
const reportOf = async (definition: StrategyDefinition, columns: CandleColumns) => {
  const candlewick = await Candlewick.open({ store: MemoryStore.layer })
  try {
    await candlewick.candles.import({ key: { symbol: "BTC/USD", timeframe: "1d" }, columns })
    const { id } = await candlewick.strategies.write({ name: "crossing averages", definition })
    const { report } = await candlewick.backtests.run({ strategy_id: id, initial_capital: capital })
    if (report === null) throw new Error("the backtest has no report")
    return report
  } finally {
    await candlewick.close()
  }
}

/** The candles at which a signal is given, as one word of bits. */
const wordOf = (signals: Uint8Array): number =>
  signals.reduce((word, signal, index) => word + signal * 2 ** index, 0)

/** The fast path by hand, which must find what `runOne` finds. */
const fastPathOf = (
  candles: CandleColumns,
  run: { readonly definition: StrategyDefinition; readonly values: ParameterValues },
  plan: StrategyPlan,
  spec: ReturnType<typeof toMarketSpec>
) => {
  const options: EngineOptions = {
    spec,
    capital,
    fill: "next_open",
    endOfData: "close",
    returns: "day",
    periodsPerYear: 365
  }
  const fast = followFastPath(candles, run, plan, options)
  deepStrictEqual(fast.trades, runOne(candles, run, options).trades)
  return fast
}

/** Everything that the page shows. */
export const walkThrough = async () => {
  const definition = found(decodeStrategy(JSON.parse(json)))
  deepStrictEqual(checkStrategy(definition, null), [])
  const values = found(resolveParameters(definition))
  const candles = readCandles()
  const plan = planStrategy(definition, values)
  const cache = makeColumnCache(candles)
  const seriesOf = ({ inputs }: PlanNode) => inputs.map((input) => evaluateSeries(cache, input))
  const [fastAverage, slowAverage] = seriesOf(plan.enterLong!)
  const signals = toSignalColumns(definition, values, cache)
  const stepped = stepThrough(definition, candles, signals)
  const simulation = simulateWhole(candles, signals, stepped.spec)
  const measured = measureAll(toMeasurement(simulation, capital, timeframeMs("1d")))
  const report = await reportOf(definition, candles)
  const fast = fastPathOf(candles, { definition, values }, plan, stepped.spec)
  deepStrictEqual(stepped.fills, simulation.fills)
  deepStrictEqual(
    Array.from(fast.trades.entryIndex, (entryIndex, index) => ({
      entryIndex,
      entryPrice: fast.trades.entryPrice[index],
      exitIndex: fast.trades.exitIndex[index],
      exitPrice: fast.trades.exitPrice[index],
      quantity: fast.trades.quantity[index]
    })),
    simulation.closed.map(({ entryIndex, entryPrice, exitIndex, exitPrice, quantity }) => ({
      entryIndex,
      entryPrice,
      exitIndex,
      exitPrice,
      quantity
    }))
  )
  deepStrictEqual(fast.bits, {
    enterLong: wordOf(signals.signals.enterLong!),
    exitLong: wordOf(signals.signals.exitLong!)
  })
  ok(fast.equity.every((value, index) => Math.abs(value / simulation.equity[index]! - 1) < 1e-9))
  deepStrictEqual(
    report.positions.map(({ pnl }) => pnl),
    simulation.closed.map(({ pnl }) => pnl)
  )
  deepStrictEqual(report.metrics["total_return"], measured.metrics.total_return)
  return {
    definition,
    values,
    candles,
    faulty: faulty(),
    plan,
    columns: { fast: fastAverage!, slow: slowAverage! },
    rules: {
      enter: evaluateRule(cache, plan.enterLong!),
      exit: evaluateRule(cache, plan.exitLong!)
    },
    signals: signals.signals,
    stepped,
    simulation,
    measured,
    report,
    fast
  }
}
