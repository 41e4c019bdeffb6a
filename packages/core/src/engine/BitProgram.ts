/**
 * The rules of many runs as steps over bits, each distinct one taken once a tile.
 *
 * A rule is two sets of candles, those where it holds and those where it fails; where it is
 * undefined it is in neither. `not` swaps them and costs nothing, and only what somebody asks for
 * is computed. Steps that several runs share have places of their own; those of one run alone use
 * places that the next run uses again, so that they stay in the processor's cache.
 *
 * @since 0.1.0
 */
import type { PlanNode, PlanOperation } from "../interpreters/planStrategy.ts"
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
import { type Place, summarizedBytes } from "./places.ts"

/** One step: `into` and `opposite` take bits, `carry` keeps the last ones for the next tile. */
export interface Step {
  /** What it does: `kernels/layout.ts` has the numbers. */
  readonly kind: number
  readonly left: Place
  readonly right: Place
  readonly into: number
  readonly opposite: number
  readonly carry: number
  /** The periods of averages that cross. */
  readonly period: number
  readonly otherPeriod: number
}

/** The rules of one run as bits; null is a rule that never holds. */
export interface RunRules {
  readonly enterLong: Place | null
  readonly exitLong: Place | null
  readonly enterShort: Place | null
  readonly exitShort: Place | null
  /** Steps that no other run takes. */
  readonly steps: ReadonlyArray<Step>
}

type Part = "holds" | "fails"

const other = { holds: "fails", fails: "holds" } as const

interface Known {
  readonly holds: Place
  readonly fails: Place
}

/** Bits, with a key that is theirs in every run. */
interface Keyed {
  readonly place: Place
  /** Whether it is known which of their words are not 0, as positions need it. */
  readonly isSummarized: boolean
  readonly key: number
}

const nowhere: Place = { base: 0, stride: 0 }

/** Besides the kinds of steps: a rule that is computed candle by candle. */
const ruleKind = 7

/** Numbers that keys are made of are less than this. */
const namesMax = 2 ** 24

/** One number for a kind and two numbers: strings would cost more than what they name. */
const keyOf = (kind: number, left: number, right: number): number =>
  (left * namesMax + right) * 8 + kind + 1

const toKeyed = (known: Known, key: number, part: Part): Keyed => ({
  place: known[part],
  isSummarized: known[part].stride === 0,
  key: part === "holds" ? key : -key
})

/** Steps whose carried bits lie together. */
const carriesAtOnce = 256

/** What a step gives while steps are only counted. */
const counted: Known = { holds: nowhere, fails: nowhere }

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
  readonly shared: Array<Step> = []
  readonly #arena: Arena
  readonly #columns: ColumnStore
  readonly #averages: Averages
  readonly #runsByKey = new Map<number, number>()
  /** Short names of keys, for those of the steps that are made of them. */
  readonly #names = new Map<number, number>()
  readonly #known = new Map<number, Known>()
  readonly #scratch: Array<number> = []
  readonly #own = new Map<number, Known>()
  #ownSteps: Array<Step> = []
  #scratchUsed = 0
  #nextCarry = 0
  #carriesLeft = 0
  #isCounting = true

  constructor(arena: Arena, columns: ColumnStore, averages: Averages) {
    this.#arena = arena
    this.#columns = columns
    this.#averages = averages
  }

  /** Counts what a run computes. */
  count(nodes: RunNodes): void {
    this.#isCounting = true
    this.#compile(nodes)
  }

  /** Compiles a run; its places are good until the next run's steps are taken. */
  compile(nodes: RunNodes): RunRules {
    this.#isCounting = false
    return this.#compile(nodes)
  }

  #compile({ enterLong, enterShort, exitLong, exitShort }: RunNodes): RunRules {
    this.#own.clear()
    this.#ownSteps = []
    this.#scratchUsed = 0
    return {
      enterLong: this.#net(enterLong, exitLong),
      exitLong: this.#net(exitLong, enterLong),
      enterShort: this.#net(enterShort, exitShort),
      exitShort: this.#net(exitShort, enterShort),
      steps: this.#ownSteps
    }
  }

  /** Where a rule holds and its opposite does not: both at once say nothing. */
  #net(rule: PlanNode | null, opposite: PlanNode | null): Place | null {
    if (rule === null) return null
    const holds = this.#part(rule, "holds")
    if (opposite === null || isDisjoint(rule, opposite)) return this.#summarized(holds)
    return this.#without(holds, this.#part(opposite, "holds"))
  }

  /** One without the other: the same step gives the other without the one. */
  #without(holds: Keyed, against: Keyed): Place {
    const [name, other] = [this.#name(holds.key), this.#name(against.key)]
    const isTurned = name > other
    const key = keyOf(netStep, isTurned ? other : name, isTurned ? name : other)
    const [left, right] = isTurned ? [against, holds] : [holds, against]
    const net = this.#step(key, netStep, left.place, right.place)
    return isTurned ? net.fails : net.holds
  }

  /** Bits with what is known of their words. */
  #summarized(holds: Keyed): Place {
    return holds.isSummarized ? holds.place : this.#pair(copyStep, holds, holds).place
  }

  /** A number for a key, the same whenever it is asked for. */
  #name(key: number): number {
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const name = this.#names.size
    if (name >= namesMax) throw new Error("too many distinct rules in one call")
    this.#names.set(key, name)
    return name
  }

  /** Two sets of bits made one. */
  #pair(kind: number, left: Keyed, right: Keyed): Keyed {
    const key = keyOf(kind, this.#name(left.key), this.#name(right.key))
    const { holds } = this.#step(key, kind, left.place, right.place)
    return { place: holds, key, isSummarized: kind === copyStep }
  }

  #step(key: number, kind: number, left: Place, right: Place, period = 0, otherPeriod = 0): Known {
    const found = this.#known.get(key) ?? this.#own.get(key)
    if (found !== undefined) return found
    if (this.#isCounting) {
      this.#runsByKey.set(key, (this.#runsByKey.get(key) ?? 0) + 1)
      this.#own.set(key, counted)
      return counted
    }
    const isShared = this.#runsByKey.get(key)! > 1
    const isCrossing = kind === crossStep || kind === averagesStep
    const hasOpposite = isCrossing || kind === compareStep || kind === netStep
    const into = this.#place(isShared)
    const opposite = hasOpposite ? this.#place(isShared) : 0
    const carry = isCrossing ? this.#carry() : 0
    const known = { holds: { base: into, stride: 0 }, fails: { base: opposite, stride: 0 } }
    const step = { kind, left, right, into, opposite, carry, period, otherPeriod }
    if (isShared) this.shared.push(step)
    else this.#ownSteps.push(step)
    if (isShared) this.#known.set(key, known)
    else this.#own.set(key, known)
    return known
  }

  /** Eight bytes that are kept from one tile to the next, beside those of other steps. */
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

  #compare(left: PlanNode, right: PlanNode): Known {
    const places = [this.#columns.series(left), this.#columns.series(right)] as const
    return this.#step(
      keyOf(compareStep, left.index, right.index),
      compareStep,
      places[0],
      places[1]
    )
  }

  #cross(left: PlanNode, right: PlanNode): Known {
    const { fails, holds } = this.#compare(left, right)
    return this.#step(keyOf(crossStep, left.index, right.index), crossStep, holds, fails)
  }

  /** Where one average crosses above the other, or the other above it. */
  #crossAverages({ inputs, operation }: PlanNode): Keyed {
    const left = averagePeriod(inputs[0]!)!
    const right = averagePeriod(inputs[1]!)!
    const isTurned = left > right
    const period = isTurned ? right : left
    const otherPeriod = isTurned ? left : right
    const [one, other] = [this.#averages.column(period), this.#averages.column(otherPeriod)]
    const key = keyOf(averagesStep, period, otherPeriod)
    const known = this.#step(key, averagesStep, one, other, period, otherPeriod)
    return toKeyed(known, key, (operation === "crosses_above") === isTurned ? "fails" : "holds")
  }

  #part(node: PlanNode, part: Part): Keyed {
    if (part === "holds" && crossesAverages(node)) return this.#crossAverages(node)
    const [first, second] = node.inputs
    switch (node.operation) {
      case "above":
        return toKeyed(
          this.#compare(first!, second!),
          keyOf(compareStep, first!.index, second!.index),
          part
        )
      case "below":
        return toKeyed(
          this.#compare(second!, first!),
          keyOf(compareStep, second!.index, first!.index),
          part
        )
      case "crosses_above":
        return toKeyed(
          this.#cross(first!, second!),
          keyOf(crossStep, first!.index, second!.index),
          part
        )
      case "crosses_below":
        return toKeyed(
          this.#cross(second!, first!),
          keyOf(crossStep, second!.index, first!.index),
          part
        )
      case "not":
        return this.#part(first!, other[part])
      case "all":
      case "any":
        return this.#group(node, part)
      default:
        return toKeyed(this.#columns.rule(node), keyOf(ruleKind, node.index, 0), part)
    }
  }

  /** All hold, or any fails; any holds, or all fail. */
  #group({ inputs, operation }: PlanNode, part: Part): Keyed {
    const isAll = (operation === "all") === (part === "holds")
    const kind = isAll ? andStep : orStep
    const [first, ...rest] = inputs
    return rest.reduce(
      (bits, next) => this.#pair(kind, bits, this.#part(next, part)),
      this.#part(first!, part)
    )
  }
}
