/**
 * The fast path of one run by hand, in one tile: its kind, its steps, their bits and its trades.
 */
import { deepStrictEqual, ok } from "node:assert/strict"
import type { ParameterValues, StrategyDefinition, StrategyPlan } from "@candlewick/core"
import type { EngineOptions } from "@candlewick/engine/fast"
import { type CandleColumns, noRiskLimits } from "@candlewick/engine/kernel"
import { Arena } from "../../packages/engine/src/fast/Arena.ts"
import { Averages } from "../../packages/engine/src/fast/averages.ts"
import { BitProgram } from "../../packages/engine/src/fast/BitProgram.ts"
import { ColumnStore } from "../../packages/engine/src/fast/ColumnStore.ts"
import { giveBackKernels, takeKernels } from "../../packages/engine/src/fast/kernels.ts"
import * as layout from "../../packages/engine/src/fast/kernels/layout.ts"
import { betweenCrossings, kindOf } from "../../packages/engine/src/fast/kindOf.ts"
import type { TileAddress } from "../../packages/engine/src/fast/TileAddress.ts"
import { replayRoundTrips } from "../../packages/engine/src/fast/replayRoundTrips.ts"
import { figureCount } from "../../packages/engine/src/fast/Run.ts"
import { toRunDetails } from "../../packages/engine/src/fast/RunDetails.ts"
import { runTiles } from "../../packages/engine/src/fast/runTiles.ts"
import { toRoundTrips } from "../../packages/engine/src/fast/toRoundTrips.ts"
import { programEntryBytes } from "../../packages/engine/src/fast/kernels/programLayout.ts"
import { writeSteps } from "../../packages/engine/src/fast/writeProgram.ts"

/** The name in `kernels/layout.ts` of a number whose name ends so. */
const nameOf = (ending: "Run" | "Step", value: number): string => {
  const named = Object.entries(layout).find(
    ([name, number]) => name.endsWith(ending) && number === value
  )
  if (named === undefined) throw new Error(`no ${ending} has the number ${value}`)
  return named[0]
}

/** The work of `runTiles` on a run before its positions; then its trades as kernels write them. */
export const followFastPath = (
  candles: CandleColumns,
  run: { readonly definition: StrategyDefinition; readonly values: ParameterValues },
  plan: StrategyPlan,
  options: EngineOptions
) => {
  const { length } = candles
  ok(length < 32)
  const arena = new Arena()
  const columns = new ColumnStore(arena, length)
  const averages = new Averages(arena)
  const program = new BitProgram(arena, columns, averages)
  const counted = program.count(plan)
  const details = toRunDetails(run, plan, columns, options.spec.tick)
  const rules = program.compile(counted)
  const kind = betweenCrossings(kindOf(plan, details, options), rules, options.spec.canShort)
  deepStrictEqual(program.shared, [])

  const close = columns.price("close").base
  averages.reserve()
  const list = arena.take(rules.steps.length * programEntryBytes)
  const kernels = takeKernels(arena, true)
  const { functions, words } = kernels
  columns.fill(candles, null, kernels)
  averages.write(kernels, candles.close)
  writeSteps(kernels, rules.steps, list)
  functions.setCandles(close, length, 0, 0)
  averages.prepare(kernels, close, 0, length)
  functions.setTile(0, length, 0, 0, 0, 0, 0, 0, 0)
  functions.takeSteps(list, rules.steps.length, 0, averages.priceError, averages.sumError)
  // Loops end with the tile: what bits say of candles after the last one is never read.
  const wordAt = (place: TileAddress | null): number => words[place!.base / 4]! & (2 ** length - 1)
  const bits = { enterLong: wordAt(rules.enterLong), exitLong: wordAt(rules.exitLong) }
  giveBackKernels(kernels)

  const records: Array<Float64Array> = []
  const counts = { figures: new Float64Array(figureCount), tooSmallCounts: new Float64Array(1) }
  const indexed = [{ run, index: 0 }]
  const onRoundTrips = (_: number, trades: Float64Array): void => void records.push(trades)
  deepStrictEqual(runTiles(candles, null, indexed, options, counts, Infinity, onRoundTrips), [])
  const trades = toRoundTrips(records)
  const { capital, spec } = options
  const traded = { columns: candles, from: 0, capital, spec, entry: "market", trades } as const
  return {
    kind: nameOf("Run", kind),
    details,
    steps: rules.steps.map((step) => ({
      name: nameOf("Step", step.kind),
      periods: [step.period, step.otherPeriod],
      enters: step.into === rules.enterLong?.base,
      leaves: step.opposite === rules.exitLong?.base
    })),
    bits,
    records,
    trades,
    equity: replayRoundTrips(traded, noRiskLimits)!.equity
  }
}
