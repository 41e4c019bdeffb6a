/**
 * An alert while it is written, and the request that it becomes.
 */
import type { AlertRecord, PayloadOf } from "../../api/types.ts"
import {
  type AlertMetric,
  type AlertOp,
  fromShown,
  isState,
  toShown
} from "../../parts/alertWords.ts"

/** An alert while it is written. */
export interface AlertDraft {
  readonly metric: AlertMetric
  readonly op: AlertOp
  /** As it is written: shares in percent. */
  readonly threshold: number
  readonly symbol: string
  readonly botId: string
  readonly once: boolean
  /** Null leaves it to the server. */
  readonly cooldownSeconds: number | null
}

/** A draft of a metric. */
export const draftOf = (metric: AlertMetric, botId = ""): AlertDraft => ({
  metric,
  op: metric === "price" ? "crosses_above" : metric === "total_return" ? "lt" : "gt",
  threshold: 0,
  symbol: "",
  botId,
  once: false,
  cooldownSeconds: null
})

/** The subject of a metric: a market, a bot, or the account. */
export const subjectOf = (metric: AlertMetric): "account" | "bot" | "market" =>
  metric === "price" ? "market" : metric === "kill_switch" ? "account" : "bot"

/** The draft of an existing alert. */
export const draftFrom = (alert: AlertRecord): AlertDraft => ({
  metric: alert.metric,
  op: alert.op,
  threshold: toShown(alert.metric, alert.threshold),
  symbol: alert.symbol ?? "",
  botId: alert.bot_id ?? "",
  once: alert.once,
  cooldownSeconds: null
})

/** The changes of a draft to its alert. */
export const alertChangesOf = (draft: AlertDraft): PayloadOf<"alerts.update"> => ({
  once: draft.once,
  ...(isState(draft.metric)
    ? {}
    : { op: draft.op, threshold: fromShown(draft.metric, draft.threshold) }),
  ...(draft.cooldownSeconds === null ? {} : { cooldown_s: draft.cooldownSeconds })
})

/** The condition of a draft, as an alert has it. */
export const conditionIn = (draft: AlertDraft) => ({
  metric: draft.metric,
  op: isState(draft.metric) ? ("gt" as const) : draft.op,
  threshold: isState(draft.metric) ? 0 : fromShown(draft.metric, draft.threshold),
  symbol: draft.symbol.trim().toUpperCase()
})

/** The missing parts of a draft; nothing where it is whole. */
export const missingParts = (draft: AlertDraft): string | undefined => {
  const subject = subjectOf(draft.metric)
  if (subject === "bot" && draft.botId === "") return "Choose a bot."
  if (subject === "market" && draft.symbol.trim() === "") return "Name a market, as BTC/USDT."
  return isState(draft.metric) || Number.isFinite(draft.threshold) ? undefined : "Name a threshold."
}

/** The request of a draft. */
export const alertRequestOf = (draft: AlertDraft): PayloadOf<"alerts.create"> => {
  const subject = subjectOf(draft.metric)
  const state = isState(draft.metric)
  return {
    metric: draft.metric,
    op: state ? "gt" : draft.op,
    threshold: state ? 0 : fromShown(draft.metric, draft.threshold),
    ...(subject === "market" ? { symbol: draft.symbol.trim().toUpperCase() } : {}),
    ...(subject === "bot" ? { bot_id: draft.botId } : {}),
    ...(draft.once ? { once: true } : {}),
    ...(draft.cooldownSeconds === null ? {} : { cooldown_s: draft.cooldownSeconds })
  }
}
