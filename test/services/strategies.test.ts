import {
  Backtests,
  BotStore,
  type CandleColumns,
  columnNames,
  copyColumns,
  type GenerateRequest,
  Ids,
  riskProfiles,
  Strategies,
  type Strategy,
  StrategyStore,
  timeframeNames
} from "@candlewick/core"
import { generateCandlesMin } from "../../packages/core/src/services/runs/generate/generateStrategy.ts"
import { loadSamples } from "../../packages/http/src/main/samples.ts"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import {
  accountId,
  appLayer,
  definition,
  engineLayer,
  eventsOf,
  keepCandles,
  otherAccountId,
  Published,
  symbol,
  walkCandles,
  writeStrategy
} from "./runSetting.ts"
import { refusal, refusalCode } from "./setting.ts"

const asked: GenerateRequest = {
  objective: "sharpe",
  risk_tolerance: "medium",
  timeframe: "1h",
  symbols: [symbol],
  max_candidates: 48
}

const generate = Effect.fnUntraced(function* (request: Partial<GenerateRequest> = {}) {
  const strategies = yield* Strategies
  const begun = yield* strategies.generate(accountId, { ...asked, ...request })
  return yield* strategies.wait(accountId, begun.id, 120)
})

/** The fields that must not depend on when and where a strategy was made. */
const essence = ({ definition, evidence, provenance, verdict, warnings }: Strategy) => ({
  definition,
  evidence,
  provenance,
  verdict,
  warnings
})

const generated = (columns: CandleColumns, size = 1, request: Partial<GenerateRequest> = {}) =>
  Effect.gen(function* () {
    yield* keepCandles(columns)
    return yield* generate(request)
  }).pipe(Effect.provide(appLayer({ size })))

describe("Strategies.generate", () => {
  it.effect("answers at once and ends with a strategy, its evidence and one event", () => {
    const published = new Published()
    return Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 3_000))
      const strategies = yield* Strategies
      const begun = yield* strategies.generate(accountId, asked)
      assert.deepInclude(begun, { status: "generating", origin: "generated", definition: null })
      assert.deepStrictEqual(begun.risk_profile, riskProfiles.medium)
      const done = yield* strategies.wait(accountId, begun.id, 120)
      assert.deepInclude(done, { id: begun.id, status: "ready", progress: 1, error: null })
      assert.strictEqual(done.verdict, "deployable")
      assert.isNotEmpty(done.description!)
      assert.isNotEmpty(done.parameters)
      assert.isDefined(done.definition!.exits?.stop_loss)
      const { in_sample, out_of_sample, random_entries, gates, rule } = done.evidence!
      assert.strictEqual(in_sample!.candle_count, 1_950)
      assert.strictEqual(out_of_sample!.candle_count, 1_050)
      assert.strictEqual(in_sample!.to, out_of_sample!.from)
      assert.isAtLeast(random_entries!.count, 200)
      assert.isTrue(gates.every(({ is_passed }) => is_passed))
      assert.isNotEmpty(rule)
      assert.deepInclude(done.provenance!, { candidates_evaluated: 48, synthetic: false })
      const plainCount = done.provenance!.plain_runs!.reduce((sum, { count }) => sum + count, 0)
      assert.isBelow(plainCount, 24, "most candidates run from event to event")
      const announced = yield* eventsOf(published, "strategy.generated")
      assert.strictEqual(announced.length, 1)
      assert.deepInclude(announced[0], { strategy_id: done.id, verdict: "deployable" })
      assert.deepStrictEqual(announced[0]!["holdout"], out_of_sample!.metrics)
    }).pipe(Effect.provide(appLayer({}, published)))
  })

  it.effect(
    "makes the same of the same candles with one thread, with two and with five",
    () =>
      Effect.gen(function* () {
        const [one, two, five] = yield* Effect.forEach([1, 2, 5], (size) =>
          generated(walkCandles(2, 1_200, 0.1), size)
        )
        assert.deepStrictEqual(essence(two!), essence(one!))
        assert.deepStrictEqual(essence(five!), essence(one!))
      }),
    60_000
  )

  it.effect("searches elsewhere with another seed, and says which seed it was", () =>
    Effect.gen(function* () {
      const columns = walkCandles(2, 1_200, 0.1)
      const [first, second] = yield* Effect.forEach([1, 2], (seed) =>
        generated(columns, 1, { seed })
      )
      assert.strictEqual(first!.provenance!.seed, 1)
      assert.notDeepEqual(second!.definition, first!.definition)
    })
  )

  it.effect("chooses the same strategy whatever the judged candles are", () =>
    Effect.gen(function* () {
      const columns = walkCandles(6, 2_000, 0.1)
      const changed = copyColumns(columns)
      const others = walkCandles(7, 2_000, 0)
      for (const name of columnNames) {
        if (name !== "time") changed[name].set(others[name].subarray(1_300), 1_300)
      }
      // Another step of prices and volumes, which could tell something through rounding.
      for (let index = 1_300; index < 2_000; index++) {
        changed.volume[index]! += 0.123_45
        changed.high[index]! += 0.000_001_5
      }
      const first = yield* generated(columns)
      const second = yield* generated(changed)
      assert.deepStrictEqual(second.definition, first.definition)
      assert.deepStrictEqual(second.evidence!.in_sample, first.evidence!.in_sample)
      assert.notDeepEqual(second.evidence!.out_of_sample, first.evidence!.out_of_sample)
    })
  )

  it.effect("finds no edge in noise", () =>
    Effect.gen(function* () {
      const done = yield* generated(walkCandles(11, 3_000, 0))
      assert.strictEqual(done.status, "ready")
      assert.notStrictEqual(done.verdict, "deployable")
      assert.isTrue(done.evidence!.gates.some(({ is_passed }) => !is_passed))
      assert.isNotEmpty(done.warnings)
    })
  )

  it.effect("returns the best of few trades as no edge where nothing traded enough", () =>
    Effect.gen(function* () {
      const done = yield* generated(walkCandles(1, 200), 1, { max_candidates: 1 })
      assert.deepInclude(done, { status: "ready", verdict: "no_edge_found" })
      assert.strictEqual(done.provenance!.candidates_eligible, 0)
      const [judged] = done.judged_stretches!
      assert.strictEqual(judged!.from, done.evidence!.out_of_sample!.from)
      assert.strictEqual(judged!.earlier_count, 0)
    })
  )

  it.effect(
    "works on every timeframe of a fresh server, and never calls synthetic deployable",
    () =>
      Effect.gen(function* () {
        const strategies = yield* Strategies
        for (const timeframe of timeframeNames) {
          const { symbols: _, ...rest } = asked
          const begun = yield* strategies.generate(accountId, {
            ...rest,
            timeframe,
            max_candidates: 6
          })
          const done = yield* strategies.wait(accountId, begun.id, 120)
          assert.deepInclude(done, { status: "ready", synthetic: true, timeframe })
          assert.notStrictEqual(done.verdict, "deployable")
          assert.match(done.warnings.join(" "), /generator/)
        }
      }).pipe(Effect.provide(appLayer())),
    60_000
  )

  it.effect("takes the three documented fields beside samples that are too short", () =>
    Effect.gen(function* () {
      yield* loadSamples
      const strategies = yield* Strategies
      const { id } = yield* strategies.generate(accountId, {
        objective: "sharpe",
        risk_tolerance: "medium",
        timeframe: "1w"
      })
      const done = yield* strategies.wait(accountId, id, 120)
      assert.deepInclude(done, { status: "ready", error: null, synthetic: true })
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("refuses too few candles at once, in a range as well, and takes just enough", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 1_000), "LONG/USD")
      yield* keepCandles(walkCandles(1, generateCandlesMin - 1))
      const strategies = yield* Strategies
      const { symbols: _, ...rest } = asked
      const few = strategies.generate(accountId, asked)
      assert.strictEqual(yield* refusalCode(few), "unprocessable")
      const to = "2023-01-05T00:00:00.000Z"
      const narrow = strategies.generate(accountId, { ...rest, to })
      assert.strictEqual(yield* refusalCode(narrow), "unprocessable")
      yield* keepCandles(walkCandles(1, generateCandlesMin))
      const done = yield* generate({ max_candidates: 1 })
      assert.strictEqual(done.status, "ready")
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect("refuses symbols without candles, or with too few", () => {
    const published = new Published()
    return Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 50))
      const strategies = yield* Strategies
      const unknown = strategies.generate(accountId, { ...asked, symbols: ["NOT/HERE"] })
      assert.deepInclude((yield* refusal(unknown)).errors?.[0], {
        pointer: "/symbols/0",
        code: "no_market_data"
      })
      const backwards = { from: "2024-01-01T00:00:00.000Z", to: "2023-01-01T00:00:00.000Z" }
      const empty = strategies.generate(accountId, { ...asked, ...backwards })
      assert.strictEqual(yield* refusalCode(empty), "validation_failed")
      const few = strategies.generate(accountId, { ...asked, symbols: [symbol] })
      assert.strictEqual(yield* refusalCode(few), "unprocessable")
      assert.deepStrictEqual(yield* eventsOf(published, "strategy.generated"), [])
    }).pipe(Effect.provide(appLayer({}, published)))
  })

  it.effect("keeps nothing when it is cancelled, and announces nothing", () => {
    const published = new Published()
    return Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 9_000))
      const strategies = yield* Strategies
      const begun = yield* strategies.generate(accountId, { ...asked, max_candidates: 10_000 })
      assert.strictEqual(
        yield* refusalCode(strategies.remove(accountId, begun.id)),
        "invalid_transition"
      )
      yield* strategies.cancel(accountId, begun.id)
      const done = yield* strategies.wait(accountId, begun.id, 60)
      assert.deepInclude(done, { status: "cancelled", definition: null, verdict: null })
      assert.deepStrictEqual(yield* strategies.cancel(accountId, begun.id), done)
      assert.deepStrictEqual(yield* eventsOf(published, "strategy.generated"), [])
    }).pipe(Effect.provide(appLayer({}, published)))
  })

  it.effect("takes up again what an earlier process left unfinished, with the same result", () =>
    Effect.gen(function* () {
      const store = yield* StrategyStore
      const first = yield* Effect.gen(function* () {
        yield* keepCandles(walkCandles(1, 1_000))
        return yield* generate()
      }).pipe(Effect.provide(engineLayer()))
      const left = Option.getOrThrow(yield* store.get(accountId, first.id))
      yield* store.update({ ...left, status: "generating", definition: null, verdict: null })
      const again = yield* Effect.flatMap(Strategies, (strategies) =>
        strategies.wait(accountId, first.id, 60)
      ).pipe(Effect.provide(engineLayer()))
      assert.strictEqual(again.status, "ready")
      assert.deepStrictEqual(essence(again), essence(first))
    }).pipe(Effect.provide(MemoryStore.layer))
  )

  it.effect(
    "says of a backtest that it overlaps what chose the strategy, or that it does not",
    () =>
      Effect.gen(function* () {
        yield* keepCandles(walkCandles(1, 2_000))
        const { evidence, id } = yield* generate()
        const backtests = yield* Backtests
        const overlaps = Effect.fnUntraced(function* (from?: string) {
          const request = { strategy_id: id, ...(from !== undefined && { from }) }
          const begun = yield* backtests.start(accountId, request)
          return (yield* backtests.wait(accountId, begun.id, 60)).report!.overlaps_training
        })
        assert.isTrue(yield* overlaps())
        assert.isFalse(yield* overlaps(evidence!.out_of_sample!.from))
      }).pipe(Effect.provide(appLayer()))
  )
})

describe("Strategies", () => {
  it.effect("keeps a written one and announces it with what it lacks as null", () => {
    const published = new Published()
    return Effect.gen(function* () {
      const strategy = yield* writeStrategy()
      assert.deepInclude(strategy, {
        status: "ready",
        origin: "written",
        verdict: null,
        version: 1
      })
      assert.deepStrictEqual(strategy.definition, definition)
      const strategies = yield* Strategies
      assert.deepStrictEqual(yield* strategies.get(accountId, strategy.id), strategy)
      assert.deepStrictEqual((yield* strategies.list(accountId, { limit: 5 })).items, [strategy])
      assert.strictEqual(
        yield* refusalCode(strategies.get(otherAccountId, strategy.id)),
        "not_found"
      )
      const announced = yield* eventsOf(published, "strategy.generated")
      assert.strictEqual(announced.length, 1)
      assert.deepInclude(announced[0], { strategy_id: strategy.id, objective: null, verdict: null })
    }).pipe(Effect.provide(appLayer({}, published)))
  })

  it.effect("refuses one that can't run, with a pointer to each fault", () =>
    Effect.gen(function* () {
      const strategies = yield* Strategies
      const { exits: _, ...unprotected } = definition
      const problem = yield* refusal(
        strategies.write(accountId, {
          name: "Wild",
          definition: unprotected,
          risk_tolerance: "low"
        })
      )
      assert.strictEqual(problem.code, "validation_failed")
      assert.include(
        (problem.errors ?? []).map(({ pointer }) => pointer),
        "/definition/exits/stop_loss"
      )
    }).pipe(Effect.provide(appLayer()))
  )

  it.effect(
    "changes one at the version that was named, quietly, and forgets what it was judged by",
    () => {
      const published = new Published()
      return Effect.gen(function* () {
        yield* keepCandles(walkCandles(1, 1_000))
        const { id } = yield* generate()
        const strategies = yield* Strategies
        const before = yield* strategies.get(accountId, id)
        const named = yield* strategies.update(accountId, id, { name: "Mine" }, before.version)
        assert.deepInclude(named, {
          name: "Mine",
          verdict: before.verdict,
          version: before.version + 1
        })
        const stale = strategies.update(accountId, id, { name: "No" }, before.version)
        assert.strictEqual(yield* refusalCode(stale), "precondition_failed")
        const changed = yield* strategies.update(accountId, id, { definition })
        assert.deepInclude(changed, { verdict: null, evidence: null, provenance: null })
        assert.deepStrictEqual(changed.definition, definition)
        assert.strictEqual((yield* eventsOf(published, "strategy.generated")).length, 1)
      }).pipe(Effect.provide(appLayer({}, published)))
    }
  )

  it.effect("removes one that no bot uses", () =>
    Effect.gen(function* () {
      const strategies = yield* Strategies
      const bots = yield* BotStore
      const ids = yield* Ids
      const used = yield* writeStrategy()
      const free = yield* writeStrategy()
      const now = "2026-01-15T09:30:00.000Z"
      yield* bots.insert({
        id: yield* ids.make("bot"),
        account_id: accountId,
        name: "Bot",
        strategy_id: used.id,
        capital_allocation: 1_000,
        mode: "paper",
        exchange: null,
        symbols: [symbol],
        timeframe: "1h",
        risk: riskProfiles.low,
        status: "running",
        desired_status: "running",
        trading_state: "active",
        trading_state_reason: "none",
        error: null,
        stop_positions: "keep",
        version: 1,
        created_at: now,
        updated_at: now,
        started_at: null,
        stopped_at: null
      })
      assert.strictEqual(yield* refusalCode(strategies.remove(accountId, used.id)), "in_use")
      const rewritten = strategies.update(accountId, used.id, { definition })
      assert.strictEqual(yield* refusalCode(rewritten), "in_use")
      yield* strategies.remove(accountId, free.id)
      assert.strictEqual(yield* refusalCode(strategies.get(accountId, free.id)), "not_found")
      assert.strictEqual(yield* refusalCode(strategies.remove(accountId, free.id)), "not_found")
    }).pipe(Effect.provide(appLayer()))
  )
})
