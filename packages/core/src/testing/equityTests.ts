/**
 * The equity points that every `BotJournal` keeps, thins and adds up.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { fromTimestamp, toTimestamp } from "@candlewick/engine"
import { dayMs, hourMs } from "@candlewick/engine/kernel"
import type { EquityPageRequest } from "../domain/listFilters.ts"
import { BotJournal } from "../ports/BotJournal.ts"
import { assertNarrowed } from "./narrowedTests.ts"
import { logEntryRecord } from "./records.ts"
import { testId } from "./testIds.ts"
import { rolledBack } from "./versionedTests.ts"

const pointAt = (hour: number) => ({ time: toTimestamp(hour * hourMs), equity: 10_000 + hour })

/** Tests of a journal, by the duty that each holds it to. */
export const equityTests = {
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

  "adds up what bots were worth at each time, and counts those without a point otherwise":
    Effect.gen(function* () {
      const { appendEquity, equityTotals } = yield* BotJournal
      const [one, other, none] = [testId("bot"), testId("bot"), testId("bot")]
      const times = [-3, 0, 5].map((hour) => fromTimestamp(pointAt(hour).time))
      for (const [botId, hour, equity] of [
        [one, -3, 10],
        [one, 0, 20],
        [other, 0, 400],
        [other, 5, 300]
      ] as const) {
        yield* appendEquity(botId, { ...pointAt(hour), equity })
      }
      const bots = [one, other, none].map((botId) => ({ botId, otherwise: 1_000 }))
      assert.deepStrictEqual(yield* equityTotals(bots, times), [2_010, 1_420, 1_320])
      assert.deepStrictEqual(
        yield* equityTotals(bots, [times[0]! - 1, times[1]! + 1]),
        [3_000, 1_420]
      )
      assert.deepStrictEqual(yield* equityTotals([], times), [0, 0, 0])
      assert.deepStrictEqual(yield* equityTotals(bots, []), [])
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
