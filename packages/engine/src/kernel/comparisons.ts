/**
 * Rules over numbers, one candle at a time: true, false, or undefined while something is warming
 * up.
 *
 * Three values, so that `not` of something undefined stays undefined; at the top of a rule
 * undefined counts as false.
 *
 * @since 0.1.0
 */

/** The answer of a rule at one candle. @category models @since 0.1.0 */
export type Truth = 0 | 1 | 2

/** It does not hold. @category models @since 0.1.0 */
export const ruleFalse = 0
/** It holds. @category models @since 0.1.0 */
export const ruleTrue = 1
/** It is not known yet. @category models @since 0.1.0 */
export const ruleUndefined = 2

/** Whether `left` is above `right`. @category indicators @since 0.1.0 */
export const isAbove = (left: number, right: number): Truth =>
  left > right ? ruleTrue : left <= right ? ruleFalse : ruleUndefined

/** Whether `left` is below `right`. @category indicators @since 0.1.0 */
export const isBelow = (left: number, right: number): Truth => isAbove(right, left)

/** Whether `value` lies from `low` to `high`, both included. @category indicators @since 0.1.0 */
export const isBetween = (value: number, low: number, high: number): Truth =>
  Number.isNaN(value) || Number.isNaN(low) || Number.isNaN(high)
    ? ruleUndefined
    : value >= low && value <= high
      ? ruleTrue
      : ruleFalse

/** Whether all hold: false wins over undefined. @category indicators @since 0.1.0 */
export const truthAnd = (left: Truth, right: Truth): Truth =>
  left === ruleFalse || right === ruleFalse
    ? ruleFalse
    : left === ruleUndefined || right === ruleUndefined
      ? ruleUndefined
      : ruleTrue

/** Whether any holds: true wins over undefined. @category indicators @since 0.1.0 */
export const truthOr = (left: Truth, right: Truth): Truth =>
  left === ruleTrue || right === ruleTrue
    ? ruleTrue
    : left === ruleUndefined || right === ruleUndefined
      ? ruleUndefined
      : ruleFalse

/** The opposite; undefined stays undefined. @category indicators @since 0.1.0 */
export const truthNot = (truth: Truth): Truth =>
  truth === ruleUndefined ? ruleUndefined : truth === ruleTrue ? ruleFalse : ruleTrue

/**
 * Whether `left` went from not above `right` to above it, with this candle.
 *
 * @category indicators
 * @since 0.1.0
 */
export const crossesAboveStep = (): ((left: number, right: number) => Truth) => {
  let before: Truth = ruleUndefined
  return (left, right) => {
    const now = isAbove(left, right)
    const crossed = truthAnd(truthNot(before), now)
    const isKnown = before !== ruleUndefined && now !== ruleUndefined
    before = now
    return isKnown ? crossed : ruleUndefined
  }
}

/**
 * Whether `left` went from not below `right` to below it, with this candle.
 *
 * @category indicators
 * @since 0.1.0
 */
export const crossesBelowStep = (): ((left: number, right: number) => Truth) => {
  const crosses = crossesAboveStep()
  return (left, right) => crosses(right, left)
}

/**
 * Whether each of the last `count` changes went up (`sign` 1) or down (-1).
 *
 * @category indicators
 * @since 0.1.0
 */
export const trendStep = (count: number, sign: 1 | -1): ((value: number) => Truth) => {
  let before = Number.NaN
  let run = 0
  let known = 0
  return (value) => {
    const change = (value - before) * sign
    before = value
    if (Number.isNaN(change)) {
      run = 0
      known = 0
      return ruleUndefined
    }
    known = Math.min(known + 1, count)
    run = change > 0 ? Math.min(run + 1, count) : 0
    return known < count ? ruleUndefined : run === count ? ruleTrue : ruleFalse
  }
}

/** Whether a rule held for the last `count` candles. @category indicators @since 0.1.0 */
export const trueForStep = (count: number): ((truth: Truth) => Truth) => {
  let run = 0
  let known = 0
  return (truth) => {
    if (truth === ruleUndefined) {
      run = 0
      known = 0
      return ruleUndefined
    }
    known = Math.min(known + 1, count)
    run = truth === ruleTrue ? Math.min(run + 1, count) : 0
    return known < count ? ruleUndefined : run === count ? ruleTrue : ruleFalse
  }
}
