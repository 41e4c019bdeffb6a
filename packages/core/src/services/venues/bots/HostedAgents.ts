/**
 * The agents of exchange accounts, as the bots of a process know them.
 *
 * @since 0.1.0
 */
import type { Effect, Option } from "effect"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { VenueMarket } from "../../../ports/Venue.ts"
import type { FoundHoldings, Standing } from "../agent/AgentReport.ts"
import type { AccountRef } from "./liveVenue.ts"

/** The requests of a bot to the agent of its exchange account. */
export interface HostedAgent {
  readonly ring: Effect.Effect<void>
  /** How long a comparison takes at most besides the venue's answers. */
  readonly comparesWithinMs: number
  /** A comparison with the venue's next answers. */
  readonly compare: Effect.Effect<FoundHoldings, { readonly _tag: "Ousted" } | StoreError>
  /** A comparison with answers that are newer than the call. */
  readonly reconcile: Effect.Effect<FoundHoldings, { readonly _tag: "Ousted" } | StoreError>
  readonly standing: Effect.Effect<Standing>
  readonly tellPrices: (
    closes: ReadonlyArray<{ readonly symbol: string; readonly close: number }>
  ) => void
}

/** The terms of markets by their symbols, as a venue has reported them last. */
export type KnownTerms = Map<string, VenueMarket>

/** The agents of this process, once its bots have a host. */
export interface HostedAgents {
  /** The terms that this process was given, by the keys of exchange accounts. */
  readonly terms: Map<string, KnownTerms>
  current: {
    readonly agentOf: (account: AccountRef) => Effect.Effect<Option.Option<HostedAgent>, StoreError>
    readonly known: (account: AccountRef) => HostedAgent | null
    readonly leave: (share: string) => Effect.Effect<void>
  } | null
}
