/**
 * What every `BotJournal` owes its callers.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { toTimestamp } from "@candlewick/engine"
import { Limits } from "../domain/Limits.ts"
import type { EquityPageRequest } from "../domain/listFilters.ts"
import { logLevels } from "../domain/LogEntry.ts"
import { dayMs, hourMs } from "@candlewick/engine/kernel"
import { BotJournal } from "../ports/BotJournal.ts"
import { Transactor } from "../ports/Transactor.ts"
import { registerSuite, scribble, type SuiteOptions } from "./conformance.ts"
import { assertNarrowed } from "./narrowedTests.ts"
import { logEntryRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { pagesOf, rolledBack } from "./versionedTests.ts"

const lineTests = {
  "numbers the lines of a bot from 1, and lists them newest first": Effect.gen(function* () {
    const { append, list } = yield* BotJournal
    const botId = testId("bot")
    const entries = ["one", "two", "three"].map((message) =>
      logEntryRecord({ bot_id: botId, message })
    )
    const kept = []
    for (const entry of entries) kept.push(yield* append(entry))
    yield* append(logEntryRecord())
    assert.deepStrictEqual(
      kept,
      entries.map((entry, index) => ({ ...entry, seq: index + 1 }))
    )
    assert.deepStrictEqual(yield* list(botId, { limit: 10 }), {
      items: kept.toReversed(),
      next: null
    })
    assert.deepStrictEqual(yield* list(testId("bot"), { limit: 10 }), { items: [], next: null })
  }),

  "numbers lines without a hole when several are written at once": Effect.gen(function* () {
    const { append, list } = yield* BotJournal
    const botId = testId("bot")
    const entries = Array.from({ length: 12 }, () => logEntryRecord({ bot_id: botId }))
    yield* Effect.forEach(entries, append, { concurrency: "unbounded" })
    const { items } = yield* list(botId, { limit: 20 })
    const expected = entries.map((_, index) => entries.length - index)
    assert.deepStrictEqual(
      items.map(({ seq }) => seq),
      expected
    )
  }),

  "pages through lines past the tenth and the hundredth": Effect.gen(function* () {
    const { append, list } = yield* BotJournal
    const { transact } = yield* Transactor
    const botId = testId("bot")
    const entries = Array.from({ length: 103 }, () => logEntryRecord({ bot_id: botId }))
    yield* transact(Effect.forEach(entries, append, { discard: true }))
    const first = yield* list(botId, { limit: 7 })
    yield* append(logEntryRecord({ bot_id: botId }))
    const pages = yield* pagesOf(
      ({ before, limit }) => list(botId, { limit, before: before ?? first.next ?? "" }),
      7
    )
    const numbers = [...first.items, ...pages.flat()].map(({ seq }) => seq)
    assert.deepStrictEqual(
      numbers,
      entries.map((_, index) => entries.length - index)
    )
  }),

  "lists from a level upwards": Effect.gen(function* () {
    const { append, list } = yield* BotJournal
    const botId = testId("bot")
    for (const level of ["error", "debug", "warn", "info"] as const) {
      yield* append(logEntryRecord({ bot_id: botId, level }))
    }
    const listed = yield* Effect.forEach(logLevels, (level) =>
      Effect.map(list(botId, { limit: 10, level }), ({ items }) => items.map((item) => item.level))
    )
    assert.deepStrictEqual(listed, [
      ["info", "warn", "debug", "error"],
      ["info", "warn", "error"],
      ["warn", "error"],
      ["error"]
    ])
  }),

  "lists from a time on": Effect.gen(function* () {
    const { append, list } = yield* BotJournal
    const botId = testId("bot")
    for (const second of ["10.000", "11.500", "12.000"]) {
      yield* append(logEntryRecord({ bot_id: botId, timestamp: `2026-01-15T09:30:${second}Z` }))
    }
    const numbersSince = (since: string) =>
      Effect.map(list(botId, { limit: 10, since }), ({ items }) => items.map(({ seq }) => seq))
    assert.deepStrictEqual(yield* numbersSince("2026-01-15T09:30:11.500Z"), [3, 2])
    assert.deepStrictEqual(yield* numbersSince("2026-01-15T09:30:11.501Z"), [3])
    // Whole seconds may be written without their fraction.
    assert.deepStrictEqual(yield* numbersSince("2026-01-15T09:30:12Z"), [3])
    assert.deepStrictEqual(yield* numbersSince("2026-01-15T09:30:13Z"), [])
  }),

  "lists the lines of one event, and those before a time": Effect.gen(function* () {
    const { append, list } = yield* BotJournal
    const bot_id = testId("bot")
    for (const [second, event] of [
      ["10.000", "order.placed"],
      ["11.000", "no \u0000"],
      ["12.000", "order.placed"],
      ["13.000", "order.filled"]
    ] as const) {
      const timestamp = `2026-01-15T09:30:${second}Z`
      yield* append(logEntryRecord({ bot_id, event, timestamp }))
    }
    const numbersOf = (page: Partial<Parameters<typeof list>[1]>) =>
      Effect.map(list(bot_id, { limit: 1, ...page }), ({ items, next }) => [
        items.map(({ seq }) => seq),
        next
      ])
    assert.deepStrictEqual(yield* numbersOf({ event: "order.placed" }), [[3], "3"])
    assert.deepStrictEqual(yield* numbersOf({ event: "order.placed", before: "3" }), [[1], null])
    assert.deepStrictEqual(yield* numbersOf({ event: "order" }), [[], null])
    const until = "2026-01-15T09:30:12Z"
    assert.deepStrictEqual(yield* numbersOf({ limit: 9, until }), [[2, 1], null])
    assert.deepStrictEqual(yield* numbersOf({ limit: 9, since: "2026-01-15T09:30:11Z", until }), [
      [2],
      null
    ])
  }),

  "lists what is numbered higher than a line": Effect.gen(function* () {
    const { append, list } = yield* BotJournal
    const botId = testId("bot")
    for (const level of ["info", "warn", "debug", "warn", "info"] as const) {
      yield* append(logEntryRecord({ bot_id: botId, level }))
    }
    const numbersOf = (page: Omit<Parameters<typeof list>[1], "limit">) =>
      Effect.map(list(botId, { limit: 2, ...page }), ({ items, next }) => [
        items.map(({ seq }) => seq),
        next
      ])
    assert.deepStrictEqual(yield* numbersOf({ after: "2" }), [[5, 4], "4"])
    assert.deepStrictEqual(yield* numbersOf({ after: "2", before: "4" }), [[3], null])
    assert.deepStrictEqual(yield* numbersOf({ after: "1", level: "warn" }), [[4, 2], null])
    assert.deepStrictEqual(yield* numbersOf({ after: "5" }), [[], null])
    assert.deepStrictEqual(yield* numbersOf({ after: "0", before: "2" }), [[1], null])
  }),

  "fills the pages of a filtered list": Effect.gen(function* () {
    const { append, list } = yield* BotJournal
    const botId = testId("bot")
    for (let index = 0; index < 9; index++) {
      const level = index % 3 === 0 ? "warn" : "debug"
      yield* append(logEntryRecord({ bot_id: botId, level }))
    }
    const pages = yield* pagesOf((page) => list(botId, { ...page, level: "warn" }), 2)
    assert.deepStrictEqual(
      pages.map((page) => page.map(({ seq }) => seq)),
      [[7, 4], [1]]
    )
  }),

  "drops the oldest lines beyond the limit, and numbers on": Effect.gen(function* () {
    const { append, list } = yield* BotJournal
    const { transact } = yield* Transactor
    const botId = testId("bot")
    const count = Limits.logsPerBotMaxCount + 3
    const line = logEntryRecord({ bot_id: botId, message: "tick", data: {} })
    yield* transact(Effect.replicateEffect(append(line), count, { discard: true }))
    const { items, next } = yield* list(botId, { limit: count })
    assert.isNull(next)
    assert.lengthOf(items, Limits.logsPerBotMaxCount)
    assert.strictEqual(items[0]?.seq, count)
    assert.strictEqual(items.at(-1)?.seq, 4)
  }),

  "keeps lines as they were given, whatever callers do to theirs": Effect.gen(function* () {
    const { append, list } = yield* BotJournal
    const entry = logEntryRecord()
    const given = structuredClone(entry)
    yield* append(given)
    scribble(given)
    scribble((yield* list(entry.bot_id, { limit: 1 })).items[0])
    assert.deepStrictEqual((yield* list(entry.bot_id, { limit: 1 })).items, [{ ...entry, seq: 1 }])
  })
}

const pointAt = (hour: number) => ({ time: toTimestamp(hour * hourMs), equity: 10_000 + hour })

const equityTests = {
  "lists equity points oldest first, in whatever order they came": Effect.gen(function* () {
    const { appendEquity, listEquity } = yield* BotJournal
    const botId = testId("bot")
    const points = [
      { time: "1969-12-31T23:00:00.000Z", equity: 9_990.1 },
      { time: "2026-01-15T09:00:00.000Z", equity: 10_000 },
      { time: "2026-01-15T10:00:00.000Z", equity: 0.1 + 0.2 },
      { time: "2026-01-15T11:00:00.000Z", equity: -3.5 }
    ] as const
    for (const index of [2, 0, 3, 1] as const) yield* appendEquity(botId, points[index])
    yield* appendEquity(testId("bot"), points[0])
    assert.deepStrictEqual(yield* listEquity(botId, { limit: 99 }), points)
    assert.deepStrictEqual(yield* listEquity(testId("bot"), { limit: 99 }), [])
  }),

  "lists equity points in pages, each from after a time": Effect.gen(function* () {
    const { appendEquity, listEquity } = yield* BotJournal
    const botId = testId("bot")
    const points = [1, 2, 3, 4, 5].map(pointAt)
    for (const point of points) yield* appendEquity(botId, point)
    const page = (after: number | undefined) => listEquity(botId, { after, limit: 2 })
    assert.deepStrictEqual(yield* page(undefined), points.slice(0, 2))
    assert.deepStrictEqual(yield* page(2 * hourMs), points.slice(2, 4))
    assert.deepStrictEqual(yield* page(4 * hourMs - 1), points.slice(3))
    assert.deepStrictEqual(yield* page(5 * hourMs), [])
  }),

  "pages through equity points newest first, whatever comes or is thinned meanwhile": Effect.gen(
    function* () {
      const { appendEquity, pageEquity, thinEquity } = yield* BotJournal
      const botId = testId("bot")
      const points = [-25, -3, -1, 0, 5, 23, 24].map(pointAt)
      for (const point of points) yield* appendEquity(botId, point)
      yield* appendEquity(testId("bot"), pointAt(6))
      const first = yield* pageEquity(botId, { limit: 2 })
      assert.deepStrictEqual(first.items, points.slice(5).toReversed())
      yield* appendEquity(botId, pointAt(25))
      const second = yield* pageEquity(botId, { limit: 2, before: first.next ?? "" })
      assert.deepStrictEqual(second.items, points.slice(3, 5).toReversed())
      // The point that the page ended with goes, and one that the next would have had.
      yield* thinEquity(botId, { before: dayMs })
      const third = yield* pageEquity(botId, { limit: 2, before: second.next ?? "" })
      assert.deepStrictEqual(third, { items: [points[2]!, points[0]!], next: null })
      assert.deepStrictEqual(yield* pageEquity(testId("bot"), { limit: 2 }), {
        items: [],
        next: null
      })
      assert.deepStrictEqual((yield* pageEquity(botId, { limit: 2, before: "never" })).items, [])
    }
  ),

  "pages through the equity points of a range, whose end is left out": Effect.gen(function* () {
    const { appendEquity, pageEquity } = yield* BotJournal
    const botId = testId("bot")
    const points = [-3, -1, 0, 5, 24].map(pointAt)
    for (const point of points) yield* appendEquity(botId, point)
    const from = points[1]!.time
    const to = points[4]!.time
    const ofRange = (page: EquityPageRequest) => pageEquity(botId, page)
    yield* assertNarrowed(ofRange, points, [
      [{}, [0, 1, 2, 3, 4]],
      [{ from }, [1, 2, 3, 4]],
      [{ to }, [0, 1, 2, 3]],
      [{ from, to }, [1, 2, 3]],
      [{ from: to, to: from }, []]
    ])
  }),

  "finds the newest equity point at or before each time, each once": Effect.gen(function* () {
    const { appendEquity, equityAt } = yield* BotJournal
    const botId = testId("bot")
    const points = [-30, 1, 2, 5].map(pointAt)
    for (const point of points) yield* appendEquity(botId, point)
    yield* appendEquity(testId("bot"), pointAt(4))
    const at = (...hours: ReadonlyArray<number>) =>
      equityAt(
        botId,
        hours.map((hour) => hour * hourMs)
      )
    assert.deepStrictEqual(yield* at(), [])
    assert.deepStrictEqual(yield* at(-31), [])
    assert.deepStrictEqual(yield* equityAt(botId, [-1, Date.UTC(2026, 0)]), [
      points[0]!,
      points[3]!
    ])
    assert.deepStrictEqual(yield* at(4.9, -30, 9, 2, 0.5, 3), [points[0]!, points[2]!, points[3]!])
  }),

  "thins equity to the last point of each day in a range, and of that bot alone": Effect.gen(
    function* () {
      const { appendEquity, listEquity, thinEquity } = yield* BotJournal
      const [thinned, left] = [testId("bot"), testId("bot")]
      // Days end before the hours -24, 0, 24, 48 and 72.
      const hours = [-30, -25, -3, -1, 0, 23, 24, 40, 47, 48, 50]
      for (const botId of [thinned, left]) {
        for (const hour of hours) yield* appendEquity(botId, pointAt(hour))
      }
      const all = { limit: 99 }
      yield* rolledBack(thinEquity(thinned, { before: 2 * dayMs }))
      assert.deepStrictEqual(yield* listEquity(thinned, all), hours.map(pointAt))
      yield* thinEquity(thinned, { from: 0, before: dayMs })
      const once = hours.filter((hour) => hour !== 0)
      assert.deepStrictEqual(yield* listEquity(thinned, all), once.map(pointAt))
      yield* thinEquity(thinned, { before: 2 * dayMs })
      yield* thinEquity(thinned, { before: 2 * dayMs })
      const ends = [-25, -1, 23, 47, 48, 50]
      assert.deepStrictEqual(yield* listEquity(thinned, all), ends.map(pointAt))
      assert.deepStrictEqual(yield* listEquity(left, all), hours.map(pointAt))
    }
  ),

  "replaces an equity point at the same time": Effect.gen(function* () {
    const { appendEquity, listEquity } = yield* BotJournal
    const botId = testId("bot")
    const time = "2026-01-15T09:00:00.000Z"
    yield* appendEquity(botId, { time, equity: 10_000 })
    yield* appendEquity(botId, { time, equity: 9_500 })
    assert.deepStrictEqual(yield* listEquity(botId, { limit: 99 }), [{ time, equity: 9_500 }])
  }),

  "clears the equity of a bot, and leaves its lines and those of another": Effect.gen(function* () {
    const { append, appendEquity, clearEquity, list, listEquity } = yield* BotJournal
    const [anew, left] = [testId("bot"), testId("bot")]
    const point = { time: "2026-01-15T09:00:00.000Z", equity: 1 }
    for (const botId of [anew, left]) {
      yield* append(logEntryRecord({ bot_id: botId }))
      yield* appendEquity(botId, point)
    }
    yield* rolledBack(clearEquity(anew))
    assert.deepStrictEqual(yield* listEquity(anew, { limit: 99 }), [point])
    yield* clearEquity(anew)
    assert.deepStrictEqual(yield* listEquity(anew, { limit: 99 }), [])
    assert.lengthOf((yield* list(anew, { limit: 9 })).items, 1)
    assert.deepStrictEqual(yield* listEquity(left, { limit: 99 }), [point])
    yield* appendEquity(anew, point)
    assert.deepStrictEqual(yield* listEquity(anew, { limit: 99 }), [point])
  }),

  "removes everything of a bot and nothing of another": Effect.gen(function* () {
    const { append, appendEquity, list, listEquity, removeOfBot } = yield* BotJournal
    const [gone, left] = [testId("bot"), testId("bot")]
    for (const botId of [gone, left]) {
      yield* append(logEntryRecord({ bot_id: botId }))
      yield* appendEquity(botId, { time: "2026-01-15T09:00:00.000Z", equity: 1 })
    }
    const counts = (botId: string) =>
      Effect.all([
        Effect.map(list(botId, { limit: 9 }), ({ items }) => items.length),
        Effect.map(listEquity(botId, { limit: 99 }), ({ length }) => length)
      ])
    yield* rolledBack(removeOfBot(gone))
    assert.deepStrictEqual(yield* counts(gone), [1, 1])
    yield* removeOfBot(gone)
    yield* removeOfBot(gone)
    assert.deepStrictEqual(yield* counts(gone), [0, 0])
    assert.deepStrictEqual(yield* counts(left), [1, 1])
  }),

  "keeps no line and no point of a transaction that failed": Effect.gen(function* () {
    const { append, appendEquity, list, listEquity } = yield* BotJournal
    const botId = testId("bot")
    const [before, after] = [
      { time: "2026-01-15T09:00:00.000Z", equity: 1 },
      { time: "2026-01-15T09:00:00.000Z", equity: 2 }
    ]
    yield* append(logEntryRecord({ bot_id: botId }))
    yield* appendEquity(botId, before)
    yield* rolledBack(
      Effect.andThen(append(logEntryRecord({ bot_id: botId })), appendEquity(botId, after))
    )
    assert.deepStrictEqual(yield* listEquity(botId, { limit: 99 }), [before])
    assert.lengthOf((yield* list(botId, { limit: 9 })).items, 1)
    assert.strictEqual((yield* append(logEntryRecord({ bot_id: botId }))).seq, 2)
  })
}

const tests = { ...lineTests, ...equityTests }

/**
 * Registers the contract of `BotJournal` as tests of an adapter's layer.
 *
 * @category testing
 * @since 0.1.0
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<BotJournal | Transactor, E>,
  options?: SuiteOptions
): void => registerSuite(name, layer, tests, options)
