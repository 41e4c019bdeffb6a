/**
 * Strategies with code that a host brings: kept by name, run in threads, optimised, traded by bots.
 */
import {
  operatorAccountId,
  Backtests,
  Bots,
  Candles,
  layerCodeStrategies,
  CodeStrategies,
  defaultValues,
  Optimizations,
  RecordedMarketData,
  ReplayRate,
  Strategies,
  toMarketRules,
  toMarketSpec,
  toRiskLimits,
  warmupOf
} from "@candlewick/core"
import { simulate } from "@candlewick/core/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { botsOver, eventually, keepStrategy, makeAccount } from "../stories/world.ts"
import { broken, countless, dips, slow, unreadable } from "./hostCode.ts"
import {
  accountId,
  appLayer,
  keepCandles,
  symbol,
  walkCandles,
  writeStrategy
} from "./runSetting.ts"
import { refusal, refusalCode } from "./setting.ts"

const hostCode = layerCodeStrategies(new URL("./hostCode.ts", import.meta.url))
const host = appLayer().pipe(Layer.provide(hostCode))

const write = ({ definition }: Pick<typeof slow, "definition">) =>
  Effect.flatMap(Strategies, (strategies) =>
    strategies.write(accountId, { name: "In code", definition })
  )

const backtested = Effect.fnUntraced(function* (strategyId: string) {
  const backtests = yield* Backtests
  const { id } = yield* backtests.start(accountId, { strategy_id: strategyId })
  return yield* backtests.wait(accountId, id, 60)
})

describe("strategies with code", () => {
  it.effect("are backtested and optimised as the rules that say the same", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 1_500))
      const ruled = yield* writeStrategy()
      const coded = yield* write(dips)
      assert.include(coded.description ?? [], 'The code "dips" says when to enter and to exit.')
      const [one, other] = [yield* backtested(ruled.id), yield* backtested(coded.id)]
      assert.strictEqual(other.status, "completed")
      assert.isAbove(other.report!.position_count, 10)
      assert.deepStrictEqual(other.report!.metrics, one.report!.metrics)
      const optimizations = yield* Optimizations
      const trialsOf = Effect.fnUntraced(function* (strategyId: string) {
        const request = { strategy_id: strategyId, max_trials: 20, seed: 1 } as const
        const { id } = yield* optimizations.start(accountId, request)
        const { report, status } = yield* optimizations.wait(accountId, id, 60)
        assert.strictEqual(status, "completed")
        return report!
      })
      const [wanted, found] = [yield* trialsOf(ruled.id), yield* trialsOf(coded.id)]
      assert.deepStrictEqual(found.best?.parameters, wanted.best?.parameters)
      assert.isAbove((found.plain_runs ?? []).length, 0)
    }).pipe(Effect.provide(host))
  )

  it.effect("stop when they are cancelled", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 20_000))
      const backtests = yield* Backtests
      const { id: strategy_id } = yield* write(slow)
      const { id } = yield* backtests.start(accountId, { strategy_id })
      yield* Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 20))).pipe(
        Effect.andThen(backtests.get(accountId, id)),
        Effect.repeat({ until: ({ step }) => step === "simulate" })
      )
      yield* backtests.cancel(accountId, id)
      const { status } = yield* backtests.wait(accountId, id, 60)
      assert.strictEqual(status, "cancelled")
    }).pipe(Effect.provide(host))
  )

  it.effect("are refused where the host has none of that name, or parameters are missing", () =>
    Effect.gen(function* () {
      const strategies = yield* Strategies
      const named = (changes: object) =>
        refusal(
          strategies.write(accountId, {
            name: "In code",
            definition: { ...dips.definition, ...changes }
          })
        )
      const unknown = yield* named({ code: "nothing" })
      assert.strictEqual(unknown.code, "validation_failed")
      assert.deepInclude(unknown.errors?.[0], {
        pointer: "/definition/code",
        code: "unknown_code"
      })
      const { stop } = dips.definition.parameters
      const missing = yield* named({ parameters: { stop } })
      assert.deepStrictEqual(
        missing.errors?.map(({ pointer }) => pointer),
        ["/definition/parameters/period"]
      )
    }).pipe(Effect.provide(host))
  )

  it.effect("are unknown to a host that brings none, and to one that brings them no more", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* CodeStrategies).byName.size, 0)
      assert.strictEqual(yield* refusalCode(write(dips)), "validation_failed")
      yield* keepCandles(walkCandles(1, 500))
      const { id } = yield* keepStrategy(accountId, dips.definition)
      const backtests = yield* Backtests
      const problem = yield* refusal(backtests.start(accountId, { strategy_id: id }))
      assert.deepInclude(problem.errors?.[0], { pointer: "/strategy_id", code: "unknown_code" })
    }).pipe(Effect.provide(appLayer()))
  )

  it.live("make the fills of a backtest as bots that replay its candles", () =>
    Effect.gen(function* () {
      const candles = yield* Candles
      const bots = yield* Bots
      const owner = yield* makeAccount
      const key = { symbol, timeframe: "1h" } as const
      yield* candles.import(operatorAccountId, { key, columns: walkCandles(3, 700) })
      const { columns, market } = yield* candles.dataset(operatorAccountId, key)
      const { definition } = dips
      const code = new Map([["dips", dips.rules]])
      const values = defaultValues(definition)
      const { plan, rules } = toMarketRules(definition, values, columns, symbol, code)
      assert.strictEqual(warmupOf(definition, values, code), 20)
      const wanted = simulate({
        markets: [{ columns, spec: toMarketSpec(market), ...rules }],
        plan,
        capital: 10_000,
        limits: toRiskLimits(null),
        fill: "next_open",
        endOfData: "open"
      }).fills.map(({ fee, leg, price, quantity, time }) => ({ fee, leg, price, quantity, time }))
      assert.isAbove(wanted.length, 15)
      const strategy = yield* keepStrategy(owner, definition)
      const { id } = yield* bots.create(owner, {
        name: "in code",
        strategy_id: strategy.id,
        capital_allocation: 10_000
      })
      yield* bots.command(owner, id, "start")
      yield* eventually(bots.status(owner, id), ({ is_data_ended }) => is_data_ended)
      const { items } = yield* bots.trades(owner, id, { limit: 100 })
      const seen = items.toReversed().map(({ amount, executed_at, fee, leg, price }) => {
        return { fee, leg, price, quantity: amount, time: Date.parse(executed_at) }
      })
      assert.deepStrictEqual(seen, wanted.slice(-100))
      yield* bots.command(owner, id, "stop")
    }).pipe(
      Effect.provide(
        botsOver(
          RecordedMarketData.layer.pipe(Layer.provide(Layer.succeed(ReplayRate, 10_000)))
        ).pipe(Layer.provide(hostCode))
      )
    )
  )

  const failure = {
    code: "strategy_code",
    message: "the strategy's code failed: the table of weekdays has no Sunday"
  }

  it.effect("fail a run with the words of an error, or of an answer that is none", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 500))
      for (const thrower of [broken, unreadable]) {
        const { error, status } = yield* backtested((yield* write(thrower)).id)
        assert.strictEqual(status, "failed")
        assert.deepStrictEqual(error, failure)
      }
      const other = yield* backtested((yield* write(countless)).id)
      assert.strictEqual(other.error?.code, "strategy_code")
      assert.include(other.error?.message, "lookback and warmup must be whole numbers")
    }).pipe(Effect.provide(host))
  )

  const throwers = [
    ["one that can be read", broken],
    ["one that can be read only once", unreadable]
  ] as const

  it.live.each(throwers)("put a bot in error with the words of an error: %s", ([, thrower]) =>
    Effect.gen(function* () {
      const bots = yield* Bots
      const owner = yield* makeAccount
      const key = { symbol, timeframe: "1h" } as const
      yield* (yield* Candles).import(operatorAccountId, { key, columns: walkCandles(3, 700) })
      const strategy = yield* keepStrategy(owner, thrower.definition)
      const request = { name: "broken", strategy_id: strategy.id, capital_allocation: 10_000 }
      const { id } = yield* bots.create(owner, request)
      yield* bots.command(owner, id, "start")
      const { error } = yield* eventually(
        bots.status(owner, id),
        ({ status }) => status === "error"
      )
      assert.deepInclude(error, { ...failure, retryable: false })
      const { items } = yield* bots.logs(owner, id, { limit: 10, level: "error" })
      assert.deepInclude(items[0], { event: "bot.error", message: failure.message })
    }).pipe(
      Effect.provide(
        botsOver(
          RecordedMarketData.layer.pipe(Layer.provide(Layer.succeed(ReplayRate, 10_000)))
        ).pipe(Layer.provide(hostCode))
      )
    )
  )
})
