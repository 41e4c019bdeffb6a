/**
 * Keeps the accounts of the paper broker in memory.
 *
 * @since 0.1.0
 */
import { PaperAccountStore } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { Database } from "./internal/Database.ts"
import { frozenCopy } from "./internal/frozenCopy.ts"

/**
 * `PaperAccountStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<PaperAccountStore, never, Database> = Layer.effect(
  PaperAccountStore,
  Effect.map(Database, (database) => ({
    get: (botId) =>
      database.read(({ paperAccounts }) =>
        Option.map(Option.fromUndefinedOr(paperAccounts.get(botId)), (snapshot) =>
          structuredClone(snapshot)
        )
      ),
    put: (botId, snapshot) =>
      database.write((tables) => {
        tables.paperAccounts = tables.paperAccounts.put(botId, frozenCopy(snapshot))
      }),
    remove: (botId) =>
      database.write((tables) => {
        tables.paperAccounts = tables.paperAccounts.remove(botId)
      })
  }))
)
