/** Quotas: told on every answer, kept by key and by kind of request. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { RateLimits } from "../../src/server/RateLimits.ts"
import { expiredKey, fullKey, readKey } from "../fakes.ts"
import { idOf } from "../records.ts"
import { startServer } from "../server.ts"

const backtest = { strategy_id: idOf("str", 1) }

it.effect("refills a bucket evenly and holds one minute's quota at most", () =>
  Effect.gen(function* () {
    const limits = yield* RateLimits
    const take = limits.take("runs", "key")
    for (let number = 0; number < 20; number++) assert.isTrue((yield* take).isAdmitted)
    const refused = yield* take
    assert.isFalse(refused.isAdmitted)
    assert.strictEqual(refused.retryAfterSeconds, 3)
    yield* TestClock.adjust("3 seconds")
    assert.isTrue((yield* take).isAdmitted)
    assert.isFalse((yield* take).isAdmitted)
    yield* TestClock.adjust("10 minutes")
    const full = yield* take
    assert.strictEqual(full.headers["x-ratelimit-remaining"], "19")
    assert.strictEqual(full.headers["ratelimit-policy"], '"runs";q=20;w=60')
    assert.strictEqual(full.headers["ratelimit"], '"runs";r=19;t=3')
  }).pipe(Effect.provide(RateLimits.layer()))
)

it.live("answers 429 with Retry-After once a key's quota is used up, and to that key only", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer({ rates: { runs: 2 } })
    const start = (key: string) =>
      call("POST", "/v1/mix/backtest", backtest, { authorization: `Bearer ${key}` })
    assert.strictEqual((yield* start(fullKey)).status, 202)
    const last = yield* start(fullKey)
    assert.strictEqual(last.headers.get("x-ratelimit-remaining"), "0")
    const refused = yield* start(fullKey)
    assert.strictEqual(refused.status, 429)
    assert.strictEqual(refused.json.code, "rate_limited")
    assert.include(refused.json.type, "quota-exceeded")
    assert.isAbove(Number(refused.headers.get("retry-after")), 0)
    assert.match(refused.headers.get("ratelimit")!, /^"runs";r=0;t=\d+$/)
    assert.strictEqual((yield* start(`${fullKey}2`)).status, 202)
    assert.strictEqual((yield* call("GET", "/v1/bots")).status, 200)
  })
)

it.live("counts callers without a key by address, but not the probes", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer({ rates: { anonymous: 3 } })
    const anonymous = (path: string) => call("GET", path, undefined, { authorization: undefined })
    assert.strictEqual((yield* anonymous("/v1/bots")).status, 401)
    assert.strictEqual((yield* anonymous("/nope")).status, 404)
    assert.strictEqual((yield* anonymous("/openapi.json")).status, 200)
    for (const path of ["/v1/bots", "/nope", "/openapi.json", "/docs"]) {
      assert.strictEqual((yield* anonymous(path)).status, 429, path)
    }
    assert.strictEqual((yield* anonymous("/healthz")).status, 200)
    assert.strictEqual((yield* call("GET", "/v1/bots")).status, 200)
  })
)

it.live("counts keys that are none and keys that have expired by address, and no others", () =>
  Effect.gen(function* () {
    for (const key of [expiredKey, "cw_test_unknown"]) {
      const { call } = yield* startServer({ rates: { anonymous: 2 } })
      const by = (name: string, method = "GET") =>
        Effect.map(
          call(method, "/v1/bots", undefined, { authorization: `Bearer ${name}` }),
          ({ status }) => status
        )
      // A key that lacks a scope is known all the same.
      assert.deepStrictEqual([yield* by(readKey, "POST"), yield* by(readKey, "POST")], [403, 403])
      assert.deepStrictEqual([yield* by(key), yield* by(key)], [401, 401], key)
      assert.strictEqual(yield* by(key), 429, key)
      assert.strictEqual(yield* by(fullKey), 200)
    }
  })
)
