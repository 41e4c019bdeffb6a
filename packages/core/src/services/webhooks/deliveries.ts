/**
 * Single deliveries: the log, a sample that a caller asks for, and one sent once more.
 *
 * @since 0.1.0
 */
import { Clock, Effect } from "effect"
import { DeliveryMachine } from "../../domain/DeliveryMachine.ts"
import { type EventName, makeEvent } from "../../domain/DomainEvent.ts"
import { firstIdAt } from "../../domain/Identifier.ts"
import { fromTimestamp, toTimestamp } from "@candlewick/engine"
import { Limits } from "../../domain/Limits.ts"
import type { PageRequest } from "../../domain/Page.ts"
import { problem } from "../../domain/Problem.ts"
import { sampleEvents } from "../../domain/sampleEvents.ts"
import * as StateTable from "../../domain/StateTable.ts"
import type { Delivery, DeliveryChange, ListedDelivery } from "../../domain/WebhookEndpoint.ts"
import { namelessEvent } from "../../domain/webhooks/describeEvent.ts"
import { notificationBody } from "../../domain/webhooks/notificationBody.ts"
import { transactOnce } from "../transactOnce.ts"
import {
  findDelivery,
  findEnabled,
  findWebhook,
  toDeliveryView,
  type WebhookPorts
} from "./views.ts"

interface LogPage extends PageRequest {
  readonly status?: Delivery["status"] | undefined
  readonly event?: EventName | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** The ids between which deliveries of a time lie. */
export const idsBetween = (since: string | undefined, until: string | undefined) => ({
  after: since === undefined ? undefined : firstIdAt("delivery", fromTimestamp(since)),
  before: until === undefined ? undefined : firstIdAt("delivery", fromTimestamp(until))
})

/** The log of an endpoint, newest first. */
export const listDeliveries = Effect.fnUntraced(function* (
  ports: WebhookPorts,
  accountId: string,
  id: string,
  { before: cursor, since, until, ...page }: LogPage
) {
  yield* findWebhook(ports, accountId, id)
  const { after, before } = idsBetween(since, until)
  const below = cursor !== undefined && (before === undefined || cursor < before) ? cursor : before
  const found = yield* ports.deliveries.list(id, { ...page, after, before: below })
  return { items: found.items.map(toDeliveryView), next: found.next }
})

/** Sends a sample of an event, by the same way as any. */
export const sendSample = Effect.fn("WebhookEndpoints.test")(function* (
  ports: WebhookPorts,
  accountId: string,
  id: string,
  name: EventName | undefined
) {
  const endpoint = yield* findEnabled(ports, accountId, id)
  const event = name ?? endpoint.events[0] ?? "trade.executed"
  const nowMs = yield* Clock.currentTimeMillis
  const now = toTimestamp(nowMs)
  const eventId = (yield* ports.ids.make("event")).replace("msg_", "msg_test_")
  const head = { id: eventId, account_id: accountId, event, timestamp: now }
  const sample = ports.deliveries.insert({
    id: yield* ports.ids.make("delivery"),
    account_id: accountId,
    webhook_id: id,
    event_id: eventId,
    event,
    test: true,
    body: notificationBody(makeEvent(head, sampleEvents[event]), endpoint, namelessEvent),
    status: DeliveryMachine.initial,
    attempts: [],
    earlier_attempts: 0,
    due_in_ms: 0,
    leased_until_ms: null,
    version: 1,
    created_at: now,
    updated_at: now
  })
  const made = yield* transactOnce(ports.transactor, "sample", sample)
  yield* ports.transport.wake
  return toDeliveryView(made)
})

/** A delivery that waits to be sent again, with a schedule of its own. */
export const queuedAgain = <A extends ListedDelivery>(
  delivery: A,
  nowMs: number
): DeliveryChange<A> => ({
  ...delivery,
  status: StateTable.move(DeliveryMachine, delivery.status, "redeliver"),
  earlier_attempts: delivery.attempts.length,
  due_in_ms: 0,
  leased_until_ms: null,
  updated_at: toTimestamp(nowMs)
})

/** Sends a delivery once more. */
export const redeliver = Effect.fn("WebhookEndpoints.redeliver")(function* (
  ports: WebhookPorts,
  accountId: string,
  webhookId: string,
  id: string
) {
  const again = Effect.gen(function* () {
    yield* findEnabled(ports, accountId, webhookId)
    const delivery = yield* findDelivery(ports, accountId, webhookId, id)
    const { attempts, status } = delivery
    if (!StateTable.accepts(DeliveryMachine, status, "redeliver")) {
      return yield* problem(
        "invalid_transition",
        `The delivery is ${status}: it is sent already.`,
        { current_state: status, allowed: [] }
      )
    }
    if (attempts.length >= Limits.webhookAttemptsMaxCount) {
      const most = Limits.webhookAttemptsMaxCount
      return yield* problem("quota_exceeded", `A delivery is attempted ${most} times at most.`)
    }
    const nowMs = yield* Clock.currentTimeMillis
    return yield* ports.deliveries.update(queuedAgain(delivery, nowMs))
  })
  const queued = yield* transactOnce(ports.transactor, "redeliver", again)
  yield* ports.transport.wake
  return toDeliveryView(queued)
})
