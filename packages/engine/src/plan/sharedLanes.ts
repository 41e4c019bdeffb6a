/**
 * The nodes of a plan as a bot follows them together with others.
 *
 * Nodes of one series are read from those that all compute together. A node that mixes two markets
 * depends on which candle came first, so each bot computes it for itself.
 *
 * @since 0.1.0
 */
import { seriesOfRules } from "./explainSignal.ts"
import { type CandleColumns, makeColumns } from "../kernel/columns.ts"
import type { StepCandle } from "./candleLanes.ts"
import { type Assign, makeLanes, type PlannedLanes } from "./planLanes.ts"
import { toWanted } from "./SeriesNodes.ts"
import type { AskedNodes, SeriesFollower, SeriesTracks } from "./SeriesTracks.ts"
import {
  isOfOther,
  type PlanDistance,
  type PlanLane,
  type PlanNode,
  type StrategyPlan
} from "./StrategyPlan.ts"

/** The candles that a step follows, and its companions on them. @category models @since 0.1.0 */
export interface StepSharing {
  readonly tracks: SeriesTracks
  /** The market of the step. */
  readonly symbol: string
}

/** The lanes of a step, some of which may be shared. */
export interface SharedLanes extends Omit<PlannedLanes, "assigns"> {
  /** Whether `see` must be shown the candles before `join`. */
  readonly remembers: boolean
  /** Joins the followers that have seen these candles of its markets. */
  readonly join: (seen: ReadonlyMap<string, CandleColumns>) => void
  readonly leave: () => void
}

/** The nodes whose values somebody asks for. */
const askedIn = (plan: StrategyPlan): ReadonlyArray<PlanNode> => {
  const distances = [
    plan.stopLoss,
    plan.takeProfit,
    plan.trailingDistance,
    plan.trailingActivation,
    plan.breakEvenActivation
  ]
  const ofDistance = (distance: PlanDistance | null): ReadonlyArray<PlanNode> =>
    distance === null || distance.kind === "fraction" ? [] : [distance.value]
  const single = [plan.enterLong, plan.exitLong, plan.enterShort, plan.exitShort, plan.volatility]
  return [
    ...single.filter((node) => node !== null),
    ...distances.flatMap(ofDistance),
    ...(plan.ladder?.rules ?? []),
    ...(plan.ladder?.series ?? [])
  ]
}

/** The nodes that depend on more than one market. */
const mixedIn = ({ nodes }: StrategyPlan): ReadonlySet<PlanNode> => {
  const mixed = new Set<PlanNode>()
  for (const node of nodes) {
    if (node.operation === "symbol" || node.inputs.some((input) => mixed.has(input))) {
      mixed.add(node)
    }
  }
  return mixed
}

/** The part of a plan that depends on the candles of one series alone. */
class SeriesPart {
  readonly #sharing: StepSharing
  readonly #series: string
  readonly #state: Float64Array
  readonly #asked: AskedNodes
  readonly #slots: ReadonlyArray<number>
  readonly symbol: string
  readonly isOwn: boolean
  #follower: SeriesFollower | null = null

  constructor(
    sharing: StepSharing,
    root: PlanLane,
    nodes: ReadonlyArray<PlanNode>,
    read: ReadonlyArray<PlanNode>,
    state: Float64Array
  ) {
    const wanted = toWanted(nodes, root)
    this.symbol = root.symbol ?? sharing.symbol
    this.isOwn = root.symbol === null
    this.#series = `${this.symbol} ${root.timeframe}`
    this.#sharing = sharing
    this.#state = state
    this.#asked = {
      nodes: nodes.map((node) => wanted.get(node)!),
      read: read.map((node) => wanted.get(node)!)
    }
    this.#slots = read.map(({ index }) => index)
  }

  join(seen: CandleColumns): void {
    this.#follower = this.#sharing.tracks.follow(this.#series, seen, this.#asked)
    if (seen.length > 0) this.#show()
  }

  take(candle: StepCandle): void {
    this.#follower!.take(candle)
    this.#show()
  }

  leave(): void {
    this.#follower?.leave()
    this.#follower = null
  }

  #show(): void {
    for (let nth = 0; nth < this.#slots.length; nth++) {
      this.#state[this.#slots[nth]!] = this.#follower!.read(nth)
    }
  }
}

const partsOf = (
  plan: StrategyPlan,
  state: Float64Array,
  sharing: StepSharing,
  mixed: ReadonlySet<PlanNode>
): ReadonlyArray<SeriesPart> => {
  // The inputs of the decision, and of its log.
  const read = new Set([...askedIn(plan), ...seriesOfRules(plan)])
  for (const node of mixed) for (const input of node.inputs) read.add(input)
  const roots = plan.lanes.filter((lane) => lane.parent === null || isOfOther(lane))
  return roots.flatMap((root) => {
    const nodes = plan.nodes.filter((node) => node.lane.symbol === root.symbol && !mixed.has(node))
    const ofPart = nodes.filter((node) => read.has(node))
    return nodes.length === 0 ? [] : [new SeriesPart(sharing, root, nodes, ofPart, state)]
  })
}

/** Makes lanes that follow their candles together with others. @category lanes @since 0.1.0 */
export const makeSharedLanes = (
  plan: StrategyPlan,
  state: Float64Array,
  sharing: StepSharing
): SharedLanes => {
  const mixed = mixedIn(plan)
  const parts = partsOf(plan, state, sharing, mixed)
  const own = parts.find(({ isOwn }) => isOwn)
  // A mixed node has to have seen all earlier candles, and reads everything for that.
  const remembers = mixed.size > 0
  let alone: PlannedLanes | null = remembers ? makeLanes(plan, state) : null
  let isJoined = false
  let assigns: ReadonlyArray<Assign> = []
  return {
    remembers,
    others: plan.lanes.filter(isOfOther).map(({ symbol }) => symbol!),
    see: (candle) => {
      if (!isJoined) return alone?.see(candle)
      own?.take(candle)
      for (const assign of assigns) assign(candle)
    },
    seeOther: (symbol, candle) => {
      if (!isJoined) return alone?.seeOther(symbol, candle)
      for (const part of parts) if (!part.isOwn && part.symbol === symbol) part.take(candle)
    },
    join: (seen) => {
      for (const part of parts) part.join(seen.get(part.symbol) ?? makeColumns(0))
      const remembered = alone?.assigns
      assigns = [...mixed].map(({ index }) => remembered!.get(index)!)
      alone = null
      isJoined = true
    },
    leave: () => {
      for (const part of parts) part.leave()
    }
  }
}
