/**
 * Faults of series and rules: settings out of bounds, units that don't go together, candles that
 * can't be built.
 *
 * @since 0.1.0
 */
import { indicatorCatalogue } from "./Indicator.ts"
import type { IndicatorName } from "./Indicator.ts"
import type { Indicator, IndicatorSetting, Unit } from "./IndicatorRow.ts"
import type { Setting } from "./Parameter.ts"
import type { Rule, Series } from "./Rule.ts"
import { isMultipleOf, timeframeMs } from "./catalogue/timeframes.ts"
import type { Timeframe } from "./Timeframe.ts"
import { dayMs } from "../kernel/calendar.ts"
import { checkSetting, fault } from "./checkParameters.ts"
import type { Checking } from "./checkParameters.ts"
import { expressionBounds, strategyDepthMax, strategyNodeCountMax } from "./settingBounds.ts"
import {
  unitOfArithmetic,
  unitOfComparison,
  unitOfDifference,
  unitOfField,
  unitOfOutput
} from "./units.ts"

/** Where in a strategy a check stands. @category models @since 0.1.0 */
export interface CheckPlace {
  readonly pointer: string
  readonly timeframe: Timeframe
  /** The other market whose series is looked at, or null for the market that is traded. */
  readonly symbol: string | null
  readonly depth: number
}

const at = (place: CheckPlace, token: string): CheckPlace => ({
  ...place,
  pointer: `${place.pointer}/${token}`,
  depth: place.depth + 1
})

const canEnter = (checking: Checking, place: CheckPlace): boolean => {
  checking.nodeCount += 1
  if (place.depth > strategyDepthMax) {
    const message = `Expressions may be nested ${strategyDepthMax} deep`
    fault(checking, place.pointer, "too_deep", message)
    return false
  }
  return checking.nodeCount <= strategyNodeCountMax
}

type IndicatorSeries = Extract<Series, { readonly type: IndicatorName }>
type WindowSeries = Extract<
  Series,
  { readonly type: "highest" | "lowest" | "mean" | "stdev" | "percentile" }
>

/** Whether a series is the output of an indicator. @category checks @since 0.1.0 */
export const isIndicator = (series: Series): series is IndicatorSeries =>
  Object.hasOwn(indicatorCatalogue, series.type)

const checkIndicator = (
  checking: Checking,
  series: IndicatorSeries,
  place: CheckPlace
): Unit | null => {
  const row: Indicator = indicatorCatalogue[series.type]
  const given = series as unknown as Readonly<Record<string, Setting | undefined>>
  for (const [name, bounds] of Object.entries(row.settings)) {
    const setting = given[name]
    if (setting === undefined) continue
    checkSetting(checking, setting, `${place.pointer}/${name}`, bounds satisfies IndicatorSetting)
  }
  const source =
    series.source === undefined
      ? "price"
      : checkSeries(checking, series.source, at(place, "source"))
  const output = row.outputs[series.output ?? Object.keys(row.outputs)[0]!]
  return output === undefined || source === null ? null : unitOfOutput(output, source)
}

const checkWindow = (checking: Checking, series: WindowSeries, place: CheckPlace): Unit | null => {
  const bounds =
    series.type === "stdev" ? expressionBounds.deviationPeriod : expressionBounds.period
  checkSetting(checking, series.period, `${place.pointer}/period`, bounds)
  if (series.type === "percentile") {
    checkSetting(checking, series.rank, `${place.pointer}/rank`, expressionBounds.rank)
  }
  const unit = checkSeries(checking, series.of, at(place, "of"))
  return unit !== null && series.type === "stdev" ? unitOfDifference(unit) : unit
}

const checkArithmetic = (
  checking: Checking,
  series: Extract<Series, { readonly left: Series }>,
  place: CheckPlace
): Unit | null => {
  const left = checkSeries(checking, series.left, at(place, "left"))
  const right = checkSeries(checking, series.right, at(place, "right"))
  if (left === null || right === null) return null
  const unit = unitOfArithmetic(series.type, left, right)
  if (unit === null) {
    const message = `"${series.type}" of a ${left} and a ${right} has no meaning`
    fault(checking, place.pointer, "unit_mismatch", message)
  }
  return unit
}

const checkTimeframe = (
  checking: Checking,
  series: Extract<Series, { readonly timeframe: Timeframe }>,
  place: CheckPlace
): Unit | null => {
  if (!isMultipleOf(series.timeframe, place.timeframe)) {
    const message = `Candles of ${series.timeframe} can't be built from candles of ${place.timeframe}`
    fault(checking, `${place.pointer}/timeframe`, "timeframe_not_a_multiple", message)
  }
  return checkSeries(checking, series.of, { ...at(place, "of"), timeframe: series.timeframe })
}

/** A series of another market has its candles, of the strategy's timeframe. */
const checkSymbol = (
  checking: Checking,
  series: Extract<Series, { readonly symbol: string }>,
  place: CheckPlace
): Unit | null => {
  const { symbols, timeframe } = checking.definition
  if (!symbols.includes(series.symbol)) {
    const message = `${series.symbol} is not among the symbols of the strategy`
    fault(checking, `${place.pointer}/symbol`, "unknown_symbol", message)
  }
  if (place.symbol !== null || place.timeframe !== timeframe) {
    const message = "Name the symbol outside: longer candles of another symbol are built inside it"
    fault(checking, place.pointer, "not_allowed", message)
  }
  return checkSeries(checking, series.of, { ...at(place, "of"), symbol: series.symbol })
}

/**
 * Checks a series and gives its unit, or null where a fault leaves it unknown.
 *
 * @category checks
 * @since 0.1.0
 */
export const checkSeries = (checking: Checking, series: Series, place: CheckPlace): Unit | null => {
  if (!canEnter(checking, place)) return null
  if (isIndicator(series)) return checkIndicator(checking, series, place)
  switch (series.type) {
    case "price":
      return unitOfField(series.field)
    case "constant":
      checkSetting(checking, series.value, `${place.pointer}/value`, expressionBounds.constant)
      return "number"
    case "abs":
      return checkSeries(checking, series.of, at(place, "of"))
    case "shift":
      checkSetting(checking, series.by, `${place.pointer}/by`, expressionBounds.shift)
      return checkSeries(checking, series.of, at(place, "of"))
    case "timeframe":
      return checkTimeframe(checking, series, place)
    case "symbol":
      return checkSymbol(checking, series, place)
    case "highest":
    case "lowest":
    case "mean":
    case "stdev":
    case "percentile":
      return checkWindow(checking, series, place)
    default:
      return checkArithmetic(checking, series, place)
  }
}

const checkComparison = (
  checking: Checking,
  parts: ReadonlyArray<readonly [token: string, series: Series]>,
  place: CheckPlace
): void => {
  const units = parts.map(([token, series]) => checkSeries(checking, series, at(place, token)))
  const known = units.filter((unit) => unit !== null)
  if (known.length < units.length) return
  const isComparable = known.every((left) =>
    known.every((right) => unitOfComparison(left, right) !== null)
  )
  if (isComparable) return
  const message = `A ${[...new Set(known)].join(" can't be compared with a ")}`
  fault(checking, place.pointer, "unit_mismatch", message)
}

const checkHours = (
  checking: Checking,
  rule: Extract<Rule, { readonly type: "hours" }>,
  place: CheckPlace
): void => {
  if (timeframeMs(place.timeframe) >= dayMs) {
    const message = `Candles of ${place.timeframe} all open at the same hour`
    fault(checking, place.pointer, "contradiction", message)
  }
  if (rule.from % 24 === rule.to % 24 && !(rule.from === 0 && rule.to === 24)) {
    fault(checking, `${place.pointer}/to`, "contradiction", "The hours are empty")
  }
}

const checkWeekdays = (
  checking: Checking,
  rule: Extract<Rule, { readonly type: "weekdays" }>,
  place: CheckPlace
): void => {
  if (new Set(rule.days).size !== rule.days.length) {
    fault(checking, `${place.pointer}/days`, "duplicate", "A day is there twice")
  }
  if (timeframeMs(place.timeframe) >= 7 * dayMs) {
    const message = `Candles of ${place.timeframe} all open on the same day`
    fault(checking, place.pointer, "contradiction", message)
  }
}

/**
 * Checks a rule and everything in it.
 *
 * @category checks
 * @since 0.1.0
 */
export const checkRule = (checking: Checking, rule: Rule, place: CheckPlace): void => {
  if (!canEnter(checking, place)) return
  switch (rule.type) {
    case "between":
      return checkComparison(
        checking,
        [
          ["of", rule.of],
          ["low", rule.low],
          ["high", rule.high]
        ],
        place
      )
    case "rising":
    case "falling":
      checkSetting(checking, rule.for, `${place.pointer}/for`, expressionBounds.trend)
      checkSeries(checking, rule.of, at(place, "of"))
      return
    case "true_for":
      checkSetting(checking, rule.for, `${place.pointer}/for`, expressionBounds.hold)
      return checkRule(checking, rule.rule, at(place, "rule"))
    case "all":
    case "any":
      for (const [index, part] of rule.rules.entries()) {
        checkRule(checking, part, at(place, `rules/${index}`))
      }
      return
    case "not":
      return checkRule(checking, rule.rule, at(place, "rule"))
    case "hours":
      return checkHours(checking, rule, place)
    case "weekdays":
      return checkWeekdays(checking, rule, place)
    default:
      return checkComparison(
        checking,
        [
          ["left", rule.left],
          ["right", rule.right]
        ],
        place
      )
  }
}
