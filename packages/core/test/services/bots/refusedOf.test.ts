import { assert, describe, it } from "@effect/vitest"
import type { UnfilledOrder } from "@candlewick/core"
import { makeColumns } from "@candlewick/engine/kernel"
import { refusedOf } from "../../../src/services/bots/expectedBacktest.ts"

const hourMs = 3_600_000
const columns = makeColumns(6)
for (let index = 0; index < columns.length; index++) columns.time[index] = index * hourMs
const markets = [2, 0].map((from) => ({ columns, hash: "", from }))

const order: UnfilledOrder = {
  cause: "refusal",
  filledTime: null,
  overTime: 5 * hourMs,
  isOpen: false,
  decision: `e${4 * hourMs}.line1`,
  market: 0,
  time: 4 * hourMs,
  side: 1,
  leg: "entry"
}
const lostOf = (fields: Partial<UnfilledOrder> = {}) =>
  refusedOf({ markets }, [{ ...order, ...fields }])

describe("the entries that were refused of a bot", () => {
  it("have the ids that the backtest gives them, and are lost with the bot's", () => {
    const lost = { market: 0, orderId: "e2.line1", time: 5 * hourMs }
    assert.deepStrictEqual(lostOf(), [lost])
    assert.deepStrictEqual(lostOf({ market: 1 }), [{ ...lost, market: 1, orderId: "e4.line1" }])
    const [unknown] = lostOf({ overTime: null })
    assert.isAbove(unknown!.time, order.time, "the backtest does not lose what it has yet to order")
    assert.isAtMost(unknown!.time, 5 * hourMs)
  })

  it("are no exits, no entries with a fill, and none that ended otherwise", () => {
    assert.deepStrictEqual(lostOf({ leg: "exit" }), [])
    assert.deepStrictEqual(lostOf({ filledTime: 5 * hourMs }), [])
    assert.deepStrictEqual(lostOf({ cause: "part" }), [])
    assert.deepStrictEqual(lostOf({ decision: null }), [])
  })
})
