/**
 * Trials of an optimisation against whole backtests of the same parameter sets.
 */
import { assert, describe, it } from "@effect/vitest"
import { metricNames } from "../../../engine/src/language/Metric.ts"
import { type Timeframe, timeframeMs } from "../../../engine/src/language/Timeframe.ts"
import { planPath } from "../../../engine/src/fast/planPath.ts"
import { samplePoint, searchSpace } from "../../../engine/src/language/searchSpace.ts"
import { backtestOverfitting } from "../../../engine/src/kernel/metrics/backtestOverfitting.ts"
import { dailyReturns } from "../../../engine/src/kernel/metrics/dailyReturns.ts"
import { soundReturns } from "../../../engine/src/kernel/metrics/soundReturns.ts"
import type { MarketSpec } from "../../../engine/src/kernel/account.ts"
import { toSharedColumns } from "../../../engine/src/kernel/columns.ts"
import { makeRandom } from "../../../engine/src/kernel/random.ts"
import { noRiskLimits } from "../../../engine/src/kernel/riskGate.ts"
import { trialsPerTask } from "../../src/services/runs/optimize/runTrials.ts"
import { simulateTask } from "../../src/services/runs/workers/simulateTask.ts"
import { metricOf } from "../../src/services/runs/optimize/trialTable.ts"
import { runTask, type TaskSetting } from "../../src/services/runs/workers/tasks.ts"
import { randomCandles } from "../../../engine/src/testing/randomCandles.ts"
import { randomDefinition } from "../../../engine/src/testing/randomStrategy.ts"
import { atLeast } from "../../../../test/draws.ts"

const never = (): boolean => false

const spec: MarketSpec = {
  tick: 0.01,
  lot: 0.000_1,
  minNotional: 1,
  makerRate: 0.000_4,
  takerRate: 0.001,
  feePerFill: 0,
  slippageRate: 0.000_5,
  canShort: true,
  leverage: 1
}

/** The market of a seed: half of them charge each fill, and funding, and lend money. */
const specOf = (seed: number): MarketSpec => {
  if (seed % 2 === 0) return spec
  const funding = { rate: 0.000_3, intervalMs: 28_800_000 }
  return { ...spec, feePerFill: 0.5, leverage: seed % 3 === 0 ? 3 : 1, funding }
}

const settingOf = (
  seed: number,
  timeframe: Timeframe,
  change: Partial<TaskSetting>
): TaskSetting => {
  const stepMs = timeframeMs(timeframe)
  const columns = randomCandles(seed, { count: 3_000, stepMs, price: 100 })
  const { length } = columns
  const hash = `${seed} ${timeframe}`
  const market = {
    symbol: "AAA/USD",
    buffer: toSharedColumns(columns),
    hash,
    spec: specOf(seed),
    from: seed % 2 === 0 ? 0 : 1_234,
    to: length
  }
  return {
    markets: [market],
    timeframe,
    capital: 10_000,
    limits: noRiskLimits,
    fill: seed % 3 === 0 ? "close" : "next_open",
    endOfData: "close",
    ...change
  }
}

/** The trials of a random strategy, each beside the whole backtest of its values. */
const compare = (seed: number, change: Partial<TaskSetting> = {}) => {
  const random = makeRandom(`trials/${seed}`)
  const timeframe = random.pick(["5m", "1h", "1d"] as const)
  const definition = randomDefinition(random.next, { timeframe, depth: 3 })
  const space = searchSpace(definition)
  const points = Array.from({ length: 5 }, () => samplePoint(space, random.next))
  const setting = settingOf(seed, timeframe, change)
  const task = { ...setting, type: "trials", definition, points, blockCount: 4 } as const
  const trials = runTask(task, never)
  points.forEach((values, index) => {
    const whole = runTask({ ...setting, type: "measure", definition, values }, never)
    const { metrics } = trials[index]!
    const message = `seed ${seed}, point ${index}`
    const found = metricNames.map((name, at) => [name, metrics[at]])
    const expected = metricNames.map((name) => [name, whole.measured.metrics[name] ?? Number.NaN])
    assert.deepStrictEqual(found, expected, message)
  })
  return { isFast: planPath(definition, spec).path === "fast", trials }
}

describe("trials", () => {
  it("say what whole backtests of their values say, whichever path they take", () => {
    let fastCount = 0
    let positionCount = 0
    for (let seed = 0; seed < 60; seed++) {
      const { isFast, trials } = compare(seed)
      fastCount += isFast ? 1 : 0
      for (const trial of trials) positionCount += metricOf(trial!, "trades")
    }
    assert.isAbove(fastCount, atLeast(14))
    assert.isAbove(positionCount, atLeast(600))
  })

  it("heed limits on what may be lost", () => {
    for (let seed = 0; seed < 24; seed++) {
      const limits = {
        ...noRiskLimits,
        drawdownMax: seed % 4 < 3 ? 0.05 : null,
        dailyLossMax: seed % 4 > 1 ? 0.005 : null,
        exposureMax: seed % 3 === 0 ? 0.5 : null
      }
      compare(seed, { limits })
    }
  })

  it("go together in tasks that are small enough to be stopped", () => {
    const setting = settingOf(2, "1h", {})
    const definition = randomDefinition(makeRandom(1).next, { timeframe: "1h", depth: 2 })
    const points = Array.from({ length: 3_200 }, () => ({}))
    const task = { ...setting, type: "trials", definition, points, blockCount: 0 } as const
    assert.strictEqual(trialsPerTask(task), 200)
    assert.strictEqual(trialsPerTask({ ...task, points: points.slice(0, 100) }), 20)
    const long = setting.markets.map((market) => ({ ...market, to: 100_000 }))
    assert.strictEqual(trialsPerTask({ ...task, markets: long }), 100)
  })

  it("are cut into blocks that tell what whole returns tell of overfitting", () => {
    const setting = settingOf(2, "1h", {})
    const random = makeRandom("blocks")
    const definition = randomDefinition(random.next, { timeframe: "1h", depth: 2 })
    const points = Array.from({ length: 6 }, () =>
      samplePoint(searchSpace(definition), random.next)
    )
    const task = { ...setting, type: "trials", definition, points, blockCount: 6 } as const
    const trials = runTask(task, never).flatMap((trial) => trial?.blocks ?? [])
    assert.lengthOf(trials, 6)
    const returns = points.map((values) => {
      const { equity, time } = simulateTask(setting, definition, values, never)
      return soundReturns(dailyReturns(time, equity, setting.capital))
    })
    assert.deepStrictEqual(
      runTask({ type: "overfitting", trials }, never),
      backtestOverfitting(returns, 6)
    )
  })

  it("are none where they are stopped before they begin", () => {
    const definition = randomDefinition(makeRandom(1).next, { timeframe: "1h", depth: 2 })
    const setting = settingOf(1, "1h", {})
    const task = {
      ...setting,
      type: "trials",
      definition,
      points: [{}, {}],
      blockCount: 0
    } as const
    assert.deepStrictEqual(
      runTask(task, () => true),
      [null, null]
    )
  })
})
