/** Runs: 202 and waiting, and results before and after the end. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { idOf } from "../records.ts"
import { startServer } from "../server.ts"

const generate = {
  objective: "maximize_returns",
  risk_tolerance: "conservative",
  timeframe: "hourly"
}

it.live("starts a generation with 202 and echoes the words as resolved", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const answer = yield* call("POST", "/api/v1/mix/generate", generate)
    assert.strictEqual(answer.status, 202)
    assert.strictEqual(answer.json.status, "generating")
    const { objective, risk_tolerance, timeframe } = answer.json
    assert.deepStrictEqual([objective, risk_tolerance, timeframe], ["total_return", "low", "1h"])
    assert.strictEqual(answer.headers.get("location"), `/api/v1/mix/strategies/${answer.json.id}`)
  })
)

it.live("holds the answer as Prefer asks, at most 60 s: 201 when it is over, else 202", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const send = (prefer: string) => call("POST", "/v1/mix/generate", generate, { prefer })
    const over = yield* send("respond-async, wait=10")
    assert.strictEqual(over.status, 201)
    assert.strictEqual(over.json.status, "ready")
    assert.strictEqual(over.headers.get("preference-applied"), "wait=10")
    const early = yield* send("wait=1")
    assert.strictEqual(early.status, 202)
    assert.strictEqual((yield* send("wait=9999")).headers.get("preference-applied"), "wait=60")
    assert.isNull((yield* send("return=minimal")).headers.get("preference-applied"))
  })
)

it.live("answers those who wait at once when the server ends", () =>
  Effect.gen(function* () {
    const waiting = yield* Effect.scoped(
      Effect.gen(function* () {
        const { call, control } = yield* startServer({ shutdownTimeoutMs: 3_000 })
        control.generationSeconds = 50
        const fibre = yield* Effect.forkDetach(
          call("POST", "/v1/mix/generate", generate, { prefer: "wait=60" })
        )
        yield* Effect.sleep(200)
        return fibre
      })
    )
    assert.strictEqual((yield* Fiber.join(waiting)).status, 202)
  })
)

it.live("answers 202 with how far it is and Retry-After before the end", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    for (const path of [
      `/v1/mix/backtest/${idOf("bt", 1)}/results`,
      `/api/v1/mix/optimize/${idOf("opt", 1)}/results`
    ]) {
      const answer = yield* call("GET", path)
      assert.strictEqual(answer.status, 202)
      assert.strictEqual(answer.json.progress, 0.25)
      assert.strictEqual(answer.json.step, "simulate")
      assert.strictEqual(answer.json.eta_seconds, 12)
      assert.strictEqual(answer.headers.get("retry-after"), "12")
      assert.notProperty(answer.json, "report")
    }
  })
)

it.live("has the fields of the report beside its own once it is over", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const results = (number: number) =>
      call("GET", `/v1/mix/backtest/${idOf("bt", number)}/results`)
    const completed = yield* results(2)
    assert.strictEqual(completed.status, 200)
    assert.strictEqual(completed.json.status, "completed")
    assert.strictEqual(completed.json.metrics.total_return, 0.1)
    assert.isArray(completed.json.trades)
    assert.isTrue(completed.json.overlaps_training)
    const failed = yield* results(3)
    assert.strictEqual(failed.status, 200)
    assert.strictEqual(failed.json.error.code, "no_market_data")
    const cancelled = yield* results(4)
    assert.strictEqual(cancelled.status, 200)
    assert.isTrue(cancelled.json.partial)
    assert.isArray(cancelled.json.equity_curve)
    // It was kept by a version that recorded less.
    assert.deepStrictEqual(completed.json.steps, [])
    for (const name of ["steps", "open_positions", "funding_paid", "worst_path_return"]) {
      assert.notProperty(cancelled.json, name)
    }
    assert.notProperty(cancelled.json.config, "funding_rate")
  })
)

it.live("shows status without results, lists and cancels", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const status = yield* call("GET", `/v1/mix/backtest/${idOf("bt", 2)}`)
    assert.notProperty(status.json, "report")
    assert.notProperty(status.json, "metrics")
    const { data } = (yield* call("GET", "/v1/mix/backtests")).json
    assert.strictEqual(data.length, 4)
    const metricsOf = (number: number) =>
      data.find(({ id }: { readonly id: string }) => id === idOf("bt", number)).metrics
    assert.deepInclude(metricsOf(2), { total_return: 0.1, sharpe: null, max_drawdown: null })
    // A run that is not over has none yet.
    assert.isUndefined(metricsOf(1))
    const cancelled = yield* call("POST", `/v1/mix/optimize/${idOf("opt", 1)}/cancel`)
    assert.strictEqual(cancelled.json.status, "cancelled")
    const started = yield* call("POST", "/v1/mix/backtest", { strategy_id: idOf("str", 1) })
    assert.strictEqual(started.status, 202)
    assert.strictEqual(started.headers.get("location"), `/v1/mix/backtest/${idOf("bt", 1)}`)
  })
)
