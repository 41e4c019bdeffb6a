/**
 * The bots of an account together: fills, orders, equity, exposure, results, and an overview.
 *
 * A dashboard asks here for sums over all bots. Paper bots and live bots are never summed together,
 * nor are bots of two quote currencies. This service only reads.
 *
 * **Example** (The overview of a new account)
 *
 * ```ts
 * import { Candlewick } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 *
 * const candlewick = await Candlewick.open({ store: MemoryStore.layer })
 * const { bots, held_back_count, is_halted } = await candlewick.portfolio.overview()
 * console.log(bots.live, held_back_count, is_halted)
 * await candlewick.close()
 * ```
 *
 * ```text output
 * {} 0 false
 * ```
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer, Option } from "effect"
import type { Account } from "../../domain/Account.ts"
import type { Alert } from "../../domain/Alert.ts"
import type { ArchivedBot } from "../../domain/ArchivedBot.ts"
import { Limits } from "../../domain/Limits.ts"
import type { portfolioOperations } from "../../domain/operations/portfolioOperations.ts"
import type { FiredAlert, PortfolioDay } from "../../domain/Portfolio.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AlertStore } from "../../ports/AlertStore.ts"
import { BotArchive } from "../../ports/BotArchive.ts"
import { BotJournal } from "../../ports/BotJournal.ts"
import { BotStateStore } from "../../ports/BotStateStore.ts"
import { BotStore } from "../../ports/BotStore.ts"
import { OrderStore } from "../../ports/OrderStore.ts"
import { Venues } from "../../ports/Venue.ts"
import { VenueAccountStore } from "../../ports/VenueAccountStore.ts"
import { exchangeHoldings } from "../venues/bots/exchangeHoldings.ts"
import { dayMs, dayOf } from "@candlewick/engine/kernel"
import { toTimestamp } from "@candlewick/engine"
import { nowTimestamp } from "../events/announce.ts"
import { allPages } from "../allPages.ts"
import type { MethodsOf } from "../methodsOf.ts"
import { refuseStateless } from "./keptState.ts"
import {
  type BotStanding,
  countStatuses,
  standingExposure,
  standingGroups,
  heldBack,
  type DeletedBot,
  performancesOf,
  resultsOf,
  type StandingGroup,
  standingOf
} from "./portfolioSums.ts"

type Methods = MethodsOf<typeof portfolioOperations>

interface Ports {
  readonly accounts: AccountStore["Service"]
  readonly alerts: AlertStore["Service"]
  readonly archive: BotArchive["Service"]
  readonly bots: BotStore["Service"]
  readonly botStates: BotStateStore["Service"]
  readonly journal: BotJournal["Service"]
}

/**
 * An account's bots together.
 *
 * @category services
 * @since 0.1.0
 */
export class Portfolio extends Context.Service<Portfolio, Methods>()(
  "@candlewick/core/services/Portfolio"
) {
  /** An account's bots together, over the stores. */
  static readonly layer = Layer.effect(
    Portfolio,
    Effect.gen(function* () {
      const ports: Ports = {
        accounts: yield* AccountStore,
        alerts: yield* AlertStore,
        archive: yield* BotArchive,
        bots: yield* BotStore,
        botStates: yield* BotStateStore,
        journal: yield* BotJournal
      }
      const orders = yield* OrderStore
      const venuePorts = { venueAccounts: yield* VenueAccountStore, venues: yield* Venues }
      const groups = (accountId: string) =>
        Effect.map(readStandings(ports, accountId), standingGroups)
      return Portfolio.of({
        trades: (accountId, page) => orders.listTrades(accountId, page.bot_id ?? null, page),
        orders: (accountId, page) => orders.list(accountId, page.bot_id ?? null, page),
        equity: (accountId, days = Limits.portfolioDaysDefaultCount) =>
          Effect.flatMap(groups(accountId), (found) => daysOf(ports, found, days)),
        exposure: (accountId) =>
          Effect.map(groups(accountId), (found) => found.flatMap(standingExposure)),
        performance: (accountId) =>
          Effect.flatMap(readStandings(ports, accountId), (standings) =>
            Effect.map(readDeleted(ports, accountId), (deleted) =>
              performancesOf(standings, deleted)
            )
          ),
        holdings: (accountId, exchange) => exchangeHoldings(venuePorts, { accountId, exchange }),
        overview: (accountId) => overviewOf(ports, accountId)
      })
    })
  )
}

const botsAtOnce = 1_000

/** Every bot of an account with how it stands: two reads for each thousand bots. */
const readStandings = Effect.fnUntraced(function* (
  ports: Ports,
  accountId: string
): Effect.fn.Return<ReadonlyArray<BotStanding>, StoreError> {
  const { bots, botStates } = ports
  const standings: Array<BotStanding> = []
  let before: string | undefined
  do {
    const { items, next } = yield* bots.list(accountId, { limit: botsAtOnce, before })
    const states = yield* botStates.getMany(items.map(({ id }) => id))
    const byBot = new Map(states.map((state) => [state.bot_id, state]))
    for (const bot of items) {
      const state = byBot.get(bot.id)
      if (state === undefined) yield* refuseStateless(ports, bot)
      else standings.push(standingOf(bot, state))
    }
    before = next ?? undefined
    // So that a large account does not hold up the requests of others.
    yield* Effect.yieldNow
  } while (before !== undefined)
  return standings
})

/** Every deleted bot of an account that is kept, with its results. */
const readDeleted = Effect.fnUntraced(function* (
  { archive }: Ports,
  accountId: string
): Effect.fn.Return<ReadonlyArray<DeletedBot>, StoreError> {
  const deleted: Array<DeletedBot> = []
  let before: string | undefined
  do {
    const { items, next } = yield* archive.list(accountId, { limit: botsAtOnce, before })
    for (const bot of items) {
      const { id, mode, symbols } = bot
      const results = bot.results ?? (yield* lastResults(archive, bot))
      deleted.push({ id, mode, symbols, results })
    }
    before = next ?? undefined
    yield* Effect.yieldNow
  } while (before !== undefined)
  return deleted
})

/** The results of a bot that an earlier version has archived without them. */
const lastResults = (archive: BotArchive["Service"], bot: ArchivedBot) =>
  Effect.map(archive.getState(bot.id), (state) =>
    resultsOf(standingOf(bot, Option.getOrUndefined(state)).snapshot)
  )

/** The last instant of a day. */
const endOf = (day: number): number => (day + 1) * dayMs - 1

const daysOfGroup = Effect.fnUntraced(function* (
  { journal }: Ports,
  { currency, mode, standings, lastCandleMs }: StandingGroup,
  count: number
): Effect.fn.Return<ReadonlyArray<PortfolioDay>, StoreError> {
  if (lastCandleMs === null) return []
  const newest = dayOf(lastCandleMs)
  const days = Array.from({ length: count + 1 }, (_, index) => newest - index)
  const totals = yield* journal.equityTotals(
    standings.map(({ bot }) => ({ botId: bot.id, otherwise: bot.capital_allocation })),
    days.map(endOf)
  )
  return days.slice(0, count).map((day, index) => ({
    mode,
    currency,
    day: toTimestamp(day * dayMs).slice(0, 10),
    equity: totals[index]!,
    pnl: totals[index]! - totals[index + 1]!
  }))
})

const daysOf = (ports: Ports, groups: ReadonlyArray<StandingGroup>, count: number) =>
  Effect.map(
    Effect.forEach(groups, (group) => daysOfGroup(ports, group, count)),
    (days) => days.flat()
  )

const toFired = (alert: Alert): ReadonlyArray<FiredAlert> => {
  const { bot_id, fired_count, id, last_fired_at, last_value, metric, op, symbol, threshold } =
    alert
  if (last_fired_at === null) return []
  return [{ id, bot_id, metric, op, threshold, symbol, last_value, fired_count, last_fired_at }]
}

const firedLast = (alerts: ReadonlyArray<Alert>): ReadonlyArray<FiredAlert> =>
  alerts
    .flatMap(toFired)
    .toSorted((one, other) => (one.last_fired_at < other.last_fired_at ? 1 : -1))
    .slice(0, Limits.overviewItemsMaxCount)

const overviewOf = Effect.fnUntraced(function* (ports: Ports, accountId: string) {
  const account: Account | null = Option.getOrNull(yield* ports.accounts.get(accountId))
  const isHalted = account?.is_halted ?? false
  const standings = yield* readStandings(ports, accountId)
  const groups = standingGroups(standings)
  const held = heldBack(standings, isHalted, yield* nowTimestamp)
  return {
    is_halted: isHalted,
    halted_reason: account?.halted_reason ?? null,
    bots: countStatuses(standings),
    performance: performancesOf(standings, yield* readDeleted(ports, accountId)),
    days: yield* daysOf(ports, groups, Limits.overviewDaysCount),
    exposure: groups.flatMap(standingExposure),
    alerts_fired: firedLast(yield* allPages((page) => ports.alerts.list(accountId, page))),
    held_back: held.slice(0, Limits.overviewItemsMaxCount),
    held_back_count: held.length
  }
})
