/**
 * A strategy whose positions are built and sold in parts, with its parameters filled in.
 *
 * It is a plan in numbers, with the nodes of the rules and series that the plan refers to.
 *
 * @since 0.1.0
 */
import type {
  AdditionPlan,
  EntryOrderPlan,
  ExitsPlan,
  GridPlan,
  LadderPlan,
  LevelPlan,
  SidePlan,
  SignalSlot,
  SizePlan
} from "../kernel/ladder/LadderPlan.ts"
import { atMarket } from "../kernel/ladder/ladderWork.ts"
import type { EntryOrder, RestingEntry } from "../language/EntryOrder.ts"
import type { Distance, Exits } from "../language/Exits.ts"
import { isoTimeMs } from "../language/isoTime.ts"
import type { Addition, Grid } from "../language/Ladder.ts"
import type { ParameterValues, Setting } from "../language/Parameter.ts"
import type { Rule, Series } from "../language/Rule.ts"
import { resolveSetting } from "../language/resolveSetting.ts"
import type { Sizing } from "../language/Sizing.ts"
import type { PositionParts, StrategyDefinition } from "../language/StrategyDefinition.ts"
import { annualizingOf, toSizingRule } from "./tradingPlan.ts"
import type { PlanDistance, PlannedLadder, PlanNode } from "./StrategyPlan.ts"

/** Makes the nodes of a definition's own candles. */
export interface NodeMaker {
  readonly rule: (rule: Rule) => PlanNode
  readonly series: (series: Series) => PlanNode
  readonly distance: (distance: Distance, levelKind: "distance" | "price") => PlanDistance
  readonly volatility: (period: number) => PlanNode
}

const isPlainOrder = (entry: EntryOrder): boolean =>
  entry.type === "market" ||
  ((entry.type === "limit" || entry.type === "stop") &&
    entry.offset !== undefined &&
    entry.expires_after !== undefined)

// The schema has these names too, but loads Effect, and runs from event to event do without Effect.
const partNames = [
  "entry",
  "exits",
  "sizing",
  "additions",
  "safety_orders",
  "targets",
  "reductions"
] as const satisfies ReadonlyArray<keyof PositionParts>

/** The parts of a position that hold for one side: its own, else those at the top. */
const partsOf = (
  definition: StrategyDefinition,
  direction: "long" | "short" | null
): PositionParts => ({ ...definition, ...(direction !== null && definition[direction]) })

const ladderParts = ["additions", "safety_orders", "targets", "reductions"] as const
const ladderTops = ["grid", "rebalance", "lots", "exits_of", "overlap"] as const

/**
 * Whether a strategy has more than one entry order and one set of exits for each position.
 *
 * @category plans
 * @since 0.1.0
 */
export const hasLadder = (definition: StrategyDefinition): boolean => {
  const { entry, long, short } = definition
  if (ladderTops.some((name) => definition[name] !== undefined)) return true
  if (ladderParts.some((name) => definition[name] !== undefined)) return true
  if (entry !== undefined && !isPlainOrder(entry)) return true
  return partNames.some((name) => long?.[name] !== undefined || short?.[name] !== undefined)
}

class LadderPlanner {
  readonly rules: Array<PlanNode> = []
  readonly series: Array<PlanNode> = []
  readonly #make: NodeMaker
  readonly #values: ParameterValues
  readonly #annualizing: number

  constructor(make: NodeMaker, values: ParameterValues, annualizing: number) {
    this.#make = make
    this.#values = values
    this.#annualizing = annualizing
  }

  setting(setting: Setting): number {
    return resolveSetting(setting, this.#values)
  }

  #rule(rule: Rule): SignalSlot {
    return this.rules.push(this.#make.rule(rule)) - 1
  }

  when(rule: Rule | undefined): SignalSlot | null {
    return rule === undefined ? null : this.#rule(rule)
  }

  #slot(node: PlanNode): SignalSlot {
    const known = this.series.indexOf(node)
    return known === -1 ? this.series.push(node) - 1 : known
  }

  level(distance: Distance, levelKind: "distance" | "price" = "price"): LevelPlan {
    const made = this.#make.distance(distance, levelKind)
    return made.kind === "fraction" ? made : { kind: made.kind, series: this.#slot(made.value) }
  }

  #levelOrNull(distance: Distance | undefined): LevelPlan | null {
    return distance === undefined ? null : this.level(distance)
  }

  exits(exits: Exits | undefined): ExitsPlan | null {
    if (exits === undefined) return null
    const { break_even: breakEven, trailing_stop: trailing } = exits
    return {
      stopLoss: this.#levelOrNull(exits.stop_loss),
      takeProfit: this.#levelOrNull(exits.take_profit),
      trailingStop:
        trailing === undefined
          ? null
          : {
              distance: this.level(trailing.distance, "distance"),
              activation: this.#levelOrNull(trailing.activation)
            },
      breakEven:
        breakEven === undefined
          ? null
          : {
              activation: this.level(breakEven.activation),
              offsetRate: breakEven.offset === undefined ? 0 : this.setting(breakEven.offset)
            }
    }
  }

  entry(entry: EntryOrder | undefined): ReadonlyArray<EntryOrderPlan> {
    if (entry === undefined || entry.type === "market") return [atMarket]
    if (entry.type !== "one_cancels_other") return [this.#order(entry)]
    return entry.orders.map((order) => this.#order(order))
  }

  #order(order: RestingEntry): EntryOrderPlan {
    const { expires_after: life, level, offset, until } = order
    return {
      type: order.type,
      price:
        level === undefined
          ? { kind: "offset", rate: this.setting(offset!) }
          : { kind: "series", series: this.#slot(this.#make.series(level)) },
      limitRate: order.type === "stop_limit" ? this.setting(order.limit_offset) : 0,
      expiresAfter: life === undefined ? null : this.setting(life),
      until: until === undefined ? null : isoTimeMs(until),
      isImmediate: order.type === "limit" && order.immediate === true
    }
  }

  sizing(sizing: Sizing | undefined): SizePlan {
    const rule = toSizingRule(sizing, this.#values)
    if (sizing?.type !== "volatility_target") return { rule, volatility: null }
    const series = this.#slot(this.#make.volatility(this.setting(sizing.period)))
    return { rule, volatility: { series, factor: this.#annualizing } }
  }

  addition(addition: Addition): AdditionPlan {
    const { against, enter, exits, in_favour: inFavour, name, sizing, times } = addition
    return {
      name,
      trigger:
        enter === undefined
          ? against === undefined
            ? { type: "in_favour", distance: this.setting(inFavour!) }
            : { type: "against", distance: this.setting(against) }
          : {
              type: "rule",
              enter: this.#rule(enter),
              entry: this.entry(addition.entry),
              times: times === undefined ? 1 : this.setting(times)
            },
      sizing:
        sizing === undefined
          ? null
          : sizing.type === "scaled"
            ? { of: sizing.of, factor: this.setting(sizing.factor) }
            : this.sizing(sizing),
      exits: this.exits(exits),
      timeLimit: this.#timeLimit(exits)
    }
  }

  #timeLimit(exits: Exits | undefined): number | null {
    return exits?.time_limit === undefined ? null : this.setting(exits.time_limit)
  }

  side(parts: PositionParts): SidePlan {
    const { additions, exits, reductions, safety_orders: safety, targets } = parts
    return {
      entry: this.entry(parts.entry),
      sizing: this.sizing(parts.sizing),
      exits: this.exits(exits),
      timeLimit: this.#timeLimit(exits),
      additions: additions?.map((addition) => this.addition(addition)) ?? [],
      safety:
        safety === undefined
          ? null
          : {
              count: this.setting(safety.count),
              distance: this.setting(safety.distance),
              distanceFactor: this.setting(safety.distance_factor),
              sizeFactor: this.setting(safety.size_factor)
            },
      targets:
        targets?.map(({ at, portion, stop }) => ({
          at: this.level(at),
          portion: this.setting(portion),
          stop: stop ?? null
        })) ?? [],
      reductions:
        reductions?.map(({ lot, portion, when }) => ({
          when: this.#rule(when),
          portion: this.setting(portion),
          lot: lot ?? null
        })) ?? []
    }
  }

  /** Lines are rounded to the tick where they are ordered. */
  grid(grid: Grid, parts: PositionParts): GridPlan {
    const [lower, upper, count] = [grid.lower, grid.upper, grid.lines].map((setting) =>
      this.setting(setting)
    ) as [number, number, number]
    const lines = Array.from({ length: count }, (_, nth) => {
      const part = nth / (count - 1)
      return grid.spacing === "arithmetic"
        ? lower + (upper - lower) * part
        : lower * (upper / lower) ** part
    })
    const sizing = toSizingRule(parts.sizing, this.#values)
    const stop = parts.exits?.stop_loss
    return {
      lines,
      sizing:
        sizing.type === "equity_fraction"
          ? { ...sizing, fraction: sizing.fraction / (count - 1) }
          : sizing,
      stopLoss: stop === undefined ? null : this.level(stop)
    }
  }
}

/**
 * Plans a ladder, or gives null where a strategy has none.
 *
 * @category plans
 * @since 0.1.0
 */
export const planLadder = (
  definition: StrategyDefinition,
  values: ParameterValues,
  make: NodeMaker
): PlannedLadder | null => {
  if (!hasLadder(definition)) return null
  const { code, grid, long, lots, max_positions: most, overlap, rebalance, short } = definition
  const planner = new LadderPlanner(make, values, annualizingOf(definition.timeframe))
  const sideOf = (direction: "long" | "short"): SidePlan | null => {
    const isTraded = (direction === "long" ? long : short) !== undefined || code !== undefined
    return isTraded ? planner.side(partsOf(definition, direction)) : null
  }
  const setting = (given: Setting | undefined): number =>
    given === undefined ? 0 : planner.setting(given)
  const plan: LadderPlan = {
    // Lots that were not merged are closed by themselves.
    lots: lots ?? (overlap === true || grid !== undefined ? "by_name" : "average"),
    exitsOf: definition.exits_of ?? "lot",
    overlap: overlap === true,
    long: sideOf("long"),
    short: sideOf("short"),
    grid: grid === undefined ? null : planner.grid(grid, partsOf(definition, null)),
    rebalance:
      rebalance === undefined
        ? null
        : {
            weight: planner.setting(rebalance.weight),
            band: planner.setting(rebalance.band),
            when: planner.when(rebalance.when)
          },
    positionsMax: most ?? definition.symbols.length,
    cooldown: setting(definition.reentry?.cooldown),
    cooldownAfterStop: setting(definition.reentry?.cooldown_after_stop)
  }
  return { plan, rules: planner.rules, series: planner.series }
}
