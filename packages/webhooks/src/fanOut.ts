/**
 * From events to a delivery for each endpoint that wants it.
 *
 * @since 0.1.0
 */
import {
  type BotStore,
  dataOf,
  type Delivery,
  DeliveryMachine,
  type DeliveryStore,
  type DomainEvent,
  type EndpointStore,
  type EventNames,
  type Ids,
  isChat,
  namelessEvent,
  type NewDelivery,
  notificationBody,
  StateTable,
  type StoreError,
  type StrategyStore,
  toTimestamp,
  type WebhookEndpoint
} from "@candlewick/core"
import { Clock, Effect, Option } from "effect"

/** The services that fanning out needs. @category models @since 0.1.0 */
export interface FanOutPorts {
  readonly ids: Ids["Service"]
  readonly endpoints: EndpointStore["Service"]
  readonly deliveries: DeliveryStore["Service"]
  /** Read only for chats, which call a bot and a strategy by their names. */
  readonly bots: Pick<BotStore["Service"], "get">
  readonly strategies: Pick<StrategyStore["Service"], "get">
}

const firstStatus = ({ status }: WebhookEndpoint): Delivery["status"] =>
  status === "disabled"
    ? StateTable.move(DeliveryMachine, DeliveryMachine.initial, "skip")
    : DeliveryMachine.initial

/** The name of an event's subject, for people; a subject that is gone by now has none. */
const namesOf = Effect.fnUntraced(function* (
  { bots, strategies }: FanOutPorts,
  event: DomainEvent
): Effect.fn.Return<EventNames, StoreError> {
  const { bot_id, strategy_id } = dataOf(event)
  const bot = typeof bot_id === "string" ? yield* bots.get(event.account_id, bot_id) : null
  const strategy =
    typeof strategy_id === "string" ? yield* strategies.get(event.account_id, strategy_id) : null
  return {
    bot: bot === null ? null : Option.getOrNull(bot),
    strategy: strategy === null ? null : Option.getOrNull(strategy)
  }
})

/**
 * Makes a delivery of each event for each subscribed endpoint, in the transaction under way. A
 * disabled endpoint gets a `skipped` one, so that its missed events can be listed.
 *
 * @category decisions
 * @since 0.1.0
 */
export const fanOut = Effect.fnUntraced(function* (
  ports: FanOutPorts,
  events: ReadonlyArray<DomainEvent>
): Effect.fn.Return<void, StoreError> {
  const { ids } = ports
  const now = toTimestamp(yield* Clock.currentTimeMillis)
  const subscribed = new Map<string, ReadonlyArray<WebhookEndpoint>>()
  const deliveries: Array<NewDelivery> = []
  for (const event of events) {
    const wanted = `${event.account_id} ${event.event}`
    const endpoints =
      subscribed.get(wanted) ??
      (yield* ports.endpoints.listSubscribed(event.account_id, event.event))
    subscribed.set(wanted, endpoints)
    const isTold = endpoints.some(({ format }) => isChat(format))
    const names = isTold ? yield* namesOf(ports, event) : namelessEvent
    for (const endpoint of endpoints) {
      deliveries.push({
        id: yield* ids.make("delivery"),
        account_id: event.account_id,
        webhook_id: endpoint.id,
        event_id: event.id,
        event: event.event,
        test: false,
        body: notificationBody(event, endpoint, names),
        status: firstStatus(endpoint),
        attempts: [],
        earlier_attempts: 0,
        due_in_ms: 0,
        leased_until_ms: null,
        version: 1,
        created_at: now,
        updated_at: now
      })
    }
  }
  yield* ports.deliveries.insertMany(deliveries)
})
