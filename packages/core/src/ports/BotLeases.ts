/**
 * Keeps which process owns which bot, so that a bot is run by one at a time.
 *
 * An adapter that provides `BotLeases` must pass `BotLeasesSuite` from `@candlewick/core/testing`,
 * which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Who wants a bot, the time, and until when, in epoch milliseconds.
 *
 * @category models
 * @since 0.1.0
 */
export interface LeaseClaim {
  readonly owner: string
  readonly nowMs: number
  readonly untilMs: number
}

/**
 * Leases of bots: each has one owner at a time, until it runs out, is renewed or given up.
 *
 * @category ports
 * @since 0.1.0
 */
export class BotLeases extends Context.Service<
  BotLeases,
  {
    /**
     * Takes a bot, or what the owner has of it for longer; false where another owner's lease has
     * not run out.
     */
    readonly claim: (botId: string, claim: LeaseClaim) => Effect.Effect<boolean, StoreError>

    /**
     * Prolongs all leases of an owner, also those that ran out and that nobody took, and gives
     * their bots, by id.
     */
    readonly renew: (claim: LeaseClaim) => Effect.Effect<ReadonlyArray<string>, StoreError>

    /** Gives a bot up; nothing happens where it is another's. */
    readonly release: (botId: string, owner: string) => Effect.Effect<void, StoreError>
  }
>()("@candlewick/core/ports/BotLeases") {}
