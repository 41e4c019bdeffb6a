/**
 * Keeps bots in memory.
 *
 * @since 0.1.0
 */
import { type Bot, type BotRef, BotStore, restingStates, StoreError } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { Database } from "./internal/Database.ts"
import { ownedRecords, ownRecord } from "./internal/ownedRecords.ts"
import { versionConflict } from "./internal/refusals.ts"

/**
 * `BotStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<BotStore, never, Database> = Layer.effect(
  BotStore,
  Effect.map(Database, (database) => ({
    ...botsOf(database),
    remove: (accountId, id, version) =>
      database.write((tables): StoreError | undefined => {
        const found = ownRecord(tables.bots, "bot", accountId, id)
        if (found instanceof StoreError) return found
        if (version !== undefined && version !== found.version) {
          return versionConflict("bot", id, version)
        }
        tables.bots = tables.bots.remove(id)
        tables.botStates = tables.botStates.remove(id)
        return undefined
      })
  }))
)

const toRef = ({ account_id, exchange, id, mode, status, version }: Bot): BotRef => ({
  account_id,
  exchange: mode === "live" ? exchange : null,
  id,
  mode,
  status,
  version
})

function botsOf(database: Database["Service"]) {
  const records = ownedRecords<Bot>(database, "bot", "bots")
  const { count, get, insert, list, listAll, listUnfinished, update } = records
  // Transactions follow one another, so that no other caller changes it meanwhile.
  return {
    count,
    get,
    hold: get,
    insert,
    list,
    update,
    listActive: Effect.map(listUnfinished, (bots) => bots.map(toRef)),
    markActive: Effect.map(listUnfinished, (bots) =>
      bots.map(({ id, version }) => `${id} ${version}`).join()
    ),
    listLiveAtRest: Effect.map(listAll, (bots) =>
      bots
        .filter(({ mode, status }) => mode === "live" && restingStates.includes(status))
        .map(toRef)
    )
  }
}
