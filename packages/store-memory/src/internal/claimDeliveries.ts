/**
 * Which deliveries are to be sent next: fair over endpoints, and the earliest due first.
 *
 * @since 0.1.0
 */
import { type Delivery, toTimestamp } from "@candlewick/core"
import { type Collection, keyOf } from "./Collection.ts"
import { claimableAt } from "./tables.ts"

/** What a sender asks for. @category models @since 0.1.0 */
export interface ClaimRequest {
  readonly nowMs: number
  readonly leaseUntilMs: number
  readonly limit: number
  readonly limitPerEndpoint: number
}

interface Candidate {
  readonly delivery: Delivery
  readonly atMs: number
  /** How many of its endpoint go before it, those under way included. */
  readonly turn: number
}

const countUnderWay = (
  deliveries: Collection<Delivery>,
  webhookId: string,
  { limitPerEndpoint, nowMs }: ClaimRequest
): number => {
  let count = 0
  // The latest leases come first, so that the first one that has ended tells that all others have.
  for (const delivery of deliveries.newest(keyOf("sendingOf", webhookId))) {
    if (count >= limitPerEndpoint || (claimableAt(delivery) ?? nowMs) <= nowMs) break
    count++
  }
  return count
}

const candidatesOf = (
  deliveries: Collection<Delivery>,
  webhookId: string,
  request: ClaimRequest
): ReadonlyArray<Candidate> => {
  const candidates: Array<Candidate> = []
  let turn = countUnderWay(deliveries, webhookId, request)
  for (const delivery of deliveries.oldest(keyOf("waitingOf", webhookId))) {
    const atMs = claimableAt(delivery)
    if (turn >= request.limitPerEndpoint || candidates.length >= request.limit) break
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
  request: ClaimRequest
): ReadonlyArray<Delivery> => {
  const candidates: Array<Candidate> = []
  for (const { webhook_id } of deliveries.firstOfEach(keyOf("waitingOf", ""))) {
    candidates.push(...candidatesOf(deliveries, webhook_id, request))
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
