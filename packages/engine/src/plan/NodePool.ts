/**
 * The nodes that plans share, each distinct one once.
 *
 * @since 0.1.0
 */
import type { ParameterValues } from "../language/Parameter.ts"
import type { Series } from "../language/Rule.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import type { PlanLane, PlanNode, PlanOperation } from "./StrategyPlan.ts"

/** A node whose key is put together when somebody first asks for it: few are. */
class PooledNode implements PlanNode {
  readonly index: number
  readonly operation: PlanOperation
  readonly name: string
  readonly settings: ReadonlyArray<number>
  readonly inputs: ReadonlyArray<PlanNode>
  readonly lane: PlanLane
  #key: string | null = null

  constructor(
    index: number,
    lane: PlanLane,
    operation: PlanOperation,
    name: string,
    settings: ReadonlyArray<number>,
    inputs: ReadonlyArray<PlanNode>
  ) {
    this.index = index
    this.lane = lane
    this.operation = operation
    this.name = name
    this.settings = settings
    this.inputs = inputs
  }

  get key(): string {
    if (this.#key !== null) return this.#key
    const { inputs, lane, name, operation, settings } = this
    const parts = inputs.map((input) => input.key).join(";")
    this.#key = `${lane.key}|${operation}:${name}(${settings.join(",")})[${parts}]`
    return this.#key
  }
}

/** Nodes by their parts, one part after the other: a plan asks for many, and often. */
class KnownNodes {
  node: PlanNode | null = null
  #next: Map<string | number, KnownNodes> | null = null

  /** The entry for these parts and one more. */
  with(part: string | number): KnownNodes {
    this.#next ??= new Map()
    const known = this.#next.get(part)
    if (known !== undefined) return known
    const next = new KnownNodes()
    this.#next.set(part, next)
    return next
  }
}

/** The node of a series of a definition, by the value of the one parameter in it. */
interface PlannedSeries {
  readonly lane: PlanLane
  /** Null where it has none. */
  readonly parameter: string | null
  readonly byValue: Map<number, PlanNode>
}

/** Adds the parameters that a part of a definition names. */
const addParameters = (part: unknown, into: Set<string>): void => {
  if (typeof part !== "object" || part === null) return
  if ("parameter" in part && typeof part.parameter === "string") into.add(part.parameter)
  else for (const inner of Object.values(part)) addParameters(inner, into)
}

/**
 * Nodes that several plans share: equal computations are one node.
 *
 * @category models
 * @since 0.1.0
 */
export class NodePool {
  readonly nodes: Array<PlanNode> = []
  readonly lanes: Array<PlanLane> = []
  readonly #known: Array<KnownNodes> = []
  readonly #planned = new Map<Series, PlannedSeries | null>()
  #last: StrategyDefinition | null = null

  /** The one node that is made of these. */
  node(
    lane: PlanLane,
    operation: PlanOperation,
    name: string,
    settings: ReadonlyArray<number>,
    inputs: ReadonlyArray<PlanNode>
  ): PlanNode {
    let found = (this.#known[lane.index] ??= new KnownNodes()).with(operation)
    if (name !== "") found = found.with(name)
    for (const setting of settings) found = found.with(setting)
    for (const input of inputs) found = found.with(input.index)
    if (found.node !== null) return found.node
    const node = new PooledNode(this.nodes.length, lane, operation, name, settings, inputs)
    this.nodes.push(node)
    found.node = node
    return node
  }

  /** Whether the same definition was planned last, as in a sweep of its parameters. */
  isRepeated(definition: StrategyDefinition): boolean {
    const isRepeated = this.#last === definition
    this.#last = definition
    return isRepeated
  }

  /** The node of a series that is planned again and again: most of it depends on little. */
  repeated(
    lane: PlanLane,
    series: Series,
    values: ParameterValues,
    plan: () => PlanNode
  ): PlanNode {
    let planned = this.#planned.get(series)
    if (planned === undefined) {
      const parameters = new Set<string>()
      addParameters(series, parameters)
      const [parameter = null, second] = parameters
      planned = second === undefined ? { lane, parameter, byValue: new Map() } : null
      this.#planned.set(series, planned)
    }
    if (planned === null || planned.lane !== lane) return plan()
    const value = planned.parameter === null ? 0 : values[planned.parameter]!
    const known = planned.byValue.get(value)
    if (known !== undefined) return known
    const node = plan()
    planned.byValue.set(value, node)
    return node
  }
}
