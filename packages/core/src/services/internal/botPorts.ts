/**
 * What the parts of a bot's runner need, gathered once.
 *
 * @since 0.1.0
 */
import { Clock, Effect } from "effect"
import { type DomainEvent, type EventName, makeEvent } from "../../domain/DomainEvent.ts"
import { toTimestamp } from "../../domain/Identifier.ts"
import type { LogEntry } from "../../domain/LogEntry.ts"
import type { Schema } from "effect"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AlertStore } from "../../ports/AlertStore.ts"
import { BotJournal } from "../../ports/BotJournal.ts"
import { BotStore } from "../../ports/BotStore.ts"
import { Broker } from "../../ports/Broker.ts"
import { MarketData } from "../../ports/MarketData.ts"
import { OrderStore } from "../../ports/OrderStore.ts"
import { StrategyStore } from "../../ports/StrategyStore.ts"
import { Transactor } from "../../ports/Transactor.ts"
import { Events } from "../Events.ts"
import { Ids } from "../Ids.ts"

/** Gathers what bots need. */
export const makeBotPorts = Effect.gen(function* () {
  return {
    accounts: yield* AccountStore,
    alerts: yield* AlertStore,
    bots: yield* BotStore,
    broker: yield* Broker,
    events: yield* Events,
    ids: yield* Ids,
    journal: yield* BotJournal,
    marketData: yield* MarketData,
    orders: yield* OrderStore,
    strategies: yield* StrategyStore,
    transactor: yield* Transactor
  }
})

/** What bots need. */
export type BotPorts = Effect.Success<typeof makeBotPorts>

/** The wall's time, as text. */
export const nowTimestamp = Effect.map(Clock.currentTimeMillis, toTimestamp)

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

/** Announces an event in the transaction under way. */
export const announce = Effect.fnUntraced(function* (
  { events, ids }: Pick<BotPorts, "events" | "ids">,
  accountId: string,
  event: EventName,
  fields: Readonly<Record<string, unknown>>
) {
  const made: DomainEvent = makeEvent(
    { id: yield* ids.make("event"), account_id: accountId, event, timestamp: yield* nowTimestamp },
    fields
  )
  yield* events.announce(made)
})
