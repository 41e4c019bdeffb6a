import { assert, describe, it } from "@effect/vitest"
import type { LogEntry } from "@candlewick/core"
import { toRiskLimits } from "@candlewick/engine"
import { noRiskLimits } from "@candlewick/engine/kernel"
import { readLimits } from "../../../src/services/bots/expectedBacktest.ts"

const riskOf = (max_exposure: number) => ({
  max_drawdown: 0.5,
  risk_per_trade: 1,
  max_exposure,
  daily_loss: 0.5,
  is_stop_loss_mandatory: false
})
const limitsOf = (exposure: number) => toRiskLimits(riskOf(exposure))
const timeOf = (index: number) => index * 3_600_000
const updated = (data: LogEntry["data"]) => ({ event: "bot.updated", data })
const changed = (exposure: number, index: number) =>
  updated({ risk_before: riskOf(exposure), candle_time: new Date(timeOf(index)).toISOString() })

describe("the limits that a bot has gone by", () => {
  it("are its present ones where they have never changed", () => {
    const found = readLimits([{ event: "bot.running", data: {} }, updated({})], riskOf(1))
    assert.deepStrictEqual(found, { limits: limitsOf(1), limitChanges: [] })
  })

  it("are each those before the next change, which holds from the candle after it on", () => {
    const lines = [updated({ risk_before: null }), changed(0.1, 2), updated({}), changed(0.2, 5)]
    assert.deepStrictEqual(readLimits(lines, riskOf(0.3)), {
      limits: noRiskLimits,
      limitChanges: [
        { after: Number.NEGATIVE_INFINITY, limits: limitsOf(0.1) },
        { after: timeOf(2), limits: limitsOf(0.2) },
        { after: timeOf(5), limits: limitsOf(0.3) }
      ]
    })
  })
})
