/**
 * Parts of entries that filled too late, and the exits that close them.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  askAgainAt,
  forgetLate,
  isLateDue,
  type LatePart,
  noteLateEnd
} from "../../../src/services/bots/lateParts.ts"

const part: LatePart = { market: 0, lot: null, exit: "f1", askMs: null, askedCount: 2 }

const knowing = (late = [part]): { late?: ReadonlyArray<LatePart> | undefined } => ({ late })

describe("the exit of a part that filled too late", () => {
  it("is asked for again after a pause, once it has ended by itself", () => {
    const session = knowing()
    assert.isFalse(isLateDue(session, 1_000_000))
    noteLateEnd(session, { orderId: "another" }, false, 1_000)
    assert.isFalse(isLateDue(session, 1_000_000))
    noteLateEnd(session, { orderId: "f1" }, false, 1_000)
    assert.isFalse(isLateDue(session, 20_999))
    assert.isTrue(isLateDue(session, 21_000))
  })

  it("is asked for no more once its bot took it back, or its position is closed", () => {
    const session = knowing()
    noteLateEnd(session, { orderId: "f1" }, true, 0)
    assert.deepStrictEqual(session, { late: undefined })
    const other = knowing([part, { ...part, market: 1 }])
    forgetLate(other, { effect: "reduce", market: 0 })
    assert.lengthOf(other.late!, 2)
    forgetLate(other, { effect: "close", market: 0 })
    assert.deepStrictEqual(other.late, [{ ...part, market: 1 }])
  })

  it("waits twice as long each time, and ten minutes at most", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 20].map((count) => askAgainAt(0, count)),
      [10_000, 20_000, 40_000, 600_000]
    )
  })
})
