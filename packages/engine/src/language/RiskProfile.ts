/**
 * The largest allowed losses, as numbers: the meaning of a risk tolerance, and the limits of the
 * risk gate.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { vocabulary } from "./Vocabulary.ts"

const Rate = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/**
 * Limits on the losses of a strategy or a bot, as fractions.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RiskProfile = Schema.Struct({
  /** Largest fraction of peak equity that may be lost before trading halts. */
  max_drawdown: Rate,
  /** Fraction of equity that one trade may lose at its stop. */
  risk_per_trade: Rate,
  /** Largest position value as a fraction of equity. */
  max_exposure: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10 })),
  /**
   * Fraction of the day's first equity that may be lost before entries stop until the next UTC day.
   */
  daily_loss: Rate,
  /** Whether every entry must carry a stop loss. */
  is_stop_loss_mandatory: Schema.Boolean,
  /**
   * Seconds for which a live position may lack its stop at the venue; then an alert is raised and
   * the position is closed at market. It is 60 where the field is absent.
   */
  unprotected_max_seconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 5, maximum: 3_600 }))
  )
})

/** Limits on the losses of a strategy or a bot. @category models @since 0.1.0 */
export type RiskProfile = typeof RiskProfile.Type

/** The value of `unprotected_max_seconds` where a profile has none. */
const unprotectedMaxSeconds = 60

/**
 * The time for which a live position may lack its stop at the venue. @category getters @since 0.1.0
 */
export const toUnprotectedMaxMs = (profile: RiskProfile | null): number =>
  1_000 * (profile?.unprotected_max_seconds ?? unprotectedMaxSeconds)

/** The numbers behind each risk tolerance. @category tables @since 0.1.0 */
export const riskProfiles = {
  low: {
    max_drawdown: 0.1,
    risk_per_trade: 0.005,
    max_exposure: 0.5,
    daily_loss: 0.02,
    is_stop_loss_mandatory: true
  },
  medium: {
    max_drawdown: 0.2,
    risk_per_trade: 0.01,
    max_exposure: 1,
    daily_loss: 0.04,
    is_stop_loss_mandatory: true
  },
  high: {
    max_drawdown: 0.35,
    risk_per_trade: 0.02,
    max_exposure: 1,
    daily_loss: 0.08,
    is_stop_loss_mandatory: true
  }
} as const satisfies Record<string, RiskProfile>

/** A risk tolerance by its canonical name. @category models @since 0.1.0 */
export type RiskTolerance = keyof typeof riskProfiles

/** A risk tolerance by its own name or an alias. @category schemas @since 0.1.0 */
export const RiskTolerance = vocabulary(["low", "medium", "high"], {
  conservative: "low",
  moderate: "medium",
  balanced: "medium",
  aggressive: "high"
})
