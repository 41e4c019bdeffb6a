/** Idempotency keys: repetitions are harmless. */
import { type IdempotencyStore, SecretBox } from "@candlewick/core"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { CurrentRequest } from "../../src/server/CurrentRequest.ts"
import { once } from "../../src/server/idempotency.ts"
import { fullKey } from "../fakes.ts"
import { botOf, idOf } from "../records.ts"
import { startServer } from "../server.ts"

const bot = { name: "x", strategy_id: idOf("str", 1), capital_allocation: 1000 }

it.live("gives a repetition the first answer, under either prefix and in any key order", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const first = yield* call("POST", "/v1/bots", bot, { "idempotency-key": "k1" })
    assert.strictEqual(first.status, 201)
    assert.isNull(first.headers.get("idempotency-replayed"))
    const reordered = JSON.stringify({
      capital_allocation: 1000,
      strategy_id: bot.strategy_id,
      name: "x"
    })
    for (const [path, key, body] of [
      ["/v1/bots", "k1", bot],
      ["/v1/bots", '"k1"', bot],
      ["/api/v1/bots", "k1", reordered]
    ] as const) {
      const again = yield* call("POST", path, body, { "idempotency-key": key })
      assert.strictEqual(again.status, 201)
      assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      assert.strictEqual(again.text, first.text)
      assert.strictEqual(again.headers.get("location"), first.headers.get("location"))
      assert.strictEqual(again.headers.get("content-type"), first.headers.get("content-type"))
    }
    assert.strictEqual(control.created, 1)
  })
)

it.live("answers 422 to another body under the same key", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    yield* call("POST", "/v1/bots", bot, { "idempotency-key": "k" })
    const other = yield* call("POST", "/v1/bots", { ...bot, name: "y" }, { "idempotency-key": "k" })
    assert.strictEqual(other.status, 422)
    assert.strictEqual(other.json.code, "idempotency_key_reused")
    assert.strictEqual(control.created, 1)
  })
)

it.live("tells imports under one key apart by all of their bodies", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const path = "/v1/candles?symbol=BTC%2FUSDT&timeframe=1h"
    const header = "time,open,high,low,close,volume"
    const send = (rows: string, key: string) =>
      call("POST", path, `${header}\n${rows}\n`, {
        "content-type": "text/csv",
        "idempotency-key": key
      })
    const [one, other] = ["0,1,2,0.5,1.5,10", "0,1,2,0.5,1.5,11"]
    const first = yield* send(one, "k")
    assert.strictEqual(first.status, 200, first.text)

    const reused = yield* send(other, "k")
    assert.strictEqual(reused.status, 422)
    assert.strictEqual(reused.json.code, "idempotency_key_reused")
    assert.strictEqual(control.imported!.volume[0], 10)

    control.imported = undefined
    const again = yield* send(one, "k")
    assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
    assert.deepStrictEqual([again.status, again.text], [200, first.text])
    assert.strictEqual(again.headers.get("content-type"), first.headers.get("content-type"))
    assert.isUndefined(control.imported)

    // Rows that are refused take no key.
    assert.strictEqual((yield* send("soon,1,2,0.5,1.5,10", "free")).status, 400)
    assert.strictEqual((yield* send(other, "free")).status, 200)
    assert.strictEqual(control.imported!.volume[0], 11)
  })
)

it.live("answers 409 while the first request is under way", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.createDelayMs = 300
    const send = call("POST", "/v1/bots", bot, { "idempotency-key": "k" })
    const answers = yield* Effect.all([send, Effect.delay(send, 100)], { concurrency: 2 })
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      [201, 409]
    )
    assert.strictEqual(answers[1].json.code, "idempotency_in_progress")
    assert.strictEqual(answers[1].headers.get("retry-after"), "1")
    assert.strictEqual(control.created, 1)
  })
)

it.live("finishes the work of a caller who went away, and has the answer for the repetition", () =>
  Effect.gen(function* () {
    const { baseUrl, call, control } = yield* startServer()
    control.createDelayMs = 300
    yield* Effect.promise(() =>
      fetch(`${baseUrl}/v1/bots`, {
        method: "POST",
        body: JSON.stringify(bot),
        headers: {
          authorization: `Bearer ${fullKey}`,
          "content-type": "application/json",
          "idempotency-key": "k"
        },
        signal: AbortSignal.timeout(100)
      }).catch(() => undefined)
    )
    yield* Effect.sleep(600)
    const again = yield* call("POST", "/v1/bots", bot, { "idempotency-key": "k" })
    assert.strictEqual(again.status, 201)
    assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
    assert.strictEqual(control.created, 1)
  })
)

it.live("keeps refusals that the state gave, and forgets those that carried nothing out", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const id = idOf("bot", 1)
    control.bots.set(id, botOf(1))
    const pause = () => call("POST", `/v1/bots/${id}/pause`, undefined, { "idempotency-key": "p" })
    assert.strictEqual((yield* pause()).status, 409)
    assert.strictEqual((yield* pause()).headers.get("idempotency-replayed"), "true")

    const create = (body: unknown) => call("POST", "/v1/bots", body, { "idempotency-key": "c" })
    control.failure = "store"
    assert.strictEqual((yield* create(bot)).status, 503)
    control.failure = "none"
    assert.strictEqual((yield* create({ ...bot, capital_allocation: 0 })).status, 400)
    assert.strictEqual((yield* create(bot)).status, 201)
  })
)

it.live("keeps a defect's answer, since nobody knows what was carried out", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.failure = "defect"
    const create = () => call("POST", "/v1/bots", bot, { "idempotency-key": "d" })
    assert.strictEqual((yield* create()).status, 500)
    control.failure = "none"
    assert.strictEqual((yield* create()).status, 500)
    assert.strictEqual(control.created, 0)
  })
)

it.live("refuses a key that is none", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    for (const key of ["a b", "x".repeat(256), '""']) {
      const answer = yield* call("POST", "/v1/bots", bot, { "idempotency-key": key })
      assert.strictEqual(answer.status, 400, key)
    }
  })
)

it.effect("holds a key for minutes while it works, and for a day once it has answered", () =>
  Effect.gen(function* () {
    const held: Array<number> = []
    const store: IdempotencyStore["Service"] = {
      claim: ({ expiresAtMs, nowMs }) =>
        Effect.sync(() => {
          held.push(expiresAtMs - nowMs)
          return { state: "claimed" } as const
        }),
      // The clock of tests stands at 0.
      answer: (_scope, _key, _answer, expiresAtMs) =>
        Effect.sync(() => void held.push(expiresAtMs)),
      keepOutcome: () => Effect.succeed(true),
      release: () => Effect.void,
      releaseAll: Effect.void
    }
    const box = yield* SecretBox
    const facts = yield* CurrentRequest
    const request = { scope: "POST /bots", key: "k", fingerprint: "f", facts, showsSecret: false }
    yield* once({ store, box }, request, Effect.succeed(HttpServerResponse.empty({ status: 201 })))
    assert.deepStrictEqual(held, [150_000, 86_400_000])
  })
)
