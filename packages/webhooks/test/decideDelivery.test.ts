import {
  bodyFor,
  claimedStatus,
  type Delivery,
  type DeliveryChange,
  judgeEndpoint,
  makeEvent,
  sampleEvents,
  toTimestamp
} from "@candlewick/core"
import { endpointRecord, keptDeliveryRecord } from "@candlewick/core/testing"
import { assert, describe, it } from "@effect/vitest"
import {
  beginAttempt,
  endAttempt,
  endUnsent,
  evidenceOf,
  gateVerdict,
  isAccepted,
  isSpent,
  putBack
} from "../src/decideDelivery.ts"
import type { AttemptOutcome } from "../src/postNotification.ts"
import { retryWaitsMs } from "../src/RetrySchedule.ts"

const startMs = 1_768_469_400_000
const hourMs = 3_600_000
const down: AttemptOutcome = {
  _tag: "Unanswered",
  error: "connect_refused",
  status: null,
  durationMs: 1
}
const gone: AttemptOutcome = {
  _tag: "Answered",
  status: 410,
  durationMs: 1,
  responseBytes: 0,
  responseText: null,
  retryAfter: null,
  receiverRequest: null
}

const evidence = (outcome: AttemptOutcome) =>
  evidenceOf(outcome, { endedAtMs: startMs, heldUntilMs: null, repairedAt: null })

describe("the request of a receiver in the head of its answer", () => {
  const sending = () => keptDeliveryRecord(endpointRecord(), { status: "sending" })
  const ended = (outcome: AttemptOutcome) => {
    const begun = beginAttempt(sending(), "att_1", startMs)
    const delivery = endAttempt(begun, { outcome, nowMs: startMs, random: 0 })
    const endpoint = endpointRecord()
    const judged = judgeEndpoint(endpoint, delivery, evidence(outcome))
    return { delivery, endpoint, judged, verdict: gateVerdict(delivery, outcome) }
  }

  it("disables the endpoint in whatever answer, an accepted one too", () => {
    const accepted = ended({ ...gone, status: 204, receiverRequest: "disable" })
    assert.strictEqual(accepted.delivery.status, "succeeded")
    assert.deepInclude(accepted.judged, {
      status: "disabled",
      disabled_reason: "receiver_request",
      last_success_at: toTimestamp(startMs)
    })
    for (const status of [302, 410, 500]) {
      const { delivery, judged } = ended({ ...gone, status, receiverRequest: "disable" })
      assert.strictEqual(delivery.status, "failed")
      assert.strictEqual(judged.disabled_reason, "receiver_request")
    }
  })

  it("holds where the body stalls behind it", () => {
    const stalled = (status: number, more: Partial<AttemptOutcome> = {}): AttemptOutcome =>
      ({ ...down, error: "timeout", status, ...more }) as AttemptOutcome
    const { delivery, judged } = ended(stalled(410))
    assert.strictEqual(delivery.status, "failed")
    assert.strictEqual(judged.disabled_reason, "gone")
    const asked = ended(stalled(200, { receiverRequest: "disable" }))
    assert.strictEqual(asked.judged.disabled_reason, "receiver_request")
    const later = ended(stalled(500, { retryAfter: "3600" }))
    assert.deepInclude(later.delivery, { status: "retrying", due_in_ms: hourMs })
  })

  it("delays the next attempt after a redirect as after any other refusal", () => {
    const { delivery } = ended({ ...down, error: "redirect", status: 302, retryAfter: "3600" })
    assert.strictEqual(delivery.due_in_ms, hourMs)
  })

  it("ends a message without a word against the endpoint", () => {
    const { delivery, endpoint, judged, verdict } = ended({
      ...gone,
      status: 422,
      receiverRequest: "abort-message"
    })
    assert.strictEqual(delivery.status, "failed")
    assert.deepStrictEqual(judged, { ...endpoint, id: judged.id })
    assert.strictEqual(verdict, "nothing")
    const accepted = ended({ ...gone, status: 200, receiverRequest: "abort-message" })
    assert.strictEqual(accepted.delivery.status, "succeeded")
    assert.strictEqual(accepted.verdict, "accepted")
  })
})

describe("endAttempt", () => {
  it("counts an attempt that this side broke off neither in the schedule nor in the health", () => {
    const outcome: AttemptOutcome = { ...down, error: "cancelled" }
    const endpoint = endpointRecord()
    let delivery: DeliveryChange = keptDeliveryRecord(endpoint, { status: "sending" })
    for (let count = 0; count < 12; count++) {
      const begun = beginAttempt({ ...delivery, status: "sending" }, `att_${count}`, startMs)
      delivery = endAttempt(begun, { outcome, nowMs: startMs, random: 0 })
      assert.strictEqual(delivery.status, "retrying")
      assert.strictEqual(delivery.due_in_ms, 5_000)
      assert.strictEqual(judgeEndpoint(endpoint, delivery, evidence(outcome)), endpoint)
    }
    assert.lengthOf(delivery.attempts, 12)
    const begun = beginAttempt({ ...delivery, status: "sending" }, "att_last", startMs)
    const failed = endAttempt(begun, { outcome: down, nowMs: startMs, random: 0 })
    assert.strictEqual(failed.due_in_ms, 5_000)
    assert.strictEqual(failed.status, "retrying", "the schedule has hardly begun")
  })

  it("takes the status of two hundreds for an acceptance, and no other", () => {
    const ended = (status: number) => {
      const outcome = { ...gone, status }
      const claimed = keptDeliveryRecord(endpointRecord(), { status: "sending" })
      const begun = beginAttempt(claimed, "att_1", startMs)
      const delivery = endAttempt(begun, { outcome, nowMs: startMs, random: 0 })
      return [isAccepted(outcome), delivery.status, delivery.attempts[0]!.error]
    }
    for (const status of [200, 204, 299]) {
      assert.deepStrictEqual(ended(status), [true, "succeeded", null], String(status))
    }
    for (const status of [199, 300, 302, 404, 500]) {
      assert.deepStrictEqual(ended(status), [false, "retrying", "http_status"], String(status))
    }
    assert.isFalse(isAccepted({ ...down, status: 200 }), "whose body never ended")
  })
})

describe("makeEvent", () => {
  const head = {
    id: "msg_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
    account_id: "acc_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
    event: "backtest.complete",
    timestamp: "2026-01-15T09:30:00.000Z"
  } as const

  it("keeps a body of 256 KiB whole, and says of a larger one where the rest is", () => {
    const bytesOf = (text: string) => Buffer.byteLength(makeEvent(head, { text }).body)
    const room = 262_144 - bytesOf("")
    assert.strictEqual(bytesOf("a".repeat(room)), 262_144)
    const fields = { ...sampleEvents["backtest.complete"], text: "é".repeat(room) }
    assert.deepStrictEqual(JSON.parse(makeEvent(head, fields).body).data, {
      backtest_id: "bt_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
      strategy_id: "str_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
      truncated: true,
      href: "/api/v1/mix/backtest/bt_01JHKQ8Z7M3V5W9X2Y4B6C8D0F"
    })
  })
  it("says id and type besides, before the same text, within 256 KiB too", () => {
    const small = makeEvent(head, sampleEvents["backtest.complete"])
    assert.strictEqual(bodyFor(small, "plain"), small.body)
    const first = `{"id":"${head.id}","type":"backtest.complete",`
    assert.strictEqual(bodyFor(small, "extended"), first + small.body.slice(1))
    const room = 262_144 - Buffer.byteLength(first) + 1
    const ids = { backtest_id: "bt_01JHKQ8Z7M3V5W9X2Y4B6C8D0F" }
    const textOf = (bytes: number) => {
      const empty = Buffer.byteLength(makeEvent(head, { ...ids, text: "" }).body)
      return makeEvent(head, { ...ids, text: "a".repeat(bytes - empty) })
    }
    const fits = bodyFor(textOf(room), "extended")
    assert.strictEqual(Buffer.byteLength(fits), 262_144)
    const large = textOf(room + 1)
    assert.include(large.body, "aaa")
    assert.deepStrictEqual(JSON.parse(bodyFor(large, "extended")), {
      id: head.id,
      type: "backtest.complete",
      event: "backtest.complete",
      timestamp: head.timestamp,
      data: { ...ids, truncated: true, href: `/api/v1/mix/backtest/${ids.backtest_id}` }
    })
  })
})

describe("a claimed delivery that is not sent", () => {
  const claimed = (fields: Partial<Delivery> = {}): Delivery =>
    keptDeliveryRecord(endpointRecord(), {
      status: "sending",
      leased_until_ms: startMs + 30_000,
      ...fields
    })

  it("waits as pending until something was tried, and as retrying afterwards", () => {
    const untried = putBack(claimed(), 20, startMs)
    assert.deepInclude(untried, {
      status: "pending",
      due_in_ms: 20,
      leased_until_ms: null,
      attempts: []
    })
    const tried = endAttempt(beginAttempt(claimed(), "att_1", startMs), {
      outcome: down,
      nowMs: startMs,
      random: 0
    })
    const again = { ...tried, status: claimedStatus(tried.status) }
    assert.strictEqual(putBack(again, 20, startMs).status, "retrying")
    const askedAgain = { ...again, earlier_attempts: 1 }
    assert.strictEqual(putBack(askedAgain, 20, startMs).status, "pending")
  })

  it("is given up after a hundred attempts that crashes cut off, and not before", () => {
    let delivery = claimed({ earlier_attempts: 0 })
    for (let count = 0; count < 100; count++) {
      assert.isFalse(isSpent(delivery))
      delivery = beginAttempt(delivery, `att_${count}`, startMs)
    }
    assert.isTrue(isSpent(delivery))
    assert.isFalse(isSpent({ ...delivery, earlier_attempts: 100 }))
    assert.deepInclude(endUnsent(delivery, "exhausted", startMs), {
      status: "failed",
      leased_until_ms: null
    })
    assert.strictEqual(endUnsent(delivery, "cancel", startMs).status, "cancelled")
  })

  it("says by its status alone that it is sent, also after a lease that ended", () => {
    for (const status of ["pending", "retrying", "sending"] as const) {
      assert.strictEqual(claimedStatus(status), "sending")
    }
    assert.throws(
      () => claimedStatus("failed"),
      "The table of the delivery has no row from failed on claim."
    )
  })
})

describe("a fault of this side", () => {
  it("ends an attempt on the schedule, and says nothing of the endpoint", () => {
    const endpoint = endpointRecord()
    for (const error of ["secret_unreadable", "sender_failed"] as const) {
      const outcome: AttemptOutcome = { ...down, error, durationMs: 0 }
      let delivery: DeliveryChange = keptDeliveryRecord(endpoint, { status: "pending" })
      for (let count = 0; count < retryWaitsMs.length; count++) {
        const begun = { ...delivery, status: claimedStatus(delivery.status) }
        delivery = endAttempt(beginAttempt(begun, `att_${count}`, startMs), {
          outcome,
          nowMs: startMs,
          random: 0
        })
        assert.strictEqual(delivery.attempts.at(-1)?.error, error)
        assert.strictEqual(judgeEndpoint(endpoint, delivery, evidence(outcome)), endpoint)
      }
      assert.strictEqual(delivery.status, "failed")
    }
  })

  it("leaves the breaker as it is where it broke a request off, or sent a sample", () => {
    const delivery = keptDeliveryRecord(endpointRecord())
    assert.strictEqual(gateVerdict(delivery, down), "failed")
    assert.strictEqual(gateVerdict(delivery, { ...gone, status: 204 }), "accepted")
    for (const error of ["cancelled", "secret_unreadable", "sender_failed"] as const) {
      assert.strictEqual(gateVerdict(delivery, { ...down, error }), "nothing")
    }
    assert.strictEqual(gateVerdict({ ...delivery, test: true }, down), "nothing")
  })
})

describe("the log of an attempt", () => {
  const claimed = (fields: Partial<Delivery> = {}): Delivery =>
    keptDeliveryRecord(endpointRecord(), { status: "sending", ...fields })
  const answered: AttemptOutcome = {
    ...gone,
    status: 200,
    durationMs: 12,
    responseBytes: 3,
    responseText: "yes"
  }

  it("begins empty, and is numbered on from the attempt before it", () => {
    const first = beginAttempt(claimed(), "att_1", startMs)
    const empty = {
      started_at: toTimestamp(startMs),
      duration_ms: null,
      status: null,
      error: null,
      response_bytes: null,
      response_text: null
    }
    assert.deepStrictEqual(first.attempts, [{ id: "att_1", number: 1, ...empty }])
    assert.strictEqual(first.updated_at, toTimestamp(startMs))
    const cut = { ...first, attempts: [{ ...first.attempts[0]!, number: 7 }] }
    const second = beginAttempt(cut, "att_2", startMs)
    assert.deepStrictEqual(
      second.attempts.map(({ id, number }) => [id, number]),
      [
        ["att_1", 7],
        ["att_2", 8]
      ]
    )
  })

  it("has the answer of one that was answered, and no answer of another", () => {
    const ended = (outcome: AttemptOutcome) =>
      endAttempt(beginAttempt(claimed(), "att_1", startMs), { outcome, nowMs: startMs, random: 0 })
        .attempts[0]!
    assert.deepInclude(ended(answered), {
      duration_ms: 12,
      status: 200,
      error: null,
      response_bytes: 3,
      response_text: "yes"
    })
    assert.deepInclude(ended(down), {
      duration_ms: 1,
      status: null,
      error: "connect_refused",
      response_bytes: null,
      response_text: null
    })
  })

  it("changes the attempt that ended, and no earlier one", () => {
    const first = endAttempt(beginAttempt(claimed(), "att_1", startMs), {
      outcome: down,
      nowMs: startMs,
      random: 0
    })
    const again = beginAttempt({ ...first, status: "sending" }, "att_2", startMs)
    const both = endAttempt(again, { outcome: answered, nowMs: startMs, random: 0 })
    assert.deepStrictEqual(
      both.attempts.map(({ error, status }) => [error, status]),
      [
        ["connect_refused", null],
        [null, 200]
      ]
    )
  })

  it("says not_ok where the receiver refuses in an answer of 200", () => {
    const refusing = { ...answered, isRefused: true } as AttemptOutcome
    assert.isFalse(isAccepted(refusing))
    assert.isTrue(isAccepted({ ...answered, isRefused: false }))
    const delivery = endAttempt(beginAttempt(claimed(), "att_1", startMs), {
      outcome: refusing,
      nowMs: startMs,
      random: 0
    })
    assert.deepInclude(delivery, { status: "retrying" })
    assert.strictEqual(delivery.attempts[0]!.error, "not_ok")
  })

  it("that was asked for again starts its schedule anew", () => {
    const tried = retryWaitsMs.slice(1).reduce<DeliveryChange>(
      (delivery, _, index) =>
        endAttempt(beginAttempt({ ...delivery, status: "sending" }, `att_${index}`, startMs), {
          outcome: down,
          nowMs: startMs,
          random: 0
        }),
      claimed()
    )
    const later = endAttempt(beginAttempt({ ...tried, status: "sending" }, "att_a", startMs), {
      outcome: down,
      nowMs: startMs,
      random: 0
    })
    const anew = { ...tried, earlier_attempts: tried.attempts.length, status: "sending" } as const
    const first = endAttempt(beginAttempt(anew, "att_b", startMs), {
      outcome: down,
      nowMs: startMs,
      random: 0
    })
    assert.strictEqual(first.due_in_ms, 5_000)
    assert.notStrictEqual(later.due_in_ms, 5_000)
  })

  it("that a crash left without an end counts for nothing in the schedule", () => {
    const crashed = beginAttempt(beginAttempt(claimed(), "att_1", startMs), "att_2", startMs)
    const delivery = endAttempt(crashed, { outcome: down, nowMs: startMs, random: 0 })
    assert.strictEqual(delivery.due_in_ms, 5_000)
  })
})

describe("the evidence of an attempt", () => {
  it("is silent about a fault of this side, and never about a receiver that wants no more", () => {
    const fault: AttemptOutcome = { ...down, error: "cancelled" }
    assert.deepInclude(evidence(fault), { says: "nothing", ends: null })
    assert.deepInclude(evidence(down), { says: "failed", ends: null })
    assert.deepInclude(evidence({ ...gone, status: 200 }), { says: "accepted", ends: null })
    assert.deepInclude(evidence(gone), { says: "failed", ends: "gone" })
    const asked = { ...fault, receiverRequest: "disable" } as AttemptOutcome
    assert.deepInclude(evidence(asked), { says: "failed", ends: "receiver_request" })
  })
})
