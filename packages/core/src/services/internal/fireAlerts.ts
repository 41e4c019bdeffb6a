/**
 * Looks at a bot's alerts after each candle and announces those that fire.
 *
 * @since 0.1.0
 */
import { Clock, Effect } from "effect"
import type { Alert } from "../../domain/Alert.ts"
import type { Bot } from "../../domain/Bot.ts"
import { toTimestamp } from "../../domain/Identifier.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { announce } from "./announce.ts"
import { type BotPorts, log } from "./botPorts.ts"
import type { BotSession } from "./botSession.ts"
import { decideAlert, describeAlert } from "./decideAlert.ts"

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
}

/** What a session shows to alerts. */
export const watchedValues = (bot: Bot, session: BotSession, isStale: boolean): WatchedValues => {
  const { gate, tallies, account } = session
  const equity = gate.lastEquity
  const pnls = tallies.closed.map((one) => one.pnl)
  const lastWin = pnls.findLastIndex((pnl) => pnl > 0)
  return {
    price: (symbol) => account.books[bot.symbols.indexOf(symbol)]?.lastClose ?? undefined,
    drawdown: gate.peakEquity > 0 ? (gate.peakEquity - equity) / gate.peakEquity : 0,
    daily_pnl: equity - gate.dayStartEquity,
    total_return: equity / bot.capital_allocation - 1,
    win_rate: pnls.length === 0 ? undefined : pnls.filter((pnl) => pnl > 0).length / pnls.length,
    losing_streak: pnls.length - 1 - lastWin,
    stale_data: isStale ? 1 : 0,
    error: bot.status === "error" ? 1 : 0
  }
}

const valueOf = (alert: Alert, values: WatchedValues): number | undefined =>
  alert.metric === "price"
    ? alert.symbol === null
      ? undefined
      : values.price(alert.symbol)
    : values[alert.metric]

/** Moves the alerts of a bot, and the price alerts of its markets, on by one candle. */
export const fireAlerts = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  values: WatchedValues
): Effect.fn.Return<void, StoreError> {
  const nowMs = yield* Clock.currentTimeMillis
  const ofBot = yield* ports.alerts.listOfBot(bot.account_id, bot.id)
  const ofMarkets = yield* Effect.forEach(bot.symbols, (symbol) =>
    ports.alerts.listOfSymbol(symbol)
  )
  const ownMarkets = ofMarkets.flat().filter((alert) => alert.account_id === bot.account_id)
  for (const alert of [...ofBot, ...ownMarkets]) {
    const value = valueOf(alert, values)
    if (value === undefined) continue
    const decided = decideAlert(alert, value, nowMs)
    const isSame =
      decided.alert.is_armed === alert.is_armed && decided.alert.last_value === alert.last_value
    if (isSame && !decided.fires) continue
    yield* ports.alerts.update({ ...decided.alert, updated_at: toTimestamp(nowMs) })
    if (!decided.fires) continue
    const shown = describeAlert(decided.alert, value)
    yield* announce(ports, bot.account_id, "alert.triggered", shown)
    yield* log(ports, bot.id, "warn", "alert.triggered", shown.message, { alert_id: alert.id })
  }
})
