/**
 * Outcomes of many attempts, folded into the health of their endpoints: pure, so that every store
 * keeps the same.
 *
 * @since 0.1.0
 */
import { toTimestamp } from "@candlewick/engine"
import { madeAt } from "../Identifier.ts"
import type {
  DeliveryChange,
  ListedDelivery,
  OwedNotice,
  WebhookEndpoint
} from "../WebhookEndpoint.ts"
import { type EndpointEvidence, judgeEndpoint } from "./judgeEndpoint.ts"
import { noticeOf } from "./noticeOf.ts"

/** A delivery after an attempt, and the evidence on its endpoint. @category models @since 0.1.0 */
export interface DeliveryOutcome {
  /** The delivery as it is after the attempt, at the version that it was claimed or begun at. */
  readonly delivery: DeliveryChange
  readonly evidence: EndpointEvidence
}

/** The effect of many outcomes on their endpoints. @category models @since 0.1.0 */
export interface FoldedOutcomes {
  /** Every endpoint that was given, with its health after the outcomes. */
  readonly endpoints: ReadonlyArray<WebhookEndpoint>
  /**
   * The ids of endpoints that the outcomes disabled. Their waiting deliveries are to be cancelled.
   */
  readonly cancelled: ReadonlyArray<string>
  /** The notices that are owed from now on. */
  readonly notices: ReadonlyArray<OwedNotice>
}

/**
 * A disabled endpoint that never got a delivery which was made earlier; the endpoint itself where
 * the id is undefined.
 *
 * @category decisions
 * @since 0.1.0
 */
export const alsoMissing = (
  endpoint: WebhookEndpoint,
  deliveryId: string | undefined
): WebhookEndpoint => {
  if (deliveryId === undefined) return endpoint
  const since = toTimestamp(madeAt(deliveryId))
  const { missed_since } = endpoint
  return missed_since !== null && missed_since <= since
    ? endpoint
    : { ...endpoint, missed_since: since }
}

/**
 * Endpoints that were just disabled, each with its oldest delivery that was not over.
 *
 * @category decisions
 * @since 0.1.0
 */
export const allMissing = (
  endpoints: ReadonlyArray<WebhookEndpoint>,
  oldest: ReadonlyMap<string, string>
): ReadonlyArray<WebhookEndpoint> =>
  endpoints.map((endpoint) => alsoMissing(endpoint, oldest.get(endpoint.id)))

/** The id of a delivery that ended while its endpoint was being disabled, unless it arrived. */
const missedOf = ({ id, status }: ListedDelivery): string | undefined =>
  status === "succeeded" ? undefined : id

const noticesOf = (
  before: WebhookEndpoint,
  after: WebhookEndpoint,
  { delivery, evidence }: DeliveryOutcome
): ReadonlyArray<OwedNotice> => {
  const notice = noticeOf(before, after)
  const attempt_id = delivery.attempts.at(-1)?.id
  return notice === null || attempt_id === undefined
    ? []
    : [{ attempt_id, at_ms: evidence.endedAtMs, notice }]
}

/**
 * Judges each endpoint after each of its outcomes, in their order.
 *
 * **Details**
 *
 * The caller holds the endpoints locked, so that no judgement is lost, and gives only outcomes
 * whose deliveries it has kept. It then writes `endpoints`, owes `notices`, and cancels the waiting
 * deliveries of `cancelled`. `allMissing` takes the oldest delivery that this found.
 *
 * An outcome whose endpoint is not among those given judges nothing.
 *
 * @category decisions
 * @since 0.1.0
 */
export const foldOutcomes = (
  locked: ReadonlyArray<WebhookEndpoint>,
  kept: ReadonlyArray<DeliveryOutcome>
): FoldedOutcomes => {
  const endpoints = new Map(locked.map((endpoint) => [endpoint.id, endpoint]))
  const cancelled = new Set<string>()
  const notices: Array<OwedNotice> = []
  for (const outcome of kept) {
    const { delivery, evidence } = outcome
    const before = endpoints.get(delivery.webhook_id)
    if (before === undefined) continue
    const judged = judgeEndpoint(before, delivery, evidence)
    if (before.status !== "disabled" && judged.status === "disabled") cancelled.add(judged.id)
    const after = cancelled.has(judged.id) ? alsoMissing(judged, missedOf(delivery)) : judged
    endpoints.set(after.id, after)
    notices.push(...noticesOf(before, after, outcome))
  }
  return { endpoints: [...endpoints.values()], cancelled: [...cancelled], notices }
}
