/**
 * Ladders written in code. The orders of `onCandle` make the trades of the ladders in JSON on the
 * pages of the docs, in a backtest and in a sweep.
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import {
  backtest,
  type BacktestResult,
  type CodedStrategy,
  sweep
} from "../../src/research/index.ts"
import { randomWalk } from "../../src/testing/randomCandles.ts"
import { readCandles } from "../kernel/readCandles.ts"
import * as coded from "./codedLadders.ts"

const sample = readCandles("samples/bitcoin_1d.csv", 500)
const walks = Array.from({ length: 4 }, (_, nth) =>
  randomWalk(`ladders in code ${nth}`, {
    count: 1_000,
    volatility: 0.02,
    price: 6_000,
    stepMs: 86_400_000
  })
)
const options = { market: { tick: 0.01, lot: 0.00001, minNotional: 5 } } as const

const readLadder = (name: string): StrategyDefinition => {
  const page = readFileSync(`docs/ladder-${name}.md`, "utf8")
  return JSON.parse(/```json\n(.*?)```/s.exec(page)![1]!) as StrategyDefinition
}

/** Fills without the ids of their orders, which tell a ladder from code. */
const fillsOf = ({ fills }: BacktestResult) =>
  fills.map(({ closed, fee, index, leg, price, quantity, side }) => ({
    fee,
    index,
    leg,
    price,
    quantity,
    side,
    pnl: closed?.pnl ?? null
  }))

const compare = (columns: CandleColumns, code: CodedStrategy<never>, ruled: StrategyDefinition) => {
  const one = backtest(columns, code, options)
  const other = backtest(columns, ruled, options)
  assert.deepStrictEqual(fillsOf(one), fillsOf(other))
  assert.deepStrictEqual(one.equity, other.equity)
  assert.deepStrictEqual(one.metrics, other.metrics)
  return one.fills.length
}

const ladders = [
  ["dca", coded.codedDca],
  ["grid", coded.codedGrid],
  ["pyramid", coded.codedPyramid],
  ["targets", coded.codedTargets],
  ["rebalance", coded.codedWeight]
] as const

describe("a ladder in code", () => {
  for (const [name, strategy] of ladders) {
    it(`makes the trades of docs/ladder-${name}.md`, () => {
      const code = strategy as unknown as CodedStrategy<never>
      const ruled = readLadder(name)
      assert.isAbove(compare(sample, code, ruled), 20)
      const counts = walks.map((columns) => compare(columns, code, ruled))
      assert.isAbove(Math.max(...counts), 10)
    })
  }

  it("is swept as it is backtested", () => {
    const sets = [{ base: 300 }, { base: 600, distance: 0.02 }, { distance: 0.05 }]
    const swept = sweep(sample, coded.codedDca, sets, options)
    const results = sets.map((parameters) =>
      backtest(sample, coded.codedDca, { ...options, parameters })
    )
    assert.deepStrictEqual(
      [...swept.totalReturn],
      results.map(({ metrics }) => metrics["total_return"])
    )
    assert.deepStrictEqual(
      [...swept.positionCount],
      results.map(({ positions }) => positions.length)
    )
  })
})
