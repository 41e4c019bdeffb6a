/**
 * Words that callers choose from: aliases are understood, anything else is answered with what is
 * allowed.
 */
import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { makeEvent } from "../../src/domain/DomainEvent.ts"
import { BotId, firstIdAt, madeAt } from "../../src/domain/Identifier.ts"
import { fromTimestamp, Timestamp, toTimestamp } from "../../../engine/src/language/Timestamp.ts"
import { MarketSymbol } from "../../../engine/src/language/Market.ts"
import { Objective, objectives } from "../../../engine/src/language/Objective.ts"
import { RiskTolerance } from "../../../engine/src/language/RiskProfile.ts"
import { riskProfileOf } from "../../src/domain/Strategy.ts"
import {
  isMultipleOf,
  TimeframeOrAlias,
  timeframeNames,
  timeframes
} from "../../../engine/src/language/Timeframe.ts"

const refusal = <A>(schema: Schema.Codec<A, string>, text: string): string => {
  const exit = Schema.decodeUnknownExit(schema)(text)
  return Exit.isFailure(exit) ? String(exit.cause) : "accepted"
}

describe("vocabularies", () => {
  it("read each objective by its own name and by its aliases", () => {
    const read = Schema.decodeUnknownSync(Objective)
    for (const objective of objectives) assert.strictEqual(read(objective), objective)
    assert.strictEqual(read("maximize_returns"), "total_return")
    assert.strictEqual(read("balanced"), "sharpe")
    assert.strictEqual(read("income"), "calmar")
    assert.strictEqual(read("capital_preservation"), "max_drawdown")
  })

  it("answer an unknown word with every allowed one", () => {
    for (const objective of objectives) assert.include(refusal(Objective, "get rich"), objective)
  })

  it("read a risk tolerance as its numbers", () => {
    assert.strictEqual(Schema.decodeUnknownSync(RiskTolerance)("conservative"), "low")
    assert.strictEqual(riskProfileOf("low")?.max_drawdown, 0.1)
    assert.strictEqual(riskProfileOf("medium")?.risk_per_trade, 0.01)
    assert.strictEqual(riskProfileOf("high")?.daily_loss, 0.08)
    assert.isNull(riskProfileOf(null))
  })

  it("read timeframes by their aliases and refuse a month", () => {
    const read = Schema.decodeUnknownSync(TimeframeOrAlias)
    assert.strictEqual(read("hourly"), "1h")
    assert.strictEqual(read("1D"), "1d")
    assert.include(refusal(TimeframeOrAlias, "1M"), "12h")
    assert.include(refusal(TimeframeOrAlias, "toString"), "12h")
  })

  it("list fourteen timeframes, shortest first", () => {
    assert.strictEqual(timeframeNames.length, 14)
    const durations = timeframeNames.map((name) => timeframes[name])
    assert.deepStrictEqual(
      durations,
      [...durations].sort((one, other) => one - other)
    )
  })

  it("build longer candles only from shorter ones that divide them", () => {
    assert.isTrue(isMultipleOf("1h", "15m"))
    assert.isTrue(isMultipleOf("1h", "1h"))
    assert.isFalse(isMultipleOf("15m", "1h"))
    assert.isFalse(isMultipleOf("8h", "6h"))
  })
})

describe("texts", () => {
  it("refuse ids, symbols and times that are none", () => {
    assert.notStrictEqual(refusal(BotId, "bot_nope"), "accepted")
    assert.notStrictEqual(refusal(BotId, "str_01JHKQ8Z7M3V5W9X2Y4B6C8D0F"), "accepted")
    assert.strictEqual(refusal(BotId, "bot_01JHKQ8Z7M3V5W9X2Y4B6C8D0F"), "accepted")
    assert.notStrictEqual(refusal(MarketSymbol, "btc/usd"), "accepted")
    assert.strictEqual(refusal(MarketSymbol, "BTC/USD"), "accepted")
    assert.notStrictEqual(refusal(Timestamp, "2026-01-15"), "accepted")
  })

  it("write and read a time without losing a millisecond", () => {
    const time = Date.UTC(2026, 0, 15, 9, 30, 0, 123)
    assert.strictEqual(fromTimestamp(toTimestamp(time)), time)
  })

  it("say when an id was made, of every kind", () => {
    const time = Date.UTC(2026, 0, 15, 9, 30, 0, 123)
    for (const kind of ["delivery", "event", "backtest"] as const) {
      assert.strictEqual(madeAt(firstIdAt(kind, time)), time)
    }
    assert.strictEqual(madeAt("msg_01JHKQ8Z7M3V5W9X2Y4B6C8D0F"), 1_736_902_474_996)
  })

  it("freeze an event's body with exactly three fields", () => {
    const event = makeEvent(
      {
        id: "msg_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
        account_id: "acc_01JHKQ8Z7M3V5W9X2Y4B6C8D0F",
        event: "trade.executed",
        timestamp: "2026-01-15T09:30:00.000Z"
      },
      { trade_id: "trd_1", note: "\ud800" }
    )
    const body = JSON.parse(event.body) as Record<string, unknown>
    assert.deepStrictEqual(Object.keys(body), ["event", "timestamp", "data"])
    assert.isTrue(event.body.isWellFormed())
  })
})
