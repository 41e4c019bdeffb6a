/**
 * Random ladders, valid by construction: strategies that build and leave positions in parts, grids
 * and rebalancing, for property tests.
 *
 * Prices of lines fit candles that begin near 100.
 *
 * @since 0.1.0
 */
import type { EntryOrder, RestingEntry } from "../language/EntryOrder.ts"
import type { Exits } from "../language/Exits.ts"
import type { Addition, Reduction, SafetyOrders, Target } from "../language/Ladder.ts"
import type { AdditionSizing } from "../language/Sizing.ts"
import type { PositionParts, StrategyDefinition } from "../language/StrategyDefinition.ts"
import { type Timeframe, timeframeNames } from "../language/Timeframe.ts"
import type { NextNumber } from "./randomSeries.ts"
import type { RandomStrategyOptions } from "./randomStrategy.ts"
import { StrategyGenerator, type Writable } from "./StrategyGenerator.ts"

/** The parts that make a strategy a ladder. @category tables @since 0.1.0 */
export const ladderKinds = [
  "additions",
  "safety_orders",
  "targets",
  "reductions",
  "lots",
  "orders",
  "sides",
  "overlap",
  "grid",
  "rebalance"
] as const

/** A part that makes a strategy a ladder. @category models @since 0.1.0 */
export type LadderKind = (typeof ladderKinds)[number]

/** The bounds of a random ladder. @category models @since 0.1.0 */
export interface RandomLadderOptions extends RandomStrategyOptions {
  /** The parts that the ladder may have; all of them where this is left out. */
  readonly kinds?: ReadonlyArray<LadderKind>
}

type Parts = Writable<PositionParts>

class LadderGenerator extends StrategyGenerator {
  readonly #kinds: ReadonlySet<LadderKind>
  readonly #hasStopLoss: boolean

  constructor(next: NextNumber, options: RandomLadderOptions, timeframe: Timeframe) {
    const symbols = options.readsOthers === false ? [] : (options.symbols ?? [])
    super(next, options.parameterRate ?? 0.3, { symbols, timeframe })
    this.#kinds = new Set(options.kinds ?? ladderKinds)
    this.#hasStopLoss = options.hasStopLoss ?? false
  }

  /** Whether this kind is allowed, and drawn at this rate. */
  has(kind: LadderKind, rate: number): boolean {
    return this.#kinds.has(kind) && this.chance(rate)
  }

  #ruled(): Addition["enter"] & object {
    return this.rule(3, this.timeframe)
  }

  #resting(): RestingEntry {
    const type = this.pick(["limit", "stop", "stop_limit"] as const)
    const price = this.chance(0.6)
      ? { offset: this.setting({ kind: "float", min: 0, max: 0.01 }) }
      : { level: this.series("price", 2, this.timeframe) }
    const life = this.pick([
      {},
      { expires_after: this.setting({ kind: "integer", min: 1, max: 6 }) },
      { until: `2024-01-${String(this.integer(2, 20)).padStart(2, "0")}T00:00:00.000Z` }
    ])
    if (type === "stop_limit") {
      const limit_offset = this.setting({ kind: "float", min: 0, max: 0.01 })
      return { type, ...price, limit_offset, ...life }
    }
    if (type === "limit" && this.chance(0.25)) return { type, ...price, immediate: true }
    return { type, ...price, ...life }
  }

  order(): EntryOrder {
    if (!this.#kinds.has("orders")) return this.entry()
    if (this.chance(0.2)) return { type: "market" }
    if (this.chance(0.75)) return this.#resting()
    const orders = Array.from({ length: this.integer(2, 4) }, () => this.#resting())
    return { type: "one_cancels_other", orders }
  }

  #additionSizing(hasStop: boolean): AdditionSizing {
    if (this.chance(0.6)) return this.sizing(hasStop)
    const factor = this.setting({ kind: "float", min: 0.25, max: 3 })
    return { type: "scaled", of: this.pick(["first", "last"] as const), factor }
  }

  #addition(index: number, hasOwnExits: boolean, hasStop: boolean): Addition {
    const exits = hasOwnExits && this.chance(0.5) ? this.exits(this.#hasStopLoss) : null
    const isStopped = exits === null ? hasStop : exits.stop_loss !== undefined
    const rest: Writable<Partial<Addition>> = {}
    if (exits !== null) rest.exits = exits
    if (this.chance(0.7)) rest.sizing = this.#additionSizing(isStopped)
    const name = this.pick(["dip", "boost", "more", "again"]) + index
    const way = this.integer(0, 3)
    const distance = () => this.setting({ kind: "float", min: 0.002, max: 0.06 })
    if (way === 0) return { name, against: distance(), ...rest }
    if (way === 1) return { name, in_favour: distance(), ...rest }
    if (this.chance(0.4)) rest.entry = this.order()
    if (this.chance(0.6)) rest.times = this.setting({ kind: "integer", min: 1, max: 4 })
    return { name, enter: this.#ruled(), ...rest }
  }

  additions(hasOwnExits: boolean, hasStop: boolean): readonly [Addition, ...Array<Addition>] {
    const more = Array.from({ length: this.integer(0, 2) }, (_, index) =>
      this.#addition(index + 1, hasOwnExits, hasStop)
    )
    return [this.#addition(0, hasOwnExits, hasStop), ...more]
  }

  safetyOrders(): SafetyOrders {
    return {
      count: this.setting({ kind: "integer", min: 1, max: 6 }),
      distance: this.setting({ kind: "float", min: 0.002, max: 0.04 }),
      distance_factor: this.setting({ kind: "float", min: 0.8, max: 1.5 }),
      size_factor: this.setting({ kind: "float", min: 0.5, max: 2 })
    }
  }

  targets(): readonly [Target, ...Array<Target>] {
    const count = this.integer(1, 4)
    const isWhole = this.chance(0.5)
    const target = (index: number): Target => {
      const portion = isWhole
        ? 1 / count
        : this.setting({ kind: "float", min: 0.1, max: 1 / count })
      const plain = { at: this.distance("price"), portion }
      if (this.chance(0.5)) return plain
      const stops = index === 0 ? (["entry"] as const) : (["entry", "previous_target"] as const)
      return { ...plain, stop: this.pick(stops) }
    }
    return [target(0), ...Array.from({ length: count - 1 }, (_, index) => target(index + 1))]
  }

  reductions(lots: ReadonlyArray<string>): readonly [Reduction, ...Array<Reduction>] {
    const reduction = (): Reduction => {
      const portion = this.setting({ kind: "float", min: 0.1, max: 1 })
      const plain = { when: this.#ruled(), portion }
      return lots.length > 0 && this.chance(0.6) ? { ...plain, lot: this.pick(lots) } : plain
    }
    return [reduction(), ...Array.from({ length: this.integer(0, 1) }, reduction)]
  }

  /** Exits, sizes and the further parts of a ladder, for the top or for one side. */
  position(lots: StrategyDefinition["lots"], exitsOf: StrategyDefinition["exits_of"]): Parts {
    const parts: Parts = {}
    const isApart = lots === "first_in_first_out" || lots === "by_name"
    if (this.chance(0.4)) parts.entry = this.order()
    if (this.#hasStopLoss || this.chance(0.8)) parts.exits = this.exits(this.#hasStopLoss)
    const hasStop = parts.exits?.stop_loss !== undefined
    if (this.chance(0.8)) parts.sizing = this.sizing(hasStop)
    if (this.has("additions", 0.45)) {
      parts.additions = this.additions(isApart && exitsOf !== "position", hasStop)
    }
    if (!isApart && this.has("safety_orders", 0.35)) parts.safety_orders = this.safetyOrders()
    if (this.has("targets", 0.35)) parts.targets = this.targets()
    if (this.has("reductions", 0.35)) {
      const names = (parts.additions ?? []).map(({ name }) => name)
      parts.reductions = this.reductions(lots === "by_name" ? ["base", ...names] : [])
    }
    return parts
  }

  grid(): Pick<StrategyDefinition, "grid" | "exits" | "sizing"> {
    const grid = {
      lower: this.setting({ kind: "float", min: 70, max: 97 }),
      upper: this.setting({ kind: "float", min: 101, max: 130 }),
      lines: this.setting({ kind: "integer", min: 2, max: 24 }),
      spacing: this.pick(["arithmetic", "geometric"] as const)
    }
    const stop_loss: NonNullable<Exits["stop_loss"]> = this.chance(0.5)
      ? { type: "fraction", value: this.setting({ kind: "float", min: 0.01, max: 0.2 }) }
      : { type: "level", series: this.series("price", 2, this.timeframe) }
    const sizing = this.pick([
      { type: "equity_fraction", fraction: this.setting({ kind: "float", min: 0.1, max: 1 }) },
      { type: "fixed_notional", notional: this.setting({ kind: "float", min: 50, max: 900 }) },
      { type: "fixed_quantity", quantity: this.setting({ kind: "float", min: 0.5, max: 9 }) }
    ] as const)
    return {
      grid,
      ...(this.#hasStopLoss || this.chance(0.5) ? { exits: { stop_loss } } : {}),
      ...(this.chance(0.7) ? { sizing } : {})
    }
  }

  rebalance(): Pick<StrategyDefinition, "rebalance"> {
    const weight = this.setting({ kind: "float", min: 0.05, max: 1 })
    const band = this.setting({ kind: "float", min: 0, max: 0.1 })
    return {
      rebalance: this.chance(0.5) ? { weight, band } : { weight, band, when: this.#ruled() }
    }
  }

  /** Lots that are kept apart, or the field that makes them one lot. */
  lots(): Pick<StrategyDefinition, "lots" | "exits_of"> {
    const lots = this.pick(["average", "first_in_first_out", "by_name"] as const)
    if (lots === "average" || this.chance(0.4)) return { lots }
    return { lots, exits_of: this.pick(["lot", "position"] as const) }
  }

  /** Positions that overlap: they have entries, exits and sizes, and no ladder of their own. */
  overlapping(): Partial<StrategyDefinition> {
    const parts: Writable<Partial<StrategyDefinition>> = {
      overlap: true,
      max_positions: this.integer(2, 5)
    }
    if (this.chance(0.4)) parts.entry = this.order()
    parts.exits = this.exits(this.#hasStopLoss || this.chance(0.7))
    if (this.chance(0.7)) parts.sizing = this.sizing(parts.exits.stop_loss !== undefined)
    if (this.chance(0.3)) parts.reentry = this.reentry()
    return parts
  }

  /** Parts at the top, or parts of each side; a part that no side would use is left out. */
  ruled(options: RandomLadderOptions): Partial<StrategyDefinition> {
    const directions = this.directions(options.depth ?? 5, options.canShort ?? true)
    if (this.has("overlap", 0.12)) return { ...directions, ...this.overlapping() }
    const lots = this.has("lots", 0.5) ? this.lots() : {}
    const parts = () => this.position(lots.lots, lots.exits_of)
    const rest: Writable<Partial<StrategyDefinition>> = { ...lots }
    if (this.chance(0.3)) rest.max_positions = this.integer(1, 3)
    if (this.chance(0.3)) rest.reentry = this.reentry()
    if (!this.has("sides", 0.4)) return { ...directions, ...parts(), ...rest }
    const { long, short } = directions
    if (long !== undefined && short !== undefined && this.chance(0.4)) {
      // The short side takes the parts that it lacks from the top.
      const own = this.has("targets", 0.5) ? { targets: this.targets() } : { entry: this.order() }
      return { long, ...parts(), ...rest, short: { ...short, ...own } }
    }
    return {
      ...(long && { long: { ...long, ...parts() } }),
      ...(short && { short: { ...short, ...parts() } }),
      ...rest
    }
  }
}

/**
 * Draws one ladder that passes every check; equal numbers give equal ladders.
 *
 * @category generators
 * @since 0.1.0
 */
export const randomLadder = (
  next: NextNumber,
  options: RandomLadderOptions = {}
): StrategyDefinition => {
  const timeframe = options.timeframe ?? timeframeNames[Math.floor(next() * timeframeNames.length)]!
  const draw = new LadderGenerator(next, options, timeframe)
  const parts: Partial<StrategyDefinition> = draw.has("grid", 0.12)
    ? draw.grid()
    : options.hasStopLoss !== true && draw.has("rebalance", 0.1)
      ? draw.rebalance()
      : draw.ruled(options)
  const symbols = options.symbols ?? (["AAA/USD"] as const)
  const trades = symbols.length > 1 && draw.chance(0.2) ? ([draw.pick(symbols)] as const) : null
  return {
    format: 1,
    symbols,
    timeframe,
    parameters: draw.parameters,
    ...parts,
    ...(trades && { trades })
  }
}
