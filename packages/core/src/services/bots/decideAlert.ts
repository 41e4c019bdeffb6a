/**
 * Whether an alert fires at a new value, and its text then.
 *
 * An alert fires on the edge: once when its condition comes true. It fires again only after its
 * value was behind the threshold, by the alert's own distance.
 *
 * @since 0.1.0
 */
import type { Alert } from "../../domain/Alert.ts"
import { fromTimestamp, toTimestamp } from "@candlewick/engine"

type Condition = Pick<Alert, "op" | "threshold" | "last_value">

/** Whether the value is on the side of the threshold that the alert warns of. */
const isBeyond = ({ op, threshold }: Condition, value: number): boolean =>
  op === "gt" || op === "crosses_above" ? value > threshold : value < threshold

/** Whether the value is so far behind the threshold that it arms an alert that has fired. */
const isBehind = ({ op, rearm_percent = 0, threshold }: Alert, value: number): boolean => {
  const distance = (Math.abs(threshold) * rearm_percent) / 100
  return op === "gt" || op === "crosses_above"
    ? value <= threshold - distance
    : value >= threshold + distance
}

/** A crossing needs to know where the value came from; a level does not. */
const isTrue = (condition: Condition, value: number): boolean => {
  const { last_value: before, op } = condition
  if (!isBeyond(condition, value)) return false
  return op === "gt" || op === "lt" || (before !== null && !isBeyond(condition, before))
}

const isCooling = ({ cooldown_s, last_fired_at }: Alert, nowMs: number): boolean =>
  last_fired_at !== null && nowMs - fromTimestamp(last_fired_at) < cooldown_s * 1_000

/**
 * Moves an alert on by one value; `nowMs` is the wall's clock.
 *
 * While an alert cools down, it remembers a level that stays beyond its threshold and announces it
 * when the time is over. It forgets a crossing of that time. A value that is no number changes
 * nothing.
 */
export const decideAlert = (
  alert: Alert,
  value: number,
  nowMs: number
): { readonly alert: Alert; readonly fires: boolean } => {
  if (!alert.is_enabled || !Number.isFinite(value)) return { alert, fires: false }
  const fires = alert.is_armed && isTrue(alert, value) && !isCooling(alert, nowMs)
  return {
    fires,
    alert: {
      ...alert,
      last_value: value,
      is_armed: fires ? false : alert.is_armed || isBehind(alert, value),
      ...(fires && {
        is_enabled: !alert.once,
        fired_count: alert.fired_count + 1,
        last_fired_at: toTimestamp(nowMs)
      })
    }
  }
}

const phrases = {
  gt: "is above",
  lt: "is below",
  crosses_above: "crossed above",
  crosses_below: "crossed below"
} as const satisfies Record<Alert["op"], string>

const sentence = ({ metric, op, symbol, threshold }: Alert, value: number): string =>
  `${symbol === null ? "" : `${symbol} `}${metric} ${phrases[op]} ${threshold}: ${value}`

/**
 * The fields of `alert.triggered` for an alert that `decideAlert` has just made fire; `occurrence`
 * counts its firings, so that no two are equal.
 */
export const describeAlert = (alert: Alert, value: number, message = sentence(alert, value)) => ({
  alert_id: alert.id,
  occurrence: alert.fired_count,
  kind: alert.kind,
  bot_id: alert.bot_id,
  metric: alert.metric,
  operator: alert.op,
  threshold: alert.threshold,
  value,
  symbol: alert.symbol,
  message
})
