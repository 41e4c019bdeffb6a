/**
 * Runs from event to event against whole simulations of the same task. Their fills and their equity
 * at each close are equal, with limits on losses.
 */
import { assert, describe, it } from "@effect/vitest"
import { riskProfiles } from "../../../engine/src/language/RiskProfile.ts"
import type { EngineRun } from "../../../engine/src/fast/Run.ts"
import { toRiskLimits } from "../../../engine/src/plan/marketSpec.ts"
import { defaultValues } from "../../../engine/src/language/searchSpace.ts"
import { toSharedColumns } from "../../../engine/src/kernel/columns.ts"
import { makeRandom, type Random } from "../../../engine/src/kernel/random.ts"
import { noRiskLimits } from "../../../engine/src/kernel/riskGate.ts"
import { candidateAt } from "../../src/services/runs/generate/candidates.ts"
import { appetites } from "../../src/services/runs/generate/riskAppetite.ts"
import {
  simulateTask,
  type TaskMarket,
  type TaskSetting
} from "../../src/services/runs/workers/simulateTask.ts"
import { runTaskByEvents } from "../../src/services/runs/workers/runTaskByEvents.ts"
import { randomCandles } from "../../../engine/src/testing/randomCandles.ts"
import { randomDefinition } from "../../../engine/src/testing/randomStrategy.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const never = (): boolean => false

const marketOf = (seed: number, random: Random): TaskMarket => {
  const columns = randomCandles(seed, { count: 4_000, stepMs: 3_600_000, price: 100 })
  return {
    symbol: "AAA/USD",
    buffer: toSharedColumns(columns),
    hash: `traded ${seed}`,
    spec: {
      tick: 0.01,
      lot: random.pick([0, 0.000_1]),
      minNotional: 1,
      makerRate: 0.000_4,
      takerRate: 0.001,
      feePerFill: 0,
      slippageRate: 0.000_5,
      canShort: random.next() < 0.7,
      leverage: 1
    },
    from: random.pick([0, 0, 700, 2_048]),
    to: random.pick([columns.length, 3_000])
  }
}

const settingOf = (seed: number, random: Random): TaskSetting => ({
  markets: [marketOf(seed, random)],
  timeframe: "1h",
  capital: 10_000,
  limits: random.pick([
    noRiskLimits,
    toRiskLimits(riskProfiles[random.pick(["low", "medium", "high"] as const)]),
    { ...noRiskLimits, drawdownMax: 0.05 },
    { ...noRiskLimits, dailyLossMax: 0.03 }
  ]),
  fill: "next_open",
  endOfData: "close"
})

/** Compares runs with whole simulations; says how many there were, and what limits did to them. */
const compare = (setting: TaskSetting, runs: ReadonlyArray<EngineRun>, where: string) => {
  const counts = { fast: 0, halted: 0, positions: 0 }
  runTaskByEvents(setting, runs, (traded, index) => {
    if (!("closed" in traded)) return
    const { definition, values } = runs[index]!
    const whole = simulateTask(setting, definition, values, never)
    const message = `${where}, run ${index}`
    assert.deepStrictEqual(traded.time, whole.time, message)
    const worst = whole.equity.reduce(
      (most, equity, at) => Math.max(most, Math.abs(traded.equity[at]! / equity - 1)),
      0
    )
    assert.isBelow(worst, 1e-9, `equity of ${message}`)
    const [found, expected] = [traded, whole].map(({ closed }) =>
      closed.map(({ direction, entryIndex, exitIndex, exitTime, market }) => {
        return { direction, entryIndex, exitIndex, exitTime, market }
      })
    )
    assert.deepStrictEqual(found, expected, message)
    whole.closed.forEach(({ pnl, returnRate }, at) => {
      assert.closeTo(traded.closed[at]!.pnl, pnl, 1e-9 * setting.capital, message)
      assert.closeTo(traded.closed[at]!.returnRate, returnRate, 1e-9, message)
    })
    counts.fast += 1
    counts.halted += whole.gate.state === "halted" ? 1 : 0
    counts.positions += whole.closed.length
  })
  return counts
}

describe("runs of a task from event to event", () => {
  it("trade as whole simulations do, whatever they may lose", () => {
    const sum = { fast: 0, halted: 0, positions: 0 }
    for (const { number: seed, random } of draws("traded", 120)) {
      const runs = Array.from({ length: 4 }, () => {
        const definition = randomDefinition(random.next, { timeframe: "1h", depth: 3 })
        return { definition, values: defaultValues(definition) }
      })
      const found = compare(settingOf(seed, random), runs, `seed ${seed}`)
      sum.fast += found.fast
      sum.halted += found.halted
      sum.positions += found.positions
    }
    assert.isAbove(sum.fast, atLeast(60))
    assert.isAbove(sum.halted, atLeast(10))
    assert.isAbove(sum.positions, atLeast(1_000))
  })

  it("trade every candidate of a generation but those that lose too much in a day", () => {
    const random = makeRandom("candidates")
    for (const risk of ["low", "medium", "high"] as const) {
      const setting = {
        ...settingOf(7, random),
        limits: toRiskLimits(riskProfiles[risk])
      }
      const context = {
        symbols: ["AAA/USD"],
        timeframe: "1h",
        canShort: setting.markets[0]!.spec.canShort,
        appetite: appetites[risk],
        atrRate: 0.01,
        range: null,
        seed: 5
      } as const
      const runs = Array.from({ length: 96 }, (_, index) => {
        const { definition } = candidateAt(context, { index, parentIndex: null })
        return { definition, values: defaultValues(definition) }
      })
      const { fast } = compare(setting, runs, risk)
      // One turn of families in twelve is of ladders, most of which go candle by candle.
      assert.isAtLeast(fast, 0.75 * runs.length)
    }
  })

  it("are left to the simulator where several markets, closes or open ends are asked for", () => {
    const random = makeRandom("left")
    const setting = { ...settingOf(3, random), limits: noRiskLimits }
    const context = {
      symbols: ["AAA/USD"],
      timeframe: "1h",
      canShort: false,
      appetite: appetites.medium,
      atrRate: 0.01,
      range: null,
      seed: 1
    } as const
    const { definition } = candidateAt(context, { index: 0, parentIndex: null })
    const runs = [{ definition, values: defaultValues(definition) }]
    const limits = { ...noRiskLimits, drawdownMax: 0.1 }
    const [market] = setting.markets
    const whyNot = (change: Partial<TaskSetting>): string | null => {
      const [reason] = runTaskByEvents({ ...setting, ...change }, runs, (run) =>
        "closed" in run ? null : run.plainReason
      )
      return reason!
    }
    assert.isNull(whyNot({}))
    assert.isNull(whyNot({ fill: "close" }))
    assert.strictEqual(
      whyNot({ fill: "close", limits }),
      "limits are looked at before fills at the close"
    )
    assert.strictEqual(whyNot({ endOfData: "open" }), "positions stay open at the end")
    assert.strictEqual(whyNot({ markets: [market!, market!] }), "several markets share one account")
    assert.strictEqual(
      whyNot({ markets: [{ ...market!, detail: market!.buffer }] }),
      "shorter candles tell the order of touches"
    )
    const volumeShare = { max: 0.1, slippageRate: 0 }
    assert.strictEqual(
      whyNot({ markets: [{ ...market!, spec: { ...market!.spec, volumeShare } }] }),
      "the volume of a candle bounds its fills"
    )
    assert.isNull(whyNot({ markets: [{ ...market!, spec: { ...market!.spec, leverage: 2 } }] }))
  })
})
