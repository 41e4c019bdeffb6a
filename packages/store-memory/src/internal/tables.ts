/**
 * The whole state of the memory store, as one value.
 *
 * @since 0.1.0
 */
import {
  type Account,
  type Alert,
  type ApiKey,
  type ArchivedBot,
  type Backtest,
  type Bot,
  type BotState,
  type CandleColumns,
  type CandleSeries,
  type Delivery,
  type DomainEvent,
  type EquityPoint,
  finishedRunStatuses,
  fromTimestamp,
  type KeptFact,
  type LogEntry,
  type MarketRevision,
  openAttemptStates,
  openOrderStatuses,
  type Optimization,
  type Order,
  type OrderAttempt,
  type OwedNotice,
  type PublishedEvent,
  type RememberedAnswer,
  type Replay,
  restingStates,
  type RunCheckpoint,
  type Strategy,
  type StrategyVersion,
  type SeriesStretch,
  type Trade,
  type TrialColumns,
  type VenueAccount,
  type WebhookEndpoint
} from "@candlewick/core"
import type { Schema } from "effect"
import { Collection, keyOf, sortable } from "./Collection.ts"
import { SortedMap } from "./SortedMap.ts"

/** An equity point and whose it is. @category models @since 0.1.0 */
export interface BotEquityPoint {
  readonly bot_id: string
  readonly point: EquityPoint
}

/** An idempotency key that was taken. @category models @since 0.1.0 */
export interface TakenKey {
  readonly scope: string
  readonly key: string
  readonly fingerprint: string
  readonly expiresAtMs: number
  readonly outcome: string | null
  readonly answer: RememberedAnswer | null
}

/** A notice that is owed, and when it may be taken. @category models @since 0.1.0 */
export interface TakeableNotice {
  readonly owed: OwedNotice
  readonly dueMs: number
}

/** The result of a run's step, and its owner. @category models @since 0.1.0 */
export interface KeptCheckpoint extends RunCheckpoint {
  readonly runId: string
}

/** A fact and the exchange account that it is of. @category models @since 0.1.0 */
export interface KeptFactOf extends KeptFact {
  readonly key: string
}

/**
 * An attempt with its place among the attempts of its exchange account.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlacedAttempt {
  readonly attempt: OrderAttempt
  readonly place: number
}

/** A series with its candles. @category models @since 0.1.0 */
export interface StoredSeries {
  readonly series: CandleSeries
  readonly columns: CandleColumns
}

/** A stretch that a run has judged. @category models @since 0.1.0 */
export interface RunJudgement extends SeriesStretch {
  readonly accountId: string
  readonly runId: string
  readonly earlierCount: number
}

/**
 * The group of the stretches of a series that an account's runs have judged.
 *
 * @category models
 * @since 0.1.0
 */
export const judgedGroup = (
  accountId: string,
  { symbol, timeframe }: Pick<SeriesStretch, "symbol" | "timeframe">
): string => keyOf("series", accountId, symbol, timeframe)

interface Owned {
  readonly id: string
  readonly account_id: string
}

const groupOfAccount = <A extends Owned>(record: A) =>
  [keyOf("account", record.account_id), record.id] as const

type Groups = ReadonlyArray<readonly [group: string, sort: string]>

const owned = <A extends Owned>(othersOf: (record: A) => Groups = () => []) =>
  Collection.empty<A>({
    id: ({ id }) => id,
    groups: (record) => [groupOfAccount(record), ...othersOf(record)]
  })

/**
 * The group of the runs that wait, of an account or of all.
 *
 * @category models
 * @since 0.1.0
 */
export const queuedGroup = (accountId?: string): string =>
  accountId === undefined ? "queued" : keyOf("queuedOf", accountId)

/** The group of an account's runs that are not over. @category models @since 0.1.0 */
export const unfinishedGroup = (accountId: string): string => keyOf("unfinishedOf", accountId)

const groupsOfUnfinished = ({ account_id: accountId, id }: Owned, isQueued: boolean): Groups => {
  const groups: Groups = [
    ["unfinished", id],
    [unfinishedGroup(accountId), id]
  ]
  return isQueued ? [...groups, [queuedGroup(), id], [queuedGroup(accountId), id]] : groups
}

const groupsOfRun = (run: Backtest | Optimization): Groups => {
  const ofAccount = groupOfAccount(run)
  if (!finishedRunStatuses.includes(run.status)) {
    return [ofAccount, ...groupsOfUnfinished(run, run.status === "queued")]
  }
  if (run.finished_at === null) return [ofAccount]
  return [ofAccount, ["finished", `${sortable(fromTimestamp(run.finished_at))} ${run.id}`]]
}

/**
 * When a delivery may be claimed, in epoch milliseconds, or none where it is finished.
 *
 * @category models
 * @since 0.1.0
 */
export const claimableAt = (delivery: Delivery): number | null => {
  switch (delivery.status) {
    case "pending":
    case "retrying":
      return delivery.due_at_ms
    case "sending":
      return delivery.leased_until_ms ?? delivery.due_at_ms
    default:
      return null
  }
}

const groupsOfDelivery = (delivery: Delivery): ReadonlyArray<readonly [string, string]> => {
  const { event_id, id, webhook_id } = delivery
  const ofEndpoint = [keyOf("endpoint", webhook_id), id] as const
  const ofEvent = [keyOf("event", webhook_id, event_id), id] as const
  const atMs = claimableAt(delivery)
  if (atMs === null) return [ofEndpoint, ofEvent]
  const sort = `${sortable(atMs)} ${id}`
  const waiting = [
    ofEndpoint,
    ofEvent,
    ["waiting", sort],
    [keyOf("waitingOf", webhook_id), sort],
    ...(delivery.test ? [[keyOf("samplesOf", webhook_id), sort] as const] : [])
  ] as const
  return delivery.status === "sending"
    ? [...waiting, [keyOf("sendingOf", webhook_id), sort]]
    : waiting
}

const groupsOfReplay = (replay: Replay): ReadonlyArray<readonly [string, string]> => {
  const { id, status, webhook_id } = replay
  const groups = [groupOfAccount(replay), [keyOf("endpoint", webhook_id), id]] as const
  return status === "running" ? [...groups, ["unfinished", id]] : groups
}

const groupsOfAlert = (alert: Alert): ReadonlyArray<readonly [string, string]> => {
  const groups = [groupOfAccount(alert)]
  if (!alert.is_enabled) return groups
  if (alert.bot_id !== null) {
    return [...groups, [keyOf("bot", alert.account_id, alert.bot_id), alert.id]]
  }
  return alert.kind === "price" && alert.symbol !== null
    ? [...groups, [keyOf("symbol", alert.symbol), alert.id]]
    : groups
}

const groupsOfOrder = (order: Order): ReadonlyArray<readonly [string, string]> => {
  const groups = [
    groupOfAccount(order),
    [keyOf("bot", order.bot_id), order.id],
    [keyOf("id", order.id), order.id]
  ] as const
  return openOrderStatuses.includes(order.status)
    ? [...groups, [keyOf("open", order.bot_id), order.id]]
    : groups
}

const groupsOfAttempt = ({ attempt, place }: PlacedAttempt): Groups => {
  const { account_key: key, bot_id: botId, client_order_id: orderId, number } = attempt
  const groups: Groups = [
    [keyOf("account", key), sortable(place)],
    [keyOf("order", botId, orderId), `${sortable(number)} ${keyOf(key, attempt.id)}`],
    [keyOf("bot", botId), keyOf(key, attempt.id)]
  ]
  return openAttemptStates.includes(attempt.state)
    ? [
        ...groups,
        [keyOf("open", key), sortable(place)],
        [keyOf("open"), keyOf(key, sortable(place))]
      ]
    : groups
}

const groupsOfFact = ({ fact, key, sequence }: KeptFactOf): Groups => {
  const ofAccount = [keyOf("account", key), sortable(sequence)] as const
  return fact.bot_id === null
    ? [ofAccount, [keyOf("outside", key), sortable(sequence)]]
    : [ofAccount, [keyOf("bot", fact.bot_id), `${sortable(sequence)} ${key}`]]
}

/** The key of a published event. @category models @since 0.1.0 */
export const publishedKey = ({ event, seq }: PublishedEvent): string =>
  keyOf(event.account_id, String(seq))

/** The state of a store without anything in it. @category tables @since 0.1.0 */
export const emptyTables = {
  accounts: Collection.empty<Account>({ id: ({ id }) => id, groups: () => [] }),
  keys: Collection.empty<ApiKey>({
    id: ({ id }) => id,
    groups: (key) => [groupOfAccount(key), [keyOf("lookup", key.lookup), key.id]]
  }),
  markets: SortedMap.empty<MarketRevision>(),
  series: SortedMap.empty<StoredSeries>(),
  /** The newest revision of each series that was removed. */
  removedSeries: SortedMap.empty<number>(),
  strategies: owned<Strategy>((strategy) =>
    strategy.status === "generating" ? groupsOfUnfinished(strategy, strategy.step === "queue") : []
  ),
  strategyVersions: Collection.empty<StrategyVersion>({
    id: (version) => keyOf(version.strategy_id, String(version.version)),
    groups: (version) => [
      [keyOf("strategy", version.account_id, version.strategy_id), sortable(version.version)]
    ]
  }),
  backtests: Collection.empty<Backtest>({ id: ({ id }) => id, groups: groupsOfRun }),
  optimizations: Collection.empty<Optimization>({ id: ({ id }) => id, groups: groupsOfRun }),
  trials: SortedMap.empty<TrialColumns>(),
  judgements: Collection.empty<RunJudgement>({
    id: ({ runId, symbol }) => keyOf(runId, symbol),
    groups: (judgement) => [[judgedGroup(judgement.accountId, judgement), judgement.runId]]
  }),
  bots: owned<Bot>(({ id, status }) =>
    restingStates.includes(status) ? [] : [["unfinished", id]]
  ),
  botStates: SortedMap.empty<BotState>(),
  archivedBots: owned<ArchivedBot>(({ archived_at: archivedAt, id }) => [
    ["archived", `${sortable(fromTimestamp(archivedAt))} ${id}`]
  ]),
  archivedStates: SortedMap.empty<BotState>(),
  paperAccounts: SortedMap.empty<Schema.Json>(),
  runCheckpoints: Collection.empty<KeptCheckpoint>({
    id: ({ runId, step }) => keyOf(runId, step),
    groups: ({ runId, step }) => [[keyOf("run", runId), step]]
  }),
  orders: Collection.empty<Order>({
    id: (order) => keyOf(order.bot_id, order.client_order_id),
    groups: groupsOfOrder
  }),
  trades: owned<Trade>((trade) => [[keyOf("bot", trade.bot_id), trade.id]]),
  logEntries: Collection.empty<LogEntry>({
    id: (entry) => keyOf(entry.bot_id, String(entry.seq)),
    groups: (entry) => [[keyOf("bot", entry.bot_id), sortable(entry.seq)]]
  }),
  equityPoints: Collection.empty<BotEquityPoint>({
    id: ({ bot_id, point }) => keyOf(bot_id, sortable(fromTimestamp(point.time))),
    groups: ({ bot_id, point }) => [[keyOf("bot", bot_id), sortable(fromTimestamp(point.time))]]
  }),
  venueAccounts: Collection.empty<VenueAccount>({ id: ({ key }) => key, groups: () => [] }),
  orderAttempts: Collection.empty<PlacedAttempt>({
    id: ({ attempt }) => keyOf(attempt.account_key, attempt.id),
    groups: groupsOfAttempt
  }),
  venueFacts: Collection.empty<KeptFactOf>({
    id: ({ fact, key }) => keyOf(key, fact.id),
    groups: groupsOfFact
  }),
  alerts: Collection.empty<Alert>({ id: ({ id }) => id, groups: groupsOfAlert }),
  endpoints: owned<WebhookEndpoint>(),
  deliveries: Collection.empty<Delivery>({ id: ({ id }) => id, groups: groupsOfDelivery }),
  replays: Collection.empty<Replay>({ id: ({ id }) => id, groups: groupsOfReplay }),
  notices: Collection.empty<TakeableNotice>({
    id: ({ owed }) => owed.attempt_id,
    groups: ({ dueMs, owed }) => [["owed", `${sortable(dueMs)} ${owed.attempt_id}`]]
  }),
  events: SortedMap.empty<DomainEvent>(),
  publishedEvents: Collection.empty<PublishedEvent>({
    id: publishedKey,
    groups: ({ event, seq }) => [[keyOf("account", event.account_id), sortable(seq)]]
  }),
  takenKeys: Collection.empty<TakenKey>({
    id: ({ key, scope }) => keyOf(scope, key),
    groups: ({ expiresAtMs, key, scope }) => [
      ["expiring", `${sortable(expiresAtMs)} ${keyOf(scope, key)}`]
    ]
  })
}

/** The whole state of a store. @category models @since 0.1.0 */
export type Tables = typeof emptyTables
