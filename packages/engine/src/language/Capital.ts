/**
 * The cash that a bot or a simulation begins with.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { engineLimits } from "./engineLimits.ts"

/**
 * Capital in the currency of prices; beyond its bounds doubles hold no quantities.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Capital = Schema.Finite.check(
  Schema.isBetween({ minimum: engineLimits.capitalMin, maximum: engineLimits.capitalMax })
)
