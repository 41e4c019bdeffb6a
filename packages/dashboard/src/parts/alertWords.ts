/**
 * Alerts in words.
 */
import type { AlertRecord } from "../api/types.ts"
import { formatDuration, noValue, formatNumber, formatPrice, formatQuantity } from "./format.ts"

/** The subject of an alert. */
export type AlertMetric = AlertRecord["metric"]

/** How its value has to lie to the threshold. */
export type AlertOp = AlertRecord["op"]

/** The ways in which a value may lie to a threshold. */
export const opWords: Readonly<Record<AlertOp, string>> = {
  gt: "is above",
  lt: "is below",
  crosses_above: "crosses above",
  crosses_below: "crosses below"
}

/** The metrics of an alert, and the unit of each threshold. */
export const metricWords: Readonly<Record<AlertMetric, readonly [name: string, unit: string]>> = {
  price: ["the price", "a price"],
  drawdown: ["the drawdown", "percent"],
  daily_pnl: ["the result of the day", "in currency"],
  total_return: ["the return", "percent"],
  win_rate: ["the win rate", "percent"],
  losing_streak: ["losses in a row", "a count"],
  stale_data: ["candles are late", "0"],
  error: ["it is in error", "0"],
  reconcile_mismatch: ["its books differ from the exchange", "0"],
  kill_switch: ["the account is halted", "0"],
  hindered: ["something hinders it", "0"]
}

/** A state that is announced each time it begins; its threshold is a 0 without a meaning. */
export const isState = (metric: AlertMetric): boolean => metricWords[metric][1] === "0"

/** A threshold as it is shown in a field: shares are percent there. */
export const toShown = (metric: AlertMetric, value: number): number =>
  metricWords[metric][1] === "percent" ? Number((value * 100).toPrecision(12)) : value

/** The text of a field for a threshold. */
export const fromShown = (metric: AlertMetric, value: number): number =>
  metricWords[metric][1] === "percent" ? Number((value / 100).toPrecision(12)) : value

/** The value of a metric. */
export const valueOf = (metric: AlertMetric, value: number | null): string => {
  if (value === null) return noValue
  if (metric === "price") return formatPrice(value)
  if (metric === "daily_pnl") return formatNumber(value)
  if (metricWords[metric][1] !== "percent") return formatNumber(value, 0)
  return `${formatNumber(value * 100, 2).replace(/\.?0+$/, "")} %`
}

type Condition = Pick<AlertRecord, "metric" | "op" | "symbol" | "threshold">

/** When an alert fires. */
export const conditionOf = ({ metric, op, symbol, threshold }: Condition): string => {
  const [name] = metricWords[metric]
  if (isState(metric) && op === "gt" && threshold === 0) return name
  const of = symbol === null || symbol === "" ? "" : ` of ${symbol}`
  return `${name}${of} ${opWords[op]} ${valueOf(metric, threshold)}`
}

/** When an alert that has fired may fire again. */
export const rearmOf = (percent: number | undefined): string =>
  percent === undefined || percent === 0
    ? "armed again once it no longer holds"
    : `armed again once its value is ${formatQuantity(percent)} % behind the threshold`

/** How often an alert fires. */
export const cooldownText = (alert: Pick<AlertRecord, "cooldown_s" | "once">): string => {
  if (alert.once) return "once"
  return alert.cooldown_s === 0 ? "each time" : `at most every ${formatDuration(alert.cooldown_s)}`
}
