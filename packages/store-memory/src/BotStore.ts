/**
 * Bots and their states in memory.
 *
 * @since 0.1.0
 */
import { type Bot, type BotState, BotStore } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { MemoryDatabase, versionConflict } from "./internal/MemoryDatabase.ts"
import { everyRecord, recordMethods } from "./internal/recordTable.ts"

/** A `BotStore` in memory. @category layers @since 0.1.0 */
export const layer = Layer.effect(
  BotStore,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const table = database.table<Bot>(({ account_id }) => account_id)
    const states = database.table<BotState>()
    const { insert, get, update, list, remove } = recordMethods(database, table, "bot")
    return BotStore.of({
      insert,
      get,
      update,
      list,
      remove: (accountId, id) =>
        Effect.andThen(
          remove(accountId, id),
          database.run(() => void states.delete(id))
        ),
      listAll: database.run(() => everyRecord(table)),
      getState: (botId) => database.run(() => Option.fromUndefinedOr(states.get(botId))),
      putState: (state) =>
        database.run(() => {
          const version = states.get(state.bot_id)?.version ?? 0
          if (version !== state.version) {
            versionConflict("bot state", state.bot_id, state.version)
          }
          const kept = { ...structuredClone(state), version: version + 1 }
          states.put(state.bot_id, kept)
          return kept
        })
    })
  })
)
