/**
 * The changes of a bot's cash beside its fills.
 */
import { assert, describe, it } from "@effect/vitest"
import { chargesOf, readCharges } from "../../../src/services/bots/charges.ts"

const candle_time = "2026-01-05T00:00:00.000Z"
const time = Date.parse(candle_time)

describe("the changes of cash beside fills", () => {
  it("are read from lines of funding, of late fees, and of differences that were accepted", () => {
    const events = ["funding.settled", "fee.priced", "reconcile.accepted", "trade.executed"]
    const lines = events.map((event) => ({ event, data: { candle_time } }))
    assert.deepStrictEqual(readCharges([...lines, { event: "fee.priced", data: {} }]), [
      { cause: "fee", time },
      { cause: "fee", time },
      { cause: "command", time }
    ])
  })

  it("are the funding of the backtest from its first fill on, where it has paid some", () => {
    const paid = (fundingPaid: number) => ({ fills: [{ time }], ledger: { fundingPaid } }) as never
    assert.deepStrictEqual(chargesOf(paid(1)), [{ cause: "fee", time }])
    assert.deepStrictEqual(chargesOf(paid(0)), [])
    assert.deepStrictEqual(chargesOf(null), [])
  })
})
