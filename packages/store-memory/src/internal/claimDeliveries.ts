/**
 * Which deliveries are to be sent next: fair over endpoints, and the earliest due first.
 *
 * @since 0.1.0
 */
import { claimedStatus, type Delivery, toTimestamp, type WebhookEndpoint } from "@candlewick/core"
import { type Collection, keyOf } from "./Collection.ts"
import { claimableAt } from "./tables.ts"

/** What a sender asks for. @category models @since 0.1.0 */
export interface ClaimRequest {
  readonly nowMs: number
  readonly leaseUntilMs: number
  readonly limit: number
  readonly accountMax: number
  readonly accountKept: number
  readonly allowances: ReadonlyMap<string, number>
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

const dueOf = (
  deliveries: Collection<Delivery>,
  webhookId: string,
  nowMs: number,
  countMax: number,
  kind: "samples" | "plain" = "plain"
): ReadonlyArray<Omit<Candidate, "turn">> => {
  const due: Array<Omit<Candidate, "turn">> = []
  const group = kind === "samples" ? "samplesOf" : "waitingOf"
  for (const delivery of deliveries.oldest(keyOf(group, webhookId))) {
    const atMs = claimableAt(delivery)
    if (due.length >= countMax || atMs === null || atMs > nowMs) break
    if (kind === "samples" || !delivery.test) due.push({ delivery, atMs })
  }
  return due
}

const candidatesOf = (
  deliveries: Collection<Delivery>,
  endpoint: WebhookEndpoint,
  request: ClaimRequest,
  underWay: number
): ReadonlyArray<Candidate> => {
  const { allowances, limit, nowMs } = request
  const countMax = Math.min(limit, endpoint.max_concurrency - underWay)
  const plain = dueOf(deliveries, endpoint.id, nowMs, allowances.get(endpoint.id) ?? countMax)
  // Samples are not held back: a caller asks for one to see whether the receiver is well again.
  const samples = dueOf(deliveries, endpoint.id, nowMs, countMax, "samples")
  return [...plain, ...samples]
    .sort((one, other) => one.atMs - other.atMs || (one.delivery.id < other.delivery.id ? -1 : 1))
    .slice(0, Math.max(0, countMax))
    .map((due, place) => ({ ...due, turn: underWay + place }))
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
  const ofAccounts = new Map<string, number>()
  for (const { webhook_id } of deliveries.firstOfEach(keyOf("waitingOf", ""))) {
    const endpoint = endpoints.get(webhook_id)
    if (endpoint === undefined) continue
    const underWay = countUnderWay(deliveries, endpoint, request)
    const { account_id: accountId } = endpoint
    ofAccounts.set(accountId, (ofAccounts.get(accountId) ?? 0) + underWay)
    candidates.push(...candidatesOf(deliveries, endpoint, request, underWay))
  }
  return candidates
    .sort((one, other) => one.turn - other.turn || one.atMs - other.atMs)
    .filter(({ delivery: { account_id: accountId }, turn }) => {
      const count = ofAccounts.get(accountId) ?? 0
      ofAccounts.set(accountId, count + 1)
      return count < request.accountMax - (turn === 0 ? 0 : request.accountKept)
    })
    .slice(0, Math.max(0, request.limit))
    .map(({ delivery }) => ({
      ...delivery,
      status: claimedStatus(delivery.status),
      leased_until_ms: request.leaseUntilMs,
      version: delivery.version + 1,
      updated_at: toTimestamp(request.nowMs)
    }))
}
