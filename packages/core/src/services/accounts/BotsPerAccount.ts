/**
 * The number of bots that an account may have.
 *
 * @since 0.1.0
 */
import { Context } from "effect"
import { Limits } from "../../domain/Limits.ts"

/**
 * The bots of an account at most, which a host may set for its machine.
 *
 * @category services
 * @since 0.1.0
 */
export const BotsPerAccount = Context.Reference<number>(
  "@candlewick/core/services/BotsPerAccount",
  { defaultValue: () => Limits.botsPerAccountMax }
)
