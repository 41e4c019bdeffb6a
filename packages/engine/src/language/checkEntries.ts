/**
 * Faults of entries and of their sizes.
 *
 * @since 0.1.0
 */
import type { EntryOrder, RestingEntry } from "./EntryOrder.ts"
import { checkLevel, inside } from "./checkExits.ts"
import type { CheckPlace } from "./checkExpression.ts"
import { type Checking, checkSetting, fault } from "./checkParameters.ts"
import type { AdditionSizing } from "./Sizing.ts"
import { tradeBounds } from "./settingBounds.ts"

const lives = ["expires_after", "until", "immediate"] as const

/** The fields among these that a part has. @category checks @since 0.1.0 */
export const fieldsAmong = (part: object, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => Object.hasOwn(part, name))

/** A list of fields as a sentence has it. */
const listText = (names: ReadonlyArray<string>, word: "and" | "or"): string =>
  `${names.slice(0, -1).join(", ")} ${word} ${names[names.length - 1]}`

/** Checks that a part has exactly one of these fields. @category checks @since 0.1.0 */
export const checkExactlyOne = (
  checking: Checking,
  part: object,
  names: ReadonlyArray<string>,
  place: CheckPlace
): void => {
  const found = fieldsAmong(part, names)
  if (found.length === 1) return
  const had = found.length === 0 ? "none" : listText(found, "and")
  const message = `Expected exactly one of ${listText(names, "or")}, found ${had}`
  fault(checking, place.pointer, "exactly_one", message)
}

const checkResting = (checking: Checking, order: RestingEntry, place: CheckPlace): void => {
  checkExactlyOne(checking, order, ["offset", "level"], place)
  const found = fieldsAmong(order, lives)
  if (found.length > 1) {
    const message = `Expected at most one of ${listText(lives, "or")}, found ${listText(found, "and")}`
    fault(checking, place.pointer, "at_most_one", message)
  }
  const bounds = order.type === "limit" ? tradeBounds.limitOffset : tradeBounds.stopOffset
  const setting = (name: "offset" | "expires_after", within: typeof bounds): void => {
    const given = order[name]
    if (given !== undefined) checkSetting(checking, given, `${place.pointer}/${name}`, within)
  }
  setting("offset", bounds)
  if (order.level !== undefined) {
    checkLevel(checking, order.level, inside(place, "level"), "price")
  }
  if (order.type === "stop_limit") {
    const pointer = `${place.pointer}/limit_offset`
    checkSetting(checking, order.limit_offset, pointer, tradeBounds.stopOffset)
  }
  setting("expires_after", tradeBounds.expiry)
}

/** Checks how an entry is ordered. @category checks @since 0.1.0 */
export const checkEntry = (checking: Checking, entry: EntryOrder, place: CheckPlace): void => {
  if (entry.type === "market") return
  if (entry.type !== "one_cancels_other") return checkResting(checking, entry, place)
  for (const [index, order] of entry.orders.entries()) {
    checkResting(checking, order, inside(place, `orders/${index}`))
  }
}

/** Checks how large an entry or an addition is. @category checks @since 0.1.0 */
export const checkSizing = (
  checking: Checking,
  sizing: AdditionSizing,
  place: CheckPlace
): void => {
  const at = (name: string): string => `${place.pointer}/${name}`
  switch (sizing.type) {
    case "risk_per_trade":
      return checkSetting(checking, sizing.fraction, at("fraction"), tradeBounds.riskFraction)
    case "equity_fraction":
      return checkSetting(checking, sizing.fraction, at("fraction"), tradeBounds.equityFraction)
    case "fixed_notional":
      return checkSetting(checking, sizing.notional, at("notional"), tradeBounds.notional)
    case "fixed_quantity":
      return checkSetting(checking, sizing.quantity, at("quantity"), tradeBounds.quantity)
    case "scaled":
      return checkSetting(checking, sizing.factor, at("factor"), tradeBounds.sizeFactor)
    default:
      checkSetting(checking, sizing.target, at("target"), tradeBounds.volatility)
      checkSetting(checking, sizing.period, at("period"), tradeBounds.volatilityPeriod)
  }
}
