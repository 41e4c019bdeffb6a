/**
 * The computations of many bots on one market, as small operations, each distinct one once.
 *
 * A plan's indicators are taken apart into these, so that bots with different indicators share the
 * common parts. Two MACDs of one fast period share its average.
 *
 * @since 0.1.0
 */

/** Operations whose value is a number. @category models @since 0.1.0 */
export type NumberOperation =
  | "price"
  | "constant"
  | "add"
  | "sub"
  | "mul"
  | "div"
  | "min"
  | "max"
  | "abs"
  | "mean"
  | "stdev"
  | "highest"
  | "lowest"
  | "shift"
  | "smoothed"
  | "change"
  | "rise"
  | "fall"
  | "gain_share"
  | "true_range"

/** Operations whose value is a truth. @category models @since 0.1.0 */
export type TruthKind =
  | "never"
  | "above"
  | "crosses_above"
  | "between"
  | "rising"
  | "falling"
  | "true_for"
  | "all"
  | "any"
  | "not"
  | "hours"
  | "weekdays"

/**
 * One operation; it comes after its inputs, and those are less deep.
 *
 * @category models
 * @since 0.1.0
 */
export interface LaneNode {
  readonly kind: NumberOperation | TruthKind
  /** The price field, where it is one. */
  readonly name: string
  readonly settings: ReadonlyArray<number>
  readonly inputs: ReadonlyArray<LaneNode>
  readonly depth: number
  /** Its place among the numbers, or among the truths. */
  readonly slot: number
}

/** Gathers operations. @category programs @since 0.1.0 */
export class LaneProgram {
  readonly nodes: Array<LaneNode> = []
  /** A rule that is false at every candle, so that the bots wait for none. */
  readonly never: LaneNode
  #seriesCount = 0
  #truthCount = 0
  /** By the slots of its inputs rather than by their keys, which would grow with every layer. */
  readonly #known = new Map<string, LaneNode>()

  constructor() {
    this.never = this.truth("never", [], [])
  }

  /** The number of numbers. */
  get seriesCount(): number {
    return this.#seriesCount
  }

  /** The number of truths. */
  get truthCount(): number {
    return this.#truthCount
  }

  /** The text of this program's computation. Programs with the same text keep the same state. */
  get description(): string {
    return [...this.#known.keys()].join("\n")
  }

  /** An operation whose value is a number. */
  series(
    kind: NumberOperation,
    inputs: ReadonlyArray<LaneNode>,
    settings: ReadonlyArray<number> = [],
    name = ""
  ): LaneNode {
    return this.#node(kind, name, settings, inputs, () => this.#seriesCount++)
  }

  /** An operation whose value is a truth. */
  truth(
    kind: TruthKind,
    inputs: ReadonlyArray<LaneNode>,
    settings: ReadonlyArray<number>
  ): LaneNode {
    return this.#node(kind, "", settings, inputs, () => this.#truthCount++)
  }

  #node(
    kind: NumberOperation | TruthKind,
    name: string,
    settings: ReadonlyArray<number>,
    inputs: ReadonlyArray<LaneNode>,
    takeSlot: () => number
  ): LaneNode {
    const key = `${kind}:${name}(${settings.join()})[${inputs.map(({ slot }) => slot).join()}]`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const depth = inputs.reduce((most, input) => Math.max(most, input.depth + 1), 0)
    const node: LaneNode = { kind, name, settings, inputs, depth, slot: takeSlot() }
    this.nodes.push(node)
    this.#known.set(key, node)
    return node
  }
}
