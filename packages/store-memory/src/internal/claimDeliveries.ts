/**
 * The choice of the next deliveries: fair over endpoints, and the earliest due first.
 *
 * @since 0.1.0
 */
import { claimedStatus, type Delivery, toTimestamp, type WebhookEndpoint } from "@candlewick/core"
import { type Collection, keyOf } from "./Collection.ts"
import { claimableAt } from "./tables.ts"

/** The request of a sender. @category models @since 0.1.0 */
export interface ClaimRequest {
  readonly leaseMs: number
  readonly slowAfterMs: number
  readonly limit: number
  readonly accountMax: number
  readonly accountKept: number
  readonly allowances: ReadonlyMap<string, number>
}

/** The request of a sender, at a present time of the store's. */
interface TimedRequest extends ClaimRequest {
  readonly nowMs: number
}

/** How many are under way, and how many of these for long. */
interface UnderWay {
  readonly count: number
  readonly slowCount: number
}

const nothing: UnderWay = { count: 0, slowCount: 0 }

interface Candidate {
  readonly delivery: Delivery
  readonly atMs: number
  /** How many of its endpoint go before it, those under way included. */
  readonly turn: number
  readonly isToSlow: boolean
}

const countUnderWay = (
  deliveries: Collection<Delivery>,
  { id }: WebhookEndpoint,
  { leaseMs, nowMs, slowAfterMs }: TimedRequest
): UnderWay => {
  let [count, slowCount] = [0, 0]
  // The latest leases come first, so that the first one that has ended shows that all others have.
  for (const delivery of deliveries.newest(keyOf("sendingOf", id))) {
    const untilMs = claimableAt(delivery) ?? nowMs
    if (untilMs <= nowMs) break
    count++
    if (untilMs <= nowMs + leaseMs - slowAfterMs) slowCount++
  }
  return { count, slowCount }
}

const dueOf = (
  deliveries: Collection<Delivery>,
  webhookId: string,
  nowMs: number,
  countMax: number,
  kind: "samples" | "plain" = "plain"
): ReadonlyArray<Pick<Candidate, "delivery" | "atMs">> => {
  const due: Array<Pick<Candidate, "delivery" | "atMs">> = []
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
  request: TimedRequest,
  underWay: UnderWay
): ReadonlyArray<Candidate> => {
  const { allowances, limit, nowMs } = request
  const countMax = Math.min(limit, endpoint.max_concurrency - underWay.count)
  const plain = dueOf(deliveries, endpoint.id, nowMs, allowances.get(endpoint.id) ?? countMax)
  // Samples are not held back: a caller asks for one to see whether the receiver is well again.
  const samples = dueOf(deliveries, endpoint.id, nowMs, countMax, "samples")
  return [...plain, ...samples]
    .sort((one, other) => one.atMs - other.atMs || (one.delivery.id < other.delivery.id ? -1 : 1))
    .slice(0, Math.max(0, countMax))
    .map((due, place) => ({
      ...due,
      turn: underWay.count + place,
      isToSlow: underWay.slowCount > 0
    }))
}

const inTurn = (one: Candidate, other: Candidate): number =>
  one.turn - other.turn || one.atMs - other.atMs || (one.delivery.id < other.delivery.id ? -1 : 1)

/**
 * Chooses deliveries and gives them as they are once they are leased.
 *
 * @category models
 * @since 0.1.0
 */
export const claimDeliveries = (
  deliveries: Collection<Delivery>,
  endpoints: Collection<WebhookEndpoint>,
  request: TimedRequest
): ReadonlyArray<Delivery> => {
  const candidates: Array<Candidate> = []
  const ofAccounts = new Map<string, UnderWay>()
  for (const { webhook_id } of deliveries.firstOfEach("waitingOf")) {
    const endpoint = endpoints.get(webhook_id)
    if (endpoint === undefined) continue
    const underWay = countUnderWay(deliveries, endpoint, request)
    const { count, slowCount } = ofAccounts.get(endpoint.account_id) ?? nothing
    ofAccounts.set(endpoint.account_id, {
      count: count + underWay.count,
      slowCount: slowCount + underWay.slowCount
    })
    candidates.push(...candidatesOf(deliveries, endpoint, request, underWay))
  }
  return candidates
    .sort((one, other) => Number(one.isToSlow) - Number(other.isToSlow) || inTurn(one, other))
    .filter(({ delivery: { account_id: accountId }, isToSlow, turn }) => {
      const { count, slowCount } = ofAccounts.get(accountId) ?? nothing
      ofAccounts.set(accountId, { count: count + 1, slowCount })
      const counted = isToSlow ? count : count - slowCount
      return counted < request.accountMax - (turn === 0 ? 0 : request.accountKept)
    })
    .sort(inTurn)
    .slice(0, Math.max(0, request.limit))
    .map(({ delivery }) => ({
      ...delivery,
      status: claimedStatus(delivery.status),
      leased_until_ms: request.nowMs + request.leaseMs,
      version: delivery.version + 1,
      updated_at: toTimestamp(request.nowMs)
    }))
}
