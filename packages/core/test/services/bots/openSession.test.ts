/**
 * A session is opened only from candles that reach what the bot has processed.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type CandleColumns, makeColumns, sliceColumns } from "@candlewick/engine/kernel"
import { SeriesTracks, type StrategyDefinition } from "@candlewick/engine"
import type { MarketData } from "../../../src/ports/MarketData.ts"
import { makeSnapshot, openSession } from "../../../src/services/bots/botSession.ts"
import { botRecord, botStateRecord } from "../../../src/testing/records.ts"

const hourMs = 3_600_000
const firstMs = Date.UTC(2026, 0, 1)

const columnsOf = (count: number): CandleColumns => {
  const columns = makeColumns(count)
  for (const name of ["open", "high", "low", "close", "volume"] as const) columns[name].fill(100)
  for (let index = 0; index < count; index++) columns.time[index] = firstMs + index * hourMs
  return columns
}

const symbols = ["AAA/USD", "BBB/USD"] as const

const definition: StrategyDefinition = {
  format: 1,
  symbols: [...symbols],
  timeframe: "1h",
  parameters: {},
  long: {
    enter: {
      type: "above",
      left: { type: "price", field: "close" },
      right: { type: "sma", period: 3 }
    }
  }
}

/** Opens a session of a bot that has processed four candles. */
const open = (clock: "live" | "replay", counts: Readonly<Record<string, number>>) => {
  const marketData: Pick<MarketData["Service"], "clock" | "history"> = {
    clock,
    history: ({ symbol }) => Effect.succeed(sliceColumns(columnsOf(9), 0, counts[symbol]))
  }
  const bot = botRecord({ symbols: [...symbols], timeframe: "1h" })
  const snapshot = makeSnapshot(10_000, [], null, 0)
  const state = botStateRecord({
    bot_id: bot.id,
    cursor: firstMs + 3 * hourMs,
    snapshot: snapshot as never
  })
  const ports = {
    code: new Map(),
    marketData: marketData as MarketData["Service"],
    seriesTracks: new SeriesTracks()
  }
  return openSession(ports, bot, definition, state)
}

describe("a session over a source of candles", () => {
  it.effect("waits for a live source that lacks the candle of its cursor", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(open("live", { "AAA/USD": 3, "BBB/USD": 2 }))
      assert.strictEqual(error._tag, "MarketDataError")
      assert.isTrue(error._tag === "MarketDataError" && error.isRetryable)
    })
  )

  it.effect("is opened where one of its markets has that candle", () =>
    Effect.gen(function* () {
      const session = yield* open("live", { "AAA/USD": 4, "BBB/USD": 2 })
      assert.strictEqual(session.cursor, firstMs + 3 * hourMs)
    })
  )

  it.effect("is opened on a recording that has become shorter", () =>
    Effect.gen(function* () {
      const session = yield* open("replay", { "AAA/USD": 3, "BBB/USD": 2 })
      assert.strictEqual(session.cursor, firstMs + 3 * hourMs)
    })
  )
})
