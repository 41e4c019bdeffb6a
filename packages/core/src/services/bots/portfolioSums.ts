/**
 * Sums over bots: worth, positions and earnings of each mode and currency.
 *
 * @since 0.1.0
 */
import { toTimestamp } from "@candlewick/engine"
import type { ArchivedBot, ArchivedResults } from "../../domain/ArchivedBot.ts"
import type { Bot, BotState } from "../../domain/Bot.ts"
import { restingStates } from "../../domain/BotMachine.ts"
import type { Hindrance } from "../../domain/Hindrance.ts"
import type { HeldBackBot, PortfolioPerformance, SymbolExposure } from "../../domain/Portfolio.ts"
import { underHalt } from "../accounts/killSwitch.ts"
import type { BotSnapshot } from "./botSession.ts"
import { endOfData } from "./hindrances.ts"

/** A bot with the part of its snapshot that is added up; none before its first candle. */
export interface BotStanding {
  readonly bot: Bot
  readonly cursor: number | null
  readonly snapshot:
    | (Pick<BotSnapshot, "account" | "gate" | "tallies"> &
        Partial<Pick<BotSnapshot, "adjusted" | "hindrances" | "isDataEnded" | "lastTickMs">>)
    | null
}

/** Bots of one mode and one currency. */
export interface StandingGroup extends Pick<PortfolioPerformance, "mode" | "currency"> {
  readonly standings: ReadonlyArray<BotStanding>
  readonly lastCandleMs: number | null
}

/** A snapshot is read as it is: copies of thousands would take longer than the sums. */
export const standingOf = (bot: Bot, state: BotState | undefined): BotStanding => ({
  bot,
  cursor: state?.cursor ?? null,
  snapshot: (state?.snapshot ?? null) as BotStanding["snapshot"]
})

const currencyOf = ({ symbols }: Pick<Bot, "symbols">): string => symbols[0]!.split("/")[1]!

/** The bots by mode and currency, paper after live. */
export const standingGroups = (
  standings: ReadonlyArray<BotStanding>
): ReadonlyArray<StandingGroup> => {
  const found = new Map<string, Array<BotStanding>>()
  for (const standing of standings) {
    const { bot } = standing
    const key = nameOfGroup({ mode: bot.mode, currency: currencyOf(bot) })
    const others = found.get(key)
    if (others === undefined) found.set(key, [standing])
    else others.push(standing)
  }
  return [...found.entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, members]) => {
      const { bot } = members[0]!
      let lastCandleMs: number | null = null
      for (const { cursor } of members) {
        if (cursor !== null && (lastCandleMs === null || cursor > lastCandleMs)) {
          lastCandleMs = cursor
        }
      }
      return { mode: bot.mode, currency: currencyOf(bot), standings: members, lastCandleMs }
    })
}

const sumOf = (
  { standings }: StandingGroup,
  valueOf: (snapshot: NonNullable<BotStanding["snapshot"]>, bot: Bot) => number,
  otherwise: (bot: Bot) => number = () => 0
): number => {
  let sum = 0
  for (const { bot, snapshot } of standings) {
    sum += snapshot === null ? otherwise(bot) : valueOf(snapshot, bot)
  }
  return sum
}

const capitalOf = (bot: Bot): number => bot.capital_allocation

const equityOfGroup = (group: StandingGroup): number =>
  sumOf(group, ({ gate }) => gate.lastEquity, capitalOf)

/** Positions that were closed, as far as a state of an earlier version has added them up. */
const closedOf = ({ tallies }: NonNullable<BotStanding["snapshot"]>) =>
  (tallies as Partial<typeof tallies>).positions?.pnls ?? { count: 0, winCount: 0 }

const noResults: ArchivedResults = {
  realized_pnl: 0,
  fees_paid: 0,
  trade_count: 0,
  trading_volume: 0,
  positions_closed: 0,
  wins: 0
}

/** The results in the last state of a bot; those of a bot without one are nothing. */
export const resultsOf = (snapshot: BotStanding["snapshot"]): ArchivedResults => {
  if (snapshot === null) return noResults
  const { ledger } = snapshot.account
  const { count, winCount } = closedOf(snapshot)
  return {
    realized_pnl: ledger.realizedPnl,
    fees_paid: ledger.feesPaid,
    trade_count: snapshot.tallies.tradeCount,
    trading_volume: snapshot.tallies.tradingVolume,
    positions_closed: count,
    wins: winCount
  }
}

/** A deleted bot with its results. */
export interface DeletedBot extends Pick<ArchivedBot, "id" | "mode" | "symbols"> {
  readonly results: ArchivedResults
}

const nameOfGroup = ({ currency, mode }: Pick<StandingGroup, "mode" | "currency">): string =>
  `${mode} ${currency}`

/** The worth of the bots that are there, and the results of these and of the deleted ones. */
export const performancesOf = (
  standings: ReadonlyArray<BotStanding>,
  deleted: ReadonlyArray<DeletedBot>
): ReadonlyArray<PortfolioPerformance> => {
  const groups = new Map(standingGroups(standings).map((group) => [nameOfGroup(group), group]))
  // A bot that is deleted between two reads is there and deleted.
  const known = new Set(standings.map(({ bot }) => bot.id))
  const gone = new Map<string, Array<ArchivedResults>>()
  for (const bot of deleted) {
    if (known.has(bot.id)) continue
    const { mode } = bot
    const currency = currencyOf(bot)
    const name = nameOfGroup({ mode, currency })
    const others = gone.get(name)
    if (others === undefined) gone.set(name, [bot.results])
    else others.push(bot.results)
    if (!groups.has(name)) groups.set(name, { mode, currency, standings: [], lastCandleMs: null })
  }
  return [...groups.entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, group]) => performanceOfGroup(group, gone.get(name) ?? []))
}

const performanceOfGroup = (
  group: StandingGroup,
  gone: ReadonlyArray<ArchivedResults>
): PortfolioPerformance => {
  const goneOf = (name: keyof ArchivedResults): number =>
    gone.reduce((sum, results) => sum + results[name], 0)
  const capital = sumOf(group, (_, bot) => bot.capital_allocation, capitalOf)
  const equity = equityOfGroup(group)
  const realized = sumOf(group, ({ account }) => account.ledger.realizedPnl)
  const adjusted = sumOf(group, (snapshot) => snapshot.adjusted ?? 0)
  const goneRealized = goneOf("realized_pnl")
  const closed = sumOf(group, (snapshot) => closedOf(snapshot).count) + goneOf("positions_closed")
  const wins = sumOf(group, (snapshot) => closedOf(snapshot).winCount) + goneOf("wins")
  const isFlat = group.standings.every(
    ({ snapshot }) => snapshot?.account.books.every(({ position }) => position === null) ?? true
  )
  return {
    mode: group.mode,
    currency: group.currency,
    bot_count: group.standings.length,
    deleted_bot_count: gone.length,
    capital_allocation: capital,
    equity,
    cash: sumOf(group, ({ account }) => account.ledger.cash, capitalOf),
    realized_pnl: realized + goneRealized,
    deleted_realized_pnl: goneRealized,
    // Sums of rounded results seldom add up to nothing to the bit.
    unrealized_pnl: isFlat ? 0 : equity - capital - realized - adjusted,
    adjusted,
    fees_paid: sumOf(group, ({ account }) => account.ledger.feesPaid) + goneOf("fees_paid"),
    total_return: group.standings.length === 0 ? 0 : equity / capital - 1,
    trade_count: sumOf(group, ({ tallies }) => tallies.tradeCount) + goneOf("trade_count"),
    trading_volume: sumOf(group, ({ tallies }) => tallies.tradingVolume) + goneOf("trading_volume"),
    positions_closed: closed,
    wins,
    losses: closed - wins,
    last_candle_at: group.lastCandleMs === null ? null : toTimestamp(group.lastCandleMs)
  }
}

/** The positions of a group in each market, by symbol; markets without a position are left out. */
export const standingExposure = (group: StandingGroup): ReadonlyArray<SymbolExposure> => {
  const held = new Map<string, { long: number; short: number; bots: number }>()
  for (const { bot, snapshot } of group.standings) {
    snapshot?.account.books.forEach(({ lastClose, position }, market) => {
      if (position === null) return
      const symbol = bot.symbols[market]!
      const sums = held.get(symbol) ?? { long: 0, short: 0, bots: 0 }
      const value = position.quantity * (lastClose ?? position.entryPrice)
      if (value > 0) sums.long += value
      else sums.short -= value
      sums.bots++
      held.set(symbol, sums)
    })
  }
  const equity = equityOfGroup(group)
  return [...held.entries()]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([symbol, { bots, long, short }]) => ({
      mode: group.mode,
      currency: group.currency,
      symbol,
      bot_count: bots,
      long_value: long,
      short_value: short,
      net_value: long - short,
      gross_value: long + short,
      share_of_equity: equity > 0 ? (long + short) / equity : null
    }))
}

/** How many bots there are of each status, by mode. */
export const countStatuses = (standings: ReadonlyArray<BotStanding>) => {
  const counts: Record<Bot["mode"], Record<string, number>> = { paper: {}, live: {} }
  for (const { bot } of standings) {
    const ofMode = counts[bot.mode]
    ofMode[bot.status] = (ofMode[bot.status] ?? 0) + 1
  }
  return counts
}

/** The hindrances of a bot at work. A state of an earlier version may lack the fields. */
const hindrancesOf = (snapshot: BotStanding["snapshot"], now: string): ReadonlyArray<Hindrance> => {
  const { hindrances = [], isDataEnded = false, lastTickMs = null } = snapshot ?? {}
  return [...hindrances, ...endOfData({ isDataEnded, lastTickMs }, now)]
}

/** Whether nothing but the end of its recording holds a bot back. */
const onlyWaits = ({ error, hindrances, trading_state: gate }: HeldBackBot): boolean =>
  error === null && gate === "active" && hindrances.every(({ kind }) => kind === "data_ended")

/**
 * The bots that are in error, and those at work that something halts or hinders. Bots that only
 * wait for candles come last: there may be many of them, and a list that is cut keeps the others.
 */
export const heldBack = (
  standings: ReadonlyArray<BotStanding>,
  isHalted: boolean,
  now: string
): ReadonlyArray<HeldBackBot> => {
  const held = standings.flatMap(({ bot: kept, snapshot }): ReadonlyArray<HeldBackBot> => {
    const isAtWork = !restingStates.includes(kept.status)
    const bot = underHalt(kept, isHalted)
    const hindrances = isAtWork ? hindrancesOf(snapshot, now) : []
    const isHeld = isAtWork && (bot.trading_state !== "active" || hindrances.length > 0)
    if (!isHeld && bot.error === null) return []
    const { error, id, mode, name, status, trading_state, trading_state_reason } = bot
    return [{ id, name, mode, status, trading_state, trading_state_reason, error, hindrances }]
  })
  return held.toSorted((one, other) => Number(onlyWaits(one)) - Number(onlyWaits(other)))
}
