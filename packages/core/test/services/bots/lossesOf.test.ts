import { assert, describe, it } from "@effect/vitest"
import type { Comparison, UnfilledOrder } from "@candlewick/core"
import { makeColumns } from "@candlewick/engine/kernel"
import { type Loss, lossesOf } from "../../../src/services/bots/expectedLosses.ts"

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
const none: Parameters<typeof lossesOf>[1] = {
  isOnPaper: false,
  expected: [],
  realized: [],
  lacking: [],
  shut: [],
  resumed: [],
  charges: [],
  lastCloses: [],
  unfilled: [],
  passedOver: [],
  missed: [],
  heldBack: [],
  atRest: [],
  barred: []
}
const lossesWith = (fields: Partial<Comparison>) => lossesOf(markets, { ...none, ...fields })
const lostWith = (fields: Partial<UnfilledOrder>) =>
  lossesWith({ unfilled: [{ ...order, ...fields }] })

describe("the entries that a bot lost", () => {
  it("have the ids that the backtest gives them, and are lost when the bot's are", () => {
    const one = { market: 0, orderId: "e2.line1", time: 5 * hourMs }
    const lossOf = (lost: Loss["lost"][number], cause: Loss["cause"] = "refusal") => [
      { cause, lost: [lost], barred: [] }
    ]
    assert.deepStrictEqual(lostWith({}), lossOf(one))
    assert.deepStrictEqual(lostWith({ cause: "command" }), lossOf(one, "command"))
    assert.deepStrictEqual(lostWith({ cause: "part" }), lossOf(one, "part"))
    const other = { ...one, market: 1, orderId: "e4.line1" }
    assert.deepStrictEqual(lostWith({ market: 1 }), lossOf(other))
    const [unknown] = lostWith({ overTime: null })
    const { time } = unknown!.lost[0]!
    assert.isAbove(time, order.time, "the backtest does not lose what it has yet to order")
    assert.isAtMost(time, 5 * hourMs)
  })

  it("are no exits, and no entries that are open or have a fill", () => {
    for (const fields of [
      { leg: "exit" },
      { filledTime: 5 * hourMs },
      { cause: "delay", isOpen: true },
      { decision: null }
    ] as const) {
      assert.deepStrictEqual(lostWith(fields), [])
    }
  })

  it("are those of the closes too at which the bot was kept from entering", () => {
    const stretch = { after: 2 * hourMs, until: 4 * hourMs }
    const barred = [{ from: 2 * hourMs, until: 4 * hourMs }]
    for (const [name, cause] of [
      ["heldBack", "command"],
      ["barred", "refusal"],
      ["missed", "missed_candle"]
    ] as const) {
      assert.deepStrictEqual(lossesWith({ [name]: [stretch] }), [{ cause, lost: [], barred }])
    }
    assert.deepStrictEqual(lossesWith({ heldBack: [stretch], isOnPaper: true }), [])
  })
})
