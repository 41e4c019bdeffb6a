/**
 * Money as whole steps of 1e-8, of which no sum is rounded.
 *
 * @since 0.1.0
 */

/** Steps of one unit of the quote currency. */
const stepsPerUnit = 1e8

/** An amount of money as whole steps. @category conversions @since 0.1.0 */
export const toSteps = (amount: number): bigint => BigInt(Math.round(amount * stepsPerUnit))

/** Whole steps as an amount of money. @category conversions @since 0.1.0 */
export const fromSteps = (steps: bigint): number => Number(steps) / stepsPerUnit
