/**
 * Which bots this process owns: a lease each, prolonged while it lives.
 *
 * A lease says who may run a bot. An owner who has lost it without knowing, because its process
 * stood still for longer than a lease lasts, goes on with what it was doing: its next step fails at
 * the version of the bot's state, or before that at what the next owner has made, and all of the
 * step is undone. As long as the next owner has written nothing, the step is kept, and that owner
 * takes it over (`botRunner.ts`). What a late owner has decided before it tells the broker only at
 * that version too, and only who owns a bot says in its record that it failed.
 *
 * @since 0.1.0
 */
import { Clock, Effect } from "effect"
import type { StoreError } from "../../domain/StoreError.ts"
import type { BotLeases, LeaseClaim } from "../../ports/BotLeases.ts"
import { ProcessName } from "../ProcessName.ts"

/** How often leases are prolonged, and for how long. */
export const renewMs = 2_000
const leaseMs = 6_000

/** The leases of this process. */
export interface BotOwnership {
  /** Takes a bot, or makes sure of it; false where it is another's. */
  readonly claim: (botId: string) => Effect.Effect<boolean, StoreError>
  /** Prolongs what there is, and gives the ids of the bots that are this process's. */
  readonly renew: Effect.Effect<ReadonlySet<string>, StoreError>
  readonly release: (botId: string) => Effect.Effect<void, StoreError>
}

/** Makes the leases of this process. */
export const makeOwnership = Effect.fnUntraced(function* (leases: BotLeases["Service"]) {
  const owner = yield* ProcessName
  const claimNow = Effect.map(Clock.currentTimeMillis, (nowMs): LeaseClaim => ({
    owner,
    nowMs,
    untilMs: nowMs + leaseMs
  }))
  const ownership: BotOwnership = {
    claim: (botId) => Effect.flatMap(claimNow, (claim) => leases.claim(botId, claim)),
    renew: Effect.flatMap(claimNow, (claim) =>
      Effect.map(leases.renew(claim), (ids) => new Set(ids))
    ),
    release: (botId) => leases.release(botId, owner)
  }
  return ownership
})
