/**
 * Keeps the state of a bot's runner, so that another runner can go on from it.
 *
 * An adapter that provides `BotStateStore` must pass `BotStateStoreSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { BotState } from "../domain/Bot.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Storage for the states of bots, each guarded against a runner that was overtaken by its `version`.
 * A state is removed with its bot by `BotStore.remove`.
 *
 * @category ports
 * @since 0.1.0
 */
export class BotStateStore extends Context.Service<
  BotStateStore,
  {
    /** The state that the runner of a bot left, or none before its first candle. */
    readonly get: (botId: string) => Effect.Effect<Option.Option<BotState>, StoreError>

    /**
     * The states of these bots, of whichever accounts, in any order; a bot without one is left out.
     * They are not the caller's to change.
     */
    readonly getMany: (
      botIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<BotState>, StoreError>

    /**
     * Writes the state of a runner, and returns it with the next version. Version 0 means that
     * there is none yet. Fails with `VersionConflict` if another runner has written since.
     */
    readonly put: (state: BotState) => Effect.Effect<BotState, StoreError>

    /**
     * Keeps others from writing the state of a bot until the transaction around this ends. Fails
     * with `VersionConflict` where it is at another version, or gone.
     */
    readonly hold: (botId: string, version: number) => Effect.Effect<void, StoreError>
  }
>()("@candlewick/core/ports/BotStateStore") {}
