import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { HaltRequest } from "../../src/domain/Account.ts"
import { boundedText } from "../../src/domain/boundedText.ts"
import { Timestamp } from "../../../engine/src/language/Timestamp.ts"
import { MarketSymbols } from "../../../engine/src/language/Market.ts"
import { DisplayName } from "../../src/domain/Strategy.ts"
import { WebhookRequest } from "../../src/domain/WebhookEndpoint.ts"

describe("values from outside", () => {
  it("takes instants that the calendar has, and no others", () => {
    const isTimestamp = Schema.is(Timestamp)
    for (const text of ["2026-01-15T09:30:00Z", "2024-02-29T23:59:59.123456789Z"]) {
      assert.isTrue(isTimestamp(text), text)
    }
    for (const text of [
      "2019-02-30T00:00:00Z",
      "2023-02-29T00:00:00Z",
      "2019-13-45T99:99:99Z",
      "2019-12-01T24:00:00Z",
      "2019-12-01T12:60:00Z",
      "2019-12-01",
      "2019-12-01T12:00:00+01:00"
    ]) {
      assert.isFalse(isTimestamp(text), text)
    }
  })

  it("takes names that can be seen on one line", () => {
    const isName = Schema.is(DisplayName)
    for (const text of ["a", "名前 with spaces", "x".repeat(100), " padded ", "🚀".repeat(100)]) {
      assert.isTrue(isName(text), text)
    }
    for (const text of ["", "   ", "\u00a0", "two\nlines", "zero\u0000", "x".repeat(101)]) {
      assert.isFalse(isName(text), JSON.stringify(text))
    }
  })

  it("counts the characters of a text as its JSON schema does, not the halves of them", () => {
    const text = boundedText(2, 3)
    assert.deepInclude(Schema.toJsonSchemaDocument(text).schema, { minLength: 2, maxLength: 3 })
    for (const [value, isTaken] of [
      ["🚀", false],
      ["🚀🚀", true],
      ["🚀🚀🚀", true],
      ["🚀🚀🚀🚀", false],
      ["xxxx", false]
    ] as const) {
      assert.strictEqual(Schema.is(text)(value), isTaken, value)
    }
    const webhook = { url: "https://example.com/", events: ["trade.executed"] }
    const isWebhook = Schema.is(WebhookRequest)
    assert.isTrue(isWebhook({ ...webhook, description: "🚀".repeat(500) }))
    assert.isFalse(isWebhook({ ...webhook, description: "🚀".repeat(501) }))
    assert.isTrue(Schema.is(HaltRequest)({ reason: "🚀".repeat(500) }))
  })

  it("takes each symbol once", () => {
    const isSymbols = Schema.is(MarketSymbols)
    assert.isTrue(isSymbols(["BTC/USD", "ETH/USD"]))
    assert.isFalse(isSymbols(["BTC/USD", "BTC/USD"]))
    assert.isFalse(isSymbols([]))
  })
})
