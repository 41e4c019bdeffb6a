/**
 * Faults of the parts that make a position a ladder: additions, safety orders, targets and
 * reductions, each where it stands.
 *
 * @since 0.1.0
 */
import type { Addition, Reduction, SafetyOrders, Target } from "./Ladder.ts"
import type { Setting } from "./Parameter.ts"
import { checkEntry, checkExactlyOne, checkSizing, fieldsAmong } from "./checkEntries.ts"
import { checkDistance, checkExits, inside } from "./checkExits.ts"
import { checkRule } from "./checkExpression.ts"
import type { CheckPlace } from "./checkExpression.ts"
import { type Checking, checkSetting, extremesOf, fault } from "./checkParameters.ts"
import { tradeBounds } from "./settingBounds.ts"
import type { PositionParts } from "./StrategyDefinition.ts"

/** The name of the lot of a first entry. @category tables @since 0.1.0 */
export const baseLot = "base"

/** Names that the lots of lines and of safety orders have. */
const isReserved = (name: string): boolean =>
  name === baseLot || /^(?:line|safety)[0-9]+$/.test(name)

/**
 * The least and the largest value that a setting may take, or null where its parameter is not
 * declared.
 *
 * @category checks
 * @since 0.1.0
 */
export const rangeOf = (
  { definition }: Checking,
  setting: Setting
): readonly [min: number, max: number] | null => {
  if (typeof setting === "number") return [setting, setting]
  const { parameters } = definition
  if (!Object.hasOwn(parameters, setting.parameter)) return null
  const extremes = extremesOf(parameters[setting.parameter]!)
  return [Math.min(...extremes), Math.max(...extremes)]
}

const checkAddition = (checking: Checking, addition: Addition, place: CheckPlace): void => {
  checkExactlyOne(checking, addition, ["enter", "against", "in_favour"], place)
  if (isReserved(addition.name)) {
    const message = `The name "${addition.name}" belongs to lots that the engine names itself`
    fault(checking, `${place.pointer}/name`, "reserved_name", message)
  }
  if (addition.enter === undefined) {
    for (const name of fieldsAmong(addition, ["entry", "times"])) {
      const message = `An addition has "${name}" only with a rule in "enter"`
      fault(checking, `${place.pointer}/${name}`, "contradiction", message)
    }
  }
  if (addition.enter !== undefined) checkRule(checking, addition.enter, inside(place, "enter"))
  if (addition.entry !== undefined) checkEntry(checking, addition.entry, inside(place, "entry"))
  const settings = [
    ["against", addition.against, tradeBounds.lossFraction],
    ["in_favour", addition.in_favour, tradeBounds.gainFraction],
    ["times", addition.times, tradeBounds.times]
  ] as const
  for (const [name, setting, bounds] of settings) {
    if (setting !== undefined) checkSetting(checking, setting, `${place.pointer}/${name}`, bounds)
  }
  if (addition.sizing !== undefined) checkSizing(checking, addition.sizing, inside(place, "sizing"))
  if (addition.exits !== undefined) checkExits(checking, addition.exits, inside(place, "exits"))
}

const checkAdditions = (
  checking: Checking,
  additions: ReadonlyArray<Addition>,
  place: CheckPlace
): void => {
  const names = new Set<string>()
  for (const [index, addition] of additions.entries()) {
    const { name } = addition
    if (names.has(name)) {
      const message = `Two additions are named "${name}"`
      fault(checking, `${place.pointer}/${index}/name`, "duplicate", message)
    }
    names.add(name)
    checkAddition(checking, addition, inside(place, index))
  }
}

const checkSafetyOrders = (checking: Checking, orders: SafetyOrders, place: CheckPlace): void => {
  const at = (name: string): string => `${place.pointer}/${name}`
  checkSetting(checking, orders.count, at("count"), tradeBounds.safetyCount)
  checkSetting(checking, orders.distance, at("distance"), tradeBounds.lossFraction)
  checkSetting(checking, orders.distance_factor, at("distance_factor"), tradeBounds.ladderFactor)
  checkSetting(checking, orders.size_factor, at("size_factor"), tradeBounds.ladderFactor)
}

/**
 * The largest distance of the last safety order from the first entry price, as a fraction of that
 * price. Null where a parameter is not declared.
 *
 * @category checks
 * @since 0.1.0
 */
export const deepestOf = (checking: Checking, orders: SafetyOrders): number | null => {
  const [count, distance, factor] = [orders.count, orders.distance, orders.distance_factor].map(
    (setting) => rangeOf(checking, setting)?.[1] ?? null
  )
  if (count == null || distance == null || factor == null) return null
  let deepest = 0
  let step = distance
  // A count out of bounds is a fault of its own.
  for (let order = 0; order < Math.min(count, tradeBounds.safetyCount.max); order += 1) {
    deepest += step
    step *= factor
  }
  return deepest
}

/** Portions of decimals such as 0.1 don't add up to 1 exactly. */
const portionSlack = 1e-9

const checkTargets = (
  checking: Checking,
  targets: ReadonlyArray<Target>,
  place: CheckPlace
): void => {
  let sum = 0
  for (const [index, { at, portion, stop }] of targets.entries()) {
    const target = inside(place, index)
    checkDistance(checking, at, inside(target, "at"), tradeBounds.gainFraction, "price")
    checkSetting(checking, portion, `${target.pointer}/portion`, tradeBounds.portion)
    sum += rangeOf(checking, portion)?.[1] ?? 0
    if (index === 0 && stop === "previous_target") {
      const message = "The first target has no previous one: its stop can't be previous_target"
      fault(checking, `${target.pointer}/stop`, "contradiction", message)
    }
  }
  if (sum <= 1 + portionSlack) return
  const message = `The portions of all targets may add up to ${Number(sum.toPrecision(10))}, more than 1`
  fault(checking, place.pointer, "out_of_bounds", message)
}

const checkReductions = (
  checking: Checking,
  reductions: ReadonlyArray<Reduction>,
  place: CheckPlace
): void => {
  for (const [index, { portion, when }] of reductions.entries()) {
    const reduction = inside(place, index)
    checkRule(checking, when, inside(reduction, "when"))
    checkSetting(checking, portion, `${reduction.pointer}/portion`, tradeBounds.portion)
  }
}

/**
 * Checks the parts of a position where they stand: at the top of a definition, or in a side.
 *
 * @category checks
 * @since 0.1.0
 */
export const checkPosition = (
  checking: Checking,
  parts: PositionParts,
  place: CheckPlace
): void => {
  const { additions, entry, exits, reductions, safety_orders, sizing, targets } = parts
  if (entry !== undefined) checkEntry(checking, entry, inside(place, "entry"))
  if (exits !== undefined) checkExits(checking, exits, inside(place, "exits"))
  if (sizing !== undefined) checkSizing(checking, sizing, inside(place, "sizing"))
  if (additions !== undefined) checkAdditions(checking, additions, inside(place, "additions"))
  if (safety_orders !== undefined) {
    checkSafetyOrders(checking, safety_orders, inside(place, "safety_orders"))
  }
  if (targets !== undefined) checkTargets(checking, targets, inside(place, "targets"))
  if (reductions !== undefined) checkReductions(checking, reductions, inside(place, "reductions"))
}
