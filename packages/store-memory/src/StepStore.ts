/**
 * Reads and writes the records of many bots' steps in memory.
 *
 * @since 0.1.0
 */
import { type StepRead, StepStore, type StepWrite, type StoreError } from "@candlewick/core"
import { Effect, Layer } from "effect"
import { appendLine } from "./internal/appendLine.ts"
import { keyOf } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { frozenCopy } from "./internal/frozenCopy.ts"
import { appendTrade, insertOrder, replaceOrder } from "./internal/orderRows.ts"
import { firstRefusal, versionConflict } from "./internal/refusals.ts"
import type { Tables } from "./internal/tables.ts"
import { thinPoints } from "./internal/thinPoints.ts"

const writeStep = (tables: Tables, step: StepWrite): StoreError | undefined => {
  const { botId, equity, lines = [], orders = [], paper, state, thinned, trades = [] } = step
  if (state !== undefined) {
    const version = tables.botStates.get(botId)?.version ?? 0
    if (version !== state.version) return versionConflict("bot state", botId, state.version)
    const next = frozenCopy({ ...state, version: version + 1 })
    tables.botStates = tables.botStates.put(botId, next)
  }
  if (paper !== undefined) {
    tables.paperAccounts = tables.paperAccounts.put(botId, frozenCopy(paper))
  }
  if (equity !== undefined) {
    tables.equityPoints = tables.equityPoints.put({ bot_id: botId, point: equity })
  }
  if (thinned !== undefined) thinPoints(tables, botId, thinned)
  for (const line of lines) appendLine(tables, line)
  return (
    firstRefusal(orders, ({ order, versionBefore }) =>
      versionBefore === 0 ? insertOrder(tables, order) : replaceOrder(tables, order, versionBefore)
    ) ?? firstRefusal(trades, (trade) => appendTrade(tables, trade))
  )
}

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
      database.read(({ accounts, alerts, bots, botStates, orders, paperAccounts }) => {
        const found = [...new Set(botIds)].flatMap((id) => bots.get(id) ?? [])
        const accountIds = new Set(found.map(({ account_id }) => account_id))
        return {
          bots: found.map((bot): StepRead => {
            const paper = paperAccounts.get(bot.id)
            return {
              bot: structuredClone(bot),
              stateVersion: botStates.get(bot.id)?.version ?? 0,
              openOrders: [...orders.oldest(keyOf("open", bot.id))],
              ...(paper !== undefined && { paper: structuredClone(paper) })
            }
          }),
          accounts: [...accountIds].flatMap((id) => accounts.get(id) ?? []),
          alerts: found
            .flatMap(({ account_id, id }) => [...alerts.oldest(keyOf("bot", account_id, id))])
            .toSorted((one, other) => (one.id < other.id ? -1 : 1))
        }
      }),
    open: (botIds) =>
      database.read(({ bots, botStates, strategies }) => {
        const found = [...new Set(botIds)].flatMap((id) => bots.get(id) ?? [])
        const strategyIds = new Set(found.map(({ strategy_id }) => strategy_id))
        return {
          bots: found.map((bot) => {
            const state = botStates.get(bot.id)
            return {
              bot: structuredClone(bot),
              ...(state !== undefined && { state: structuredClone(state) })
            }
          }),
          strategies: [...strategyIds].flatMap((id) => strategies.get(id) ?? [])
        }
      }),
    write: (steps) =>
      database.write((tables) => firstRefusal(steps, (step) => writeStep(tables, step)))
  }))
)
