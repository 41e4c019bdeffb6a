import { assert, describe, it } from "@effect/vitest"
import {
  distanceAway,
  isActivated,
  isFarther,
  partAway,
  trailedStop
} from "../../src/match/levelRules.ts"

describe("levels of a position", () => {
  it("lie a part of the price or a distance away, on the side that is asked for", () => {
    assert.strictEqual(partAway(200, 1, 0.25), 250)
    assert.strictEqual(partAway(200, -1, 0.25), 150)
    assert.strictEqual(distanceAway(200, 1, 5), 205)
    assert.strictEqual(distanceAway(200, -1, 5), 195)
  })

  it("are activated by the price that reaches them, a stop is moved by one beyond alone", () => {
    for (const side of [1, -1]) {
      assert.isTrue(isActivated(100, 100, side))
      assert.isFalse(isFarther(100, 100, side))
      assert.isTrue(isActivated(100 + side, 100, side))
      assert.isTrue(isFarther(100 + side, 100, side))
      assert.isFalse(isActivated(100 - side, 100, side))
      assert.isFalse(isFarther(100 - side, 100, side))
    }
  })

  it("trail behind the best price: below it for a long, above it for a short", () => {
    assert.strictEqual(trailedStop(200, 1, 5, false), 195)
    assert.strictEqual(trailedStop(200, -1, 5, false), 205)
    assert.strictEqual(trailedStop(200, 1, 0.25, true), 150)
    assert.strictEqual(trailedStop(200, -1, 0.25, true), 250)
  })
})
