/**
 * Faults that no part of a strategy has by itself: parts that exclude each other, parts that need
 * another, and parts that nothing uses.
 *
 * @since 0.1.0
 */
import { fieldsAmong } from "./checkEntries.ts"
import { inside } from "./checkExits.ts"
import { checkRule } from "./checkExpression.ts"
import type { CheckPlace } from "./checkExpression.ts"
import { baseLot, deepestOf, rangeOf } from "./checkLadder.ts"
import { type Checking, checkSetting, fault } from "./checkParameters.ts"
import type { Grid, Rebalance } from "./Ladder.ts"
import { tradeBounds } from "./settingBounds.ts"
import { type StrategySide, sidesOf } from "./sidesOf.ts"
import { positionPartNames, type StrategyDefinition } from "./StrategyDefinition.ts"

/** Adds a fault that two sides may share once. */
const faultOnce = (checking: Checking, pointer: string, code: string, message: string): void => {
  const isThere = checking.faults.some((one) => one.pointer === pointer && one.code === code)
  if (!isThere) fault(checking, pointer, code, message)
}

/** Whether each entry is a lot of its own. @category checks @since 0.1.0 */
export const hasSeparateLots = ({ lots, overlap }: StrategyDefinition): boolean =>
  overlap === true || (lots !== undefined && lots !== "average")

const checkRisk = (checking: Checking, { parts, pointerOf }: StrategySide): void => {
  const stop = parts.exits?.stop_loss
  const refuse = (pointer: string): void => {
    const message = "Risk per trade is measured to the stop loss, and the strategy has none"
    faultOnce(checking, `${pointer}/type`, "stop_loss_required", message)
  }
  if (parts.sizing?.type === "risk_per_trade" && stop === undefined) refuse(pointerOf("sizing"))
  for (const [index, { exits, sizing }] of (parts.additions ?? []).entries()) {
    const own = exits === undefined ? stop : exits.stop_loss
    if (sizing?.type !== "risk_per_trade" || own !== undefined) continue
    refuse(`${pointerOf("additions")}/${index}/sizing`)
  }
}

const checkLotNames = (checking: Checking, { parts, pointerOf }: StrategySide): void => {
  const names = [baseLot, ...(parts.additions ?? []).map(({ name }) => name)]
  for (const [index, { lot }] of (parts.reductions ?? []).entries()) {
    if (lot === undefined) continue
    const pointer = `${pointerOf("reductions")}/${index}/lot`
    if (checking.definition.lots !== "by_name") {
      const message = 'A reduction names a lot only where "lots" is "by_name"'
      faultOnce(checking, pointer, "contradiction", message)
    } else if (!names.includes(lot)) {
      const message = `No addition is named "${lot}"; the lots are ${names.join(", ")}`
      faultOnce(checking, pointer, "unknown_lot", message)
    }
  }
}

const checkOwnExits = (checking: Checking, { parts, pointerOf }: StrategySide): void => {
  const { definition } = checking
  if (hasSeparateLots(definition) && definition.exits_of !== "position") return
  for (const [index, { exits }] of (parts.additions ?? []).entries()) {
    if (exits === undefined) continue
    const message = "An addition has exits of its own only where lots have exits of their own"
    const pointer = `${pointerOf("additions")}/${index}/exits`
    faultOnce(checking, pointer, "contradiction", message)
  }
}

const checkDepth = (checking: Checking, { direction, parts, pointerOf }: StrategySide): void => {
  const orders = parts.safety_orders
  if (orders === undefined) return
  const pointer = pointerOf("safety_orders")
  if (hasSeparateLots(checking.definition)) {
    const message = "Safety orders average one lot, and these lots are kept apart"
    faultOnce(checking, pointer, "contradiction", message)
  }
  if (direction === "short" || (deepestOf(checking, orders) ?? 0) < 1) return
  const message = "The last safety order may lie at a price of zero or below"
  faultOnce(checking, pointer, "out_of_bounds", message)
}

/** Parts at the top that each side has for itself, so that nothing uses them. */
const checkUnused = (checking: Checking, sides: ReadonlyArray<StrategySide>): void => {
  for (const name of positionPartNames) {
    const pointer = `/${name}`
    if (checking.definition[name] === undefined) continue
    if (sides.some(({ pointerOf }) => pointerOf(name) === pointer)) continue
    const message = `The strategy never uses this "${name}": each side has its own`
    fault(checking, pointer, "contradiction", message)
  }
}

const refuseAll = (checking: Checking, names: ReadonlyArray<string>, message: string): void => {
  for (const name of fieldsAmong(checking.definition, names)) {
    fault(checking, `/${name}`, "contradiction", message)
  }
}

const checkLots = (checking: Checking): void => {
  const { definition } = checking
  if (definition.overlap === true) {
    const own = ["additions", "safety_orders", "targets", "reductions"]
    refuseAll(checking, [...own, "lots", "exits_of"], "Overlapping positions are no ladders")
    for (const side of ["long", "short"] as const) {
      for (const name of fieldsAmong(definition[side] ?? {}, own)) {
        const message = "Overlapping positions are no ladders"
        fault(checking, `/${side}/${name}`, "contradiction", message)
      }
    }
    if (definition.max_positions === undefined) {
      const message = 'Overlapping positions need "max_positions"'
      fault(checking, "/overlap", "limit_required", message)
    }
  } else if (definition.exits_of !== undefined && !hasSeparateLots(definition)) {
    const message = 'One lot has one set of exits; "exits_of" needs lots that are kept apart'
    fault(checking, "/exits_of", "contradiction", message)
  }
}

const checkGridParts = (checking: Checking): void => {
  const { exits, sizing } = checking.definition
  const others = [
    "entry",
    "additions",
    "safety_orders",
    "targets",
    "reductions",
    "lots",
    "exits_of"
  ]
  const message = "A grid has its own entries, lots and targets"
  refuseAll(checking, [...others, "overlap", "max_positions", "reentry"], message)
  for (const name of fieldsAmong(exits ?? {}, [
    "take_profit",
    "trailing_stop",
    "break_even",
    "time_limit"
  ])) {
    fault(checking, `/exits/${name}`, "contradiction", "A grid has no exit but a stop loss")
  }
  if (exits?.stop_loss?.type === "atr") {
    const text = "The stop loss of a grid is a fraction of its lowest line, or a level"
    fault(checking, "/exits/stop_loss/type", "contradiction", text)
  }
  if (sizing?.type === "risk_per_trade" || sizing?.type === "volatility_target") {
    const text = "Lines of a grid are sized by equity, by notional or by quantity"
    fault(checking, "/sizing/type", "contradiction", text)
  }
}

const checkGrid = (checking: Checking, grid: Grid): void => {
  checkSetting(checking, grid.lower, "/grid/lower", tradeBounds.linePrice)
  checkSetting(checking, grid.upper, "/grid/upper", tradeBounds.linePrice)
  checkSetting(checking, grid.lines, "/grid/lines", tradeBounds.lines)
  const [lower, upper] = [rangeOf(checking, grid.lower), rangeOf(checking, grid.upper)]
  if (lower !== null && upper !== null && lower[1] >= upper[0]) {
    const message = "The highest line must be above the lowest for all values of their parameters"
    fault(checking, "/grid", "out_of_bounds", message)
  }
  checkGridParts(checking)
}

const checkRebalance = (checking: Checking, rebalance: Rebalance, place: CheckPlace): void => {
  checkSetting(checking, rebalance.weight, "/rebalance/weight", tradeBounds.weight)
  checkSetting(checking, rebalance.band, "/rebalance/band", tradeBounds.band)
  if (rebalance.when !== undefined) {
    checkRule(checking, rebalance.when, inside(place, "rebalance/when"))
  }
  const others = ["lots", "exits_of", "overlap", "max_positions", "reentry"]
  const message = "Rebalancing orders at the market, to the weight, and has no parts of a position"
  refuseAll(checking, [...positionPartNames, ...others], message)
}

/** Checks that one thing decides when to enter: rules, code, a grid or rebalancing. */
const checkDeciders = (checking: Checking): void => {
  const { definition } = checking
  const hasRules = definition.long !== undefined || definition.short !== undefined
  const others = fieldsAmong(definition, ["code", "grid", "rebalance"])
  if (!hasRules && others.length === 0) {
    const message = "A strategy has rules for long, for short or for both"
    fault(checking, "", "no_direction", message)
  }
  for (const name of hasRules ? others : others.slice(1)) {
    const message =
      name === "code"
        ? "A strategy has rules or code, not both"
        : "A strategy has rules, code, a grid or rebalancing, and only one of them"
    fault(checking, `/${name}`, "contradiction", message)
  }
}

/**
 * Checks that the parts of a strategy fit each other.
 *
 * @category checks
 * @since 0.1.0
 */
export const checkTogether = (checking: Checking, place: CheckPlace): void => {
  const { grid, rebalance } = checking.definition
  checkDeciders(checking)
  if (grid !== undefined) checkGrid(checking, grid)
  if (rebalance !== undefined) checkRebalance(checking, rebalance, place)
  if (grid !== undefined || rebalance !== undefined) return
  const sides = sidesOf(checking.definition)
  for (const side of sides) {
    checkRisk(checking, side)
    checkLotNames(checking, side)
    checkOwnExits(checking, side)
    checkDepth(checking, side)
  }
  checkUnused(checking, sides)
  checkLots(checking)
}
