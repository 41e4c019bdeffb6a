import { toTimestamp } from "@candlewick/engine"
import { assert, describe, it } from "@effect/vitest"
import { firstIdAt } from "../../../src/domain/Identifier.ts"
import type { Delivery, WebhookEndpoint } from "../../../src/domain/WebhookEndpoint.ts"
import { allMissing, foldOutcomes } from "../../../src/domain/webhooks/foldOutcomes.ts"
import type { EndpointEvidence } from "../../../src/domain/webhooks/judgeEndpoint.ts"
import { attemptRecord, endpointRecord, evidenceRecord } from "../../../src/testing/records.ts"
import { keptDeliveryRecord } from "../../../src/testing/webhookRecords.ts"

const nowMs = 1_768_469_400_000

const outcome = (
  endpoint: WebhookEndpoint,
  evidence: Partial<EndpointEvidence> = {},
  fields: Partial<Delivery> = {}
) => ({
  delivery: keptDeliveryRecord(endpoint, {
    status: "retrying",
    attempts: [attemptRecord()],
    ...fields
  }),
  evidence: evidenceRecord({ endedAtMs: nowMs, ...evidence })
})

describe("foldOutcomes", () => {
  it("judges each endpoint from what the outcome before has left", () => {
    const [one, other] = [endpointRecord({ consecutive_failures: 8 }), endpointRecord()]
    const outcomes = [
      outcome(one),
      outcome(other),
      outcome(one),
      outcome(one, { says: "accepted" })
    ]
    const { cancelled, endpoints, notices } = foldOutcomes([one, other], outcomes)
    assert.deepStrictEqual(
      endpoints.map(({ consecutive_failures, status }) => [status, consecutive_failures]),
      [
        ["active", 0],
        ["active", 1]
      ]
    )
    assert.deepStrictEqual(cancelled, [])
    assert.deepStrictEqual(
      notices.map(({ attempt_id, notice }) => [attempt_id, notice.kind]),
      [
        [outcomes[2]!.delivery.attempts[0]!.id, "failing"],
        [outcomes[3]!.delivery.attempts[0]!.id, "recovered"]
      ]
    )
  })

  it("cancels for an endpoint once, in the fold that disables it, and says since when it misses", () => {
    const [gone, off] = [endpointRecord(), endpointRecord({ status: "disabled" })]
    const old = firstIdAt("delivery", nowMs - 5_000)
    const outcomes = [
      outcome(gone, { ends: "gone" }, { id: firstIdAt("delivery", nowMs) }),
      outcome(gone, { ends: "gone" }, { id: old }),
      outcome(gone, { says: "accepted" }, { id: firstIdAt("delivery", 1), status: "succeeded" }),
      outcome(off, { ends: "gone" })
    ]
    const { cancelled, endpoints, notices } = foldOutcomes([gone, off], outcomes)
    assert.deepStrictEqual(cancelled, [gone.id])
    assert.deepStrictEqual(
      notices.map(({ notice }) => notice.kind),
      ["disabled"]
    )
    assert.strictEqual(endpoints[0]!.missed_since, toTimestamp(nowMs - 5_000))
    assert.isNull(endpoints[1]!.missed_since)
    const oldest = new Map([[gone.id, firstIdAt("delivery", nowMs - 9_000)]])
    const missing = allMissing(endpoints, oldest)
    assert.strictEqual(missing[0]!.missed_since, toTimestamp(nowMs - 9_000))
    assert.strictEqual(missing[1], endpoints[1])
  })

  it("judges nothing by the outcome of an endpoint that is gone, and owes nothing without an attempt", () => {
    const [here, gone] = [endpointRecord(), endpointRecord()]
    const outcomes = [
      outcome(gone, { ends: "gone" }),
      outcome(here, { ends: "gone" }, { attempts: [] })
    ]
    const folded = foldOutcomes([here], outcomes)
    assert.deepStrictEqual(
      folded.endpoints.map(({ id, status }) => [id, status]),
      [[here.id, "disabled"]]
    )
    assert.deepStrictEqual(folded.notices, [])
  })
})
