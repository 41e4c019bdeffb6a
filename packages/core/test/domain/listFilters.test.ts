/** The records that a filter leaves, as every store has to see it. */
import { assert, it } from "@effect/vitest"
import { foldCase, passesFilter } from "../../src/domain/listFilters.ts"

const page = { limit: 10, before: "bot_1" }

it("leaves every record where nothing is asked for", () => {
  assert.isTrue(passesFilter({ ...page, status: undefined } as typeof page)({ status: "running" }))
})

it("compares fields, and one symbol with all that a record has", () => {
  const asked = (filter: object) => passesFilter({ ...page, ...filter })
  assert.isTrue(asked({ is_enabled: false })({ is_enabled: false }))
  assert.isFalse(asked({ is_enabled: false })({ is_enabled: true }))
  assert.isTrue(asked({ symbol: "BTC/USD" })({ symbol: "BTC/USD" }))
  assert.isTrue(asked({ symbol: "BTC/USD" })({ symbols: ["ETH/USD", "BTC/USD"] }))
  assert.isFalse(asked({ symbol: "BTC/USD" })({ symbols: ["XBTC/USD"] }))
  assert.isFalse(asked({ status: "running", mode: "live" })({ status: "running", mode: "paper" }))
})

it("finds a part of a name, and folds the case of A to Z alone", () => {
  const named = (name: string) =>
    passesFilter({ ...page, name } as typeof page)({ name: "Trend Éclair" })
  assert.isTrue(named("TREND É"))
  assert.isFalse(named("éclair"))
  assert.strictEqual(foldCase("ABC É"), "abc É")
})

it("bounds a time with its end left out, however the time is written", () => {
  const range = { ...page, from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" }
  const at = (time: string) => passesFilter(range, "executed_at")({ executed_at: time })
  assert.isFalse(at("2025-12-31T23:59:59.999Z"))
  assert.isTrue(at("2026-01-01T00:00:00.000Z"))
  assert.isTrue(at("2026-01-01T23:59:59.999Z"))
  assert.isFalse(at("2026-01-02T00:00:00.000Z"))
})
