/**
 * What the parts of a bot's runner need, gathered once.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { LogEntry } from "../../domain/LogEntry.ts"
import type { Schema } from "effect"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AlertStore } from "../../ports/AlertStore.ts"
import { BotArchive } from "../../ports/BotArchive.ts"
import { BotJournal } from "../../ports/BotJournal.ts"
import { BotPlacement } from "../../ports/BotPlacement.ts"
import { BotStateStore } from "../../ports/BotStateStore.ts"
import { BotStore } from "../../ports/BotStore.ts"
import { Broker } from "../../ports/Broker.ts"
import { MarketData } from "../../ports/MarketData.ts"
import { MarketStore } from "../../ports/MarketStore.ts"
import { OrderStore } from "../../ports/OrderStore.ts"
import { StrategyStore } from "../../ports/StrategyStore.ts"
import { Transactor } from "../../ports/Transactor.ts"
import { HaltFlag } from "../accounts/HaltFlag.ts"
import { CodeStrategies } from "../strategies/CodeStrategies.ts"
import { Events } from "../events/Events.ts"
import { ExposureGuard } from "./ExposureGuard.ts"
import { makeHinderedBots } from "./hinderedBots.ts"
import { Ids } from "../Ids.ts"
import { nowTimestamp } from "../events/announce.ts"

/** Gathers what bots need. */
export const makeBotPorts = Effect.gen(function* () {
  return {
    accounts: yield* AccountStore,
    alerts: yield* AlertStore,
    archive: yield* BotArchive,
    bots: yield* BotStore,
    botStates: yield* BotStateStore,
    broker: yield* Broker,
    code: (yield* CodeStrategies).byName,
    events: yield* Events,
    haltFlag: yield* HaltFlag,
    hindered: yield* makeHinderedBots,
    hindranceOfHost: yield* ExposureGuard,
    ids: yield* Ids,
    journal: yield* BotJournal,
    marketData: yield* MarketData,
    markets: yield* MarketStore,
    orders: yield* OrderStore,
    placement: yield* BotPlacement,
    strategies: yield* StrategyStore,
    transactor: yield* Transactor
  }
})

/** What bots need. */
export type BotPorts = Effect.Success<typeof makeBotPorts>

/** Writes a line into a bot's log. */
export const log = Effect.fnUntraced(function* (
  { journal }: Pick<BotPorts, "journal">,
  botId: string,
  level: LogEntry["level"],
  event: string,
  message: string,
  fields: Readonly<Record<string, Schema.Json>> = {}
) {
  const timestamp = yield* nowTimestamp
  yield* journal.append({ bot_id: botId, timestamp, level, event, message, data: fields })
})
