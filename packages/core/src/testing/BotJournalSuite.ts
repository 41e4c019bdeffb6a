/**
 * The contract of `BotJournal`, as tests.
 *
 * An adapter's test file is one call of `suite`. An adapter keeps the contract if all tests
 * pass; a test that it can't pass is named in `skip`, with a reason that is printed.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Limits } from "../domain/Limits.ts"
import { logLevels } from "../domain/LogEntry.ts"
import { BotJournal } from "../ports/BotJournal.ts"
import { Transactor } from "../ports/Transactor.ts"
import { equityTests } from "./equityTests.ts"
import { registerSuite, overwrite, type SuiteOptions } from "./conformance.ts"
import { logEntryRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { pagesOf } from "./versionedTests.ts"

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
    overwrite(given)
    overwrite((yield* list(entry.bot_id, { limit: 1 })).items[0])
    assert.deepStrictEqual((yield* list(entry.bot_id, { limit: 1 })).items, [{ ...entry, seq: 1 }])
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
