import { toTimestamp } from "@candlewick/engine"
import { hourMs } from "@candlewick/engine/kernel"
import { assert, describe, it } from "@effect/vitest"
import type { Delivery, WebhookEndpoint } from "../../../src/domain/WebhookEndpoint.ts"
import { type EndpointEvidence, judgeEndpoint } from "../../../src/domain/webhooks/judgeEndpoint.ts"
import { noticeOf } from "../../../src/domain/webhooks/noticeOf.ts"
import { endpointRecord } from "../../../src/testing/records.ts"
import { keptDeliveryRecord } from "../../../src/testing/webhookRecords.ts"

const startMs = 1_768_469_400_000

const failedAt = (endedAtMs: number): EndpointEvidence => ({
  says: "failed",
  ends: null,
  endedAtMs,
  heldUntilMs: null,
  repairedAt: null
})

const deliveryOf = (endpoint: WebhookEndpoint, fields: Partial<Delivery> = {}): Delivery =>
  keptDeliveryRecord(endpoint, fields)

describe("judgeEndpoint", () => {
  /** The notices, and their hours, about an endpoint that fails each hour from now on. */
  const heardOf = (first: WebhookEndpoint, hours: number) => {
    let endpoint = first
    const delivery = deliveryOf(endpoint, { status: "retrying" })
    const heard: Array<string> = []
    for (let hour = 0; hour <= hours; hour++) {
      const nowMs = startMs + hour * hourMs
      const judged = judgeEndpoint(endpoint, delivery, failedAt(nowMs))
      const notice = noticeOf(endpoint, judged)
      if (notice !== null) heard.push(`${hour} ${notice.kind} ${notice.warnedPercent}`)
      endpoint = judged
    }
    return { endpoint, heard }
  }

  const atHour = (hour: number): string => toTimestamp(startMs + hour * hourMs)

  it("warns at 50, 70 and 90 % of the time, each once, and then gives the endpoint up", () => {
    const { endpoint, heard } = heardOf(endpointRecord({ created_at: atHour(0) }), 120)
    assert.deepStrictEqual(heard, [
      "9 failing 0",
      "60 warning 50",
      "84 warning 70",
      "108 warning 90",
      "120 disabled 90"
    ])
    assert.strictEqual(endpoint.disabled_reason, "failing")
    assert.strictEqual(endpoint.disabled_at, atHour(120))
  })

  it("gives one that was set active again, or mended, as much time as a new one", () => {
    const before = { created_at: atHour(-900), last_success_at: atHour(-150) }
    const { heard } = heardOf(endpointRecord({ ...before, repaired_at: atHour(0) }), 120)
    assert.deepStrictEqual(heard.slice(1), [
      "60 warning 50",
      "84 warning 70",
      "108 warning 90",
      "120 disabled 90"
    ])
  })

  it("warns of the twelve hours, too, that one has which nothing was sent to for long", () => {
    const { heard } = heardOf(endpointRecord({ created_at: atHour(-900) }), 12)
    assert.deepStrictEqual(heard, [
      "6 warning 50",
      "9 failing 70",
      "11 warning 90",
      "12 disabled 90"
    ])
    const { heard: sooner } = heardOf(endpointRecord({ last_success_at: atHour(-100) }), 20)
    assert.deepStrictEqual(sooner.at(-1), "20 disabled 90")
    assert.lengthOf(sooner, 5)
  })

  /** An endpoint that has failed so often, at times that are evenly spread over so many hours. */
  const failedOften = (count: number, hours: number, first = endpointRecord()): WebhookEndpoint => {
    let endpoint: WebhookEndpoint = { ...first, created_at: atHour(0) }
    const delivery = deliveryOf(endpoint, { status: "retrying" })
    for (let index = 0; index < count; index++) {
      const atMs = startMs + (index / (count - 1)) * hours * hourMs
      endpoint = judgeEndpoint(endpoint, delivery, failedAt(atMs))
    }
    return endpoint
  }

  it("gives an endpoint up for ten failures in 120 hours, and for no fewer or sooner", () => {
    assert.deepInclude(failedOften(10, 120), { status: "disabled", consecutive_failures: 10 })
    assert.deepInclude(failedOften(9, 120), { status: "active", consecutive_failures: 9 })
    assert.deepInclude(failedOften(9, 900), { status: "active", disabled_reason: null })
    assert.deepInclude(failedOften(10, 119), { status: "failing", disabled_reason: null })
  })

  it("calls an endpoint failing from the tenth failure on, or once a delivery has failed", () => {
    assert.strictEqual(failedOften(9, 1).status, "active")
    assert.strictEqual(failedOften(10, 1).status, "failing")
    const endpoint = endpointRecord()
    const last = deliveryOf(endpoint, { status: "failed" })
    assert.strictEqual(judgeEndpoint(endpoint, last, failedAt(startMs)).status, "failing")
  })

  it("calls a failing endpoint active again once it accepts, and leaves others as they are", () => {
    const accepted = { ...failedAt(startMs), says: "accepted" } as const
    const judged = (fields: Partial<WebhookEndpoint>) => {
      const endpoint = endpointRecord({ consecutive_failures: 12, failing_since: atHour(-3) })
      const before = { ...endpoint, warned_percent: 50, ...fields }
      return judgeEndpoint(before, deliveryOf(before, { status: "succeeded" }), accepted)
    }
    const well = { consecutive_failures: 0, failing_since: null, warned_percent: 0 }
    const now = { ...well, last_success_at: toTimestamp(startMs) }
    for (const [status, after] of [
      ["failing", "active"],
      ["active", "active"],
      ["disabled", "disabled"]
    ] as const) {
      assert.deepInclude(judged({ status }), { ...now, status: after })
    }
  })

  it("judges a disabled endpoint no more: it stays so, for the reason that it was", () => {
    const disabled = endpointRecord({
      status: "disabled",
      disabled_reason: "gone",
      disabled_at: atHour(-1),
      missed_since: atHour(-1),
      created_at: atHour(-100),
      failing_since: atHour(-99),
      consecutive_failures: 40
    })
    for (const status of ["retrying", "failed"] as const) {
      const delivery = deliveryOf(disabled, { status })
      assert.deepStrictEqual(judgeEndpoint(disabled, delivery, failedAt(startMs)), {
        ...disabled,
        consecutive_failures: 41,
        last_failure_at: atHour(0)
      })
    }
    const asked = { ...failedAt(startMs), ends: "receiver_request" } as const
    const again = judgeEndpoint(disabled, deliveryOf(disabled), asked)
    assert.deepInclude(again, { disabled_reason: "gone", disabled_at: atHour(-1) })
  })

  it("does not count a sample, whatever came of it", () => {
    const endpoint = endpointRecord()
    const sample = deliveryOf(endpoint, { test: true, status: "failed" })
    for (const ends of [null, "gone"] as const) {
      const evidence = { ...failedAt(startMs), ends }
      assert.strictEqual(judgeEndpoint(endpoint, sample, evidence), endpoint)
    }
  })

  it("holds an endpoint back as its sender does, unless a caller repaired it meanwhile", () => {
    const endpoint = endpointRecord({ held_until: atHour(1), repaired_at: atHour(0) })
    const delivery = deliveryOf(endpoint)
    const silent = { ...failedAt(startMs), says: "nothing" } as const
    const judged = judgeEndpoint(endpoint, delivery, { ...silent, repairedAt: atHour(0) })
    assert.deepStrictEqual(judged, { ...endpoint, held_until: null })
    assert.strictEqual(judgeEndpoint(endpoint, delivery, silent), endpoint)
  })
})
