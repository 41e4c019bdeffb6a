/**
 * Keeps bots, so that they survive the process that runs them.
 *
 * A record is written at the version that its writer has read; a writer that another has overtaken
 * gets `VersionConflict`. The store decides nothing: services move states by their tables.
 *
 * An adapter that provides `BotStore` must pass `BotStoreSuite` from `@candlewick/core/testing`,
 * which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { Bot, BotRef } from "../domain/Bot.ts"
import type { BotPageRequest } from "../domain/listFilters.ts"
import type { Page } from "../domain/Page.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Storage for bots, each seen by its own account only and guarded against lost updates by its
 * `version`.
 *
 * @category ports
 * @since 0.1.0
 */
export class BotStore extends Context.Service<
  BotStore,
  {
    /** Adds one at version 1. Fails with `AlreadyExists` if the id is taken. */
    readonly insert: (record: Bot) => Effect.Effect<Bot, StoreError>

    /** Finds one of the account's by id. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Option.Option<Bot>, StoreError>

    /**
     * The same, and keeps others from changing or removing it until the transaction around this
     * ends. Each writer for a bot does this first. No two of them, each with a part of the other's
     * needs, then wait for one another.
     */
    readonly hold: (accountId: string, id: string) => Effect.Effect<Option.Option<Bot>, StoreError>

    /**
     * Replaces one and returns it with the next version. Fails with `VersionConflict` if it is not
     * at `record.version` any more, and with `NotFound` if it is gone.
     */
    readonly update: (record: Bot) => Effect.Effect<Bot, StoreError>

    /** The account's that the filter leaves, newest first. */
    readonly list: (accountId: string, page: BotPageRequest) => Effect.Effect<Page<Bot>, StoreError>

    /** How many the account has, without reading them. */
    readonly count: (accountId: string) => Effect.Effect<number, StoreError>

    /**
     * Removes one with its state, which the archive has taken over by then. Fails with `NotFound`
     * if there is none, and with `VersionConflict` if the bot is not at the version that is named.
     */
    readonly remove: (
      accountId: string,
      id: string,
      version?: number
    ) => Effect.Effect<void, StoreError>

    /**
     * The bots of every account that are not at rest, oldest first: those that processes have to
     * look after. However many rest costs nothing.
     */
    readonly listActive: Effect.Effect<ReadonlyArray<BotRef>, StoreError>

    /**
     * A text that is another one whenever `listActive` has other bots, or others of their versions.
     * Processes ask for it each second, and for the list only then.
     */
    readonly markActive: Effect.Effect<string, StoreError>

    /**
     * The live bots of every account that are at rest, oldest first. A process looks after their
     * positions when it begins.
     */
    readonly listLiveAtRest: Effect.Effect<ReadonlyArray<BotRef>, StoreError>
  }
>()("@candlewick/core/ports/BotStore") {}
