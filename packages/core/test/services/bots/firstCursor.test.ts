/**
 * A bot that never ran begins now on a live market, warm, and at the first candle of a recording.
 */
import { noCode, type StrategyDefinition } from "@candlewick/engine"
import { sliceColumns } from "@candlewick/engine/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomWalk } from "../../../../engine/src/testing/randomCandles.ts"
import type { MarketData } from "../../../src/ports/MarketData.ts"
import { firstCursor } from "../../../src/services/bots/botSession.ts"

const symbols: readonly [string, ...string[]] = ["AAA/USD", "BBB/USD"]
const columns = randomWalk("first cursor", { count: 900, stepMs: 3_600_000 })

const definition: StrategyDefinition = {
  format: 1,
  symbols,
  timeframe: "1h",
  parameters: {},
  long: {
    enter: {
      type: "above",
      left: { type: "price", field: "close" },
      right: { type: "sma", period: 50 }
    }
  }
}

/** The cursor on a source whose markets have so many candles, and what was asked of it. */
const cursorOn = (
  clock: "live" | "replay",
  lengths: ReadonlyArray<number>,
  followed: StrategyDefinition = definition
) =>
  Effect.gen(function* () {
    const counts: Array<number | undefined> = []
    const history: MarketData["Service"]["history"] = ({ count = Infinity, symbol, ...asked }) => {
      assert.strictEqual(asked.until, Number.MAX_SAFE_INTEGER)
      counts.push(count)
      const length = lengths[symbols.indexOf(symbol)]!
      return Effect.succeed(sliceColumns(columns, Math.max(0, length - count), length))
    }
    const marketData = { clock, history } as unknown as MarketData["Service"]
    const bot = { account_id: "acct_1", symbols }
    const cursor = yield* firstCursor({ code: noCode, marketData }, followed, bot)
    return { cursor, counts }
  })

describe("a bot that never ran", () => {
  it.effect("begins after the newest candle of a live market, and asks for its warm-up alone", () =>
    Effect.gen(function* () {
      const { counts, cursor } = yield* cursorOn("live", [900, 899])
      assert.deepStrictEqual(counts, [49, 49])
      assert.strictEqual(cursor, columns.time[899])
      // A market that is younger than the warm-up holds nobody up.
      assert.strictEqual((yield* cursorOn("live", [10, 0])).cursor, columns.time[9])
      assert.isNull((yield* cursorOn("live", [0, 0])).cursor)
    })
  )

  it.effect("begins there as well where its strategy looks at no candle before", () =>
    Effect.gen(function* () {
      const { long: _long, ...rest } = definition
      const rebalance = { weight: 0.5, band: 0.01 }
      const { cursor } = yield* cursorOn("live", [900, 899], { ...rest, rebalance })
      assert.strictEqual(cursor, columns.time[899])
    })
  )

  it.effect("begins at the first candle of a recording, and asks for none", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* cursorOn("replay", [900, 899]), { cursor: null, counts: [] })
    })
  )
})
