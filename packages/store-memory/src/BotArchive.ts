/**
 * Keeps deleted bots in memory.
 *
 * @since 0.1.0
 */
import { BotArchive, fromTimestamp, passesFilter, StoreError } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { keyOf } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { frozenCopy } from "./internal/frozenCopy.ts"
import { ownRecord } from "./internal/ownedRecords.ts"
import { pageOf } from "./internal/pages.ts"
import { alreadyExists } from "./internal/refusals.ts"

/**
 * `BotArchive` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<BotArchive, never, Database> = Layer.effect(
  BotArchive,
  Effect.map(Database, (database): BotArchive["Service"] => ({
    insert: (bot, state) =>
      database.write((tables): StoreError | undefined => {
        if (tables.archivedBots.get(bot.id) !== undefined) {
          return alreadyExists("archived bot", bot.id)
        }
        tables.archivedBots = tables.archivedBots.put(bot)
        if (state !== null) {
          tables.archivedStates = tables.archivedStates.put(bot.id, frozenCopy(state))
        }
        return undefined
      }),
    get: (accountId, id) =>
      database.read(({ archivedBots }) => {
        const found = ownRecord(archivedBots, "archived bot", accountId, id)
        return found instanceof StoreError ? Option.none() : Option.some(found)
      }),
    getState: (botId) =>
      database.read(({ archivedStates }) =>
        Option.map(Option.fromUndefinedOr(archivedStates.get(botId)), (state) =>
          structuredClone(state)
        )
      ),
    list: (accountId, page) =>
      database.read(({ archivedBots }) =>
        pageOf(
          archivedBots.newest(keyOf("account", accountId), page.before),
          page.limit,
          ({ id }) => id,
          passesFilter(page)
        )
      ),
    listBefore: ({ beforeMs, limit }) =>
      database.read(({ archivedBots }) => {
        const found = []
        for (const { account_id, archived_at, id } of archivedBots.oldest("archived")) {
          if (found.length === limit || fromTimestamp(archived_at) >= beforeMs) break
          found.push({ id, account_id })
        }
        return found
      }),
    remove: (accountId, id) =>
      database.write((tables): StoreError | undefined => {
        const found = ownRecord(tables.archivedBots, "archived bot", accountId, id)
        if (found instanceof StoreError) return found
        tables.archivedBots = tables.archivedBots.remove(id)
        tables.archivedStates = tables.archivedStates.remove(id)
        return undefined
      })
  }))
)
