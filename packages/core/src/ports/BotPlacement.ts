/**
 * Says which process runs which bot.
 *
 * Bots are divided into shares. A placement gives each share to one process at a time and moves it
 * when processes come and go. It never guards a write: a process that stood still may believe for a
 * moment that a share is its own. The version of the bot's state, which each step writes in its
 * transaction, decides between two owners.
 *
 * An adapter that provides `BotPlacement` must pass `BotPlacementSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * **Example** (A process that has the store to itself)
 *
 * ```ts
 * import { AlonePlacement, BotPlacement } from "@candlewick/core"
 * import { Effect } from "effect"
 *
 * const program = Effect.map(BotPlacement, ({ isMine, shareOf }) => isMine(shareOf("bot_1")))
 * console.log(await Effect.runPromise(Effect.provide(program, AlonePlacement.layer)))
 * ```
 *
 * ```text output
 * true
 * ```
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { StoreError } from "../domain/StoreError.ts"

/** The runner of bots in this process, as a placement calls it. @category models @since 0.1.0 */
export interface BotRunners {
  /** A share has become this process's. */
  readonly gained: Effect.Effect<void>

  /** Lets the bots of a share go. A share that is handed over has its next process after this. */
  readonly lost: (share: string) => Effect.Effect<void>
}

/**
 * Places bots on the processes that share a store.
 *
 * @category ports
 * @since 0.1.0
 */
export class BotPlacement extends Context.Service<
  BotPlacement,
  {
    /** The share of bots that a key belongs to: the same in each process. */
    readonly shareOf: (key: string) => string

    /** Whether this process runs the bots of a share now. */
    readonly isMine: (share: string) => boolean

    /**
     * Whether some process has a share, as far as the store shows. A killed process may count
     * for a moment still.
     */
    readonly hasOwner: (share: string) => Effect.Effect<boolean, StoreError>

    /**
     * For how many milliseconds the process that had a share was silent when this one took it. That
     * is where the process was lost. Null where it handed the share over, where no process had it,
     * and once this was asked.
     */
    readonly takeLoss: (share: string) => number | null

    /**
     * Takes shares for this process until it is interrupted. Where processes share the store, it
     * lets all of them go at once then.
     */
    readonly serve: (runners: BotRunners) => Effect.Effect<never>
  }
>()("@candlewick/core/ports/BotPlacement") {}
