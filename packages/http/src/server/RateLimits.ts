/**
 * Token buckets: the requests that a key or an address may make, and the rest.
 *
 * A bucket holds one minute's quota. Full buckets are forgotten, so that strangers' addresses
 * don't pile up; the
 * counts are this process's own.
 *
 * @since 0.1.0
 */
import { Limits, Problem } from "@candlewick/core"
import { minuteMs } from "@candlewick/core/kernel"
import { Clock, Context, Effect, Layer } from "effect"
import type { Quota } from "../api/Authorization.ts"
import type { RequestFacts } from "./CurrentRequest.ts"

/** A quota, including that of callers without a key. @category models @since 0.1.0 */
export type Policy = Quota | "anonymous"

/** Requests a minute of each policy. @category models @since 0.1.0 */
export type PolicyRates = Readonly<Record<Policy, number>>

const defaultRates: PolicyRates = {
  reads: Limits.readsPerMinute,
  writes: Limits.writesPerMinute,
  runs: Limits.runsPerMinute,
  anonymous: Limits.anonymousPerMinute
}

/** Keys cost nothing, so that an account with many of them has no more than a few are worth. */
const timesKeysWorth = (rates: PolicyRates): PolicyRates => ({
  reads: rates.reads * Limits.keysWorthPerAccount,
  writes: rates.writes * Limits.keysWorthPerAccount,
  runs: rates.runs * Limits.keysWorthPerAccount,
  anonymous: rates.anonymous
})

/** The outcome of a request at its bucket. @category models @since 0.1.0 */
export interface Admittance {
  readonly isAdmitted: boolean
  readonly retryAfterSeconds: number
  readonly headers: Readonly<Record<string, string>>
}

interface Bucket {
  tokens: number
  atMs: number
}

const sweepAbove = 10_000

const describe = (policy: Policy, perMinute: number, bucket: Bucket, nowMs: number) => {
  const remaining = Math.floor(bucket.tokens)
  const resetSeconds = Math.ceil(((perMinute - bucket.tokens) / perMinute) * 60)
  return {
    "ratelimit-policy": `"${policy}";q=${perMinute};w=60`,
    ratelimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
    "x-ratelimit-limit": String(perMinute),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(Math.ceil(nowMs / 1000) + resetSeconds)
  }
}

const makeBuckets = (rates: PolicyRates) => {
  const buckets = new Map<string, Bucket>()
  const refill = (bucket: Bucket, perMinute: number, nowMs: number) => {
    const gained = (Math.max(0, nowMs - bucket.atMs) * perMinute) / minuteMs
    bucket.tokens = Math.min(perMinute, bucket.tokens + gained)
    bucket.atMs = nowMs
  }
  const sweep = (nowMs: number) => {
    for (const [name, bucket] of buckets) if (nowMs - bucket.atMs > minuteMs) buckets.delete(name)
  }
  return (policy: Policy, who: string, nowMs: number): Admittance => {
    const perMinute = rates[policy]
    const name = `${policy} ${who}`
    let bucket = buckets.get(name)
    if (bucket === undefined) {
      if (buckets.size >= sweepAbove && buckets.size % 1000 === 0) sweep(nowMs)
      bucket = { tokens: perMinute, atMs: nowMs }
      buckets.set(name, bucket)
    }
    refill(bucket, perMinute, nowMs)
    const isAdmitted = bucket.tokens >= 1
    if (isAdmitted) bucket.tokens -= 1
    const retryAfterSeconds = isAdmitted ? 0 : Math.ceil(((1 - bucket.tokens) / perMinute) * 60)
    return { isAdmitted, retryAfterSeconds, headers: describe(policy, perMinute, bucket, nowMs) }
  }
}

/**
 * Refuses a request whose bucket is empty, and shows every other one the rest of its bucket.
 *
 * @category checks
 * @since 0.1.0
 */
export const checkRate = (
  admittance: Admittance,
  facts: RequestFacts
): Effect.Effect<void, Problem> => {
  Object.assign(facts.answerHeaders, admittance.headers)
  return admittance.isAdmitted
    ? Effect.void
    : Effect.fail(
        new Problem({
          code: "rate_limited",
          detail: `Try again in ${admittance.retryAfterSeconds} seconds.`,
          retry_after_seconds: admittance.retryAfterSeconds
        })
      )
}

/** The buckets of this process. @category services @since 0.1.0 */
export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** Takes a token from the bucket of this key or address. */
    readonly take: (policy: Policy, who: string) => Effect.Effect<Admittance>
    /** Takes a token from the bucket that all keys of an account share. */
    readonly takeOfAccount: (policy: Policy, accountId: string) => Effect.Effect<Admittance>
  }
>()("@candlewick/http/server/RateLimits") {
  /** Buckets with these rates; without any, the product's. */
  static readonly layer = (rates: Partial<PolicyRates> = {}) =>
    Layer.sync(RateLimits, () => {
      const all = { ...defaultRates, ...rates }
      const ofKeys = makeBuckets(all)
      const ofAccounts = makeBuckets(timesKeysWorth(all))
      return {
        take: (policy, who) =>
          Effect.map(Clock.currentTimeMillis, (nowMs) => ofKeys(policy, who, nowMs)),
        takeOfAccount: (policy, accountId) =>
          Effect.map(Clock.currentTimeMillis, (nowMs) => ofAccounts(policy, accountId, nowMs))
      }
    })
}
