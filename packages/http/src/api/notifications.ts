/**
 * The five notifications that receivers get, as the `webhooks` section of an OpenAPI document.
 *
 * @since 0.1.0
 */
import { type EventName, eventNames } from "@candlewick/core/domain"

type JsonObject = { readonly [key: string]: unknown }

const text: JsonObject = { type: "string" }
const number: JsonObject = { type: "number" }
const nullable = (type: string): JsonObject => ({ type: [type, "null"] })
const metrics: JsonObject = { type: ["object", "null"], additionalProperties: nullable("number") }

const tradeFields: JsonObject = {
  trade_id: text,
  symbol: { ...text, description: "Base and quote, separated by a slash.", examples: ["BTC/USDT"] },
  side: { enum: ["buy", "sell"] },
  amount: number,
  price: number,
  bot_id: text,
  order_id: text,
  client_order_id: text,
  fee: number,
  fee_currency: text,
  executed_at: { ...text, format: "date-time", description: "On the market's clock." },
  position_effect: { enum: ["open", "increase", "reduce", "close"] },
  realized_pnl: nullable("number")
}

/**
 * The meaning of each event, and the fields of its `data`; further fields may be added.
 *
 * @category tables
 * @since 0.1.0
 */
export const notifications: Record<
  EventName,
  {
    readonly meaning: string
    readonly required: ReadonlyArray<string>
    readonly fields: JsonObject
  }
> = {
  "strategy.generated": {
    meaning: "A new strategy was created",
    required: ["strategy_id", "name"],
    fields: {
      strategy_id: text,
      name: text,
      objective: nullable("string"),
      risk_tolerance: nullable("string"),
      timeframe: text,
      verdict: nullable("string")
    }
  },
  "strategy.optimized": {
    meaning: "Optimization of a strategy is complete",
    required: ["optimization_id", "strategy_id"],
    fields: {
      optimization_id: text,
      strategy_id: text,
      objective: text,
      best_parameters: { type: ["object", "null"] },
      in_sample: { type: ["object", "null"] },
      out_of_sample: { type: ["object", "null"] }
    }
  },
  "backtest.complete": {
    meaning: "Backtest results are ready",
    required: ["backtest_id", "strategy_id", "status"],
    fields: {
      backtest_id: text,
      strategy_id: text,
      status: { enum: ["completed", "failed"] },
      metrics
    }
  },
  "trade.executed": {
    meaning: "A trade was executed",
    required: ["trade_id", "symbol", "side", "amount", "price"],
    fields: tradeFields
  },
  "alert.triggered": {
    meaning: "A price alert or performance alert fired",
    required: ["alert_id", "kind", "metric", "threshold", "value"],
    fields: {
      alert_id: text,
      kind: { enum: ["price", "performance"] },
      bot_id: nullable("string"),
      metric: text,
      threshold: number,
      value: nullable("number"),
      symbol: nullable("string"),
      message: text
    }
  }
}

/**
 * The JSON Schema of the whole body of an event.
 *
 * @category tables
 * @since 0.1.0
 */
export const bodySchema = (event: EventName): JsonObject => ({
  type: "object",
  required: ["event", "timestamp", "data"],
  properties: {
    id: { ...text, description: "As `webhook-id`; only where `payload` is `extended`." },
    type: { const: event, description: "As `event`; only where `payload` is `extended`." },
    event: { const: event },
    timestamp: { ...text, format: "date-time", description: "ISO 8601, UTC." },
    data: {
      type: "object",
      required: notifications[event].required,
      properties: notifications[event].fields
    }
  }
})

const header = (description: string, required: boolean, name: string): JsonObject => ({
  name,
  in: "header",
  required,
  description,
  schema: text
})

const headers = [
  header(
    "`sha256=` and the hex HMAC-SHA-256 of the raw body, keyed with the whole secret text.",
    true,
    "X-Service-Signature"
  ),
  header("The id of the event, the same in every repetition.", true, "webhook-id"),
  header("When this attempt was made, in epoch seconds.", true, "webhook-timestamp"),
  header("The Standard Webhooks signature, `v1,` and base64.", true, "webhook-signature"),
  header("The name of the event; not signed.", true, "X-Service-Event"),
  header("Which attempt this is, from 1; not signed.", true, "X-Service-Attempt"),
  header(
    "Counts an endpoint's deliveries, so that a gap shows; not signed.",
    true,
    "X-Service-Sequence"
  )
]

const describeNotification = (event: EventName): JsonObject => ({
  post: {
    operationId: `notify.${event}`,
    summary: notifications[event].meaning,
    tags: ["webhooks"],
    parameters: headers,
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: bodySchema(event)
        }
      }
    },
    responses: {
      "2XX": { description: "Any 2xx accepts the notification." },
      "410": { description: "Disables the endpoint." },
      default: { description: "Anything else, and no answer in time, is tried again." }
    }
  }
})

/** The `webhooks` section of the OpenAPI document. @category tables @since 0.1.0 */
export const webhooksSection: JsonObject = Object.fromEntries(
  eventNames.map((event) => [event, describeNotification(event)])
)
