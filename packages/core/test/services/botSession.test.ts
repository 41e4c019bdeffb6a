/**
 * States that were kept by versions before are read as they were meant.
 */
import { assert, describe, it } from "@effect/vitest"
import { sumPositions } from "../../../engine/src/kernel/metrics/positionSums.ts"
import { makeSnapshot, readSnapshot } from "../../src/services/bots/botSession.ts"

describe("a kept state", () => {
  it("that has each closed position is read as their sums", () => {
    const snapshot = makeSnapshot(1_000, [], null, 1)
    const { positions: _positions, ...tallies } = snapshot.tallies
    const closed = [
      { pnl: 12.5, returnRate: 0.1, heldCount: 3 },
      { pnl: -7, returnRate: -0.05, heldCount: 9 },
      { pnl: 0, returnRate: 0, heldCount: 1 }
    ]
    const before = { ...snapshot, tallies: { ...tallies, closed } }
    const read = readSnapshot({
      bot_id: "bot_1",
      cursor: null,
      snapshot: JSON.parse(JSON.stringify(before)),
      version: 1
    })
    const positions = sumPositions(
      closed.map(({ heldCount, pnl, returnRate }) => {
        return { pnl, returnRate, entryIndex: 0, exitIndex: heldCount }
      })
    )
    assert.strictEqual(positions.heldCount, 13)
    assert.deepStrictEqual(read, { ...snapshot, tallies: { ...tallies, positions } })
    const again = readSnapshot({
      bot_id: "bot_1",
      cursor: null,
      snapshot: read as never,
      version: 2
    })
    assert.deepStrictEqual(again, read)
  })
})
