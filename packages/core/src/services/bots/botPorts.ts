/**
 * The services that the parts of a bot's runner need, gathered once.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { SeriesTracks } from "@candlewick/engine"
import type { Bot } from "../../domain/Bot.ts"
import type { LogEntry } from "../../domain/LogEntry.ts"
import type { Schema } from "effect"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AlertStore } from "../../ports/AlertStore.ts"
import { BotArchive } from "../../ports/BotArchive.ts"
import { BotJournal } from "../../ports/BotJournal.ts"
import { BotPlacement } from "../../ports/BotPlacement.ts"
import { BotStateStore } from "../../ports/BotStateStore.ts"
import { BotStore } from "../../ports/BotStore.ts"
import type { BotBooks } from "./BotBooks.ts"
import { PaperBooks } from "./PaperBooks.ts"
import { MarketData } from "../../ports/MarketData.ts"
import { MarketStore } from "../../ports/MarketStore.ts"
import { OrderStore } from "../../ports/OrderStore.ts"
import { StepStore } from "../../ports/StepStore.ts"
import { StrategyStore } from "../../ports/StrategyStore.ts"
import { StrategyVersionStore } from "../../ports/StrategyVersionStore.ts"
import { PaperAccountStore } from "../../ports/PaperAccountStore.ts"
import { Transactor } from "../../ports/Transactor.ts"
import { Venues } from "../../ports/Venue.ts"
import { VenueAccountStore } from "../../ports/VenueAccountStore.ts"
import type { HostedAgents } from "../venues/bots/HostedAgents.ts"
import { makeVenueBooks } from "../venues/books/VenueBooks.ts"
import { BotsPerAccount } from "../accounts/BotsPerAccount.ts"
import { HaltFlag } from "../accounts/HaltFlag.ts"
import { shareFeeds } from "../candles/sharedFeeds.ts"
import { CodeStrategies } from "../strategies/CodeStrategies.ts"
import { Events } from "../events/Events.ts"
import { ExposureGuard } from "./ExposureGuard.ts"
import { makeHinderedBots } from "./hinderedBots.ts"
import { Ids } from "../Ids.ts"
import {
  groupedAccounts,
  groupedAlerts,
  groupedBots,
  groupedEvents,
  groupedJournal,
  groupedOrders,
  groupedStates
} from "./groupWork.ts"
import { makeOpenings } from "./openings.ts"
import { makeStepGroups } from "./stepTogether.ts"
import { nowTimestamp } from "../events/announce.ts"

const noAgents = (): HostedAgents => ({ current: null, terms: new Map() })

/** Gathers the ports of bots. */
export const makeBotPorts = Effect.gen(function* () {
  const [steps, transactor] = [yield* StepStore, yield* Transactor]
  const [events, venueAccounts] = [yield* Events, yield* VenueAccountStore]
  return {
    accounts: groupedAccounts(yield* AccountStore),
    alerts: groupedAlerts(yield* AlertStore),
    archive: yield* BotArchive,
    bots: groupedBots(yield* BotStore),
    botsMax: yield* BotsPerAccount,
    botStates: groupedStates(yield* BotStateStore),
    accountAgents: noAgents(),
    paperBooks: yield* PaperBooks,
    code: (yield* CodeStrategies).byName,
    events: groupedEvents(events),
    haltFlag: yield* HaltFlag,
    hindered: yield* makeHinderedBots,
    hindranceOfHost: yield* ExposureGuard,
    ids: yield* Ids,
    journal: groupedJournal(yield* BotJournal),
    marketData: yield* shareFeeds(yield* MarketData),
    markets: yield* MarketStore,
    openings: makeOpenings(steps),
    orders: groupedOrders(yield* OrderStore),
    placement: yield* BotPlacement,
    seriesTracks: new SeriesTracks(),
    strategies: yield* StrategyStore,
    stepGroups: yield* makeStepGroups({ steps, events, transactor }),
    transactor,
    venueAccounts,
    venueBooks: makeVenueBooks(yield* PaperAccountStore, venueAccounts),
    venues: yield* Venues,
    versions: yield* StrategyVersionStore
  }
})

/** The services of bots. */
export type BotPorts = Effect.Success<typeof makeBotPorts>

/** The books of a bot: on paper its orders fill in them, and at a venue they follow its facts. */
export const booksOf = (
  { paperBooks, venueBooks }: Pick<BotPorts, "paperBooks" | "venueBooks">,
  { mode }: Pick<Bot, "mode">
): Pick<BotBooks, "account" | "close" | "find" | "settle"> =>
  mode === "live" ? venueBooks : paperBooks

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
