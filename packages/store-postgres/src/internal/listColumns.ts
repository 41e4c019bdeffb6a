/**
 * The columns beside a record that lists are narrowed by.
 *
 * They are written by this program and not by SQL, which can't look into a record that has U+0000
 * in one of its texts.
 *
 * @since 0.1.0
 */
import {
  type Alert,
  type Bot,
  fromTimestamp,
  type Order,
  type Strategy,
  type Trade
} from "@candlewick/core"
import { columnText, symbolsText } from "./filters.ts"

type Runs = { readonly status: string; readonly strategy_id: string }

/** Of a bot, also a deleted one. @category models @since 0.1.0 */
export const botColumns = ({ mode, name, strategy_id, symbols }: Bot) => ({
  mode,
  strategy_id,
  name: columnText(name),
  symbols: symbolsText(symbols)
})

/** Of a strategy. @category models @since 0.1.0 */
export const strategyColumns = ({ name, origin, status, symbols, timeframe }: Strategy) => ({
  status,
  origin,
  timeframe,
  name: columnText(name),
  symbols: symbolsText(symbols)
})

/** Of a backtest or an optimization. @category models @since 0.1.0 */
export const runColumns = ({ status, strategy_id }: Runs) => ({ status, strategy_id })

/** Of an alert. @category models @since 0.1.0 */
export const alertColumns = ({ kind, metric, symbol }: Alert) => ({ kind, metric, symbol })

/** Of an order. @category models @since 0.1.0 */
export const orderColumns = ({ candle_time, leg, side, status, symbol }: Order) => ({
  symbol,
  side,
  leg,
  status,
  at_ms: fromTimestamp(candle_time)
})

/** Of a trade. @category models @since 0.1.0 */
export const tradeColumns = ({ executed_at, leg, side, symbol }: Trade) => ({
  symbol,
  side,
  leg,
  at_ms: fromTimestamp(executed_at)
})
