/**
 * The bounds of every setting that isn't an indicator's, by where it stands.
 *
 * A check reads them to refuse, the generator of random strategies to stay inside; indicators state
 * their own in the
 * catalogue.
 *
 * @since 0.1.0
 */

/** The values that a setting may take. @category models @since 0.1.0 */
export interface SettingBounds {
  readonly kind: "integer" | "float"
  readonly min: number
  readonly max: number
  /** Whether `min` itself is refused. */
  readonly isMinExcluded?: boolean
}

const countOf = (min: number): SettingBounds => ({ kind: "integer", min, max: 1000 })

const above = (min: number, max: number): SettingBounds => ({
  kind: "float",
  min,
  max,
  isMinExcluded: true
})

const upTo = (min: number, max: number): SettingBounds => ({ kind: "float", min, max })

/**
 * The bounds of settings in series and rules.
 *
 * @category tables
 * @since 0.1.0
 */
export const expressionBounds = {
  constant: upTo(-1e15, 1e15),
  shift: countOf(0),
  period: countOf(1),
  deviationPeriod: countOf(2),
  rank: upTo(0, 1),
  trend: countOf(1),
  hold: countOf(1)
} as const satisfies Record<string, SettingBounds>

/**
 * The bounds of settings in entries, exits, sizes, ladders and re-entry.
 *
 * @category tables
 * @since 0.1.0
 */
export const tradeBounds = {
  lossFraction: { ...above(0, 1), max: 0.99 },
  gainFraction: above(0, 100),
  atrPeriod: countOf(1),
  atrMultiple: above(0, 100),
  breakEvenOffset: upTo(0, 0.5),
  timeLimit: { kind: "integer", min: 1, max: 1_000_000 },
  cooldown: { kind: "integer", min: 0, max: 1_000_000 },
  limitOffset: upTo(0, 0.99),
  stopOffset: upTo(0, 0.99),
  expiry: countOf(1),
  riskFraction: above(0, 1),
  equityFraction: above(0, 10),
  notional: above(0, 1e15),
  quantity: above(0, 1e15),
  volatility: above(0, 10),
  volatilityPeriod: countOf(2),
  sizeFactor: above(0, 100),
  times: { kind: "integer", min: 1, max: 100 },
  portion: above(0, 1),
  safetyCount: { kind: "integer", min: 1, max: 50 },
  ladderFactor: above(0, 10),
  linePrice: above(0, 1e15),
  lines: { kind: "integer", min: 2, max: 200 },
  weight: above(0, 10),
  band: upTo(0, 1)
} as const satisfies Record<string, SettingBounds>

/** The deepest nesting of a strategy's expressions. @category limits @since 0.1.0 */
export const strategyDepthMax = 32

/** The most series and rules of a strategy. @category limits @since 0.1.0 */
export const strategyNodeCountMax = 1000
