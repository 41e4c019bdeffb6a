/**
 * Which deliveries are to be sent next: fair over endpoints, and the earliest due first.
 *
 * @since 0.1.0
 */
import { type Delivery, toTimestamp, type WebhookEndpoint } from "@candlewick/core"
import { type Collection, keyOf } from "./Collection.ts"
import { claimableAt } from "./tables.ts"

/** What a sender asks for. @category models @since 0.1.0 */
export interface ClaimRequest {
  readonly nowMs: number
  readonly leaseUntilMs: number
  readonly limit: number
}

interface Candidate {
  readonly delivery: Delivery
  readonly atMs: number
  /** How many of its endpoint go before it, those under way included. */
  readonly turn: number
}

const countUnderWay = (
  deliveries: Collection<Delivery>,
  { id, max_concurrency }: WebhookEndpoint,
  { nowMs }: ClaimRequest
): number => {
  let count = 0
  // The latest leases come first, so that the first one that has ended tells that all others have.
  for (const delivery of deliveries.newest(keyOf("sendingOf", id))) {
    if (count >= max_concurrency || (claimableAt(delivery) ?? nowMs) <= nowMs) break
    count++
  }
  return count
}

const candidatesOf = (
  deliveries: Collection<Delivery>,
  endpoint: WebhookEndpoint,
  request: ClaimRequest
): ReadonlyArray<Candidate> => {
  const candidates: Array<Candidate> = []
  let turn = countUnderWay(deliveries, endpoint, request)
  for (const delivery of deliveries.oldest(keyOf("waitingOf", endpoint.id))) {
    const atMs = claimableAt(delivery)
    if (turn >= endpoint.max_concurrency || candidates.length >= request.limit) break
    if (atMs === null || atMs > request.nowMs) break
    candidates.push({ delivery, atMs, turn: turn++ })
  }
  return candidates
}

/**
 * Chooses deliveries and gives them as they are once they are leased.
 *
 * @category models
 * @since 0.1.0
 */
export const claimDeliveries = (
  deliveries: Collection<Delivery>,
  endpoints: Collection<WebhookEndpoint>,
  request: ClaimRequest
): ReadonlyArray<Delivery> => {
  const candidates: Array<Candidate> = []
  for (const { webhook_id } of deliveries.firstOfEach(keyOf("waitingOf", ""))) {
    const endpoint = endpoints.get(webhook_id)
    if (endpoint !== undefined) candidates.push(...candidatesOf(deliveries, endpoint, request))
  }
  return candidates
    .sort((one, other) => one.turn - other.turn || one.atMs - other.atMs)
    .slice(0, request.limit)
    .map(({ delivery }) => ({
      ...delivery,
      status: "sending",
      leased_until_ms: request.leaseUntilMs,
      version: delivery.version + 1,
      updated_at: toTimestamp(request.nowMs)
    }))
}
