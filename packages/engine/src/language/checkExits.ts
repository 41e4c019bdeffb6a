/**
 * Faults of exits: distances out of bounds, and levels in a unit that is no price.
 *
 * @since 0.1.0
 */
import type { Distance, Exits } from "./Exits.ts"
import { checkSeries } from "./checkExpression.ts"
import type { CheckPlace } from "./checkExpression.ts"
import { type Checking, checkSetting, fault } from "./checkParameters.ts"
import type { Series } from "./Rule.ts"
import { type SettingBounds, tradeBounds } from "./settingBounds.ts"

/** The units that a level may have: a price, or a distance from one. */
type LevelUnit = "price" | "price_difference"

/** The same place, one part further in. @category checks @since 0.1.0 */
export const inside = (place: CheckPlace, token: string | number): CheckPlace => ({
  ...place,
  pointer: `${place.pointer}/${token}`
})

/** Checks a series that is to be a level in this unit. @category checks @since 0.1.0 */
export const checkLevel = (
  checking: Checking,
  series: Series,
  place: CheckPlace,
  levelUnit: LevelUnit
): void => {
  const unit = checkSeries(checking, series, place)
  if (unit === null || unit === "number" || unit === levelUnit) return
  const message = `Expected a series of unit ${levelUnit}, got ${unit}`
  fault(checking, place.pointer, "unit_mismatch", message)
}

/** Checks how far an exit lies from its entry. @category checks @since 0.1.0 */
export const checkDistance = (
  checking: Checking,
  distance: Distance,
  place: CheckPlace,
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
    default:
      return checkLevel(checking, distance.series, inside(place, "series"), levelUnit)
  }
}

/** Checks the exits that a position has besides its exit rule. @category checks @since 0.1.0 */
export const checkExits = (checking: Checking, exits: Exits, place: CheckPlace): void => {
  const { lossFraction, gainFraction } = tradeBounds
  if (exits.stop_loss !== undefined) {
    checkDistance(checking, exits.stop_loss, inside(place, "stop_loss"), lossFraction, "price")
  }
  if (exits.take_profit !== undefined) {
    checkDistance(checking, exits.take_profit, inside(place, "take_profit"), gainFraction, "price")
  }
  const trailing = exits.trailing_stop
  if (trailing !== undefined) {
    const distance = inside(place, "trailing_stop/distance")
    checkDistance(checking, trailing.distance, distance, lossFraction, "price_difference")
    if (trailing.activation !== undefined) {
      const activation = inside(place, "trailing_stop/activation")
      checkDistance(checking, trailing.activation, activation, gainFraction, "price")
    }
  }
  const breakEven = exits.break_even
  if (breakEven !== undefined) {
    const activation = inside(place, "break_even/activation")
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
