/**
 * How many draws laws take, and how long their tests may take for that.
 */
import { assert, describe, it } from "@effect/vitest"
import { defaultDrawShare, drawShare } from "../scripts/tests/drawShare.ts"
import { longLimitMs, shortLimitMs, timeLimitMs } from "../scripts/tests/timeLimit.ts"
import { tiers } from "../scripts/tests/tiers.ts"

describe("the share of its draws that a law takes", () => {
  it("is that of npm test where nobody asks for another", () => {
    assert.strictEqual(drawShare(""), defaultDrawShare)
    assert.strictEqual(Number(tiers.test.environment.CANDLEWICK_DRAWS), defaultDrawShare)
    assert.strictEqual(drawShare("1"), 1)
    for (const asked of ["0", "-1", "all"]) assert.throws(() => drawShare(asked), /above 0/)
  })

  it("decides how long a law may take, and no other test", () => {
    assert.strictEqual(timeLimitMs("law", drawShare("")), shortLimitMs)
    assert.strictEqual(
      timeLimitMs("law", drawShare(tiers.all.environment.CANDLEWICK_DRAWS)),
      longLimitMs
    )
    for (const share of [defaultDrawShare, 1]) {
      assert.strictEqual(timeLimitMs("unit", share), shortLimitMs)
      assert.strictEqual(timeLimitMs("database", share), longLimitMs)
    }
  })
})
