/**
 * Makes the kept alert of a caller's request.
 *
 * @since 0.1.0
 */
import type { Alert, AlertRequest } from "../../domain/Alert.ts"
import type { Bot } from "../../domain/Bot.ts"
import { Limits } from "../../domain/Limits.ts"
import type { Fault } from "@candlewick/engine"

/** Which market a request is about: the one it names, else the only one of its bot. */
const symbolOf = (request: AlertRequest, bot: Pick<Bot, "symbols"> | null): string | null =>
  request.symbol ??
  (request.metric === "price" && bot?.symbols.length === 1 ? bot.symbols[0]! : null)

/** The fault of a request although each of its fields is right. */
export const checkAlertRequest = (
  request: AlertRequest,
  bot: Pick<Bot, "symbols"> | null
): ReadonlyArray<Fault> => {
  if (request.metric === "kill_switch") {
    const message = "An alert on kill_switch is of the whole account."
    return [
      ...(bot === null ? [] : [{ pointer: "/bot_id", code: "not_allowed", message }]),
      ...(request.symbol === undefined
        ? []
        : [{ pointer: "/symbol", code: "not_allowed", message }])
    ]
  }
  if (request.metric !== "price" && bot === null) {
    const message = `An alert on ${request.metric} needs a bot_id.`
    return [{ pointer: "/bot_id", code: "required", message }]
  }
  if (request.metric === "price" && symbolOf(request, bot) === null) {
    return [{ pointer: "/symbol", code: "required", message: "An alert on price needs a symbol." }]
  }
  if (bot !== null && request.symbol !== undefined && !bot.symbols.includes(request.symbol)) {
    const message = `The bot does not follow ${request.symbol}.`
    return [{ pointer: "/symbol", code: "not_allowed", message }]
  }
  return []
}

/** A message each time, so that the owner knows of every halt and hindrance. */
const toldAlways: ReadonlyArray<Alert["metric"]> = [
  "stale_data",
  "error",
  "reconcile_mismatch",
  "kill_switch",
  "hindered"
]

/** The cooldown of an alert that leaves it open: values that tremble are no news each time. */
const calmOf = (metric: Alert["metric"]) =>
  toldAlways.includes(metric)
    ? { cooldown_s: 0, rearm_percent: 0 }
    : {
        cooldown_s: Limits.alertCooldownDefaultSeconds,
        rearm_percent: Limits.alertRearmDefaultPercent
      }

/** The alert that a checked request becomes, armed. */
export const toAlert = (
  request: AlertRequest,
  bot: Pick<Bot, "id" | "symbols"> | null,
  made: { readonly id: string; readonly accountId: string; readonly now: string }
): Alert => ({
  id: made.id,
  account_id: made.accountId,
  bot_id: bot?.id ?? null,
  kind: request.metric === "price" ? "price" : "performance",
  metric: request.metric,
  op: request.op,
  threshold: request.threshold,
  symbol: symbolOf(request, bot),
  once: request.once ?? false,
  cooldown_s: request.cooldown_s ?? calmOf(request.metric).cooldown_s,
  rearm_percent: request.rearm_percent ?? calmOf(request.metric).rearm_percent,
  is_enabled: true,
  is_armed: true,
  last_value: null,
  last_candle_at: null,
  fired_count: 0,
  last_fired_at: null,
  version: 1,
  created_at: made.now,
  updated_at: made.now
})
