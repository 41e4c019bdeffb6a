/**
 * Many bots on one market, stepped together. Parts that two bots share are computed once a candle,
 * and the rest side by side in arrays.
 *
 * Every bot decides as `makeSignalStep` would have decided, to the bit.
 *
 * @since 0.1.0
 */
import type { ParameterValues } from "../language/Parameter.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import type { StepCandle } from "../plan/candleLanes.ts"
import { planStrategy } from "../plan/planStrategy.ts"
import { type PlanNode } from "../plan/StrategyPlan.ts"
import { levelsReader } from "../plan/tradingPlan.ts"
import { type EntryLevels, noLevels } from "../kernel/decide.ts"
import type { LaneMemory, StateArray } from "./live/LaneGroup.ts"
import { toLaneGroup } from "./live/LaneGroup.ts"
import { laneKernels } from "./live/laneKernels.ts"
import { type LaneNode, LaneProgram } from "./live/LaneProgram.ts"
import { type LoweredNodes, lowerPlan } from "./live/lowerPlan.ts"
import { laneTrue, laneUndefined } from "./live/truthLanes.ts"

/** A strategy with its parameters filled in. @category models @since 0.1.0 */
export interface LaneBot {
  readonly definition: StrategyDefinition
  readonly values: ParameterValues
}

/**
 * The decisions of the bots at a candle: 1 where the signal is given, an element for each bot. The
 * arrays are the same at every candle.
 *
 * @category models
 * @since 0.1.0
 */
export interface LaneSignals {
  readonly enterLong: Uint8Array
  readonly exitLong: Uint8Array
  readonly enterShort: Uint8Array
  readonly exitShort: Uint8Array
}

/** Everything that lanes remember between candles. @category models @since 0.1.0 */
export interface LaneSnapshot {
  /** The computation of the lanes; only lanes of the same computation take it back. */
  readonly program: string
  readonly bytes: Uint8Array
}

/** Bots that follow one market. @category models @since 0.1.0 */
export interface LiveLanes {
  readonly signals: LaneSignals
  /** Takes the next closed candle; candles come in time order. */
  readonly step: (candle: StepCandle) => LaneSignals
  /** Exits and volatility of an entry that this bot decides at the last candle. */
  readonly levelsOf: (bot: number) => EntryLevels
  readonly snapshot: () => LaneSnapshot
  /** Goes on from where the snapshot was taken, to the bit. False where it is of other lanes. */
  readonly restore: (snapshot: LaneSnapshot) => boolean
}

/** Nodes of one kind, name and number of inputs and settings, layer by layer. */
const toGroups = (nodes: ReadonlyArray<LaneNode>): ReadonlyArray<ReadonlyArray<LaneNode>> => {
  const groups = new Map<string, Array<LaneNode>>()
  for (const node of nodes.toSorted((one, other) => one.depth - other.depth)) {
    const { depth, inputs, kind, name, settings } = node
    const key = `${depth} ${kind} ${name} ${inputs.length} ${settings.length}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [node])
    else group.push(node)
  }
  return [...groups.values()]
}

const signalNames = ["enterLong", "exitLong", "enterShort", "exitShort"] as const

/** Reads the truths of one signal of all bots. */
const signalReader = (nodes: ReadonlyArray<LaneNode>, never: LaneNode) => {
  const slots = Int32Array.from(nodes, ({ slot }) => slot)
  const isNever = nodes.every((node) => node === never)
  return (truths: Uint8Array, into: Uint8Array): void => {
    if (isNever) return
    for (let bot = 0; bot < slots.length; bot++) {
      into[bot] = truths[slots[bot]!] === laneTrue ? 1 : 0
    }
  }
}

const memoryFor = (program: LaneProgram): LaneMemory & { readonly kept: Array<StateArray> } => {
  const values = new Float64Array(program.seriesCount).fill(Number.NaN)
  const truths = new Uint8Array(program.truthCount).fill(laneUndefined)
  const kept: Array<StateArray> = [values, truths]
  const keep = <A extends StateArray>(array: A): A => {
    kept.push(array)
    return array
  }
  return { values, truths, kept, keep }
}

const bytesOf = (array: StateArray): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

const toSnapshot = (program: string, kept: ReadonlyArray<StateArray>): LaneSnapshot => {
  const length = kept.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const bytes = new Uint8Array(length)
  let at = 0
  for (const array of kept) {
    bytes.set(bytesOf(array), at)
    at += array.byteLength
  }
  return { program, bytes }
}

const writeBack = (bytes: Uint8Array, kept: ReadonlyArray<StateArray>): void => {
  let at = 0
  for (const array of kept) {
    bytesOf(array).set(bytes.subarray(at, at + array.byteLength))
    at += array.byteLength
  }
}

/**
 * Makes lanes for bots on one market and timeframe, or says which bot has none and why; that one
 * runs on `makeSignalStep`.
 *
 * **Gotchas**
 *
 * The definitions must have passed `checkStrategy`, and their values must have a value for each of
 * their parameters.
 *
 * @category lanes
 * @since 0.1.0
 */
export const makeLiveLanes = (
  bots: ReadonlyArray<LaneBot>
): LiveLanes | { readonly bot: number; readonly reason: string } => {
  const program = new LaneProgram()
  const known: LoweredNodes = new Map()
  const nodeOf = (node: PlanNode | null): LaneNode =>
    node === null ? program.never : (known.get(node.key) ?? program.never)
  const signalNodes = signalNames.map((): Array<LaneNode> => [])
  for (const [bot, { definition, values }] of bots.entries()) {
    if (definition.timeframe !== bots[0]?.definition.timeframe) {
      return { bot, reason: "it follows another timeframe than the first bot" }
    }
    const plan = planStrategy(definition, values)
    const reason = lowerPlan(program, known, plan)
    if (reason !== null) return { bot, reason }
    signalNames.forEach((name, nth) => signalNodes[nth]!.push(nodeOf(plan[name])))
  }

  const memory = memoryFor(program)
  const steps = toGroups(program.nodes).map((nodes) =>
    laneKernels[nodes[0]!.kind](toLaneGroup(nodes), memory)
  )
  const [enterLong, exitLong, enterShort, exitShort] = signalNames.map(
    () => new Uint8Array(bots.length)
  )
  const signals: LaneSignals = {
    enterLong: enterLong!,
    exitLong: exitLong!,
    enterShort: enterShort!,
    exitShort: exitShort!
  }
  const readers = signalNames.map((name, nth) => {
    const read = signalReader(signalNodes[nth]!, program.never)
    return () => read(memory.truths, signals[name])
  })
  const readSignals = (): void => {
    for (const read of readers) read()
  }
  return {
    signals,
    step: (candle) => {
      for (const step of steps) step(candle)
      readSignals()
      return signals
    },
    levelsOf: (bot) => {
      if (signals.enterLong[bot] !== 1 && signals.enterShort[bot] !== 1) return noLevels
      const { definition, values } = bots[bot]!
      const plan = planStrategy(definition, values)
      return levelsReader(definition, values, plan)((node) => memory.values[nodeOf(node).slot]!)
    },
    snapshot: () => toSnapshot(program.description, memory.kept),
    restore: (snapshot) => {
      const size = memory.kept.reduce((sum, { byteLength }) => sum + byteLength, 0)
      if (snapshot.program !== program.description || snapshot.bytes.length !== size) return false
      writeBack(snapshot.bytes, memory.kept)
      readSignals()
      return true
    }
  }
}
