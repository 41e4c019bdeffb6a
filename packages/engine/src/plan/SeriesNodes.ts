/**
 * The nodes that plans have in common on one series, each computed once a candle.
 *
 * @since 0.1.0
 */
import { makeLaneStep, type StepCandle } from "./candleLanes.ts"
import type { CandleRecord } from "./CandleRecord.ts"
import { SharedNode } from "./SharedNode.ts"
import type { PlanLane, PlanNode } from "./StrategyPlan.ts"

/** A node by its computation on its series, the same for all plans. */
export interface WantedNode {
  readonly key: string
  readonly node: PlanNode
  readonly inputs: ReadonlyArray<WantedNode>
  /** Empty for the candles of the series itself, else the longer candles built from them. */
  readonly laneKey: string
}

/**
 * The nodes of a plan under the keys that they have on a series.
 *
 * @param root The lane that has the candles of the series as they are.
 */
export const toWanted = (
  nodes: ReadonlyArray<PlanNode>,
  root: PlanLane
): ReadonlyMap<PlanNode, WantedNode> => {
  const wanted = new Map<PlanNode, WantedNode>()
  for (const node of nodes) {
    const inputs = node.inputs.map((input) => wanted.get(input)!)
    const laneKey = node.lane.key.slice(root.key.length)
    const parts = inputs.map(({ key }) => key).join(";")
    const key = `${laneKey}|${node.operation}:${node.name}(${node.settings.join(",")})[${parts}]`
    wanted.set(node, { key, node, inputs, laneKey })
  }
  return wanted
}

/** The nodes of one lane, and the longer lanes above it. */
class SharedLane {
  readonly key: string
  nodes: ReadonlyArray<SharedNode> = []
  above: ReadonlyArray<SharedLane> = []
  /** Takes a candle of the lane below. */
  readonly follow: (candle: StepCandle) => void

  constructor(lane: PlanLane, key: string) {
    this.key = key
    const run = (candle: StepCandle): void => this.run(candle)
    this.follow = key === "" ? run : makeLaneStep(lane.parent!.durationMs, lane.durationMs, run)
  }

  /** Takes a candle of its own. */
  run(candle: StepCandle): void {
    for (const lane of this.above) lane.follow(candle)
    for (const node of this.nodes) node.run(candle)
  }

  get isEmpty(): boolean {
    return this.nodes.length === 0 && this.above.length === 0
  }
}

/** The nodes of one series. @category models @since 0.1.0 */
export class SeriesNodes {
  readonly #lanes = new Map<string, SharedLane>()
  readonly #nodes = new Map<string, SharedNode>()

  /** The number of nodes that are computed at each candle. */
  get size(): number {
    return this.#nodes.size
  }

  /** Takes the candle of that number. */
  run(candle: StepCandle, index: number): void {
    const root = this.#lanes.get("")
    if (root === undefined) return
    root.run(candle)
    for (const node of root.nodes) node.keep(index)
  }

  /**
   * The nodes that are wanted, in their order; each counts one reader more. New nodes are shown the
   * candles so far.
   */
  take(wanted: ReadonlyArray<WantedNode>, record: CandleRecord): ReadonlyArray<SharedNode> {
    const missing = wanted.filter(({ key }) => !this.#nodes.has(key))
    if (missing.length > 0) this.#adopt(missing, SeriesNodes.#warmedUp(missing, record))
    return wanted.map(({ key }) => {
      const node = this.#nodes.get(key)!
      node.readers += 1
      return node
    })
  }

  /** Gives nodes back that were taken; those without a reader are computed no more. */
  giveBack(nodes: ReadonlyArray<SharedNode>): void {
    const left = new Set<SharedNode>()
    for (const node of nodes) {
      node.readers -= 1
      if (node.readers > 0) continue
      left.add(node)
      this.#nodes.delete(node.key)
    }
    if (left.size === 0) return
    for (const lane of this.#lanes.values()) {
      lane.nodes = lane.nodes.filter((node) => !left.has(node))
    }
    // The longest lanes first.
    for (const [key, lane] of [...this.#lanes].toReversed()) {
      if (!lane.isEmpty) continue
      this.#lanes.delete(key)
      const below = this.#lanes.get(belowOf(key))
      if (key !== "" && below !== undefined) {
        below.above = below.above.filter((other) => other !== lane)
      }
    }
  }

  /** Adds a node that has seen nothing yet, after its inputs. */
  #add({ inputs, key, laneKey, node }: WantedNode): void {
    if (this.#nodes.has(key)) return
    for (const input of inputs) this.#add(input)
    const lane = this.#laneOf(node.lane, laneKey)
    const from = inputs.map((input) => this.#nodes.get(input.key)!)
    const added = new SharedNode(key, node, from, laneKey === "")
    this.#nodes.set(key, added)
    lane.nodes = [...lane.nodes, added]
  }

  #laneOf(lane: PlanLane, key: string): SharedLane {
    const known = this.#lanes.get(key)
    if (known !== undefined) return known
    const below = key === "" ? null : this.#laneOf(lane.parent!, belowOf(key))
    const made = new SharedLane(lane, key)
    this.#lanes.set(key, made)
    if (below !== null) below.above = [...below.above, made]
    return made
  }

  /** Takes over nodes from others that have seen the same candles. */
  #adopt(missing: ReadonlyArray<WantedNode>, others: SeriesNodes): void {
    // Each lane after the one below it.
    for (const [key, lane] of others.#lanes) {
      if (this.#lanes.has(key)) continue
      const below = this.#lanes.get(belowOf(key))
      lane.nodes = []
      lane.above = []
      this.#lanes.set(key, lane)
      if (key !== "" && below !== undefined) below.above = [...below.above, lane]
    }
    for (const { key, laneKey } of missing) {
      const node = others.#nodes.get(key)!
      node.inputs = node.inputs.map((input) => this.#nodes.get(input.key) ?? input)
      this.#nodes.set(key, node)
      const lane = this.#lanes.get(laneKey)!
      lane.nodes = [...lane.nodes, node]
    }
  }

  /** Nodes of their own that have seen a record. */
  static #warmedUp(wanted: ReadonlyArray<WantedNode>, record: CandleRecord): SeriesNodes {
    const nodes = new SeriesNodes()
    for (const one of wanted) nodes.#add(one)
    let index = 0
    record.forEach(record.length, (candle) => nodes.run(candle, index++))
    return nodes
  }
}

/** The key of the lane that a longer one is built from. */
const belowOf = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf(">")))
