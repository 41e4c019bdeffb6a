/** Signals: alerts of services that can send no header, under an address that is a key. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { fullKey, signalKey } from "../fakes.ts"
import { idOf } from "../records.ts"
import { startServer, type TestServer } from "../server.ts"

const plain = { authorization: undefined, "content-type": "text/plain; charset=utf-8" }

const startWith = Effect.fnUntraced(function* (options: Parameters<typeof startServer>[0]) {
  const server = yield* startServer(options)
  const strategy_id = idOf("str", 1)
  const made = yield* server.call("POST", "/v1/bots", {
    name: "x",
    strategy_id,
    capital_allocation: 1
  })
  const signal = { bot_id: made.json.id as string, action: "close" }
  const send = (body: unknown, headers: Parameters<TestServer["call"]>[3] = plain, path = "") =>
    server.call(
      "POST",
      `${path}/signals/${signalKey}`,
      typeof body === "string" ? body : JSON.stringify(body),
      headers
    )
  return { ...server, send, signal }
})

const start = startWith({})

it.live("takes what a charting service sends, as text and as JSON, under each prefix", () =>
  Effect.gen(function* () {
    const { control, send, signal } = yield* start
    const first = yield* send(signal)
    assert.strictEqual(first.status, 200, first.text)
    assert.deepInclude(first.json, { ...signal, changed: true })
    const json = { authorization: undefined, "content-type": "application/json" }
    assert.strictEqual((yield* send({ ...signal, id: "2" }, json, "/v1")).status, 200)
    assert.strictEqual((yield* send({ ...signal, id: "3" }, plain, "/api/v1")).status, 200)
    assert.strictEqual(control.signals, 3)
  })
)

it.live("does the same signal once: by its id, or within a minute", () =>
  Effect.gen(function* () {
    const { control, send, signal } = yield* start
    // The minute may end between both, in which case it is another signal.
    for (let count = 0; count < 3; count++) yield* send({ ...signal, action: "stop" })
    assert.isAtMost(control.signals, 2)
    const before = control.signals
    const named = { ...signal, id: "BTCUSDT 2026-01-15T09:30:00Z" }
    assert.isNull((yield* send(named)).headers.get("idempotency-replayed"))
    const again = yield* send(named)
    assert.strictEqual(again.status, 200)
    assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
    assert.strictEqual(control.signals, before + 1)
    const other = yield* send({ ...named, action: "stop" })
    assert.strictEqual(other.json.code, "idempotency_key_reused")
  })
)

it.live("refuses what is no signal, and says where it is at fault", () =>
  Effect.gen(function* () {
    const { call, control, send, signal } = yield* start
    const codeOf = (body: unknown) => Effect.map(send(body), ({ json }) => json.code)
    assert.strictEqual(yield* codeOf("BTCUSDT crossed 65000"), "malformed_json")
    assert.strictEqual(yield* codeOf("null"), "validation_failed")
    const faulty = yield* send({ ...signal, action: "buy", size: 1 })
    assert.strictEqual(faulty.status, 400)
    const pointers = faulty.json.errors.map(({ pointer }: { pointer: string }) => pointer)
    assert.sameMembers(pointers, ["#/action", "#/size"])
    assert.strictEqual((yield* send({ ...signal, bot_id: idOf("bot", 9) })).status, 404)
    const form = { authorization: undefined, "content-type": "application/x-www-form-urlencoded" }
    assert.strictEqual((yield* send(signal, form)).status, 415)
    const read = yield* call("GET", `/signals/${signalKey}`)
    assert.deepStrictEqual([read.status, read.headers.get("allow")], [405, "POST"])
    assert.strictEqual(control.signals, 0)
  })
)

it.live("takes so many in a minute, and says when the next one counts", () =>
  Effect.gen(function* () {
    const { control, send, signal } = yield* startWith({ rates: { writes: 2 } })
    const answers = []
    for (const id of ["1", "2", "3", "4"]) answers.push(yield* send({ ...signal, id }))
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      [200, 200, 429, 429]
    )
    const { headers, json } = answers[2]!
    assert.strictEqual(json.code, "rate_limited")
    assert.isAbove(Number(headers.get("retry-after")), 0)
    assert.strictEqual(control.signals, 2)
  })
)

it.live("tells the bot why a signal that names it was refused before it came there", () =>
  Effect.gen(function* () {
    const { control, send, signal } = yield* start
    yield* send({ ...signal, action: "buy", size: 1 })
    yield* send({ ...signal, bot_id: idOf("bot", 9), action: "buy" })
    yield* send({ ...signal, id: "7" })
    yield* send({ ...signal, id: "7", action: "stop" })
    const [faulty, reused, ...more] = control.refusedSignals
    assert.include(faulty, "#/action")
    assert.include(faulty, "#/size")
    assert.include(reused, "This key came with another request before.")
    assert.deepStrictEqual(more, [])
  })
)

it.live("takes no key that may do more, and no key that is none", () =>
  Effect.gen(function* () {
    const { call, control, signal } = yield* start
    const wider = yield* call("POST", `/signals/${fullKey}`, JSON.stringify(signal), plain)
    assert.deepInclude(wider.json, { status: 403, code: "insufficient_scope" })
    assert.deepStrictEqual(wider.json.required_scopes, ["signals:send"])
    const none = yield* call("POST", "/signals/cw_live_nobody", JSON.stringify(signal), plain)
    assert.strictEqual(none.status, 401)
    assert.strictEqual(control.signals, 0)
    // The narrow key opens nothing else.
    const bots = yield* call("GET", "/v1/bots", undefined, {
      authorization: `Bearer ${signalKey}`
    })
    assert.strictEqual(bots.status, 403)
  })
)

it.live("leaves no word of the address in log and answer", () =>
  Effect.gen(function* () {
    const { lines, send, signal } = yield* start
    const answers = [yield* send(signal), yield* send("no JSON")]
    for (let round = 0; lines.length === 0 && round < 500; round++) {
      yield* Effect.sleep("20 millis")
    }
    const logged = lines.join("\n")
    assert.include(logged, "/api/v1/signals")
    for (const text of [logged, ...answers.map((one) => one.text)]) {
      assert.notInclude(text, signalKey)
    }
  })
)
