import { BotStore, Candles, operatorAccountId } from "@candlewick/core"
import { botRecord } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { itIs2026, nowMs, refusal, refusalCode } from "./setting.ts"

const App = Candles.layer.pipe(Layer.provideMerge(MemoryStore.layer))

const hourMs = 3_600_000
const thisHour = Math.floor(nowMs / hourMs) * hourMs
const header = "time,open,high,low,close,volume"
const symbol = "BTC/USD"
const key = { symbol, timeframe: "1h" } as const
const other = "acc_01JZ0000000000000000000000"

/** Hours up to the one that is forming; the closes may differ. */
const hours = (from: number, to: number, closes: Readonly<Record<number, number>> = {}) =>
  Array.from({ length: to - from }, (_, at) => {
    const hour = from + at
    return `${thisHour + hour * hourMs},1,2,0.5,${closes[hour] ?? 1.5},${100 + hour}`
  })

const csv = (rows: ReadonlyArray<string>) => `${header}\n${rows.join("\n")}\n`

describe("Candles.importFile", () => {
  it.effect("holds the forming candle back, and takes the file again when it is over", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const first = yield* candles.importFile(operatorAccountId, {
        symbol,
        bytes: csv(hours(-5, 1)),
        source: "a file"
      })
      assert.deepInclude(first, { ...key, candle_count: 5, source: "a file", revision: 1 })
      assert.deepInclude(first.imported, { added_count: 5, same_count: 0, conflict_count: 0 })
      assert.strictEqual(first.imported.held_back?.time, thisHour)
      const again = yield* candles.importFile(operatorAccountId, {
        symbol,
        bytes: csv([...hours(-3, 0), ...hours(-1, 0), ...hours(0, 1)])
      })
      assert.deepInclude(again.imported, { added_count: 0, same_count: 3, duplicate_count: 1 })
      assert.strictEqual(again.hash, first.hash)
    }).pipe(Effect.provide(App))
  )

  it.effect("refuses candles of the future, whose times are those of another zone", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const epochs = { symbol, bytes: csv(hours(-20, 9)) }
      const refused = yield* refusal(candles.importFile(operatorAccountId, epochs))
      assert.deepStrictEqual(
        refused.errors?.map(({ code, pointer }) => `${pointer} ${code}`),
        ["/rows/28 in_the_future"]
      )
      const local = hours(-20, 9).map((row) => {
        const [time, ...rest] = row.split(",")
        return [new Date(Number(time)).toISOString().slice(0, 19), ...rest].join(",")
      })
      const file = { symbol, bytes: csv(local) }
      const { errors } = yield* candles.previewFile(operatorAccountId, file)
      assert.include(errors[0]?.message, "read as UTC; zone=…")
      assert.deepStrictEqual(yield* candles.list(operatorAccountId), [])
      const kept = yield* candles.importFile(operatorAccountId, { ...file, zone: "Asia/Tokyo" })
      assert.deepInclude(kept.imported, { added_count: 29, held_back: null })
    }).pipe(Effect.provide(App))
  )

  it.effect("holds back all days that are not over, also one that began in the east alone", () =>
    Effect.gen(function* () {
      const dayMs = 24 * hourMs
      const today = Math.floor(nowMs / dayMs) * dayMs
      yield* TestClock.setTime(today + 12 * hourMs)
      const candles = yield* Candles
      const rows = [-3, -2, -1, 0, 1].map((at) => `${today + at * dayMs},1,2,0.5,1.5,100`)
      const request = { symbol, timeframe: "1d", bytes: csv(rows) } as const
      const { imported, last_at: lastAt } = yield* candles.importFile(operatorAccountId, request)
      assert.strictEqual(imported.held_back?.time, today + dayMs)
      assert.strictEqual(lastAt, new Date(today - dayMs).toISOString())
    }).pipe(Effect.provide(App))
  )

  it.effect("refuses kept candles that differ, leaves them, or replaces them by a revision", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const before = yield* candles.importFile(operatorAccountId, {
        symbol,
        bytes: csv(hours(-5, 0))
      })
      // The newest row first, so that numbers of rows are those of the file.
      const bytes = csv(hours(-4, 1, { [-2]: 1.25 }).toReversed())
      const refused = yield* refusal(candles.importFile(operatorAccountId, { symbol, bytes }))
      assert.deepStrictEqual(
        refused.errors?.map(({ code, pointer }) => `${pointer} ${code}`),
        ["/rows/2 contradicts_kept"]
      )
      assert.include(refused.errors?.[0]?.message, "on_conflict=replace")

      const left = yield* candles.importFile(operatorAccountId, {
        symbol,
        bytes,
        on_conflict: "keep"
      })
      const at = new Date(thisHour - 2 * hourMs).toISOString()
      assert.deepInclude(left.imported, { conflict_count: 1, replaced_count: 0, conflicts: [at] })
      assert.deepInclude(left, { hash: before.hash, revision: 1 })

      const replaced = yield* candles.importFile(operatorAccountId, {
        symbol,
        bytes,
        on_conflict: "replace"
      })
      assert.deepInclude(replaced.imported, { conflict_count: 1, replaced_count: 1, same_count: 3 })
      assert.strictEqual(replaced.revision, 2)
      assert.notStrictEqual(replaced.hash, before.hash)
      const { columns, quality } = yield* candles.dataset(operatorAccountId, key)
      assert.deepStrictEqual([...columns.close], [1.5, 1.5, 1.5, 1.25, 1.5])
      assert.deepInclude(quality, { revision: 2, hash: replaced.hash })
      const same = yield* candles.importFile(operatorAccountId, {
        symbol,
        bytes,
        on_conflict: "replace"
      })
      assert.strictEqual(same.revision, 2)
    }).pipe(Effect.provide(App))
  )

  it.effect("refuses hours at half past, and builds hours of their half hours", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const halfMs = hourMs / 2
      const rows = (count: number, stepMs: number) =>
        Array.from(
          { length: count },
          (_, at) => `${thisHour - 10 * hourMs + halfMs + at * stepMs},1,2,0.5,1.5,100`
        )
      const refused = yield* refusal(
        candles.importFile(operatorAccountId, { symbol, bytes: csv(rows(6, hourMs)) })
      )
      assert.include(refused.errors?.[0]?.message, "import those of 30m, of which hours are built")
      yield* candles.importFile(operatorAccountId, { symbol, bytes: csv(rows(13, halfMs)) })
      const { columns, quality } = yield* candles.dataset(operatorAccountId, key)
      assert.strictEqual(quality.resampled_from, "30m")
      assert.isTrue(columns.time.every((time) => time % hourMs === 0))
      assert.deepStrictEqual([...columns.volume], [200, 200, 200, 200, 200, 200])
    }).pipe(Effect.provide(App))
  )

  it.effect("refuses dates of which nothing tells the day from the month, until it is said", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const file = {
        symbol,
        timeframe: "1d",
        bytes: "date,open,high,low,close\n03/04/2024,1,2,0.5,1.5\n"
      } as const
      const refused = yield* refusal(candles.importFile(operatorAccountId, file))
      assert.deepStrictEqual(
        refused.errors?.map(({ code, pointer }) => `${pointer} ${code}`),
        ["/date_order ambiguous"]
      )
      const kept = yield* candles.importFile(operatorAccountId, {
        ...file,
        date_order: "month_first"
      })
      assert.strictEqual(kept.first_at, "2024-03-04T00:00:00.000Z")
    }).pipe(Effect.provide(App))
  )

  it.effect("says which timeframe the rows of a refused file have", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const minutes = Array.from({ length: 5 }, (_, at) => `${at * 60_000},1,2,0.5,1.5,${at}`)
      const file = { symbol, timeframe: "1h", bytes: csv(minutes), time_unit: "ms" } as const
      const refused = yield* refusal(candles.importFile(operatorAccountId, file))
      assert.include(refused.errors?.[0]?.message, "the rows are 1m apart, so that timeframe=1m")
    }).pipe(Effect.provide(App))
  )
})

describe("Candles.previewFile", () => {
  it.effect("says what an import would do, and keeps nothing", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      yield* candles.importFile(operatorAccountId, { symbol, bytes: csv(hours(-50, -30)) })
      const rows = [...hours(-40, -20, { [-35]: 1.25 }), ...hours(-10, 1)]
      const file = { symbol, bytes: csv(rows), on_conflict: "replace" } as const
      const preview = yield* candles.previewFile(operatorAccountId, file)
      assert.deepInclude(preview, { ...key, candle_count: 31, errors: [] })
      assert.deepStrictEqual(
        preview.first.map(({ time }) => (time - thisHour) / hourMs),
        [-40, -39, -38]
      )
      assert.deepStrictEqual(
        preview.last.map(({ time }) => (time - thisHour) / hourMs),
        [-2, -1, 0]
      )
      assert.deepInclude(preview.findings, { gap_count: 1, missing_count: 10 })
      assert.deepInclude(preview.would, { added_count: 20, same_count: 9, replaced_count: 1 })
      assert.strictEqual(preview.would?.held_back?.time, thisHour)
      assert.strictEqual(preview.reading?.time_unit, "ms")
      const [kept] = yield* candles.list(operatorAccountId)
      assert.deepInclude(kept, { candle_count: 20, revision: 1 })

      const { on_conflict: _left, ...unsaid } = file
      const refused = yield* candles.previewFile(operatorAccountId, unsaid)
      assert.isNull(refused.would)
      assert.deepStrictEqual(
        refused.errors.map(({ code }) => code),
        ["contradicts_kept"]
      )
    }).pipe(Effect.provide(App))
  )

  it.effect("shows faults of rows and open questions instead of failing", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const bad = yield* candles.previewFile(operatorAccountId, {
        symbol,
        bytes: csv([...hours(-3, 0), `${thisHour},x,2,1,1,1`])
      })
      assert.deepStrictEqual(
        bad.errors.map(({ pointer }) => pointer),
        ["#/rows/3/open"]
      )
      assert.deepInclude(bad, { would: null, findings: null })
      assert.lengthOf(bad.first, 3)
      const open = yield* candles.previewFile(operatorAccountId, {
        symbol,
        timeframe: "1d",
        bytes: "date,open,high,low,close\n03/04/2024,1,2,0.5,1.5\n"
      })
      assert.deepStrictEqual(
        open.errors.map(({ pointer }) => pointer),
        ["/date_order"]
      )
      assert.strictEqual(open.reading?.ambiguities[0]?.settle, "date_order=month_first")
      assert.deepStrictEqual(yield* candles.list(operatorAccountId), [])
    }).pipe(Effect.provide(App))
  )
})

describe("Candles.inspect", () => {
  it.effect("shows gaps, outliers and repeats of a kept series", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const rows = Array.from({ length: 200 }, (_, at) => {
        const price = 100 + (at % 7)
        const close = at === 120 ? 400 : at >= 150 && at < 160 ? 100 : price
        const volume = at >= 150 && at < 160 ? 1 : at
        const open = at >= 150 && at < 160 ? 100 : price
        return `${thisHour + (at - 300 + (at > 50 ? 4 : 0)) * hourMs},${open},${Math.max(open, close) + 1},${Math.min(open, close) - 1},${close},${volume}`
      })
      yield* candles.importFile(operatorAccountId, { symbol, bytes: csv(rows) })
      const found = yield* candles.inspect(operatorAccountId, key)
      assert.deepInclude(found.series, { ...key, candle_count: 200 })
      assert.deepInclude(found, {
        gap_count: 1,
        missing_count: 4,
        outlier_count: 2,
        repeat_count: 1
      })
      const at = (hour: number) => new Date(thisHour + hour * hourMs).toISOString()
      assert.deepStrictEqual(
        found.outliers.map((one) => one.at),
        [at(120 - 296), at(121 - 296)]
      )
      assert.isAbove(found.outliers[0]!.times_usual!, 20)
      assert.deepStrictEqual(found.repeats, [
        { from: at(150 - 296), to: at(159 - 296), candle_count: 10 }
      ])
      assert.strictEqual(
        yield* refusalCode(candles.inspect(operatorAccountId, { ...key, timeframe: "1d" })),
        "not_found"
      )
    }).pipe(Effect.provide(App))
  )
})

describe("Candles.remove", () => {
  it.effect("removes the account's own series, and leaves the shared one", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      yield* candles.importFile(operatorAccountId, { symbol, bytes: csv(hours(-9, 0)) })
      assert.strictEqual(yield* refusalCode(candles.remove(other, key)), "not_found")
      yield* candles.importFile(other, { symbol, bytes: csv(hours(-5, 0)) })
      yield* candles.remove(other, key)
      const left = yield* candles.list(other)
      assert.deepStrictEqual(
        left.map(({ candle_count, owner }) => [candle_count, owner]),
        [[9, "shared"]]
      )
      yield* candles.remove(operatorAccountId, key)
      assert.deepStrictEqual(yield* candles.list(operatorAccountId), [])
    }).pipe(Effect.provide(App))
  )

  it.effect("refuses while a bot follows the series, and no other", () =>
    Effect.gen(function* () {
      yield* itIs2026
      const candles = yield* Candles
      const bots = yield* BotStore
      yield* candles.importFile(operatorAccountId, { symbol, bytes: csv(hours(-9, 0)) })
      yield* candles.importFile(other, { symbol, bytes: csv(hours(-9, 0)) })
      const bot = yield* bots.insert(
        botRecord({
          account_id: other,
          status: "running",
          desired_status: "running",
          symbols: [symbol],
          timeframe: "4h"
        })
      )
      const refused = yield* refusal(candles.remove(other, key))
      assert.strictEqual(refused.code, "in_use")
      assert.include(refused.detail, bot.id)
      // The bot's account has candles of its own, so that nobody follows the shared ones.
      yield* candles.remove(operatorAccountId, key)
      yield* bots.update({ ...bot, status: "stopped", desired_status: "stopped" })
      yield* candles.remove(other, key)
      assert.deepStrictEqual(yield* candles.list(other), [])
    }).pipe(Effect.provide(App))
  )
})
