import { assert, describe, it } from "@effect/vitest"
import { judgeAnswer } from "../src/chatAnswers.ts"
import { isAccepted } from "../src/decideDelivery.ts"
import type { Answered } from "../src/postNotification.ts"

const answer = (
  status: number,
  responseText: string | null,
  retryAfter: string | null = null
): Answered => ({
  _tag: "Answered",
  status,
  durationMs: 1,
  responseBytes: responseText?.length ?? 0,
  responseText,
  retryAfter,
  receiverRequest: null
})

describe("the answer of a chat service", () => {
  it("accepts where its body says so", () => {
    const isOk = (format: "slack" | "discord" | "telegram", text: string | null) =>
      isAccepted(judgeAnswer(format, answer(200, text)))
    assert.isTrue(isOk("slack", "ok"))
    assert.isTrue(isOk("slack", '{"ok":true}'))
    assert.isFalse(isOk("slack", '{"ok":false,"error":"channel_not_found"}'))
    assert.isFalse(isOk("slack", "<html>Sign in</html>"))
    // Longer than what is kept of an answer, so that it is no whole JSON.
    assert.isTrue(isOk("telegram", '{"ok":true,"result":{"message_id":7,"text":"cut'))
    assert.isFalse(isOk("telegram", '{"ok":false,"error_code":400}'))
    assert.isFalse(isOk("telegram", null))
    assert.isTrue(isAccepted(judgeAnswer("discord", answer(204, null))))
  })

  it("waits as long as the header or the body asks, whichever is more", () => {
    const waitOf = (format: "slack" | "discord" | "telegram", outcome: Answered) =>
      judgeAnswer(format, outcome).retryAfter
    const limited = '{"message":"You are being rate limited.","retry_after":64.57,"global":false}'
    assert.strictEqual(waitOf("discord", answer(429, limited)), "64.57")
    assert.strictEqual(waitOf("discord", answer(429, limited, "65")), "65")
    const flood = '{"ok":false,"error_code":429,"parameters":{"retry_after":35}}'
    assert.strictEqual(waitOf("telegram", answer(429, flood)), "35")
    assert.strictEqual(waitOf("slack", answer(429, "", "30")), "30")
    assert.isNull(waitOf("telegram", answer(400, '{"ok":false,"error_code":400}')))
  })

  it("is left alone where a program gets the events", () => {
    const outcome = answer(200, '{"ok":false,"retry_after":5}')
    assert.strictEqual(judgeAnswer("candlewick", outcome), outcome)
  })
})
