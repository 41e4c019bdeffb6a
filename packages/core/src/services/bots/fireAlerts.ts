/**
 * Looks at a bot's alerts after each candle and announces those that fire.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Option } from "effect"
import type { Account } from "../../domain/Account.ts"
import type { Alert } from "../../domain/Alert.ts"
import type { Bot } from "../../domain/Bot.ts"
import type { Hindrance, HindranceKind } from "../../domain/Hindrance.ts"
import { fromTimestamp, toTimestamp } from "@candlewick/engine"
import type { StoreError } from "../../domain/StoreError.ts"
import { winRate } from "@candlewick/engine/kernel"
import { allPages } from "../allPages.ts"
import { announce, nowTimestamp } from "../events/announce.ts"
import { type BotPorts, log } from "./botPorts.ts"
import type { BotSession } from "./botSession.ts"
import { decideAlert, describeAlert } from "./decideAlert.ts"
import { toAlert } from "./toAlert.ts"
import { untilKept } from "../untilKept.ts"

/** The values that alerts may watch, by metric; a price by its symbol. */
export interface WatchedValues {
  readonly price: (symbol: string) => number | undefined
  readonly drawdown: number
  readonly daily_pnl: number
  readonly total_return: number
  readonly win_rate: number | undefined
  readonly losing_streak: number
  readonly stale_data: number
  readonly error: number
  readonly reconcile_mismatch: number
  readonly hindered: number
}

/** How many causes hinder a bot: a lot without its stop is one, though the bot may open others. */
const hinderedCount = ({ bare = [], hindrances = [] }: Pick<BotSession, "bare" | "hindrances">) =>
  hindrances.length + (bare.some(({ isTold }) => isTold) ? 1 : 0)

/** The part of a session that alerts see. */
export const watchedValues = (bot: Bot, session: BotSession, isStale: boolean): WatchedValues => {
  const { gate, tallies, account } = session
  const equity = gate.lastEquity
  const { pnls } = tallies.positions
  return {
    price: (symbol) => account.books[bot.symbols.indexOf(symbol)]?.lastClose ?? undefined,
    drawdown: gate.peakEquity > 0 ? (gate.peakEquity - equity) / gate.peakEquity : 0,
    daily_pnl: equity - gate.dayStartEquity,
    total_return: equity / bot.capital_allocation - 1,
    win_rate: pnls.count === 0 ? undefined : winRate(pnls),
    losing_streak: pnls.unwonCount,
    stale_data: isStale ? 1 : 0,
    error: bot.status === "error" ? 1 : 0,
    reconcile_mismatch: session.mismatch?.differences.length ?? 0,
    hindered: hinderedCount(session)
  }
}

const valueOf = ({ metric, symbol }: Alert, values: WatchedValues): number | undefined => {
  if (metric === "price") return symbol === null ? undefined : values.price(symbol)
  // It is the account's, and moves when that is halted or resumed.
  return metric === "kill_switch" ? undefined : values[metric]
}

/**
 * Whether a candle is older than the last one of an alert. Several bots may follow a market, each
 * at its own candle, and only the one that is ahead counts.
 */
const isBehind = ({ bot_id, last_candle_at }: Alert, time: number): boolean =>
  bot_id === null && last_candle_at !== null && time <= fromTimestamp(last_candle_at)

/** The event that moves an alert between candles. */
interface News {
  readonly message?: string | undefined
  /** Whether it is told of although an earlier event has fired the alert, and lasts. */
  readonly isUrgent?: boolean
}

const moveAlert = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot | null,
  known: Alert,
  value: number,
  time: number | null,
  { isUrgent = false, message }: News = {}
): Effect.fn.Return<void, StoreError> {
  let alert: Alert | null = known
  const moving = Effect.gen(function* () {
    const before = alert ?? Option.getOrNull(yield* ports.alerts.get(known.account_id, known.id))
    // A change by another bot or the alert's owner meanwhile is looked at anew.
    alert = null
    if (before === null || (time !== null && isBehind(before, time))) return
    const nowMs = yield* Clock.currentTimeMillis
    const isArmed = isUrgent || before.is_armed
    const decided = decideAlert({ ...before, is_armed: isArmed }, value, nowMs)
    const isSame =
      decided.alert.is_armed === before.is_armed && decided.alert.last_value === before.last_value
    if (isSame && !decided.fires && before.bot_id !== null) return
    const seen = time === null ? before.last_candle_at : toTimestamp(time)
    yield* ports.alerts.keepState({ ...decided.alert, last_candle_at: seen }, before)
    if (!decided.fires) return
    const shown = describeAlert(decided.alert, value, message)
    yield* announce(ports, before.account_id, "alert.triggered", shown)
    if (bot === null) return
    yield* log(ports, bot.id, "warn", "alert.triggered", shown.message, { alert_id: before.id })
  })
  yield* untilKept(moving)
})

/** Moves the alerts of a bot, and the price alerts of its markets, on by one candle. */
export const fireAlerts = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  values: WatchedValues,
  time: number
): Effect.fn.Return<void, StoreError> {
  const ofBot = yield* ports.alerts.listOfBots(bot.account_id, [bot.id])
  const ofMarkets = yield* Effect.forEach(bot.symbols, (symbol) =>
    ports.alerts.listOfSymbol(symbol)
  )
  const ownMarkets = ofMarkets.flat().filter((alert) => alert.account_id === bot.account_id)
  // In one order for all bots, so that no two of them wait for each other.
  const inOrder = [...ofBot, ...ownMarkets].toSorted((one, other) => (one.id < other.id ? -1 : 1))
  for (const alert of inOrder) {
    const value = valueOf(alert, values)
    if (value === undefined) continue
    yield* moveAlert(ports, bot, alert, value, time)
  }
})

/** Fires the alerts on errors of a bot that was just put in error. */
export const fireErrorAlerts = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot
): Effect.fn.Return<void, StoreError> {
  for (const alert of yield* ports.alerts.listOfBots(bot.account_id, [bot.id])) {
    if (alert.metric === "error") yield* moveAlert(ports, bot, alert, 1, null)
  }
})

/**
 * Moves the alerts on mismatches of a bot on to how many differences there are. A bot that never
 * had such an alert gets one with its first mismatch, without a request.
 */
export const fireMismatchAlerts = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  differenceCount: number,
  message: string
): Effect.fn.Return<void, StoreError> {
  const { account_id: accountId, id: botId } = bot
  const kept = yield* allPages((page) => ports.alerts.list(accountId, page))
  const own = kept.filter(
    ({ bot_id, metric }) => bot_id === botId && metric === "reconcile_mismatch"
  )
  if (own.length === 0 && differenceCount > 0) {
    const made = { id: yield* ports.ids.make("alert"), accountId, now: yield* nowTimestamp }
    const request = { metric: "reconcile_mismatch", op: "gt", threshold: 0 } as const
    own.push(yield* ports.alerts.insert(toAlert(request, bot, made)))
  }
  for (const alert of own) yield* moveAlert(ports, bot, alert, differenceCount, null, { message })
})

/** The hindrances that alerts of their own report. */
const toldOtherwise: ReadonlyArray<HindranceKind> = ["mismatch", "account_halted"]

/**
 * Moves the alerts on hindrances of a bot, some of which have just come or gone. The bot gets one
 * with the first hindrance that no alert of its own reports.
 */
export const fireHindranceAlerts = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: Pick<BotSession, "bare" | "hindrances" | "hasHindranceAlert">,
  came: ReadonlyArray<Hindrance>
): Effect.fn.Return<void, StoreError> {
  const { account_id: accountId, id: botId } = bot
  const kept = yield* ports.alerts.listOfBots(accountId, [botId])
  const own = kept.filter(({ metric }) => metric === "hindered")
  const isNews = came.some(({ kind }) => !toldOtherwise.includes(kind))
  if (own.length === 0 && isNews && session.hasHindranceAlert !== true) {
    const made = { id: yield* ports.ids.make("alert"), accountId, now: yield* nowTimestamp }
    const request = { metric: "hindered", op: "gt", threshold: 0 } as const
    own.push(yield* ports.alerts.insert(toAlert(request, bot, made)))
    session.hasHindranceAlert = true
  }
  const messages = came.map(({ message }) => message).join("; ")
  const isKept = came.some(({ kind }) => kind !== "unprotected")
  const line = isKept ? `kept from opening positions: ${messages}` : messages
  const message = came.length === 0 ? undefined : line
  const count = hinderedCount(session)
  const isUrgent = came.some(({ kind }) => kind === "unprotected")
  for (const alert of own) {
    yield* moveAlert(ports, bot, alert, count, null, { message, isUrgent })
  }
})

/**
 * Moves the alerts on the kill switch of an account that was just halted or resumed. An account
 * without such an alert gets one with its first halt.
 */
export const fireHaltAlerts = Effect.fnUntraced(function* (
  ports: BotPorts,
  { halted_reason: reason, id: accountId, is_halted: isHalted }: Account
): Effect.fn.Return<void, StoreError> {
  const kept = yield* allPages((page) => ports.alerts.list(accountId, page))
  const own = kept.filter(({ metric }) => metric === "kill_switch")
  if (own.length === 0 && isHalted) {
    const made = { id: yield* ports.ids.make("alert"), accountId, now: yield* nowTimestamp }
    const request = { metric: "kill_switch", op: "gt", threshold: 0 } as const
    own.push(yield* ports.alerts.insert(toAlert(request, null, made)))
  }
  const message = reason === null ? "the account is halted" : `the account is halted: ${reason}`
  for (const alert of own) {
    const news = isHalted ? { message } : {}
    yield* moveAlert(ports, null, alert, isHalted ? 1 : 0, null, news)
  }
})
