import {
  operatorAccountId,
  type CandleColumns,
  Candles,
  CandleStore,
  MarketStore,
  sharedOwner,
  columnNames,
  copyColumns,
  makeColumns,
  sliceColumns,
  type Timeframe,
  timeframeMs,
  timeframeNames
} from "@candlewick/core"
import { loadSamples, samples } from "../../packages/http/src/main/samples.ts"
import {
  generateCandlesMin,
  symbolsOfRequest
} from "../../packages/core/src/services/runs/generate/generateStrategy.ts"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { itIs2026, nowMs, refusal, refusalCode } from "./setting.ts"

const App = Candles.layer.pipe(Layer.provideMerge(MemoryStore.layer))

const startMs = Date.UTC(2025, 0, 6)

/** Candles without a gap; the price tells the position. */
const candlesOf = (timeframe: Timeframe, length: number, firstMs = startMs): CandleColumns => {
  const columns = makeColumns(length)
  for (let index = 0; index < length; index++) {
    const price = 100 + index
    columns.time[index] = firstMs + index * timeframeMs(timeframe)
    columns.open[index] = price
    columns.high[index] = price + 1
    columns.low[index] = price - 1
    columns.close[index] = price + 0.5
    columns.volume[index] = 10
  }
  return columns
}

const without = (columns: CandleColumns, from: number, to: number): CandleColumns => {
  const rest = makeColumns(columns.length - (to - from))
  for (const name of columnNames) {
    rest[name].set(columns[name].subarray(0, from))
    rest[name].set(columns[name].subarray(to), from)
  }
  return rest
}

const assertSame = (actual: CandleColumns, expected: CandleColumns) => {
  assert.strictEqual(actual.length, expected.length)
  for (const name of columnNames) {
    assert.deepStrictEqual(Array.from(actual[name]), Array.from(expected[name]), name)
  }
}

const key = { symbol: "BTC/USD", timeframe: "1h" } as const

describe("Candles.import", () => {
  it.effect("keeps sound candles and says what they are", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const columns = candlesOf("1h", 48)
      const { imported, reading, warnings, ...series } = yield* candles.import(operatorAccountId, {
        key,
        columns,
        source: "a test"
      })
      assert.deepInclude(series, {
        ...key,
        candle_count: 48,
        first_at: "2025-01-06T00:00:00.000Z",
        last_at: "2025-01-07T23:00:00.000Z",
        gap_count: 0,
        gaps: [],
        synthetic: false,
        source: "a test"
      })
      assert.match(series.hash, /^[0-9a-f]{64}$/)
      assert.deepStrictEqual([warnings, reading], [[], null])
      assert.deepInclude(imported, { added_count: 48, same_count: 0, held_back: null })
      assertSame(yield* candles.load(operatorAccountId, key), columns)
      assert.deepStrictEqual(yield* candles.list(operatorAccountId), [series])
    }).pipe(Effect.provide(App))
  )

  it.effect("merges parts in any order into one series with one hash", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const columns = candlesOf("1h", 48)
      const whole = yield* candles.import(operatorAccountId, {
        key: { ...key, symbol: "ETH/USD" },
        columns
      })
      yield* candles.import(operatorAccountId, {
        key,
        columns: sliceColumns(columns, 30, 48),
        source: "first"
      })
      const hole = yield* candles.import(operatorAccountId, {
        key,
        columns: sliceColumns(columns, 0, 20)
      })
      assert.strictEqual(hole.gap_count, 1)
      assert.deepStrictEqual(hole.gaps, [
        { from: "2025-01-06T20:00:00.000Z", to: "2025-01-07T05:00:00.000Z", missing_count: 10 }
      ])
      const merged = yield* candles.import(operatorAccountId, {
        key,
        columns: sliceColumns(columns, 10, 40)
      })
      assert.strictEqual(merged.hash, whole.hash)
      assert.strictEqual(merged.source, "first")
      assertSame(yield* candles.load(operatorAccountId, key), columns)
    }).pipe(Effect.provide(App))
  )

  it.effect("refuses candles that contradict those that are kept, and keeps nothing of them", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const columns = candlesOf("1h", 10)
      yield* candles.import(operatorAccountId, { key, columns: sliceColumns(columns, 0, 5) })
      const other = copyColumns(columns)
      other.volume[3] = 11
      const error = yield* refusal(candles.import(operatorAccountId, { key, columns: other }))
      assert.strictEqual(error.code, "validation_failed")
      assert.deepStrictEqual(
        error.errors?.map(({ code, pointer }) => ({ code, pointer })),
        [{ code: "contradicts_kept", pointer: "/rows/3" }]
      )
      assert.strictEqual((yield* candles.load(operatorAccountId, key)).length, 5)
    }).pipe(Effect.provide(App))
  )

  it.effect("names each bad row, at most a hundred, and keeps nothing", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const columns = candlesOf("1h", 300)
      columns.high[7] = 1
      columns.close[9] = Number.NaN
      const error = yield* refusal(candles.import(operatorAccountId, { key, columns }))
      assert.strictEqual(error.code, "validation_failed")
      assert.deepStrictEqual(
        error.errors?.map(({ pointer }) => pointer),
        ["/rows/7", "/rows/9"]
      )
      columns.low.fill(-1)
      assert.lengthOf(
        (yield* refusal(candles.import(operatorAccountId, { key, columns }))).errors!,
        100
      )
      assert.deepStrictEqual(yield* candles.list(operatorAccountId), [])
      const markets = yield* MarketStore
      assert.deepStrictEqual(yield* markets.list(sharedOwner), [])
    }).pipe(Effect.provide(App))
  )

  it.effect("drops a last candle that is not over yet, and no other", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const hourMs = timeframeMs("1h")
      const thisHour = Math.floor(nowMs / hourMs) * hourMs
      const columns = candlesOf("1h", 5, thisHour - 4 * hourMs)
      assert.strictEqual(
        (yield* candles.import(operatorAccountId, { key, columns })).candle_count,
        4
      )
      const only = candles.import(operatorAccountId, { key, columns: sliceColumns(columns, 4) })
      assert.strictEqual(yield* refusalCode(only), "validation_failed")
      const none = candles.import(operatorAccountId, { key, columns: makeColumns(0) })
      assert.strictEqual(yield* refusalCode(none), "validation_failed")
    }).pipe(Effect.provide(App))
  )

  it.effect("refuses times that no timestamp can name", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const columns = candlesOf("1h", 3, -1e14 * 36)
      assert.strictEqual(
        yield* refusalCode(candles.import(operatorAccountId, { key, columns })),
        "validation_failed"
      )
    }).pipe(Effect.provide(App))
  )

  it.effect("lists the hundred longest gaps and counts them all", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      let columns = candlesOf("1h", 700)
      for (let index = 600; index > 0; index -= 4) {
        columns = without(columns, index, index + (index === 300 ? 3 : 1))
      }
      const series = yield* candles.import(operatorAccountId, { key, columns })
      assert.strictEqual(series.gap_count, 150)
      assert.lengthOf(series.gaps, 100)
      assert.strictEqual(series.gaps[0]!.missing_count, 3)
    }).pipe(Effect.provide(App))
  )

  it.effect("does not mix recorded and synthetic candles", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const columns = candlesOf("1h", 10)
      yield* candles.import(operatorAccountId, { key, columns: sliceColumns(columns, 0, 5) })
      const mixed = candles.import(operatorAccountId, { key, columns, synthetic: true })
      assert.strictEqual(yield* refusalCode(mixed), "unprocessable")
      const generators = candles.import(operatorAccountId, {
        key: { ...key, symbol: "SYN/USD" },
        columns
      })
      assert.strictEqual(yield* refusalCode(generators), "unprocessable")
    }).pipe(Effect.provide(App))
  )

  it.effect("gives a market the costs of its kind, and keeps what is known better", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const columns = candlesOf("1h", 10)
      yield* candles.import(operatorAccountId, { key, columns, market: { tick: 0.5 } })
      yield* candles.import(operatorAccountId, { key: { ...key, symbol: "GBP/USD" }, columns })
      yield* candles.import(operatorAccountId, { key, columns, market: { taker_rate: 0.002 } })
      const markets = yield* MarketStore
      const [bitcoin, pound] = yield* markets.list(sharedOwner)
      assert.deepInclude(bitcoin, {
        symbol: "BTC/USD",
        base: "BTC",
        quote: "USD",
        tick: 0.5,
        maker_rate: 0.001,
        taker_rate: 0.002,
        slippage_rate: 0.0005,
        spread_rate: 0,
        synthetic: false
      })
      assert.deepInclude(pound, {
        symbol: "GBP/USD",
        maker_rate: 0,
        taker_rate: 0,
        slippage_rate: 0,
        spread_rate: 0.0001
      })
    }).pipe(Effect.provide(App))
  )
})

describe("Candles.dataset", () => {
  it.effect("gives the stored series, whole or a part of it", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const columns = candlesOf("1h", 48)
      const series = yield* candles.import(operatorAccountId, { key, columns })
      const whole = yield* candles.dataset(operatorAccountId, key)
      assertSame(whole.columns, columns)
      assert.deepInclude(whole.quality, { hash: series.hash, resampled_from: null })
      const range = { from: columns.time[10]!, to: columns.time[20]! }
      const part = yield* candles.dataset(operatorAccountId, key, range)
      assertSame(part.columns, sliceColumns(columns, 10, 20))
      assert.deepInclude(part.quality, {
        candle_count: 10,
        first_at: "2025-01-06T10:00:00.000Z",
        last_at: "2025-01-06T19:00:00.000Z"
      })
      assert.notStrictEqual(part.quality.hash, series.hash)
    }).pipe(Effect.provide(App))
  )

  it.effect("builds a longer timeframe from the finer series that reaches farthest", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      yield* candles.import(operatorAccountId, {
        key: { ...key, timeframe: "1m" },
        columns: candlesOf("1m", 600)
      })
      yield* candles.import(operatorAccountId, { key, columns: candlesOf("1h", 50) })
      // Two-day candles would divide neither; three days do not divide a day.
      yield* candles.import(operatorAccountId, {
        key: { ...key, timeframe: "3d" },
        columns: candlesOf("3d", 9, 0)
      })
      const { columns, quality } = yield* candles.dataset(operatorAccountId, {
        ...key,
        timeframe: "4h"
      })
      assert.strictEqual(quality.resampled_from, "1h")
      assert.strictEqual(columns.length, 12)
      assert.strictEqual(columns.open[1], 104)
      assert.strictEqual(columns.close[1], 107.5)
      assert.strictEqual(columns.volume[1], 40)
      const ranged = yield* candles.dataset(
        operatorAccountId,
        { ...key, timeframe: "4h" },
        { from: startMs + 1, to: startMs + 12 * 3_600_000 }
      )
      assertSame(ranged.columns, sliceColumns(columns, 1, 3))
    }).pipe(Effect.provide(App))
  )

  it.effect("says that there are no candles where none can be had", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      yield* candles.import(operatorAccountId, { key, columns: candlesOf("1h", 10) })
      for (const missing of [
        candles.dataset(operatorAccountId, { ...key, timeframe: "1m" }),
        candles.dataset(operatorAccountId, { ...key, symbol: "ETH/USD" }),
        candles.dataset(operatorAccountId, key, { from: nowMs }),
        candles.dataset(operatorAccountId, key, { from: startMs + 7_200_000, to: startMs })
      ]) {
        assert.strictEqual(yield* refusalCode(missing), "no_market_data")
      }
      const unknown = candles.load(operatorAccountId, { ...key, symbol: "ETH/USD" })
      assert.strictEqual(yield* refusalCode(unknown), "not_found")
    }).pipe(Effect.provide(App))
  )

  it.effect("refuses more candles than a run takes, unless the range is narrower", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const minutes = { ...key, timeframe: "1m" } as const
      const columns = candlesOf("1m", 5_000_001, Date.UTC(2010, 0, 4))
      yield* candles.import(operatorAccountId, { key: minutes, columns })
      assert.strictEqual(
        yield* refusalCode(candles.dataset(operatorAccountId, minutes)),
        "unprocessable"
      )
      const narrow = yield* candles.dataset(operatorAccountId, minutes, { from: columns.time[1]! })
      assert.strictEqual(narrow.columns.length, 5_000_000)
    }).pipe(Effect.provide(App))
  )
})

describe("Candles.defaultDataset", () => {
  it.effect("finds candles of every timeframe on a server without any", () =>
    Effect.gen(function* () {
      const candles = yield* Candles
      for (const timeframe of timeframeNames) {
        const { columns, market, quality } = yield* candles.defaultDataset(
          operatorAccountId,
          timeframe
        )
        assert.isTrue(market.synthetic && quality.synthetic)
        assert.deepInclude(quality, { symbol: "SYN/USD", timeframe, resampled_from: null })
        assert.isAtLeast(columns.length, 1_000)
        const again = yield* candles.dataset(operatorAccountId, { symbol: "SYN/USD", timeframe })
        assert.deepStrictEqual(again.quality, quality)
      }
    }).pipe(Effect.provide(App))
  )

  it.effect("finds candles of every timeframe on a fresh server, real ones first", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      assert.strictEqual(yield* loadSamples, 3)
      const found: Record<string, string> = {}
      for (const timeframe of timeframeNames) {
        const { quality } = yield* candles.defaultDataset(operatorAccountId, timeframe)
        found[timeframe] = `${quality.symbol} ${quality.resampled_from ?? "as it is"}`
      }
      assert.deepStrictEqual(found, {
        "1m": "SYN/USD as it is",
        "3m": "SYN/USD as it is",
        "5m": "SYN/USD as it is",
        "15m": "SYN/USD as it is",
        "30m": "SYN/USD as it is",
        "1h": "GBP/USD as it is",
        "2h": "GBP/USD 1h",
        "4h": "GBP/USD 1h",
        "6h": "GBP/USD 1h",
        "8h": "GBP/USD 1h",
        "12h": "GBP/USD 1h",
        "1d": "BTC/USD as it is",
        "3d": "BTC/USD 1d",
        "1w": "BTC/USD 1d"
      })
    }).pipe(Effect.provide(App))
  )

  it.effect("finds enough candles of every timeframe for a generation on a fresh server", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      yield* loadSamples
      const found: Record<string, string> = {}
      for (const timeframe of timeframeNames) {
        const asked = { objective: "sharpe", risk_tolerance: "medium", timeframe } as const
        const [symbol = ""] = yield* symbolsOfRequest(candles, operatorAccountId, asked)
        const { columns } = yield* candles.dataset(operatorAccountId, { symbol, timeframe })
        assert.isAtLeast(columns.length, generateCandlesMin, timeframe)
        found[timeframe] = symbol
      }
      // Of the longest sample there are not enough weeks, but enough candles of three days.
      assert.deepInclude(found, { "1h": "GBP/USD", "3d": "BTC/USD", "1w": "SYN/USD" })
    }).pipe(Effect.provide(App))
  )

  it.effect("passes over markets that have too few, whatever finer candles they have", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      yield* candles.import(operatorAccountId, { key, columns: candlesOf("1h", 20) })
      yield* candles.import(operatorAccountId, {
        key: { ...key, timeframe: "1m" },
        columns: candlesOf("1m", 9_000)
      })
      const other = { ...key, symbol: "ETH/USD", timeframe: "1m" } as const
      yield* candles.import(operatorAccountId, { key: other, columns: candlesOf("1m", 6_000) })
      const chosen = (candleCountMin: number) =>
        Effect.map(
          candles.defaultDataset(operatorAccountId, "1h", candleCountMin),
          ({ columns, market }) => [market.symbol, columns.length]
        )
      assert.deepStrictEqual(yield* chosen(20), [key.symbol, 20])
      assert.deepStrictEqual(yield* chosen(21), ["ETH/USD", 100])
      assert.strictEqual((yield* chosen(101))[0], "SYN/USD")
    }).pipe(Effect.provide(App))
  )

  it.effect("takes the longest stored series of the timeframe", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      yield* candles.import(operatorAccountId, { key, columns: candlesOf("1h", 10) })
      yield* candles.import(operatorAccountId, {
        key: { ...key, symbol: "ETH/USD" },
        columns: candlesOf("1h", 20)
      })
      yield* candles.import(operatorAccountId, {
        key: { ...key, timeframe: "1m" },
        columns: candlesOf("1m", 999)
      })
      assert.strictEqual(
        (yield* candles.defaultDataset(operatorAccountId, "1h")).market.symbol,
        "ETH/USD"
      )
    }).pipe(Effect.provide(App))
  )
})

describe("loadSamples", () => {
  it.effect("imports each sample once, with its source", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const store = yield* CandleStore
      const markets = yield* MarketStore
      assert.strictEqual(yield* loadSamples, 3)
      assert.strictEqual(yield* loadSamples, 0)
      for (const { key, market, source } of samples) {
        const series = Option.getOrThrow(yield* store.describe({ ...key, owner: sharedOwner }))
        assert.deepInclude(series, { source, synthetic: false })
        assert.deepInclude(
          Option.getOrThrow(yield* markets.newest(sharedOwner, key.symbol)),
          market
        )
      }
      const counts = (yield* store.list(sharedOwner)).map(({ candle_count, symbol }) => [
        symbol,
        candle_count
      ])
      assert.deepStrictEqual(counts, [
        ["BTC/USD", 1_246],
        ["GBP/USD", 9_285],
        ["SPY/USD", 502]
      ])
    }).pipe(Effect.provide(App))
  )
})
