/**
 * A strategy with its parameters filled in, as a list of nodes to compute in order, each distinct
 * one once.
 *
 * Both meanings of a strategy, columns and steps, run on this plan, so that they can differ in
 * nothing but the form of their kernels. A node's key says everything that its values depend on;
 * equal keys mean equal values.
 *
 * @since 0.1.0
 */
import { indicatorCatalogue } from "../language/Indicator.ts"
import type { IndicatorName } from "../language/Indicator.ts"
import type { Indicator, IndicatorInput } from "../language/IndicatorRow.ts"
import type { ParameterValues, Setting } from "../language/Parameter.ts"
import type { PriceField, Rule, Series } from "../language/Rule.ts"
import { weekdays } from "../language/catalogue/weekdays.ts"
import type { Distance } from "../language/Exits.ts"
import type { StrategyDefinition } from "../language/StrategyDefinition.ts"
import { timeframeMs } from "../language/catalogue/timeframes.ts"
import type { Timeframe } from "../language/Timeframe.ts"
import { isIndicator } from "../language/checkExpression.ts"
import { planLadder } from "./ladderPlan.ts"
import { NodePool } from "./NodePool.ts"
import { resolveSetting } from "../language/resolveSetting.ts"
import type {
  PlanDistance,
  PlanLane,
  PlanNode,
  PlanOperation,
  StrategyPlan
} from "./StrategyPlan.ts"

/** The settings of each indicator in their order, as a plan looks at them again and again. */
const settingsOf = new Map(
  Object.entries(indicatorCatalogue).map(([name, row]: [string, Indicator]) => [
    name,
    Object.entries(row.settings)
  ])
)

class Planner {
  readonly #pool: NodePool
  readonly #values: ParameterValues
  readonly #isRepeated: boolean
  readonly #readsOthers: boolean

  constructor(
    values: ParameterValues,
    pool: NodePool,
    isRepeated: boolean,
    { symbols }: StrategyDefinition
  ) {
    this.#readsOthers = symbols.length > 1
    this.#pool = pool
    this.#values = values
    this.#isRepeated = isRepeated
  }

  setting(setting: Setting): number {
    return resolveSetting(setting, this.#values)
  }

  lane(timeframe: Timeframe, parent: PlanLane | null): PlanLane {
    const { lanes } = this.#pool
    const key = parent === null ? timeframe : `${parent.key}>${timeframe}`
    const known = lanes.find((lane) => lane.key === key)
    if (known !== undefined) return known
    const durationMs = timeframeMs(timeframe)
    const symbol = parent === null ? null : parent.symbol
    const lane = { index: lanes.length, key, timeframe, durationMs, parent, symbol }
    lanes.push(lane)
    return lane
  }

  /** The candles of another market, of the same timeframe. */
  otherLane(symbol: string, parent: PlanLane): PlanLane {
    const { lanes } = this.#pool
    const key = `${parent.key}@${symbol}`
    const known = lanes.find((lane) => lane.key === key)
    if (known !== undefined) return known
    const { durationMs, timeframe } = parent
    const lane = { index: lanes.length, key, timeframe, durationMs, parent, symbol }
    lanes.push(lane)
    return lane
  }

  node(
    lane: PlanLane,
    operation: PlanOperation,
    name: string,
    settings: ReadonlyArray<number>,
    inputs: ReadonlyArray<PlanNode>
  ): PlanNode {
    return this.#pool.node(lane, operation, name, settings, inputs)
  }

  price(lane: PlanLane, field: PriceField | "time"): PlanNode {
    return this.node(lane, "price", field, [], [])
  }

  constant(lane: PlanLane, value: number): PlanNode {
    return this.node(lane, "constant", "", [value], [])
  }

  indicator(
    lane: PlanLane,
    name: IndicatorName,
    given: Readonly<Record<string, Setting | undefined>>,
    source: Series | undefined,
    output: string | undefined
  ): PlanNode {
    const row: Indicator = indicatorCatalogue[name]
    const settings = settingsOf
      .get(name)!
      .map(([setting, bounds]) => this.setting(given[setting] ?? bounds.default))
    const inputs = row.inputs.map((input: IndicatorInput) =>
      input !== "source"
        ? this.price(lane, input)
        : source === undefined
          ? this.price(lane, "close")
          : this.series(lane, source)
    )
    const whole = this.node(lane, "indicator", name, settings, inputs)
    const position = output === undefined ? 0 : Object.keys(row.outputs).indexOf(output)
    return this.node(lane, "output", "", [position], [whole])
  }

  series(lane: PlanLane, series: Series): PlanNode {
    if (!this.#isRepeated) return this.anySeries(lane, series)
    return this.#pool.repeated(lane, series, this.#values, () => this.anySeries(lane, series))
  }

  anySeries(lane: PlanLane, series: Series): PlanNode {
    if (isIndicator(series)) {
      const given = series as unknown as Readonly<Record<string, Setting | undefined>>
      return this.indicator(lane, series.type, given, series.source, series.output)
    }
    switch (series.type) {
      case "price":
        return this.price(lane, series.field)
      case "constant":
        return this.constant(lane, this.setting(series.value))
      case "abs":
        return this.node(lane, "abs", "", [], [this.series(lane, series.of)])
      case "shift": {
        const by = this.setting(series.by)
        const of = this.series(lane, series.of)
        return by === 0 ? of : this.node(lane, "shift", "", [by], [of])
      }
      case "highest":
      case "lowest":
      case "mean":
      case "stdev": {
        const settings = [this.setting(series.period)]
        return this.node(lane, series.type, "", settings, [this.series(lane, series.of)])
      }
      case "percentile": {
        const settings = [this.setting(series.period), this.setting(series.rank)]
        return this.node(lane, series.type, "", settings, [this.series(lane, series.of)])
      }
      case "timeframe": {
        if (series.timeframe === lane.timeframe) return this.series(lane, series.of)
        const inner = this.series(this.lane(series.timeframe, lane), series.of)
        return this.node(lane, "timeframe", series.timeframe, [], [inner])
      }
      case "symbol": {
        // Of one market alone, it is that market.
        if (!this.#readsOthers) return this.series(lane, series.of)
        const inner = this.series(this.otherLane(series.symbol, lane), series.of)
        return this.node(lane, "symbol", series.symbol, [], [inner])
      }
      default: {
        const inputs = [this.series(lane, series.left), this.series(lane, series.right)]
        return this.node(lane, series.type, "", [], inputs)
      }
    }
  }

  rule(lane: PlanLane, rule: Rule): PlanNode {
    switch (rule.type) {
      case "between": {
        const inputs = [rule.of, rule.low, rule.high].map((part) => this.series(lane, part))
        return this.node(lane, "between", "", [], inputs)
      }
      case "rising":
      case "falling": {
        const settings = [this.setting(rule.for)]
        return this.node(lane, rule.type, "", settings, [this.series(lane, rule.of)])
      }
      case "true_for": {
        const settings = [this.setting(rule.for)]
        return this.node(lane, rule.type, "", settings, [this.rule(lane, rule.rule)])
      }
      case "all":
      case "any": {
        const inputs = rule.rules.map((part) => this.rule(lane, part))
        return inputs.length === 1 ? inputs[0]! : this.node(lane, rule.type, "", [], inputs)
      }
      case "not":
        return this.node(lane, "not", "", [], [this.rule(lane, rule.rule)])
      case "hours":
        return this.node(lane, "hours", "", [rule.from, rule.to], [])
      case "weekdays": {
        const days = rule.days.map((day) => weekdays.indexOf(day)).toSorted((a, b) => a - b)
        return this.node(lane, "weekdays", "", days, [])
      }
      default: {
        const inputs = [this.series(lane, rule.left), this.series(lane, rule.right)]
        return this.node(lane, rule.type, "", [], inputs)
      }
    }
  }

  distance(
    lane: PlanLane,
    distance: Distance | undefined,
    levelKind: "distance" | "price"
  ): PlanDistance | null {
    if (distance === undefined) return null
    if (distance.type === "fraction") {
      return { kind: "fraction", value: this.setting(distance.value) }
    }
    if (distance.type === "level") {
      return { kind: levelKind, value: this.series(lane, distance.series) }
    }
    const range = this.indicator(lane, "atr", { period: distance.period }, undefined, undefined)
    const multiple = this.constant(lane, this.setting(distance.multiple))
    return { kind: "distance", value: this.node(lane, "mul", "", [], [range, multiple]) }
  }

  /** Standard deviation of close to close returns. */
  volatility(lane: PlanLane, period: number): PlanNode {
    const close = this.price(lane, "close")
    const before = this.node(lane, "shift", "", [1], [close])
    const change = this.node(lane, "sub", "", [], [close, before])
    const rate = this.node(lane, "div", "", [], [change, before])
    return this.node(lane, "stdev", "", [period], [rate])
  }
}

/**
 * Plans the computations of a strategy for one parameter set.
 *
 * **Gotchas**
 *
 * The definition must have passed `checkStrategy`, and `values` must have a value for each of its
 * parameters. Plans share a pool only where they are of one timeframe: the first lane is that of
 * the strategy.
 *
 * @category plans
 * @since 0.1.0
 */
export const planStrategy = (
  definition: StrategyDefinition,
  values: ParameterValues,
  pool: NodePool = new NodePool()
): StrategyPlan => {
  const planner = new Planner(values, pool, pool.isRepeated(definition), definition)
  const lane = planner.lane(definition.timeframe, null)
  const rule = (found: Rule | undefined): PlanNode | null =>
    found === undefined ? null : planner.rule(lane, found)
  const { long, short, exits, sizing } = definition
  return {
    nodes: pool.nodes,
    lanes: pool.lanes,
    enterLong: rule(long?.enter),
    exitLong: rule(long?.exit),
    enterShort: rule(short?.enter),
    exitShort: rule(short?.exit),
    stopLoss: planner.distance(lane, exits?.stop_loss, "price"),
    takeProfit: planner.distance(lane, exits?.take_profit, "price"),
    trailingDistance: planner.distance(lane, exits?.trailing_stop?.distance, "distance"),
    trailingActivation: planner.distance(lane, exits?.trailing_stop?.activation, "price"),
    breakEvenActivation: planner.distance(lane, exits?.break_even?.activation, "price"),
    volatility:
      sizing?.type === "volatility_target"
        ? planner.volatility(lane, planner.setting(sizing.period))
        : null,
    ladder: planLadder(definition, values, {
      rule: (found) => planner.rule(lane, found),
      series: (series) => planner.series(lane, series),
      distance: (distance, levelKind) => planner.distance(lane, distance, levelKind)!,
      volatility: (period) => planner.volatility(lane, period)
    })
  }
}
