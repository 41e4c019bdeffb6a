import {
  Backtests,
  type BacktestRequest,
  Optimizations,
  Strategies,
  StrategyStore
} from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import {
  accountId,
  appLayer,
  definition,
  keepCandles,
  otherAccountId,
  walkCandles,
  writeStrategy
} from "./runSetting.ts"
import { refusal, refusalCode } from "./setting.ts"

const page = { limit: 10 }

const tighter = { ...definition, exits: { stop_loss: { type: "fraction", value: 0.02 } } } as const

const run = Effect.fnUntraced(function* (
  strategyId: string,
  request: Partial<BacktestRequest> = {}
) {
  const backtests = yield* Backtests
  const begun = yield* backtests.start(accountId, { strategy_id: strategyId, ...request })
  return yield* backtests.wait(accountId, begun.id, 60)
})

describe("versions of a strategy", () => {
  it.effect("are made by each change, with the hash of the rules and where they come from", () =>
    Effect.gen(function* () {
      const strategies = yield* Strategies
      const { id } = yield* writeStrategy()
      yield* strategies.update(accountId, id, { name: "Renamed" })
      yield* strategies.update(accountId, id, { definition: tighter })
      yield* strategies.update(accountId, id, { definition })
      const { items } = yield* strategies.versions(accountId, id, page)
      assert.deepStrictEqual(
        items.map(({ lineage, version }) => [version, lineage.origin, lineage.from_version]),
        [
          [4, "changed", 3],
          [3, "changed", 2],
          [2, "changed", 1],
          [1, "written", null]
        ]
      )
      const [fourth, third, second, first] = items.map(({ definition_hash: hash }) => hash)
      assert.match(first!, /^[0-9a-f]{64}$/)
      assert.strictEqual(second, first)
      assert.notStrictEqual(third, first)
      assert.strictEqual(fourth, first)
      assert.deepStrictEqual(items[1]!.definition, tighter)
      assert.strictEqual(items[3]!.name, "Dips")
      assert.deepStrictEqual(yield* strategies.version(accountId, id, 3), items[1])
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("are listed by where they come from and by time, a page at a time", () =>
    Effect.gen(function* () {
      const strategies = yield* Strategies
      const { id } = yield* writeStrategy()
      for (const name of ["B", "C", "D"]) yield* strategies.update(accountId, id, { name })
      const list = (page: Parameters<typeof strategies.versions>[2]) =>
        Effect.map(strategies.versions(accountId, id, page), ({ items, next }) => ({
          numbers: items.map(({ version }) => version),
          next
        }))
      assert.deepStrictEqual(yield* list({ limit: 9, origin: "written" }), {
        numbers: [1],
        next: null
      })
      const first = yield* list({ limit: 2, origin: "changed" })
      assert.deepStrictEqual(first, { numbers: [4, 3], next: "3" })
      const rest = yield* list({ limit: 2, origin: "changed", before: "3" })
      assert.deepStrictEqual(rest, { numbers: [2], next: null })
      const none = { numbers: [], next: null }
      assert.deepStrictEqual(yield* list({ limit: 2, origin: "applied" }), none)
      assert.deepStrictEqual(yield* list({ limit: 2, from: "2100-01-01T00:00:00.000Z" }), none)
      const all = yield* list({ limit: 9, to: "2100-01-01T00:00:00.000Z" })
      assert.deepStrictEqual(all.numbers, [4, 3, 2, 1])
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("have equal hashes whatever the order of names in the rules", () =>
    Effect.gen(function* () {
      const strategies = yield* Strategies
      const { id } = yield* writeStrategy()
      const turned = Object.fromEntries(Object.entries(definition).toReversed())
      yield* strategies.update(accountId, id, { definition: turned as typeof definition })
      const { items } = yield* strategies.versions(accountId, id, page)
      assert.strictEqual(items[1]!.definition_hash, items[0]!.definition_hash)
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("begin with the strategy that an earlier release kept without one", () =>
    Effect.gen(function* () {
      const strategies = yield* Strategies
      const written = yield* writeStrategy()
      const store = yield* StrategyStore
      const old = { ...written, id: "str_01ARZ3NDEKTSV4RRFFQ69G5FAV" }
      yield* store.insert(old)
      yield* strategies.update(accountId, old.id, { definition: tighter })
      const { items } = yield* strategies.versions(accountId, old.id, page)
      assert.deepStrictEqual(
        items.map(({ definition: rules, version }) => [version, rules]),
        [
          [2, tighter],
          [1, definition]
        ]
      )
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("are found by their account alone, and stay where the strategy goes", () =>
    Effect.gen(function* () {
      const strategies = yield* Strategies
      const { id } = yield* writeStrategy()
      const list = strategies.versions(otherAccountId, id, page)
      assert.strictEqual(yield* refusalCode(list), "not_found")
      assert.strictEqual(yield* refusalCode(strategies.version(accountId, id, 2)), "not_found")
      yield* strategies.remove(accountId, id)
      const { items } = yield* strategies.versions(accountId, id, page)
      assert.deepStrictEqual(
        items.map(({ version }) => version),
        [1]
      )
    }).pipe(Effect.provide(appLayer()))
  )
})

describe("a run", () => {
  it.effect("says which version, markets and candles it went by, and stays with them", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 1_000))
      const strategies = yield* Strategies
      const { id } = yield* writeStrategy()
      const before = yield* run(id)
      yield* strategies.update(accountId, id, { definition: tighter })
      const after = yield* run(id)
      const first = yield* strategies.version(accountId, id, 1)
      assert.deepInclude(before, {
        strategy_version: 1,
        definition_hash: first.definition_hash
      })
      assert.strictEqual(after.strategy_version, 2)
      assert.deepStrictEqual(before.markets, before.report!.markets)
      const [quality] = before.report!.data_quality
      assert.deepStrictEqual(before.candles, [
        {
          symbol: quality!.symbol,
          timeframe: "1h",
          hash: quality!.hash,
          owner: "shared",
          revision: 1,
          resampled_from: null,
          candle_count: 1_000,
          first_at: quality!.first_at,
          last_at: quality!.last_at
        }
      ])
      const again = yield* run(id, { strategy_version: 1 })
      assert.strictEqual(again.strategy_version, 1)
      assert.deepStrictEqual(again.report!.metrics, before.report!.metrics)
      assert.notDeepEqual(after.report!.metrics, before.report!.metrics)
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("goes by the version that it was asked for with, whatever comes before its turn", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 1_000))
      const [backtests, optimizations] = [yield* Backtests, yield* Optimizations]
      const strategies = yield* Strategies
      const { id } = yield* writeStrategy()
      const direct = yield* run(id)
      const search = yield* optimizations.start(accountId, { strategy_id: id, max_trials: 5 })
      const begun = yield* backtests.start(accountId, { strategy_id: id })
      yield* strategies.update(accountId, id, { definition: tighter })
      const done = yield* backtests.wait(accountId, begun.id, 60)
      assert.strictEqual(done.strategy_version, 1)
      assert.deepStrictEqual(done.report!.metrics, direct.report!.metrics)
      const searched = yield* optimizations.wait(accountId, search.id, 60)
      assert.strictEqual(searched.strategy_version, 1)
      assert.deepStrictEqual(searched.markets, searched.report!.markets)
      assert.strictEqual(searched.candles![0]!.hash, searched.report!.data_quality[0]!.hash)
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("is refused where the strategy never had the version", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 1_000))
      const { id } = yield* writeStrategy()
      const asked = { strategy_id: id, strategy_version: 7 }
      const problem = yield* refusal((yield* Backtests).start(accountId, asked))
      assert.deepInclude(problem.errors![0], {
        pointer: "/strategy_version",
        code: "unknown_version"
      })
      assert.isTrue(Option.isSome(yield* (yield* StrategyStore).get(accountId, id)))
    }).pipe(Effect.provide(appLayer()))
  )
})
