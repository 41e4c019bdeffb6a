/** Idempotency keys: repetitions are harmless. */
import {
  IdempotencyStore,
  KeyedRequest,
  type OnceOnly,
  SecretBox,
  StoreError,
  StoreUnavailable
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { CurrentRequest } from "../../src/server/CurrentRequest.ts"
import { canonicalJson, requestFingerprint, once, readKey } from "../../src/server/idempotency.ts"
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
    requestFingerprint("", ""),
    requestFingerprint("?a=1", ""),
    requestFingerprint("", "?a=1"),
    requestFingerprint("?a=1", "{}"),
    requestFingerprint("?a=2", "{}"),
    requestFingerprint("?a=1", "[]")
  ]
  assert.strictEqual(new Set(prints).size, prints.length)
  assert.strictEqual(requestFingerprint("?a=1", "{}"), prints[3])
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
          return { type: "claimed" } as const
        }),
      answer: (_scope, _key, _answer, keptForMs) => Effect.sync(() => void held.push(keptForMs)),
      keepOutcome: () => Effect.succeed(true),
      release: () => Effect.void,
      releaseAll: Effect.void,
      nowMs: Effect.succeed(0)
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
    const carriedOut = { type: "carried_out", outcome } as const
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
      assert(kept.type === "answered")
      return [first.status, kept.answer.status, kept.answer.body.includes("cw_live")]
    })
    assert.deepStrictEqual(yield* repeated("plain"), [201, 409, false])
    assert.deepStrictEqual(yield* repeated("sealed", { box: sealing }), [201, 201, true])
    assert.deepStrictEqual(yield* repeated("none", { showsSecret: false }), [201, 201, true])
    assert.deepStrictEqual(yield* repeated("refused", { status: 409 }), [409, 409, true])
  }).pipe(Effect.provide(MemoryStore.layer))
)

it.effect("reads a key bare or in quotes, and names the header of one that is none", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* readKey('"a-1"'), "a-1")
    assert.strictEqual(yield* readKey('a"b"'), 'a"b"')
    assert.strictEqual(yield* readKey('"b"a'), '"b"a')
    assert.strictEqual(yield* readKey("x".repeat(255)), "x".repeat(255))
    const refused = yield* Effect.flip(readKey("a b"))
    assert.strictEqual(refused.code, "validation_failed")
    assert.deepStrictEqual(
      refused.errors?.map(({ code, pointer }) => [pointer, code]),
      [["#/headers/idempotency-key", "not_allowed"]]
    )
  })
)

it("takes JSON for the same in any order of names, with nulls, and in arrays", () => {
  const text = '{"b":null,"a":[{"d":1,"c":2}]}'
  assert.strictEqual(canonicalJson(text), '{"a":[{"c":2,"d":1}],"b":null}')
  assert.strictEqual(canonicalJson(canonicalJson(text)), canonicalJson(text))
  assert.strictEqual(canonicalJson(""), "")
  assert.notStrictEqual(canonicalJson("[1,2]"), canonicalJson("[2,1]"))
})

/** The record of a key once its request was answered, and the answer to a repetition. */
const repeatedOf = Effect.fnUntraced(function* (
  work: Effect.Effect<HttpServerResponse.HttpServerResponse>,
  answerHeaders: Record<string, string> = {}
) {
  const store = yield* IdempotencyStore
  const keys = { store, box: yield* SecretBox }
  const factsOf = (headers: Record<string, string>) =>
    Effect.map(CurrentRequest, (facts) => ({ ...facts, answerHeaders: headers }))
  const first = yield* once(keys, { ...request, facts: yield* factsOf(answerHeaders) }, work)
  const kept = yield* store.claim(claimed)
  const none = Effect.die("it is carried out once")
  const again = yield* once(keys, { ...request, facts: yield* factsOf({}) }, none)
  return { again, first, kept: kept.type === "answered" ? kept.answer : null }
})

it.effect("keeps of an answer's headers those that tell of the record", () =>
  Effect.gen(function* () {
    const { again, kept } = yield* repeatedOf(
      Effect.succeed(HttpServerResponse.text("made", { status: 201, contentType: "text/made" })),
      { location: "/v1/bots/1", etag: '"1"', link: "next", "x-request-id": "req_1" }
    )
    assert.deepStrictEqual(kept?.headers, {
      location: "/v1/bots/1",
      etag: '"1"',
      link: "next",
      "content-type": "text/made"
    })
    assert.strictEqual(again.status, 201)
    assert.strictEqual(again.headers["idempotency-replayed"], "true")
    assert.strictEqual(again.headers["location"], "/v1/bots/1")
    assert.isUndefined(again.headers["x-request-id"])
  }).pipe(Effect.provide(MemoryStore.layer))
)

it.effect("repeats an answer without a body as one", () =>
  Effect.gen(function* () {
    const { again, kept } = yield* repeatedOf(
      Effect.succeed(HttpServerResponse.empty({ status: 204 }))
    )
    assert.deepStrictEqual(kept, { status: 204, headers: {}, body: kept!.body })
    assert.strictEqual(again.status, 204)
    assert.strictEqual(again.body._tag, "Empty")
    assert.strictEqual(again.headers["idempotency-replayed"], "true")
  }).pipe(Effect.provide(MemoryStore.layer))
)

it.effect("lets a request that failed in its middle go on from there, and none that did not", () =>
  Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const keys = { store, box: yield* SecretBox }
    const facts = yield* CurrentRequest
    const stateAfter = Effect.fnUntraced(function* (key: string, status: number, hasStep: boolean) {
      const work = Effect.gen(function* () {
        const steps = yield* KeyedRequest
        if (hasStep) yield* Effect.orDie(steps.once("made", Effect.succeed(1), (one) => one))
        return HttpServerResponse.empty({ status })
      })
      yield* once(keys, { ...request, key, facts }, work)
      return (yield* store.claim({ ...claimed, key, keptForMs: 1_000 })).type
    })
    assert.strictEqual(yield* stateAfter("half", 500, true), "carried_out")
    assert.strictEqual(yield* stateAfter("refused", 409, true), "answered")
    assert.strictEqual(yield* stateAfter("untouched", 500, false), "answered")
    assert.strictEqual(yield* stateAfter("forgotten", 429, false), "claimed")
  }).pipe(Effect.provide(MemoryStore.layer))
)

it.effect("goes on from what was carried out, and says that it repeats", () =>
  Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const keys = { store, box: yield* SecretBox }
    const facts = { ...(yield* CurrentRequest), answerHeaders: {} as Record<string, string> }
    yield* store.claim({ ...claimed, keptForMs: 1_000 })
    const outcome = yield* keys.box.seal(JSON.stringify({ made: { value: "bot_1" } }))
    yield* store.keepOutcome({ ...claimed, before: null, outcome, keptForMs: 1_000 })
    const work = Effect.gen(function* () {
      const steps = yield* KeyedRequest
      const made = yield* Effect.orDie(steps.once("made", Effect.die("twice"), (one) => one))
      return HttpServerResponse.text(String(made))
    })
    const answer = yield* once(keys, { ...request, facts }, work)
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(facts.answerHeaders["idempotency-replayed"], "true")
    const kept = yield* store.claim(claimed)
    assert(kept.type === "answered")
    assert.include(yield* keys.box.open(kept.answer.body), "bot_1")
  }).pipe(Effect.provide(MemoryStore.layer))
)

it.effect("ends the steps of a request with its answer: later work is carried out each time", () =>
  Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const keys = { store, box: yield* SecretBox }
    const facts = yield* CurrentRequest
    let left: OnceOnly | undefined
    const work = Effect.map(KeyedRequest, (steps) => {
      left = steps
      return HttpServerResponse.empty({ status: 201 })
    })
    yield* once(keys, { ...request, facts }, work)
    let count = 0
    const counting = left!.once(
      "late",
      Effect.sync(() => ++count),
      (one) => one
    )
    assert.deepStrictEqual([yield* counting, yield* counting], [1, 2])
  }).pipe(Effect.provide(MemoryStore.layer))
)

it.effect("answers a request that takes too long, and keeps that answer", () =>
  Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const keys = { store, box: yield* SecretBox }
    const facts = yield* CurrentRequest
    const fiber = yield* Effect.forkChild(once(keys, { ...request, facts }, Effect.never))
    yield* TestClock.adjust("75 seconds")
    const answer = yield* Fiber.join(fiber)
    assert(answer.body._tag === "Uint8Array")
    const { code } = JSON.parse(new TextDecoder().decode(answer.body.body)) as { code: string }
    assert.strictEqual(code, "timed_out")
  }).pipe(Effect.provide(MemoryStore.layer))
)

it.effect("gives an answer that can't be remembered all the same", () =>
  Effect.gen(function* () {
    const real = yield* IdempotencyStore
    const away = new StoreError({ reason: new StoreUnavailable({ cause: "away" }) })
    const store = { ...real, answer: () => Effect.fail(away) }
    const facts = yield* CurrentRequest
    const keys = { store, box: yield* SecretBox }
    const work = Effect.succeed(HttpServerResponse.empty({ status: 201 }))
    assert.strictEqual((yield* once(keys, { ...request, facts }, work)).status, 201)
    assert.strictEqual((yield* real.claim(claimed)).type, "in_progress")
  }).pipe(Effect.provide(MemoryStore.layer))
)
