/**
 * Keeps deleted bots, so that their books can still be read.
 *
 * An adapter that provides `BotArchive` must pass `BotArchiveSuite` from
 * `@candlewick/core/testing`, which is the full contract.
 *
 * @since 0.1.0
 */
import { Context, type Effect, type Option } from "effect"
import type { ArchivedBot } from "../domain/ArchivedBot.ts"
import type { BotState } from "../domain/Bot.ts"
import type { ArchivedBotPageRequest } from "../domain/listFilters.ts"
import type { Page } from "../domain/Page.ts"
import type { StoreError } from "../domain/StoreError.ts"

/**
 * Storage for deleted bots with the last state of each, which no runner writes any more. Orders,
 * trades, log lines and equity stay where they are, under the id of the bot.
 *
 * @category ports
 * @since 0.1.0
 */
export class BotArchive extends Context.Service<
  BotArchive,
  {
    /** Adds a bot with its last state. Fails with `AlreadyExists` if its id is archived already. */
    readonly insert: (bot: ArchivedBot, state: BotState | null) => Effect.Effect<void, StoreError>

    /** Finds one of the account's by id. */
    readonly get: (
      accountId: string,
      id: string
    ) => Effect.Effect<Option.Option<ArchivedBot>, StoreError>

    /** The last state of a bot, or none where it had none. */
    readonly getState: (botId: string) => Effect.Effect<Option.Option<BotState>, StoreError>

    /** The account's that the filter leaves, newest bot first. */
    readonly list: (
      accountId: string,
      page: ArchivedBotPageRequest
    ) => Effect.Effect<Page<ArchivedBot>, StoreError>

    /** Up to `limit` bots of any account that were archived before `beforeMs`, oldest first. */
    readonly listBefore: (request: {
      readonly beforeMs: number
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<Pick<ArchivedBot, "id" | "account_id">>, StoreError>

    /** Removes one with its state. Fails with `NotFound` if there is none. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, StoreError>
  }
>()("@candlewick/core/ports/BotArchive") {}
