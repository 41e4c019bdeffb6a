/**
 * Everything that a strategy must hold to and a schema can't see.
 *
 * A checked strategy runs: no period is a fraction, no RSI is compared with a price, no trial of a
 * search leaves the bounds of an indicator.
 *
 * @since 0.1.0
 */
import type { Fault } from "./Fault.ts"
import type { RiskProfile } from "./RiskProfile.ts"
import type {
  Distance,
  EntryOrder,
  Exits,
  Sizing,
  StrategyDefinition
} from "./StrategyDefinition.ts"
import { checkRule, checkSeries } from "./checkExpression.ts"
import type { Place } from "./checkExpression.ts"
import { checkParameters, checkSetting, fault } from "./checkParameters.ts"
import type { Checking } from "./checkParameters.ts"
import { strategyNodeCountMax, tradeBounds } from "./settingBounds.ts"
import type { SettingBounds } from "./settingBounds.ts"

/** What a level exit may be measured in: a price, or how far it is from one. */
type LevelUnit = "price" | "price_difference"

const checkDistance = (
  checking: Checking,
  distance: Distance,
  place: Place,
  fraction: SettingBounds,
  levelUnit: LevelUnit
): void => {
  switch (distance.type) {
    case "fraction":
      return checkSetting(checking, distance.value, `${place.pointer}/value`, fraction)
    case "atr":
      checkSetting(checking, distance.period, `${place.pointer}/period`, tradeBounds.atrPeriod)
      return checkSetting(
        checking,
        distance.multiple,
        `${place.pointer}/multiple`,
        tradeBounds.atrMultiple
      )
    default: {
      const series = { ...place, pointer: `${place.pointer}/series` }
      const unit = checkSeries(checking, distance.series, series)
      if (unit === null || unit === "number" || unit === levelUnit) return
      const message = `Expected a series of unit ${levelUnit}, got ${unit}`
      fault(checking, series.pointer, "unit_mismatch", message)
    }
  }
}

const checkExits = (checking: Checking, exits: Exits, place: Place): void => {
  const { lossFraction, gainFraction } = tradeBounds
  const inside = (token: string): Place => ({ ...place, pointer: `${place.pointer}/${token}` })
  if (exits.stop_loss !== undefined) {
    checkDistance(checking, exits.stop_loss, inside("stop_loss"), lossFraction, "price")
  }
  if (exits.take_profit !== undefined) {
    checkDistance(checking, exits.take_profit, inside("take_profit"), gainFraction, "price")
  }
  const trailing = exits.trailing_stop
  if (trailing !== undefined) {
    const distance = inside("trailing_stop/distance")
    checkDistance(checking, trailing.distance, distance, lossFraction, "price_difference")
    if (trailing.activation !== undefined) {
      const activation = inside("trailing_stop/activation")
      checkDistance(checking, trailing.activation, activation, gainFraction, "price")
    }
  }
  const breakEven = exits.break_even
  if (breakEven !== undefined) {
    const activation = inside("break_even/activation")
    checkDistance(checking, breakEven.activation, activation, gainFraction, "price")
    if (breakEven.offset !== undefined) {
      const pointer = `${place.pointer}/break_even/offset`
      checkSetting(checking, breakEven.offset, pointer, tradeBounds.breakEvenOffset)
    }
  }
  if (exits.time_limit !== undefined) {
    const pointer = `${place.pointer}/time_limit`
    checkSetting(checking, exits.time_limit, pointer, tradeBounds.timeLimit)
  }
}

const checkSizing = (checking: Checking, sizing: Sizing): void => {
  switch (sizing.type) {
    case "risk_per_trade": {
      checkSetting(checking, sizing.fraction, "/sizing/fraction", tradeBounds.riskFraction)
      if (checking.definition.exits?.stop_loss !== undefined) return
      const message = "Risk per trade is measured to the stop loss, and there is none"
      return fault(checking, "/sizing/type", "stop_loss_required", message)
    }
    case "equity_fraction":
      return checkSetting(checking, sizing.fraction, "/sizing/fraction", tradeBounds.equityFraction)
    case "fixed_notional":
      return checkSetting(checking, sizing.notional, "/sizing/notional", tradeBounds.notional)
    case "fixed_quantity":
      return checkSetting(checking, sizing.quantity, "/sizing/quantity", tradeBounds.quantity)
    default:
      checkSetting(checking, sizing.target, "/sizing/target", tradeBounds.volatility)
      checkSetting(checking, sizing.period, "/sizing/period", tradeBounds.volatilityPeriod)
  }
}

const checkEntry = (checking: Checking, entry: EntryOrder): void => {
  if (entry.type === "market") return
  const bounds = entry.type === "limit" ? tradeBounds.limitOffset : tradeBounds.stopOffset
  checkSetting(checking, entry.offset, "/entry/offset", bounds)
  checkSetting(checking, entry.expires_after, "/entry/expires_after", tradeBounds.expiry)
}

const checkDirections = (checking: Checking, place: Place): void => {
  const { definition } = checking
  const hasRules = definition.long !== undefined || definition.short !== undefined
  if (definition.code === undefined && !hasRules) {
    const message = "A strategy has rules for long, for short or for both"
    fault(checking, "", "no_direction", message)
  }
  if (definition.code !== undefined && hasRules) {
    fault(checking, "/code", "contradiction", "A strategy has rules or code, not both")
  }
  for (const direction of ["long", "short"] as const) {
    const rules = definition[direction]
    if (rules === undefined) continue
    checkRule(checking, rules.enter, { ...place, pointer: `/${direction}/enter` })
    if (rules.exit === undefined) continue
    checkRule(checking, rules.exit, { ...place, pointer: `/${direction}/exit` })
  }
}

const checkReentry = (checking: Checking): void => {
  for (const name of ["cooldown", "cooldown_after_stop"] as const) {
    const setting = checking.definition.reentry?.[name]
    if (setting === undefined) continue
    checkSetting(checking, setting, `/reentry/${name}`, tradeBounds.cooldown)
  }
}

/**
 * Whether a risk profile asks for a stop loss that a strategy has not. No parameter can switch a
 * stop loss off: its bounds leave out 0.
 *
 * @category checks
 * @since 0.1.0
 */
export const lacksStopLoss = (
  definition: StrategyDefinition,
  risk: Pick<RiskProfile, "is_stop_loss_mandatory"> | null
): boolean =>
  risk !== null && risk.is_stop_loss_mandatory && definition.exits?.stop_loss === undefined

const checkWhole = (
  checking: Checking,
  risk: Pick<RiskProfile, "is_stop_loss_mandatory">
): void => {
  const { definition } = checking
  for (const [index, symbol] of definition.symbols.entries()) {
    if (definition.symbols.indexOf(symbol) === index) continue
    fault(checking, `/symbols/${index}`, "duplicate", `${symbol} is there twice`)
  }
  if (checking.nodeCount > strategyNodeCountMax) {
    const message = `A strategy may have ${strategyNodeCountMax} series and rules`
    fault(checking, "", "too_many_nodes", message)
  }
  if (lacksStopLoss(definition, risk)) {
    const message = "The risk profile asks for a stop loss"
    fault(checking, "/exits/stop_loss", "stop_loss_required", message)
  }
}

/**
 * Finds every fault of a strategy; an empty list means that it can run.
 *
 * **Details**
 *
 * Each fault points into the definition with a JSON pointer. With a risk profile that makes it
 * mandatory, a missing
 * stop loss is a fault too.
 *
 * @category checks
 * @since 0.1.0
 */
export const checkStrategy = (
  definition: StrategyDefinition,
  risk: Pick<RiskProfile, "is_stop_loss_mandatory"> | null = null
): ReadonlyArray<Fault> => {
  const checking: Checking = { definition, faults: [], nodeCount: 0 }
  const place: Place = { pointer: "", timeframe: definition.timeframe, depth: 1 }
  checkParameters(checking)
  checkDirections(checking, place)
  if (definition.entry !== undefined) checkEntry(checking, definition.entry)
  if (definition.exits !== undefined) {
    checkExits(checking, definition.exits, { ...place, pointer: "/exits" })
  }
  if (definition.sizing !== undefined) checkSizing(checking, definition.sizing)
  checkReentry(checking)
  checkWhole(checking, risk ?? { is_stop_loss_mandatory: false })
  return checking.faults
}
