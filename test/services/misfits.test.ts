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
