/**
 * The events that a webhook may ask for, in words.
 */
import type { Webhook } from "../../api/types.ts"

/** The name of an event. */
export type WebhookEventName = Webhook["events"][number]

/** The content of each event. */
export const eventWords: Readonly<Record<WebhookEventName, string>> = {
  "strategy.generated": "a strategy was generated",
  "strategy.optimized": "a search has ended",
  "backtest.complete": "a backtest has ended",
  "trade.executed": "an order was filled",
  "alert.triggered": "an alert fired, or something halts"
}

/** All events. */
export const webhookEventNames = Object.keys(eventWords) as ReadonlyArray<WebhookEventName>
