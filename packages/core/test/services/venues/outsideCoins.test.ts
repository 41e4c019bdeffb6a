/**
 * The amount of a coin that surely no bot owns.
 */
import { assert, describe, it } from "@effect/vitest"
import type { HoldingLine } from "../../../src/domain/HoldingLines.ts"
import type { VenueOrderState } from "../../../src/ports/Venue.ts"
import {
  type KeptComparisons,
  outsideOf,
  settleBuying
} from "../../../src/services/venues/agent/outsideCoins.ts"
import { orderAttemptRecord } from "../../../src/testing/venueRecords.ts"

const lines = (outside: string): ReadonlyArray<HoldingLine> => [
  { name: "BTC", kind: "coin", venue: "9", bots: "0", outside, lacking: "0", mismatched: [] }
]

const base = orderAttemptRecord()
const entry = { ...base, order: { ...base.order, symbol: "BTC/USDT", quantity: "5" } }

const shownWith = (filled: string): VenueOrderState => ({
  id: entry.id,
  symbol: "BTC/USDT",
  side: "buy",
  quantity: "5",
  status: "open",
  filledQuantity: filled
})

const comparedAt = (atMs: number, outside: string, entries = [entry]) => ({
  atMs,
  lines: lines(outside),
  entries
})

describe("the amount of a coin that no bot owns", () => {
  it("lacks all that open entries may have bought, until the venue shows them unfilled", () => {
    const kept: KeptComparisons = { compared: comparedAt(1_000, "9"), settled: null }
    assert.strictEqual(outsideOf(kept, "BTC"), 4)
    settleBuying(kept, [shownWith("0")], 999)
    assert.strictEqual(outsideOf(kept, "BTC"), 4, "an answer of before proves nothing")
    settleBuying(kept, [shownWith("0")], 1_000)
    assert.strictEqual(outsideOf(kept, "BTC"), 9)
    kept.compared = comparedAt(2_000, "9")
    assert.strictEqual(outsideOf(kept, "BTC"), 9)
    kept.compared = comparedAt(2_000, "7")
    assert.strictEqual(outsideOf(kept, "BTC"), 7, "its owner took some")
  })

  it("lacks what a shown entry has filled, and all of one that is shown no more", () => {
    const kept: KeptComparisons = { compared: comparedAt(1_000, "9"), settled: null }
    settleBuying(kept, [shownWith("2")], 1_000)
    assert.strictEqual(outsideOf(kept, "BTC"), 7)
    settleBuying(kept, [], 1_000)
    assert.strictEqual(outsideOf(kept, "BTC"), 4)
  })

  it("is nothing before the first comparison, and whole without entries", () => {
    assert.strictEqual(outsideOf({ compared: null, settled: null }, "BTC"), 0)
    assert.strictEqual(outsideOf({ compared: comparedAt(1, "9", []), settled: null }, "BTC"), 9)
    assert.strictEqual(outsideOf({ compared: comparedAt(1, "9", []), settled: null }, "ETH"), 0)
  })
})
