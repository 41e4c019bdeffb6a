/** Idempotency keys: repetitions are harmless. */
import { IdempotencyStore, KeyedRequest, SecretBox } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { HttpServerResponse } from "effect/http"
import { CurrentRequest } from "../../src/server/CurrentRequest.ts"
import { fingerprintOf, once } from "../../src/server/idempotency.ts"
import { type Control, fullKey } from "../fakes.ts"
import { botOf, idOf } from "../records.ts"
import { startServer } from "../server.ts"

/** Has a bot's making wait until the test lets it go. */
const holdCreation = (control: Control) => {
  const [begun, mayEnd] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  control.beforeCreate = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(mayEnd))
  return { begun: Deferred.await(begun), letGo: Deferred.succeed(mayEnd, undefined) }
}

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

it.live("tells imports under one key apart by their queries", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const rows = "time,open,high,low,close,volume\n0,1,2,0.5,1.5,10\n"
    const send = (query: string) =>
      call("POST", `/v1/candles?${query}`, rows, {
        "content-type": "text/csv",
        "idempotency-key": "k"
      })
    const first = yield* send("symbol=BTC%2FUSDT&timeframe=1h")
    assert.strictEqual(first.status, 200, first.text)
    for (const query of ["symbol=ETH%2FUSDT&timeframe=1h", "symbol=BTC%2FUSDT&timeframe=4h"]) {
      const other = yield* send(query)
      assert.strictEqual(other.status, 422, query)
      assert.strictEqual(other.json.code, "idempotency_key_reused")
    }
  })
)

it("tells requests apart by query and body, and by where one ends and the other begins", () => {
  const prints = [
    fingerprintOf("", ""),
    fingerprintOf("?a=1", ""),
    fingerprintOf("", "?a=1"),
    fingerprintOf("?a=1", "{}"),
    fingerprintOf("?a=2", "{}"),
    fingerprintOf("?a=1", "[]")
  ]
  assert.strictEqual(new Set(prints).size, prints.length)
  assert.strictEqual(fingerprintOf("?a=1", "{}"), prints[3])
})

it.live("carries a PUT and a DELETE out each time, for a key is that of a POST", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const id = idOf("bot", 1)
    control.bots.set(id, botOf(1))
    const keyed = { "idempotency-key": "k" }
    for (const name of ["one", "other"]) {
      const changed = yield* call("PUT", `/v1/bots/${id}`, { name }, keyed)
      assert.strictEqual(changed.status, 200, changed.text)
      assert.isNull(changed.headers.get("idempotency-replayed"))
      assert.strictEqual(control.bots.get(id)!.name, name)
    }
    assert.strictEqual((yield* call("DELETE", `/v1/bots/${id}`, undefined, keyed)).status, 204)
    assert.strictEqual((yield* call("DELETE", `/v1/bots/${id}`, undefined, keyed)).status, 404)
  })
)

it.live("answers 409 while the first request is under way", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const creation = holdCreation(control)
    const send = call("POST", "/v1/bots", bot, { "idempotency-key": "k" })
    const first = yield* Effect.forkChild(send)
    yield* creation.begun
    const second = yield* send
    assert.strictEqual(second.status, 409)
    assert.strictEqual(second.json.code, "idempotency_in_progress")
    assert.strictEqual(second.headers.get("retry-after"), "1")
    yield* creation.letGo
    assert.strictEqual((yield* Fiber.join(first)).status, 201)
    assert.strictEqual(control.created, 1)
  })
)

it.live("finishes the work of a caller who went away, and has the answer for the repetition", () =>
  Effect.gen(function* () {
    const { baseUrl, call, control } = yield* startServer()
    const creation = holdCreation(control)
    const leaving = new AbortController()
    const left = yield* Effect.promise(() =>
      fetch(`${baseUrl}/v1/bots`, {
        method: "POST",
        body: JSON.stringify(bot),
        headers: {
          authorization: `Bearer ${fullKey}`,
          "content-type": "application/json",
          "idempotency-key": "k"
        },
        signal: leaving.signal
      }).catch(() => undefined)
    ).pipe(Effect.forkChild)
    yield* creation.begun
    leaving.abort()
    yield* Fiber.join(left)
    yield* creation.letGo
    const again = yield* Effect.repeat(call("POST", "/v1/bots", bot, { "idempotency-key": "k" }), {
      until: ({ status }) => status !== 409
    })
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
      claim: ({ keptForMs }) =>
        Effect.sync(() => {
          held.push(keptForMs)
          return { state: "claimed" } as const
        }),
      answer: (_scope, _key, _answer, keptForMs) => Effect.sync(() => void held.push(keptForMs)),
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

const request = { scope: "acc_1 POST /bots", key: "k", fingerprint: "f", showsSecret: false }
const claimed = { ...request, keptForMs: 1 }

it.effect("leaves a key to the server that was quicker, whatever the slower one answers", () =>
  Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const keys = { store, box: yield* SecretBox }
    const facts = yield* CurrentRequest
    const outcome = JSON.stringify({ made: { value: "bot_1" } })
    const slower = Effect.gen(function* () {
      // Meanwhile another server, which took the key over, has carried the request out.
      const kept = { ...claimed, before: null, outcome, keptForMs: 1_000 }
      assert.isTrue(yield* store.keepOutcome(kept))
      const steps = yield* KeyedRequest
      yield* steps.once("made", Effect.succeed("bot_2"), (work) => work)
      return HttpServerResponse.empty({ status: 201 })
    })
    assert.strictEqual((yield* once(keys, { ...request, facts }, slower)).status, 409)
    const carriedOut = { state: "carried_out", outcome } as const
    assert.deepStrictEqual(yield* store.claim(claimed), carriedOut)
  }).pipe(Effect.provide(MemoryStore.layer))
)

it.effect("keeps no secret that nothing seals, but all else and every refusal", () =>
  Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const plain = yield* SecretBox
    const sealing = { ...plain, isPlain: false }
    const facts = yield* CurrentRequest
    interface Options {
      readonly box?: typeof plain
      readonly showsSecret?: boolean
      readonly status?: number
    }
    /** The first answer's status, that of the one that is kept, and whether that has the secret. */
    const repeated = Effect.fnUntraced(function* (key: string, options: Options = {}) {
      const { box = plain, showsSecret = true, status = 201 } = options
      const keyed = { ...request, key, showsSecret, facts }
      const work = Effect.succeed(HttpServerResponse.text("cw_live_shown_once", { status }))
      const first = yield* once({ store, box }, keyed, work)
      const kept = yield* store.claim({ ...claimed, key })
      assert(kept.state === "answered")
      return [first.status, kept.answer.status, kept.answer.body.includes("cw_live")]
    })
    assert.deepStrictEqual(yield* repeated("plain"), [201, 409, false])
    assert.deepStrictEqual(yield* repeated("sealed", { box: sealing }), [201, 201, true])
    assert.deepStrictEqual(yield* repeated("none", { showsSecret: false }), [201, 201, true])
    assert.deepStrictEqual(yield* repeated("refused", { status: 409 }), [409, 409, true])
  }).pipe(Effect.provide(MemoryStore.layer))
)
