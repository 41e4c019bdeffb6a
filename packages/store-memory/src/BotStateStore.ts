/**
 * Keeps the states of bots' runners in memory.
 *
 * @since 0.1.0
 */
import { type BotState, BotStateStore, type StoreError } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { Database } from "./internal/Database.ts"
import { frozenCopy } from "./internal/frozenCopy.ts"
import { versionConflict } from "./internal/refusals.ts"

/**
 * `BotStateStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<BotStateStore, never, Database> = Layer.effect(
  BotStateStore,
  Effect.map(Database, (database) => ({
    get: (botId) =>
      database.read(({ botStates }) =>
        Option.map(Option.fromUndefinedOr(botStates.get(botId)), (state) => structuredClone(state))
      ),
    getMany: (botIds) =>
      database.read(({ botStates }) => botIds.flatMap((botId) => botStates.get(botId) ?? [])),
    put: (state) =>
      database.write((tables): BotState | StoreError => {
        const version = tables.botStates.get(state.bot_id)?.version ?? 0
        if (version !== state.version) {
          return versionConflict("bot state", state.bot_id, state.version)
        }
        const next = { ...state, version: version + 1 }
        tables.botStates = tables.botStates.put(state.bot_id, frozenCopy(next))
        return next
      }),
    // Transactions follow one another, so that no other caller writes meanwhile.
    hold: (botId, version) =>
      database.write((tables): StoreError | undefined =>
        tables.botStates.get(botId)?.version === version
          ? undefined
          : versionConflict("bot state", botId, version)
      )
  }))
)
