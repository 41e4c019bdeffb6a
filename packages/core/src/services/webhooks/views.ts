/**
 * Finds a caller's endpoints and deliveries, and shows them without secrets.
 *
 * @since 0.1.0
 */
import { Effect, Struct } from "effect"
import { fromTimestamp, toTimestamp } from "@candlewick/engine"
import { type Problem, problem } from "../../domain/Problem.ts"
import { SecretMachine, secretStateOf, serviceSecretIn } from "../../domain/SecretMachine.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type {
  Delivery,
  DeliveryDetails,
  DeliveryView,
  ListedDelivery,
  WebhookEndpoint,
  WebhookView
} from "../../domain/WebhookEndpoint.ts"
import type { DeliveryQueue } from "../../ports/DeliveryQueue.ts"
import type { DeliveryStore } from "../../ports/DeliveryStore.ts"
import type { EndpointStore } from "../../ports/EndpointStore.ts"
import type { ReplayStore } from "../../ports/ReplayStore.ts"
import type { SecretSealing } from "../../ports/SecretBox.ts"
import type { Transactor } from "../../ports/Transactor.ts"
import type { WebhookTransport } from "../../ports/WebhookTransport.ts"
import type { Ids } from "../Ids.ts"
import { required } from "../refusals.ts"

/** The services of the operations on webhooks. */
export interface WebhookPorts {
  readonly endpoints: EndpointStore["Service"]
  readonly deliveries: DeliveryStore["Service"]
  readonly queue: DeliveryQueue["Service"]
  readonly replays: ReplayStore["Service"]
  readonly transport: WebhookTransport["Service"]
  readonly transactor: Transactor["Service"]
  readonly box: SecretSealing
  readonly ids: Ids["Service"]
}

const isAhead = (at: string | null, nowMs: number): boolean =>
  at !== null && fromTimestamp(at) > nowMs

/** The text shown in place of a header's value. */
export const headerMask = "********"

const internalFields = [
  "secrets",
  "sealed_url",
  "sequence",
  "warned_percent",
  "repaired_at",
  "missed_since"
] as const

/** An endpoint as it is now, without its secrets. */
export const toView = (endpoint: WebhookEndpoint, nowMs: number): WebhookView => ({
  ...Struct.omit(endpoint, internalFields),
  held_until: isAhead(endpoint.held_until, nowMs) ? endpoint.held_until : null,
  // A secret whose overlap has ended signs nothing, whether it was erased by now or not.
  ...(secretStateOf(endpoint, nowMs) === SecretMachine.initial && {
    previous_secret_expires_at: null,
    service_secret: serviceSecretIn[SecretMachine.initial]
  }),
  headers: Object.fromEntries(Object.keys(endpoint.headers).map((name) => [name, headerMask]))
})

/** A delivery as the log shows it. */
export const toDeliveryView = (
  delivery: ListedDelivery & { readonly body?: string }
): DeliveryView => {
  const { account_id: _account, body: _body, earlier_attempts: _earlier, ...rest } = delivery
  const { due_at_ms: dueAtMs, leased_until_ms: _leased, ...shown } = rest
  const isWaiting = delivery.status === "pending" || delivery.status === "retrying"
  return { ...shown, next_attempt_at: isWaiting ? toTimestamp(dueAtMs) : null }
}

/** A delivery with its body. */
export const toDetails = (delivery: Delivery): DeliveryDetails => ({
  ...toDeliveryView(delivery),
  body: delivery.body
})

/** Whether a text that is kept sealed opens with a key that is there. */
export const isReadable = ({ box }: WebhookPorts, sealed: string): Effect.Effect<boolean> =>
  Effect.catchDefect(Effect.as(box.open(sealed), true), () => Effect.succeed(false))

/** The account's endpoint; fails with `not_found`. */
export const findWebhook = (
  { endpoints }: WebhookPorts,
  accountId: string,
  id: string
): Effect.Effect<WebhookEndpoint, Problem | StoreError> =>
  required(endpoints.get(accountId, id), "webhook", id)

/** The account's endpoint, which is not disabled; else fails with `invalid_transition`. */
export const findEnabled = (
  ports: WebhookPorts,
  accountId: string,
  id: string
): Effect.Effect<WebhookEndpoint, Problem | StoreError> =>
  Effect.filterOrFail(
    findWebhook(ports, accountId, id),
    ({ status }) => status !== "disabled",
    ({ status }) =>
      problem("invalid_transition", "The webhook is disabled; set its status to active first.", {
        current_state: status,
        allowed: ["active"]
      })
  )

/** A delivery to an endpoint of the account's; fails with `not_found`. */
export const findDelivery = (
  ports: WebhookPorts,
  accountId: string,
  webhookId: string,
  id: string
): Effect.Effect<Delivery, Problem | StoreError> =>
  Effect.andThen(
    findWebhook(ports, accountId, webhookId),
    required(ports.deliveries.get(webhookId, id), "delivery", id)
  )
