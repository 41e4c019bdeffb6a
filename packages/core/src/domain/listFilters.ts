/**
 * The filters of lists, field by field, and the test of a record against them.
 *
 * A field of the filter asks for the record's field of the same name, with four exceptions.
 * `symbol` may be one of several, and `name` is a part of a name. `from` and `to` bound the time of
 * a record, with `to` left out. The tables give the operations their arguments and the API its
 * query parameters.
 *
 * @since 0.1.0
 */
import { fromTimestamp, MarketSymbol, Timestamp } from "@candlewick/engine"
import { Schema } from "effect"
import { ApiKeyView } from "./Account.ts"
import { Alert } from "./Alert.ts"
import { Backtest } from "./Backtest.ts"
import { Bot, BotMode } from "./Bot.ts"
import { boundedText } from "./boundedText.ts"
import { BotId, StrategyId } from "./Identifier.ts"
import { MarketSource } from "./Market.ts"
import { Order, OrderLeg, Side } from "./Order.ts"
import type { PageRequest } from "./Page.ts"
import { Replay } from "./Replay.ts"
import { Strategy } from "./Strategy.ts"
import { StrategyLineage } from "./StrategyVersion.ts"

const namePart = boundedText(1, 100)
const range = { from: Timestamp, to: Timestamp }

/** The filter of a list of bots. @category tables @since 0.1.0 */
export const botFilter = {
  status: Bot.fields.status,
  desired_status: Bot.fields.desired_status,
  mode: BotMode,
  strategy_id: StrategyId,
  symbol: MarketSymbol,
  name: namePart
}

/** The filter of a list of deleted bots. @category tables @since 0.1.0 */
export const archivedBotFilter = {
  mode: BotMode,
  strategy_id: StrategyId,
  symbol: MarketSymbol,
  name: namePart
}

/** The filter of a list of strategies. @category tables @since 0.1.0 */
export const strategyFilter = {
  status: Strategy.fields.status,
  origin: Strategy.fields.origin,
  timeframe: Strategy.fields.timeframe,
  symbol: MarketSymbol,
  name: namePart
}

/** The filter of a list of backtests or optimizations. @category tables @since 0.1.0 */
export const runFilter = { status: Backtest.fields.status, strategy_id: StrategyId }

/** The filter of a list of fills. @category tables @since 0.1.0 */
export const tradeFilter = { ...range, symbol: MarketSymbol, side: Side, leg: OrderLeg }

/** The filter of a list of orders. @category tables @since 0.1.0 */
export const orderFilter = { ...tradeFilter, status: Order.fields.status }

/** The filter of a list of all bots by their mode. @category tables @since 0.1.0 */
export const modeFilter = { mode: BotMode }

/** The filter of a list of equity. @category tables @since 0.1.0 */
export const equityFilter = range

/** The filter of a list of alerts. @category tables @since 0.1.0 */
export const alertFilter = {
  bot_id: BotId,
  kind: Alert.fields.kind,
  metric: Alert.fields.metric,
  symbol: MarketSymbol,
  is_enabled: Schema.Boolean
}

/** The filter of a list of a strategy's versions. @category tables @since 0.1.0 */
export const versionFilter = { origin: StrategyLineage.fields.origin, ...range }

/** The filter of a list of a market's revisions. @category tables @since 0.1.0 */
export const revisionFilter = { source: MarketSource, ...range }

/** The filter of a list of API keys. @category tables @since 0.1.0 */
export const keyFilter = {
  name: namePart,
  environment: ApiKeyView.fields.environment,
  is_revoked: Schema.Boolean
}

/** The filter of a list of replays. @category tables @since 0.1.0 */
export const replayFilter = { status: Replay.fields.status }

type Fields = Readonly<Record<string, Schema.Top>>

/** The values of a filter, each of which may be left out. @category models @since 0.1.0 */
export type FilterOf<F extends Fields> = {
  readonly [Name in keyof F]?: F[Name]["Type"] | undefined
}

/** A page of the records that a filter leaves. @category models @since 0.1.0 */
export type FilteredPage<F extends Fields> = PageRequest & FilterOf<F>

/** Which bots. @category models @since 0.1.0 */
export type BotPageRequest = FilteredPage<typeof botFilter>

/** Which deleted bots. @category models @since 0.1.0 */
export type ArchivedBotPageRequest = FilteredPage<typeof archivedBotFilter>

/** Which strategies. @category models @since 0.1.0 */
export type StrategyPageRequest = FilteredPage<typeof strategyFilter>

/** Which backtests or optimizations. @category models @since 0.1.0 */
export type RunPageRequest = FilteredPage<typeof runFilter>

/** Which fills. @category models @since 0.1.0 */
export type TradePageRequest = FilteredPage<typeof tradeFilter>

/** Which orders. @category models @since 0.1.0 */
export type OrderPageRequest = FilteredPage<typeof orderFilter>

/** Which fills of all bots. @category models @since 0.1.0 */
export type AccountTradePageRequest = TradePageRequest & FilterOf<typeof modeFilter>

/** Which orders of all bots. @category models @since 0.1.0 */
export type AccountOrderPageRequest = OrderPageRequest & FilterOf<typeof modeFilter>

/** Which equity points. @category models @since 0.1.0 */
export type EquityPageRequest = FilteredPage<typeof equityFilter>

/** Which alerts. @category models @since 0.1.0 */
export type AlertPageRequest = FilteredPage<typeof alertFilter>

/** Which versions of a strategy. @category models @since 0.1.0 */
export type VersionPageRequest = FilteredPage<typeof versionFilter>

/** Which revisions of a market. @category models @since 0.1.0 */
export type RevisionPageRequest = FilteredPage<typeof revisionFilter>

/** Which API keys. @category models @since 0.1.0 */
export type KeyPageRequest = FilteredPage<typeof keyFilter>

/** Which replays. @category models @since 0.1.0 */
export type ReplayPageRequest = FilteredPage<typeof replayFilter>

/** The values of a filter that ask for something. @category conversions @since 0.1.0 */
export const askedOf = ({
  before: _before,
  limit: _limit,
  ...filter
}: PageRequest): ReadonlyArray<readonly [name: string, value: string | boolean]> =>
  Object.entries(filter as Readonly<Record<string, string | boolean | undefined>>).flatMap(
    ([name, value]) => (value === undefined ? [] : [[name, value] as const])
  )

/**
 * A name as filters compare it: the case of A to Z does not count. That of other letters does, for
 * not every store knows it.
 *
 * @category conversions
 * @since 0.1.0
 */
export const foldCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

const holds = (
  record: Readonly<Record<string, unknown>>,
  name: string,
  value: string | boolean,
  timeOf: string
): boolean => {
  switch (name) {
    case "symbol":
      return Array.isArray(record["symbols"])
        ? record["symbols"].includes(value)
        : record[name] === value
    case "name":
      return foldCase(String(record[name])).includes(foldCase(String(value)))
    case "from":
      return fromTimestamp(String(record[timeOf])) >= fromTimestamp(String(value))
    case "to":
      return fromTimestamp(String(record[timeOf])) < fromTimestamp(String(value))
    default:
      return record[name] === value
  }
}

/**
 * Whether a filter leaves a record; `timeOf` names the field that `from` and `to` bound.
 *
 * @category conversions
 * @since 0.1.0
 */
export const passesFilter =
  (page: PageRequest, timeOf = "created_at") =>
  (record: object): boolean =>
    askedOf(page).every(([name, value]) =>
      holds(record as Readonly<Record<string, unknown>>, name, value, timeOf)
    )
