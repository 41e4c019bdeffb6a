/**
 * Reads and writes what the steps of many bots need in memory.
 *
 * @since 0.1.0
 */
import { type StepRead, StepStore, type StoreError } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { Database } from "./internal/Database.ts"
import { frozenCopy } from "./internal/frozenCopy.ts"
import { versionConflict } from "./internal/refusals.ts"

/**
 * `StepStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<StepStore, never, Database> = Layer.effect(
  StepStore,
  Effect.map(Database, (database) => ({
    hold: (botIds) =>
      database.read(({ bots, botStates, paperAccounts }) =>
        botIds.flatMap((id): ReadonlyArray<StepRead> => {
          const bot = bots.get(id)
          if (bot === undefined) return []
          const paper = paperAccounts.get(id)
          return [
            {
              bot: structuredClone(bot),
              stateVersion: botStates.get(id)?.version ?? 0,
              ...(paper !== undefined && { paper: structuredClone(paper) })
            }
          ]
        })
      ),
    write: (steps) =>
      database.write((tables): StoreError | undefined => {
        for (const { botId, equity, paper, state } of steps) {
          if (state !== undefined) {
            const version = tables.botStates.get(botId)?.version ?? 0
            if (version !== state.version) {
              return versionConflict("bot state", botId, state.version)
            }
            const next = frozenCopy({ ...state, version: version + 1 })
            tables.botStates = tables.botStates.put(botId, next)
          }
          if (paper !== undefined) {
            tables.paperAccounts = tables.paperAccounts.put(botId, frozenCopy(paper))
          }
          if (equity !== undefined) {
            tables.equityPoints = tables.equityPoints.put({ bot_id: botId, point: equity })
          }
        }
        return undefined
      })
  }))
)
