/**
 * Runs whose strategy, risk and markets don't go together: none is begun.
 */
import {
  Backtests,
  Optimizations,
  type Problem,
  riskProfiles,
  Strategies,
  type StrategyDefinition
} from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  accountId,
  appLayer,
  definition,
  keepCandles,
  walkCandles,
  writeStrategy
} from "./runSetting.ts"
import { refusal } from "./setting.ts"

const told = ({ code, errors = [], status }: Problem) => [
  status,
  code,
  ...errors.map((one) => `${one.pointer} ${one.code}`)
]

/** The same without the stop loss, and the parameter that was its own. */
const { exits: _exits, parameters, ...rest } = definition
const { stop: _stop, ...others } = parameters
const bare: StrategyDefinition = { ...rest, parameters: others }

const write = (rules: StrategyDefinition) =>
  Effect.flatMap(Strategies, (strategies) =>
    strategies.write(accountId, { name: "Dips", definition: rules })
  )

describe("a run under a risk profile that asks for a stop loss", () => {
  it.effect("is refused with a strategy that has none", () =>
    Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 500))
      const backtests = yield* Backtests
      const optimizations = yield* Optimizations
      const { id } = yield* write(bare)
      const risk = riskProfiles.medium
      const request = { strategy_id: id, risk }
      const fault = "/risk/is_stop_loss_mandatory stop_loss_required"
      const unstopped = [422, "unprocessable", fault]
      const test = backtests.start(accountId, request)
      assert.deepStrictEqual(told(yield* refusal(test)), unstopped)
      const search = optimizations.start(accountId, request)
      assert.deepStrictEqual(told(yield* refusal(search)), unstopped)
      assert.isEmpty((yield* backtests.list(accountId, { limit: 10 })).items)
      assert.isEmpty((yield* optimizations.list(accountId, { limit: 10 })).items)
      const lenient = { ...risk, is_stop_loss_mandatory: false }
      yield* backtests.start(accountId, { ...request, risk: lenient })
      yield* backtests.start(accountId, { ...request, risk: null })
      const kept = yield* writeStrategy()
      yield* optimizations.start(accountId, { strategy_id: kept.id, risk, max_trials: 1 })
    }).pipe(Effect.provide(appLayer()))
  )
})

describe("a run over markets in several currencies", () => {
  it.effect("is refused, and names them", () =>
    Effect.gen(function* () {
      const all = ["END/USD", "END/EUR", "END/USDT"] as const
      yield* Effect.forEach(all, (name) => keepCandles(walkCandles(1, 300), name))
      const backtests = yield* Backtests
      const optimizations = yield* Optimizations
      const strategies = yield* Strategies
      const { id } = yield* writeStrategy({ symbols: ["END/USD", "END/EUR"] })
      const request = { strategy_id: id }
      const symbols = ["END/USD", "END/USDT"] as const
      const mixed = (pointer: string) => [422, "unprocessable", `${pointer} mixed_quotes`]
      const refused = yield* refusal(backtests.start(accountId, request))
      assert.deepStrictEqual(told(refused), mixed("/strategy_id"))
      assert.match(refused.detail, /END\/USD in USD; END\/EUR in EUR/)
      const generated = strategies.generate(accountId, {
        objective: "sharpe",
        risk_tolerance: "low",
        timeframe: "1h",
        symbols
      })
      const tested = backtests.start(accountId, { ...request, symbols })
      const searched = optimizations.start(accountId, { ...request, symbols })
      assert.deepStrictEqual(told(yield* refusal(generated)), mixed("/symbols"))
      assert.deepStrictEqual(told(yield* refusal(tested)), mixed("/symbols"))
      assert.deepStrictEqual(told(yield* refusal(searched)), mixed("/symbols"))
      const search = optimizations.start(accountId, request)
      assert.deepStrictEqual(told(yield* refusal(search)), mixed("/strategy_id"))
      // On markets of one currency the same strategy is as good as any.
      const one = yield* backtests.start(accountId, { ...request, symbols: ["END/EUR"] })
      const done = yield* backtests.wait(accountId, one.id, 60)
      assert.strictEqual(done.report?.currency, "EUR")
    }).pipe(Effect.provide(appLayer()))
  )
})

describe("a run without a market that its strategy reads", () => {
  it.effect("is refused, and names it", () =>
    Effect.gen(function* () {
      const [own, read] = ["REA/USD", "REB/USD"] as const
      yield* Effect.forEach([own, read], (name, seed) => keepCandles(walkCandles(seed, 300), name))
      const backtests = yield* Backtests
      const optimizations = yield* Optimizations
      const close = { type: "price", field: "close" } as const
      const { id } = yield* writeStrategy({
        symbols: [own, read],
        trades: [own],
        long: {
          enter: { type: "above", left: { type: "symbol", symbol: read, of: close }, right: close }
        }
      })
      const request = { strategy_id: id, symbols: [own] } as const
      const unread = [422, "unprocessable", "/symbols no_market_data"]
      const tested = yield* refusal(backtests.start(accountId, request))
      assert.deepStrictEqual(told(tested), unread)
      assert.match(tested.detail, /A rule reads REB\/USD, which is not among the symbols/)
      const searched = yield* refusal(optimizations.start(accountId, request))
      assert.deepStrictEqual(told(searched), unread)
      const untraded = backtests.start(accountId, { strategy_id: id, symbols: [read] })
      const faults = ["/symbols unknown_symbol"]
      assert.deepStrictEqual(told(yield* refusal(untraded)), [422, "unprocessable", ...faults])
      const whole = yield* backtests.start(accountId, { strategy_id: id })
      const { report } = yield* backtests.wait(accountId, whole.id, 60)
      assert.deepStrictEqual([...new Set(report?.trades.map(({ symbol }) => symbol))], [own])
    }).pipe(Effect.provide(appLayer()))
  )
})
