/**
 * The rules of many runs as steps over bits, each distinct one taken once a tile.
 *
 * A rule is two sets of candles, those where it holds and those where it fails; where it is
 * undefined it is in neither. `not` swaps them and costs nothing, and only bits that a run asks for
 * are computed. Steps that several runs share have places of their own. Steps of one run alone
 * reuse the places of the run before, so that they stay in the processor's cache.
 *
 * @since 0.1.0
 */
import type { PlanNode, PlanOperation } from "../plan/StrategyPlan.ts"
import type { Arena } from "./Arena.ts"
import { averagePeriod, type Averages, crossesAverages } from "./averages.ts"
import type { ColumnStore } from "./ColumnStore.ts"
import {
  andStep,
  averagesStep,
  compareStep,
  copyStep,
  crossStep,
  netStep,
  orStep
} from "./kernels/layout.ts"
import { summarizedBytes } from "./kernels/tileLayout.ts"
import type { TileAddress } from "./TileAddress.ts"
import {
  type Bits,
  type Input,
  isCheap,
  type Known,
  type RuleAnswer,
  PlannedStep,
  junctionOf
} from "./PlannedStep.ts"

/** One step: `into` and `opposite` take bits, `carry` keeps the last ones for the next tile. */
export interface BitStep {
  /** The operation: `kernels/layout.ts` has the numbers. */
  readonly kind: number
  readonly left: TileAddress
  readonly right: TileAddress
  /** Of a net: it takes the bits of `left` at this place without the bits of either of `right`. */
  readonly otherLeft: TileAddress
  readonly otherRight: TileAddress
  readonly into: number
  readonly opposite: number
  readonly carry: number
  /** The periods of averages that cross. */
  readonly period: number
  readonly otherPeriod: number
}

/** The rules of one run as the places of their bits; null is a rule that never holds. */
export interface RuleBits {
  readonly enterLong: TileAddress | null
  readonly exitLong: TileAddress | null
  readonly enterShort: TileAddress | null
  readonly exitShort: TileAddress | null
  /** Steps that no other run takes. */
  readonly steps: ReadonlyArray<BitStep>
}

const other = { holds: "fails", fails: "holds" } as const

/** The rules of a run as bits that have no places yet. */
export interface RunBits {
  readonly enterLong: Bits | null
  readonly exitLong: Bits | null
  readonly enterShort: Bits | null
  readonly exitShort: Bits | null
}

/** Numbers that keys are made of are less than this. */
const namesMax = 2 ** 26

/** Runs from which on a conjunction or disjunction is better kept than computed again. */
const runsToShare = 8

/** Steps whose carried bits lie together. */
const carriesAtOnce = 256

/** Rules that never hold at once over the same inputs. */
const opposites = new Map<PlanOperation, PlanOperation>([
  ["above", "below"],
  ["below", "above"],
  ["crosses_above", "crosses_below"],
  ["crosses_below", "crosses_above"]
])

/** Whether two rules can't hold at once, so that neither has to be taken from the other. */
const isDisjoint = (one: PlanNode, another: PlanNode): boolean => {
  if (opposites.get(one.operation) !== another.operation) return false
  return one.inputs.every((input, at) => input.index === another.inputs[at]!.index)
}

/** The rules of a run as its plan has them. */
export interface RunNodes {
  readonly enterLong: PlanNode | null
  readonly exitLong: PlanNode | null
  readonly enterShort: PlanNode | null
  readonly exitShort: PlanNode | null
}

/** Compiles the rules of runs, all of which are counted before the first one is compiled. */
export class BitProgram {
  /** Steps that several runs share, in an order in which they can be taken. */
  readonly shared: Array<BitStep> = []
  readonly #arena: Arena
  readonly #columns: ColumnStore
  readonly #averages: Averages
  /** By their kind and their parts. */
  readonly #planned: Array<Map<number, PlannedStep>> = []
  /** By the index of their node: the bits of holding first, then the bits of failing. */
  readonly #bits: Array<Bits | undefined> = []
  readonly #scratch: Array<number> = []
  #ownSteps: Array<BitStep> = []
  #names = 0
  #run = 0
  #scratchUsed = 0
  #nextCarry = 0
  #carriesLeft = 0

  constructor(arena: Arena, columns: ColumnStore, averages: Averages) {
    this.#arena = arena
    this.#columns = columns
    this.#averages = averages
  }

  /** Counts the operations of a run. */
  count({ enterLong, enterShort, exitLong, exitShort }: RunNodes): RunBits {
    this.#run++
    return {
      enterLong: this.#net(enterLong, exitLong),
      exitLong: this.#net(exitLong, enterLong),
      enterShort: this.#net(enterShort, exitShort),
      exitShort: this.#net(exitShort, enterShort)
    }
  }

  /** Compiles a run; its places are good until the next run's steps are taken. */
  compile({ enterLong, enterShort, exitLong, exitShort }: RunBits): RuleBits {
    this.#run++
    this.#ownSteps = []
    this.#scratchUsed = 0
    const placed = (bits: Bits | null): TileAddress | null =>
      bits === null ? null : this.#placed(bits)
    return {
      enterLong: placed(enterLong),
      exitLong: placed(exitLong),
      enterShort: placed(enterShort),
      exitShort: placed(exitShort),
      steps: this.#ownSteps
    }
  }

  /** Where a rule holds and its opposite does not: both at once say nothing. */
  #net(rule: PlanNode | null, opposite: PlanNode | null): Bits | null {
    if (rule === null) return null
    const holds = this.#part(rule, "holds")
    const net =
      opposite === null || isDisjoint(rule, opposite)
        ? this.#summarized(holds)
        : this.#without(holds, this.#part(opposite, "holds"))
    this.#use(net)
    return net
  }

  /** One without the other: the same step gives the other without the one. */
  #without(holds: Bits, against: Bits): Bits {
    const isReversed = junctionOf(against) - junctionOf(holds) || holds.name - against.name
    return isReversed > 0
      ? this.#pair(netStep, against, holds).fails
      : this.#pair(netStep, holds, against).holds
  }

  /** Bits with the known facts about their words. */
  #summarized(bits: Bits): Bits {
    return bits.isSummarized ? bits : this.#pair(copyStep, bits, bits).holds
  }

  /** Counts that this run takes the steps behind its bits. */
  #use({ source }: Bits): void {
    if (!(source instanceof PlannedStep) || source.lastRun === this.#run) return
    source.lastRun = this.#run
    source.runCount++
    if ("source" in source.left) this.#use(source.left)
    if ("source" in source.right) this.#use(source.right)
  }

  #pair(kind: number, left: Bits, right: Bits): PlannedStep {
    return this.#step(kind, left.name, right.name, left, right)
  }

  #step(
    kind: number,
    leftName: number,
    rightName: number,
    left: Input,
    right: Input,
    period = 0,
    otherPeriod = 0
  ): PlannedStep {
    const key = leftName * namesMax + rightName
    const byKey = (this.#planned[kind] ??= new Map())
    const found = byKey.get(key)
    if (found !== undefined) return found
    const step = new PlannedStep(kind, left, right, period, otherPeriod, this.#newName())
    byKey.set(key, step)
    return step
  }

  /** A name for bits that hold; the next one is for those that fail. */
  #newName(): number {
    const name = this.#names
    if (name >= namesMax) throw new Error("too many distinct rules in one call")
    this.#names += 2
    return name
  }

  /** Where bits are, once the steps behind them are written down. */
  #placed({ part, source }: Bits, keeps = false): TileAddress {
    return (source instanceof PlannedStep ? this.#written(source, keeps) : source)[part]
  }

  /** Writes a step down where this was not done. The inputs of a kept step are kept. */
  #written(planned: PlannedStep, keeps: boolean): Known {
    const { kind, left, otherPeriod, period, right } = planned
    if (planned.isKept && planned.known !== null) return planned.known
    planned.isKept = keeps || planned.runCount >= (isCheap(kind) ? runsToShare : 2)
    const { isKept } = planned
    if (!isKept && planned.known !== null && planned.writtenFor === this.#run) return planned.known
    planned.writtenFor = this.#run
    const [one, otherLeft] = this.#inputs(planned, left, andStep)
    const [another, otherRight] = this.#inputs(planned, right, orStep)
    const isCrossing = kind === crossStep || kind === averagesStep
    const into = this.#place(isKept)
    const opposite = planned.hasOpposite ? this.#place(isKept) : 0
    const carry = isCrossing ? this.#carry() : 0
    const steps = isKept ? this.shared : this.#ownSteps
    const places = { left: one, otherLeft, right: another, otherRight, into, opposite, carry }
    steps.push({ kind, ...places, period, otherPeriod })
    planned.known = { holds: { base: into, stride: 0 }, fails: { base: opposite, stride: 0 } }
    return planned.known
  }

  /** The places that one side of a step reads: a net takes a pair of this kind itself. */
  #inputs(
    { isKept, kind }: PlannedStep,
    input: Input,
    pairKind: number
  ): readonly [TileAddress, TileAddress] {
    if (!("source" in input)) return [input, input]
    const { source } = input
    if (kind === netStep && source instanceof PlannedStep && source.kind === pairKind) {
      const { left, right, runCount } = source
      if (runCount < runsToShare && "source" in left && "source" in right) {
        return [this.#placed(left, isKept), this.#placed(right, isKept)]
      }
    }
    const place = this.#placed(input, isKept)
    return [place, place]
  }

  /** Eight bytes that are kept from one tile to the next, beside the bytes of other steps. */
  #carry(): number {
    if (this.#carriesLeft === 0) {
      this.#nextCarry = this.#arena.take(carriesAtOnce * 8)
      this.#carriesLeft = carriesAtOnce
    }
    this.#carriesLeft--
    this.#nextCarry += 8
    return this.#nextCarry - 8
  }

  #place(isShared: boolean): number {
    if (isShared) return this.#arena.take(summarizedBytes)
    const index = this.#scratchUsed++
    this.#scratch[index] ??= this.#arena.take(summarizedBytes)
    return this.#scratch[index]
  }

  #compare(left: PlanNode, right: PlanNode, part: RuleAnswer): Bits {
    const places = [this.#columns.series(left), this.#columns.series(right)] as const
    const step = this.#step(compareStep, left.index, right.index, ...places)
    if (part === "fails") step.hasOpposite = true
    return step[part]
  }

  #cross(left: PlanNode, right: PlanNode): PlannedStep {
    const holds = this.#compare(left, right, "holds")
    return this.#pair(crossStep, holds, this.#compare(left, right, "fails"))
  }

  /** Where one average crosses above the other, or the other above it. */
  #crossAverages({ inputs, operation }: PlanNode): Bits {
    const left = averagePeriod(inputs[0]!)!
    const right = averagePeriod(inputs[1]!)!
    const isReversed = left > right
    const period = isReversed ? right : left
    const otherPeriod = isReversed ? left : right
    const [one, another] = [this.#averages.column(period), this.#averages.column(otherPeriod)]
    const step = this.#step(averagesStep, period, otherPeriod, one, another, period, otherPeriod)
    return step[(operation === "crosses_above") === isReversed ? "fails" : "holds"]
  }

  /** A rule that is computed candle by candle. */
  #column(node: PlanNode): Readonly<Record<RuleAnswer, Bits>> {
    const source = this.#columns.rule(node)
    const name = this.#newName()
    return {
      holds: { name, part: "holds", source, isSummarized: false },
      fails: { name: name + 1, part: "fails", source, isSummarized: false }
    }
  }

  #part(node: PlanNode, part: RuleAnswer): Bits {
    const at = 2 * node.index + (part === "holds" ? 0 : 1)
    const found = this.#bits[at]
    if (found !== undefined) return found
    const bits = this.#newPart(node, part)
    this.#bits[at] = bits
    return bits
  }

  #newPart(node: PlanNode, part: RuleAnswer): Bits {
    if (part === "holds" && crossesAverages(node)) return this.#crossAverages(node)
    const [first, second] = node.inputs
    switch (node.operation) {
      case "above":
        return this.#compare(first!, second!, part)
      case "below":
        return this.#compare(second!, first!, part)
      case "crosses_above":
        return this.#cross(first!, second!)[part]
      case "crosses_below":
        return this.#cross(second!, first!)[part]
      case "not":
        return this.#part(first!, other[part])
      case "all":
      case "any":
        return this.#group(node, part)
      default: {
        const column = this.#column(node)
        this.#bits[2 * node.index] = column.holds
        this.#bits[2 * node.index + 1] = column.fails
        return column[part]
      }
    }
  }

  /** All hold, or any fails; any holds, or all fail. */
  #group({ inputs, operation }: PlanNode, part: RuleAnswer): Bits {
    const isAll = (operation === "all") === (part === "holds")
    const kind = isAll ? andStep : orStep
    const [first, ...rest] = inputs
    return rest.reduce(
      (bits, next) => this.#pair(kind, bits, this.#part(next, part)).holds,
      this.#part(first!, part)
    )
  }
}
