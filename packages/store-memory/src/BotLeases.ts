/**
 * Keeps which process owns which bot in memory, where there is one process only.
 *
 * @since 0.1.0
 */
import { BotLeases } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { Database } from "./internal/Database.ts"

/**
 * `BotLeases` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<BotLeases, never, Database> = Layer.effect(
  BotLeases,
  Effect.map(Database, (database) => ({
    claim: (botId, { nowMs, owner, untilMs }) =>
      database.write((tables) => {
        const held = tables.botLeases.get(botId)
        const isTaken = held !== undefined && held.owner !== owner && held.untilMs > nowMs
        if (!isTaken) tables.botLeases = tables.botLeases.put(botId, { owner, untilMs })
        return !isTaken
      }),
    renew: ({ owner, untilMs }) =>
      database.write((tables) => {
        const own = [...tables.botLeases.rising()].filter(([, held]) => held.owner === owner)
        for (const [botId] of own) {
          tables.botLeases = tables.botLeases.put(botId, { owner, untilMs })
        }
        return own.map(([botId]) => botId)
      }),
    release: (botId, owner) =>
      database.write((tables) => {
        if (tables.botLeases.get(botId)?.owner !== owner) return
        tables.botLeases = tables.botLeases.remove(botId)
      })
  }))
)
