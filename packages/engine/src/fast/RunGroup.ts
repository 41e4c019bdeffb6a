/**
 * Runs in groups: those that share columns, and go through the tiles together.
 *
 * @since 0.1.0
 */
import type { Timeframe } from "../language/Timeframe.ts"
import { NodePool } from "../plan/NodePool.ts"
import { planStrategy } from "../plan/planStrategy.ts"
import { type PlanNode, type StrategyPlan } from "../plan/StrategyPlan.ts"
import { ruleOperations } from "../plan/ruleOperations.ts"
import { Arena } from "./Arena.ts"
import { Averages, crossesAverages } from "./averages.ts"
import { BitProgram, type RuleBits } from "./BitProgram.ts"
import { ColumnStore } from "./ColumnStore.ts"
import { averagesStep } from "./kernels/layout.ts"
import { betweenCrossings, kindOf } from "./kindOf.ts"
import type { EngineRun, TiledOptions } from "./Run.ts"
import { type RunDetails, toRunDetails } from "./RunDetails.ts"

/** A run and its place in the list that was asked for. */
export interface IndexedRun {
  readonly run: EngineRun
  readonly index: number
}

/** Runs that are taken through the tiles together at most. */
const groupRunsMax = 1_000_000

/** A run as its group knows it. */
export interface Compiled {
  readonly indexed: IndexedRun
  readonly rules: RuleBits
  readonly details: RunDetails
  /** The node of the rule to enter long, -1 where there is none. */
  readonly entryRule: number
  readonly kind: number
}

/** Runs that go through the tiles together, and their inputs. */
export interface RunGroup {
  readonly arena: Arena
  readonly averages: Averages
  readonly columns: ColumnStore
  readonly program: BitProgram
  readonly runs: ReadonlyArray<Compiled>
}

/** Operations whose values are no columns of their own. */
const columnless = new Set<string>(["constant", "indicator", ...Object.keys(ruleOperations)])

/** The columns that plans read, by the index of their node; averages that only cross need none. */
class ReadColumns {
  readonly #columns = new Set<number>()
  readonly #seen = new Set<number>()

  get size(): number {
    return this.#columns.size
  }

  add(plan: StrategyPlan): void {
    for (const rule of [plan.enterLong, plan.exitLong, plan.enterShort, plan.exitShort]) {
      if (rule !== null) this.#addInputs(rule)
    }
    const { breakEvenActivation, stopLoss, takeProfit, trailingActivation, trailingDistance } = plan
    const levels = [stopLoss, takeProfit, trailingDistance, trailingActivation, breakEvenActivation]
    for (const level of levels) {
      if (level !== null && level.kind !== "fraction") this.#addInputs(level.value)
    }
    if (plan.volatility !== null) this.#columns.add(plan.volatility.index)
  }

  #addInputs(node: PlanNode): void {
    if (this.#seen.has(node.index)) return
    this.#seen.add(node.index)
    if (crossesAverages(node)) return
    for (const input of node.inputs) {
      if (!columnless.has(input.operation)) this.#columns.add(input.index)
      this.#addInputs(input)
    }
  }
}

/** Averages that stay near the processor while runs go through all others. */
const averagesPerBlock = 5

/** Runs in an order in which those that read the same averages come after one another. */
const inBlocks = (runs: ReadonlyArray<Compiled>, averages: Averages): ReadonlyArray<Compiled> => {
  const { size } = averages
  if (size <= averagesPerBlock) return runs
  const keys = Float64Array.from(runs, ({ rules }, index) => {
    const crossing = rules.steps.find(({ kind }) => kind === averagesStep)
    if (crossing === undefined) return index
    const block = Math.floor(averages.rank(crossing.otherPeriod) / averagesPerBlock)
    return (block * size + averages.rank(crossing.period)) * runs.length + index
  })
  return Array.from(keys.sort(), (key) => runs[key % runs.length]!)
}

/** Runs in their order, in groups that need about so many columns at most. */
export const toGroups = (
  runs: ReadonlyArray<IndexedRun>,
  candleCount: number,
  columnsMax: number,
  options: TiledOptions
): ReadonlyArray<RunGroup> => {
  const poolByTimeframe = new Map<Timeframe, NodePool>()
  const planned = runs.map((indexed) => {
    const { definition, values } = indexed.run
    const pool = poolByTimeframe.get(definition.timeframe) ?? new NodePool()
    poolByTimeframe.set(definition.timeframe, pool)
    return { indexed, plan: planStrategy(definition, values, pool) }
  })
  const groups: Array<Array<(typeof planned)[number]>> = []
  let group: ReadonlyArray<PlanNode> | null = null
  let columns = new ReadColumns()
  for (const one of planned) {
    const isFull = columns.size >= columnsMax || groups.at(-1)?.length === groupRunsMax
    if (group !== one.plan.nodes || isFull) {
      groups.push([])
      group = one.plan.nodes
      columns = new ReadColumns()
    }
    columns.add(one.plan)
    groups[groups.length - 1]!.push(one)
  }
  return groups.map((members) => {
    const arena = new Arena()
    const columns = new ColumnStore(arena, candleCount)
    const averages = new Averages(arena)
    const program = new BitProgram(arena, columns, averages)
    const counted = members.map(({ plan }) => program.count(plan))
    const compiled = members.map(({ indexed, plan }, nth) => {
      const details = toRunDetails(indexed.run, plan, columns, options.spec.tick)
      const rules = program.compile(counted[nth]!)
      const kind = betweenCrossings(kindOf(plan, details, options), rules, options.spec.canShort)
      return { indexed, rules, details, entryRule: plan.enterLong?.index ?? -1, kind }
    })
    return { arena, averages, columns, program, runs: inBlocks(compiled, averages) }
  })
}
