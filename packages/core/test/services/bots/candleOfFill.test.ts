import { assert, describe, it } from "@effect/vitest"
import { candleOfFill } from "../../../src/services/bots/atCandle.ts"
import type { BotSession } from "../../../src/services/bots/botSession.ts"

const hour = 3_600_000
const definition = { timeframe: "1h" } as const
const live = {} as NonNullable<BotSession["live"]>
const at = { time: 7 * hour + 1_234 }

describe("the candle of a fill", () => {
  it("is the one in which an exchange filled, also where the bot hears of it candles later", () => {
    const session = { cursor: 9 * hour, definition, live }
    assert.strictEqual(candleOfFill("live", session, at), 7 * hour)
  })

  it("begins on a Monday where candles last a week", () => {
    const session = { cursor: 0, definition: { timeframe: "1w" }, live } as const
    const monday = Date.UTC(2024, 0, 8)
    const fill = { time: Date.UTC(2024, 0, 11, 10) }
    assert.strictEqual(candleOfFill("live", session, fill), monday)
  })

  it("is the one after the newest of a recording, whose clock a model does not know", () => {
    const session = { cursor: 3 * hour, definition, live }
    assert.strictEqual(candleOfFill("replay", session, at), 4 * hour)
  })

  it("is the one that books on paper name", () => {
    const session = { cursor: 3 * hour, definition, live: null }
    assert.strictEqual(candleOfFill("live", session, { time: 4 * hour }), 4 * hour)
  })
})
