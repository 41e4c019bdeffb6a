/**
 * A condition on a price, a bot's performance or the kill switch, announced when it comes true.
 *
 * Alerts are edge-triggered: one that has fired is armed again only once its value has gone back
 * behind the threshold, by a distance. So a value that trembles about a threshold fires once.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { AccountId, AlertId, BotId } from "./Identifier.ts"
import { published, whenField } from "./published.ts"
import { MarketSymbol, Timestamp } from "@candlewick/engine"

/** The metrics that an alert may watch. @category tables @since 0.1.0 */
export const alertMetrics = [
  "price",
  "drawdown",
  "daily_pnl",
  "total_return",
  "win_rate",
  "losing_streak",
  "stale_data",
  "error",
  "reconcile_mismatch",
  "kill_switch",
  "hindered"
] as const

const alertFields = {
  metric: Schema.Literals(alertMetrics),
  op: Schema.Literals(["gt", "lt", "crosses_above", "crosses_below"]),
  threshold: Schema.Finite
}

/** The request of a caller about a bot. @category schemas @since 0.1.0 */
export const BotAlertRequest = Schema.Struct({
  ...alertFields,
  symbol: Schema.optionalKey(MarketSymbol),
  once: Schema.optionalKey(Schema.Boolean),
  /**
   * The time after a firing in which the alert stays silent: 900 by default, 0 for halts and
   * hindrances.
   */
  cooldown_s: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 31_536_000 }))
  ),
  /**
   * How far behind the threshold, in percent of it, the value arms the alert again; 0.5 by default,
   * 0 for halts and hindrances.
   */
  rearm_percent: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))
  )
})

/** The request of a caller about a bot. @category models @since 0.1.0 */
export type BotAlertRequest = typeof BotAlertRequest.Type

const ofOneBot = alertMetrics.filter((metric) => metric !== "price" && metric !== "kill_switch")

/** The request of a caller. @category schemas @since 0.1.0 */
export const AlertRequest = Schema.Struct({
  ...BotAlertRequest.fields,
  bot_id: Schema.optionalKey(Schema.String)
}).check(
  published({
    allOf: [
      whenField("metric", ["kill_switch"], { properties: { bot_id: false, symbol: false } }),
      whenField("metric", ofOneBot, { required: ["bot_id"] }),
      whenField("metric", ["price"], {
        anyOf: [{ required: ["symbol"] }, { required: ["bot_id"] }]
      })
    ]
  })
)

/** The request of a caller. @category models @since 0.1.0 */
export type AlertRequest = typeof AlertRequest.Type

/** Changes to an alert. @category schemas @since 0.1.0 */
export const AlertChanges = Schema.Struct({
  op: Schema.optionalKey(alertFields.op),
  threshold: Schema.optionalKey(alertFields.threshold),
  once: Schema.optionalKey(Schema.Boolean),
  cooldown_s: BotAlertRequest.fields.cooldown_s,
  rearm_percent: BotAlertRequest.fields.rearm_percent,
  is_enabled: Schema.optionalKey(Schema.Boolean)
})

/** Changes to an alert. @category models @since 0.1.0 */
export type AlertChanges = typeof AlertChanges.Type

/** An alert as it is kept. @category schemas @since 0.1.0 */
export const Alert = Schema.Struct({
  id: AlertId,
  account_id: AccountId,
  bot_id: Schema.NullOr(BotId),
  kind: Schema.Literals(["price", "performance"]),
  ...alertFields,
  symbol: Schema.NullOr(MarketSymbol),
  once: Schema.Boolean,
  cooldown_s: Schema.Finite,
  /** Absent, as 0, in alerts of earlier versions. */
  rearm_percent: Schema.optionalKey(Schema.Finite),
  is_enabled: Schema.Boolean,
  /** False from a firing until the value was behind the threshold again, by `rearm_percent`. */
  is_armed: Schema.Boolean,
  last_value: Schema.NullOr(Schema.Finite),
  /** Open time of the newest candle that it was held against. */
  last_candle_at: Schema.NullOr(Timestamp),
  fired_count: Schema.Int,
  last_fired_at: Schema.NullOr(Timestamp),
  version: Schema.Int,
  created_at: Timestamp,
  updated_at: Timestamp
})

/** An alert as it is kept. @category models @since 0.1.0 */
export type Alert = typeof Alert.Type
