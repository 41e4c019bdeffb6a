/**
 * The start of a series stops to matter to a whole strategy. After enough windows of all its parts,
 * it decides on each candle as it would have, had its candles begun later.
 *
 * So it matters little since when a market is recorded. The windows of nodes that are
 * computed from each other add up, and those of a higher timeframe are as long as its candles. Rows
 * whose memory is no matter of windows are left out: `startsAreForgotten` has their laws.
 */
import { assert, describe, it } from "@effect/vitest"
import { type IndicatorName, indicatorCatalogue } from "../../src/language/Indicator.ts"
import { type Indicator } from "../../src/language/IndicatorRow.ts"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import { timeframeMs } from "../../src/language/Timeframe.ts"
import {
  type ColumnCache,
  evaluateRule,
  evaluateSeries,
  makeColumnCache
} from "../../src/plan/evaluateColumns.ts"
import { planStrategy } from "../../src/plan/planStrategy.ts"
import { type PlanNode } from "../../src/plan/StrategyPlan.ts"
import { ruleOperations } from "../../src/plan/ruleOperations.ts"
import { samplePoint, searchSpace } from "../../src/language/searchSpace.ts"
import { sliceColumns } from "../../src/kernel/columns.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { nodeTypes, nodeTypesIn } from "../../src/testing/nodeTypes.ts"
import { randomWalk, withGap } from "../../src/testing/randomCandles.ts"
import { drawStrategy } from "./drawnStrategies.ts"
import { lookBackOf, nodeForgottenAfter } from "./forgetting.ts"
import { atLeast, drawCount, drawSeed, hasAllDraws } from "../../../../test/draws.ts"

/** The series that forget neither with a day nor with a number of candles. */
const isRemembering = new Set(["obv", "sar", "supertrend"])
const comparedCount = drawCount(1_000)
const windowsMax = 5_000
const tolerance = 1e-9

/** One strategy on candles, and on the same candles from later on. */
interface Pair {
  readonly where: string
  readonly definition: StrategyDefinition
  /** The nodes that are computed on the strategy's own candles, each after its inputs. */
  readonly nodes: ReadonlyArray<PlanNode>
  readonly whole: ColumnCache
  readonly later: ColumnCache
  readonly cut: number
  /** First candle after the cut that has been through enough windows. */
  readonly from: number
}

const drawPair = (number: number): Pair | null => {
  const random = makeRandom(drawSeed("strategy forgets", number))
  const definition = drawStrategy(random.next, { depth: 4 })
  const values = samplePoint(searchSpace(definition), random.next)
  const { nodes } = planStrategy(definition, values)
  if (nodes.some(({ name }) => isRemembering.has(name))) return null
  const own = nodes.filter(({ lane }) => lane.parent === null)
  // A grid may read no series at all.
  if (own.length === 0) return null
  const from = Math.max(...own.map(nodeForgottenAfter))
  if (from > windowsMax) return null
  const cut = random.integer(1, 150)
  const stepMs = timeframeMs(definition.timeframe)
  const walk = randomWalk(number, { count: cut + from + 500, stepMs })
  const candles = withGap(walk, random.integer(1, walk.length - 100), random.integer(0, 100))
  return {
    where: `strategy ${number}`,
    definition,
    nodes: own.filter(({ operation }) => operation !== "indicator"),
    whole: makeColumnCache(candles),
    later: makeColumnCache(sliceColumns(candles, cut)),
    cut,
    from
  }
}

const isRule = ({ operation }: PlanNode): boolean => operation in ruleOperations

/** The values of a node from the cut on, as both have them. */
const columnsOf = ({ whole, later, cut }: Pair, node: PlanNode) =>
  isRule(node)
    ? { wanted: evaluateRule(whole, node).subarray(cut), seen: evaluateRule(later, node) }
    : { wanted: evaluateSeries(whole, node).subarray(cut), seen: evaluateSeries(later, node) }

const isDifference = ({ inputs, operation, settings }: PlanNode): boolean => {
  if (operation !== "output") return operation === "add" || operation === "sub"
  const row: Indicator = indicatorCatalogue[inputs[0]!.name as IndicatorName]
  return Object.values(row.outputs)[settings[0]!]!.endsWith("_difference")
}

const keepingUnits = new Set(["timeframe", "min", "max", "abs", "shift", "mean", "stdev"])

/**
 * The scale of a node's rounding: its largest value, or the largest values of its inputs where it
 * is a difference. A difference may be nothing but their rounding.
 */
const sizeOf = (pair: Pair, node: PlanNode): number => {
  const isPassedOn =
    isDifference(node) || keepingUnits.has(node.operation) || node.operation === "indicator"
  const parts = isPassedOn ? node.inputs.map((input) => sizeOf(pair, input)) : []
  if (node.operation === "indicator" || node.lane.parent !== null) return Math.max(0, ...parts)
  const seen = evaluateSeries(pair.later, node)
  return seen.reduce((size, value) => Math.max(size, Math.abs(value) || 0), Math.max(0, ...parts))
}

/** Where a comparison has sides that are the same but for rounding, which decides differently. */
const isUndecided = (pair: Pair, { inputs, operation }: PlanNode): ((at: number) => boolean) => {
  const [first, ...others] = inputs.filter((input) => !isRule(input))
  if (first === undefined) return () => false
  const trend = operation === "rising" || operation === "falling" ? 1 : 0
  const of = columnsOf(pair, first)
  const rivals = (trend === 1 ? [first] : others).map((node) => ({
    ...columnsOf(pair, node),
    margin: tolerance * Math.max(sizeOf(pair, first), sizeOf(pair, node))
  }))
  return (at) =>
    rivals.some(({ margin, wanted, seen }) => {
      const apart = of.seen[at]! - seen[at - trend]!
      const order = Math.sign(of.wanted[at]! - wanted[at - trend]!)
      return Math.abs(apart) <= margin && Math.sign(apart) !== order
    })
}

/** Where what a rule says depends on rounding: its own ties, and those of its parts. */
const doubtsOf = (pair: Pair): ReadonlyMap<PlanNode, Uint8Array> => {
  const known = new Map<PlanNode, Uint8Array>()
  for (const node of pair.nodes.filter(isRule)) {
    const doubts = new Uint8Array(pair.later.columns.length)
    const parts = node.inputs.flatMap((input) => known.get(input) ?? [])
    const isTied = isUndecided(pair, node)
    const back = lookBackOf(node)
    for (let at = pair.from; at < doubts.length; at += 1) {
      const isDoubted = isTied(at) || parts.some((part) => part[at] === 1)
      if (isDoubted) doubts.fill(1, at, at + back + 1)
    }
    known.set(node, doubts)
  }
  return known
}

interface Counts {
  series: number
  rules: number
  doubts: number
}

const assertSame = (pair: Pair, counts: Counts): void => {
  const doubts = doubtsOf(pair)
  for (const node of pair.nodes) {
    const { wanted, seen } = columnsOf(pair, node)
    assert.strictEqual(wanted.length, seen.length)
    const doubted = doubts.get(node)
    const margin = doubted === undefined ? tolerance * sizeOf(pair, node) : 0
    let differing = -1
    for (let at = pair.from; at < seen.length && differing === -1; at += 1) {
      const isSame = Number.isNaN(wanted[at])
        ? Number.isNaN(seen[at])
        : Math.abs(seen[at]! - wanted[at]!) <= margin
      if (doubted?.[at] === 1) counts.doubts += 1
      else if (!isSame) differing = at
    }
    assert.strictEqual(differing, -1, `${pair.where}, ${node.key}, after ${pair.from}`)
    counts[isRule(node) ? "rules" : "series"] += seen.length - pair.from
  }
}

describe("a strategy forgets where its candles began", () => {
  it("computes the same and says the same after enough windows", () => {
    const counts: Counts = { series: 0, rules: 0, doubts: 0 }
    const types = new Set<string>()
    let compared = 0
    for (let number = 0; compared < comparedCount; number += 1) {
      const pair = drawPair(number)
      if (pair === null) continue
      assertSame(pair, counts)
      for (const type of nodeTypesIn(pair.definition)) types.add(type)
      compared += 1
    }
    // Of one market alone, no rule reads another.
    types.add("symbol")
    const missing = nodeTypes.filter((type) => !types.has(type) && !isRemembering.has(type))
    // A few draws don't have everything.
    if (hasAllDraws) assert.deepStrictEqual(missing, [])
    assert.isAbove(counts.rules, atLeast(500_000))
    assert.isBelow(counts.doubts, counts.rules / 1_000)
  })
})
