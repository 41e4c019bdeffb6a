/**
 * The reads of one transaction's steps, made at once, and their writes, to be made at once.
 *
 * The stores that steps use are given to bots behind a small layer. In a step of a group it answers
 * from the common read, and keeps writes until all bots of the group are done: states, equity,
 * orders, trades, lines of logs and events. Everywhere else it is not there. Any other write of a
 * step, such as that of an alert, goes to its store at once. It is noted, because only the whole
 * transaction can take it back.
 *
 * **Gotchas**
 *
 * A step must not ask for pages of orders or trades: they lack what its group has not written yet.
 *
 * @since 0.1.0
 */
import { Context, Effect, Option, type Schema } from "effect"
import type { Account } from "../../domain/Account.ts"
import type { Alert } from "../../domain/Alert.ts"
import type { Bot } from "../../domain/Bot.ts"
import type { DomainEvent } from "../../domain/DomainEvent.ts"
import type { Order } from "../../domain/Order.ts"
import { openOrderStatuses } from "../../domain/OrderMachine.ts"
import type { LogEntry } from "../../domain/LogEntry.ts"
import { StoreError } from "../../domain/StoreError.ts"
import type { AccountStore } from "../../ports/AccountStore.ts"
import type { AlertStore } from "../../ports/AlertStore.ts"
import type { BotJournal } from "../../ports/BotJournal.ts"
import type { BotStateStore } from "../../ports/BotStateStore.ts"
import type { BotStore } from "../../ports/BotStore.ts"
import type { PaperAccountStore } from "../../ports/PaperAccountStore.ts"
import type { OrderStore } from "../../ports/OrderStore.ts"
import type { OrderWrite, StepReads, StepWrite } from "../../ports/StepStore.ts"
import type { Events } from "../events/Events.ts"

/** The reads and the writes of a group. */
export class GroupWork {
  readonly bots = new Map<string, Bot>()
  readonly papers = new Map<string, Schema.Json>()
  /** The versions of states, those included that are still to be written. */
  readonly versions = new Map<string, number>()
  readonly accounts = new Map<string, Option.Option<Account>>()
  readonly alertsOfBots = new Map<string, ReadonlyArray<Alert>>()
  readonly alertsOfSymbols = new Map<string, ReadonlyArray<Alert>>()
  readonly writes = new Map<string, StepWrite>()
  /** The orders of each bot that are open, or that its step has written, by their client ids. */
  readonly orders = new Map<string, Map<string, OrderWrite>>()
  readonly events = new Map<string, Array<DomainEvent>>()
  /** The bot whose step is under way. */
  botId = ""
  /** Whether the step under way has made a write that must be kept. */
  hasWritten = false

  constructor({ accounts, alerts, bots }: StepReads) {
    for (const account of accounts) this.accounts.set(account.id, Option.some(account))
    for (const { bot, openOrders, paper, stateVersion } of bots) {
      this.bots.set(bot.id, bot)
      this.versions.set(bot.id, stateVersion)
      if (paper !== undefined) this.papers.set(bot.id, paper)
      this.alertsOfBots.set(bot.id, [])
      this.events.set(bot.id, [])
      const known = openOrders.map(
        (order) => [order.client_order_id, { order, versionBefore: order.version }] as const
      )
      this.orders.set(bot.id, new Map(known))
    }
    for (const [botId, ofBot] of Map.groupBy(alerts, ({ bot_id }) => bot_id)) {
      if (botId !== null) this.alertsOfBots.set(botId, ofBot)
    }
  }

  /** Keeps further writes of a bot. */
  write(more: StepWrite): void {
    this.writes.set(more.botId, { ...this.writes.get(more.botId), ...more })
  }

  /** Has the writes that follow be those of a bot's step. */
  begin(botId: string): void {
    this.botId = botId
    this.hasWritten = false
  }

  /** Leaves out the writes that a step of a bot was about to make. */
  leaveOut(botId: string): void {
    this.writes.delete(botId)
    this.orders.delete(botId)
    this.events.delete(botId)
  }

  /** The writes of all bots, each bot once. */
  allWrites(): ReadonlyArray<StepWrite> {
    const all = [...this.orders].map(([botId, known]): StepWrite => {
      const orders = [...known.values()].filter(
        ({ order, versionBefore }) => order.version !== versionBefore
      )
      return { botId, ...this.writes.get(botId), ...(orders.length > 0 && { orders }) }
    })
    return all.filter((write) => Object.keys(write).length > 1)
  }
}

/** The group whose step this fibre carries out; none outside of groups. */
export const CurrentGroup = Context.Reference<GroupWork | null>(
  "@candlewick/core/services/bots/CurrentGroup",
  { defaultValue: () => null }
)

/** The answer of the group, or of the store where the group has none or is not there. */
const orElse = <A, E>(
  answer: (group: GroupWork) => Effect.Effect<A, E> | undefined,
  store: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.flatMap(CurrentGroup, (group) => (group === null ? undefined : answer(group)) ?? store)

type Method = (...input: ReadonlyArray<never>) => Effect.Effect<unknown, unknown>

/** A port whose methods are noted as writes, but for those that are named. */
export const noting = <Port extends object>(
  port: Port,
  reads: ReadonlyArray<keyof Port>,
  onWrite: (group: GroupWork) => void = () => {}
): Port =>
  Object.fromEntries(
    Object.entries(port).map(([name, member]) => {
      if (typeof member !== "function" || reads.includes(name as keyof Port)) return [name, member]
      const noted: Method = (...input) =>
        Effect.flatMap(CurrentGroup, (group) => {
          if (group !== null) {
            group.hasWritten = true
            onWrite(group)
          }
          return (member as Method)(...input)
        })
      return [name, noted]
    })
  ) as Port

/** Bots, read for the whole group. */
export const groupedBots = (store: BotStore["Service"]): BotStore["Service"] => ({
  ...noting(store, ["get", "list", "count"]),
  update: (record) =>
    orElse((group) => {
      group.hasWritten = true
      group.bots.delete(record.id)
      return undefined
    }, store.update(record)),
  hold: (accountId, id) =>
    orElse(
      ({ bots }) => {
        const bot = bots.get(id)
        return bot?.account_id === accountId ? Effect.succeedSome(bot) : undefined
      },
      store.hold(accountId, id)
    )
})

const conflict = (botId: string, version: number) =>
  Effect.fail(StoreError.versionConflict("bot state", botId, version))

/** States, whose versions are read and whose contents are written for the whole group. */
export const groupedStates = (store: BotStateStore["Service"]): BotStateStore["Service"] => ({
  ...store,
  put: (state) =>
    orElse((group) => {
      const { bot_id: botId, version } = state
      const known = group.versions.get(botId)
      // The first one of all is written at once, and read from there from then on.
      if (known === undefined || known === 0) {
        group.versions.delete(botId)
        return undefined
      }
      if (known !== version) return conflict(botId, version)
      // Written twice in a step, it is kept once.
      const first = group.writes.get(botId)?.state?.version ?? version
      const kept = { ...state, version: first + 1 }
      group.versions.set(botId, kept.version)
      group.write({ botId, state: { ...state, version: first } })
      return Effect.succeed(kept)
    }, store.put(state)),
  hold: (botId, version) =>
    orElse(
      ({ versions }) => {
        const known = versions.get(botId)
        if (known === undefined) return undefined
        return known === version ? Effect.void : conflict(botId, version)
      },
      store.hold(botId, version)
    )
})

/** Paper accounts, read and written for the whole group. */
export const groupedPapers = (
  store: PaperAccountStore["Service"]
): PaperAccountStore["Service"] => ({
  get: (botId) =>
    orElse((group) => {
      const written = group.writes.get(botId)?.paper
      const kept = written === undefined ? group.papers.get(botId) : written
      return kept === undefined ? undefined : Effect.succeedSome(kept)
    }, store.get(botId)),
  put: (botId, paper) =>
    orElse(
      (group) => {
        if (!group.papers.has(botId)) return undefined
        group.write({ botId, paper })
        return Effect.void
      },
      store.put(botId, paper)
    ),
  remove: (botId) =>
    orElse((group) => {
      group.hasWritten = true
      group.papers.delete(botId)
      return undefined
    }, store.remove(botId))
})

/** A journal that numbers lines later than it takes them. */
type GroupedJournal = Omit<BotJournal["Service"], "append"> & {
  readonly append: (line: Omit<LogEntry, "seq">) => Effect.Effect<void, StoreError>
}

const journalReads = ["list", "listEquity", "pageEquity", "equityAt"] as const

/** The journal, whose lines and points are written for the whole group. */
export const groupedJournal = (store: BotJournal["Service"]): GroupedJournal => ({
  ...noting(store, journalReads),
  append: (line) =>
    orElse(
      (group) => {
        const { bot_id: botId } = line
        if (!group.versions.has(botId)) return undefined
        const lines = group.writes.get(botId)?.lines ?? []
        group.write({ botId, lines: [...lines, line] })
        return Effect.void
      },
      Effect.asVoid(store.append(line))
    ),
  appendEquity: (botId, equity) =>
    orElse(
      (group) => {
        if (!group.versions.has(botId)) return undefined
        group.write({ botId, equity })
        return Effect.void
      },
      store.appendEquity(botId, equity)
    ),
  thinEquity: (botId, range) =>
    orElse(
      (group) => {
        if (!group.versions.has(botId)) return undefined
        const { from = range.from } = group.writes.get(botId)?.thinned ?? {}
        group.write({ botId, thinned: { from, before: range.before } })
        return Effect.void
      },
      store.thinEquity(botId, range)
    )
})

const byId = ({ id: one }: Order, { id: other }: Order): number => (one < other ? -1 : 1)

/** Orders and trades, whose open orders are read and whose changes are written for the group. */
export const groupedOrders = (store: OrderStore["Service"]): OrderStore["Service"] => ({
  ...noting(store, ["get", "list", "listOpen", "listTrades"]),
  get: (botId, clientOrderId) =>
    orElse(
      ({ orders }) => {
        const known = orders.get(botId)?.get(clientOrderId)
        return known === undefined ? undefined : Effect.succeedSome(known.order)
      },
      store.get(botId, clientOrderId)
    ),
  insert: (order) =>
    orElse(({ orders }) => {
      const { bot_id: botId, client_order_id: clientId } = order
      const known = orders.get(botId)
      if (known === undefined) return undefined
      if (known.has(clientId)) return Effect.fail(StoreError.alreadyExists("order", clientId))
      const kept = { ...order, version: 1 }
      known.set(clientId, { order: kept, versionBefore: 0 })
      return Effect.succeed(kept)
    }, store.insert(order)),
  update: (order) =>
    orElse(({ orders }) => {
      const { bot_id: botId, client_order_id: clientId, version } = order
      const known = orders.get(botId)
      if (known === undefined) return undefined
      // An order that was over before is at the version that its store has shown the step.
      const { order: last, versionBefore } = known.get(clientId) ?? {
        order,
        versionBefore: version
      }
      if (last.version !== version) {
        return Effect.fail(StoreError.versionConflict("order", clientId, version))
      }
      const kept = { ...order, version: version + 1 }
      known.set(clientId, { order: kept, versionBefore })
      return Effect.succeed(kept)
    }, store.update(order)),
  listOpen: (botId) =>
    orElse(({ orders }) => {
      const known = orders.get(botId)
      if (known === undefined) return undefined
      const all = [...known.values()].map(({ order }) => order)
      const open = all.filter(({ status }) => openOrderStatuses.includes(status))
      return Effect.succeed(open.toSorted(byId))
    }, store.listOpen(botId)),
  appendTrade: (trade) =>
    orElse((group) => {
      const { bot_id: botId } = trade
      if (!group.orders.has(botId)) return undefined
      const trades = group.writes.get(botId)?.trades ?? []
      group.write({ botId, trades: [...trades, trade] })
      return Effect.void
    }, store.appendTrade(trade))
})

/** Events, written down for the whole group. */
export const groupedEvents = (events: Events["Service"]): Events["Service"] => ({
  ...noting(events, []),
  announce: (event) =>
    orElse((group) => {
      const announced = group.events.get(group.botId)
      if (announced === undefined) return undefined
      announced.push(event)
      return Effect.void
    }, events.announce(event))
})

/** A read of alerts is made anew once one of them has moved. */
const forgetAlerts = ({ alertsOfBots, alertsOfSymbols }: GroupWork): void => {
  alertsOfBots.clear()
  alertsOfSymbols.clear()
}

/** Alerts, read for the whole group. */
export const groupedAlerts = (store: AlertStore["Service"]): AlertStore["Service"] => ({
  ...noting(store, ["get", "list", "count"], forgetAlerts),
  keepState: (seen, before) =>
    orElse(
      (group) => {
        group.hasWritten = true
        if (seen.bot_id !== null) group.alertsOfBots.delete(seen.bot_id)
        if (seen.symbol !== null) group.alertsOfSymbols.delete(seen.symbol)
        return undefined
      },
      store.keepState(seen, before)
    ),
  listOfBots: (accountId, botIds) =>
    orElse(
      ({ alertsOfBots }) => {
        const [botId] = botIds
        const known = botIds.length === 1 ? alertsOfBots.get(botId!) : undefined
        return known === undefined ? undefined : Effect.succeed(known)
      },
      store.listOfBots(accountId, botIds)
    ),
  listOfSymbol: (symbol) =>
    Effect.flatMap(CurrentGroup, (group) => {
      const known = group?.alertsOfSymbols.get(symbol)
      if (known !== undefined) return Effect.succeed(known)
      return Effect.tap(store.listOfSymbol(symbol), (found) =>
        Effect.sync(() => group?.alertsOfSymbols.set(symbol, found))
      )
    })
})

/** Accounts, each read once for the whole group. */
export const groupedAccounts = (store: AccountStore["Service"]): AccountStore["Service"] => ({
  ...store,
  get: (accountId) =>
    Effect.flatMap(CurrentGroup, (group) => {
      const known = group?.accounts.get(accountId)
      if (known !== undefined) return Effect.succeed(known)
      return Effect.tap(store.get(accountId), (found) =>
        Effect.sync(() => group?.accounts.set(accountId, found))
      )
    })
})
