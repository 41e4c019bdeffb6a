/** Every refusal is one kind of document, and each status is given when it should be. */
import { Api } from "@candlewick/http"
import { aliasOf } from "../../src/api/alias.ts"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { expiredKey, readKey } from "../fakes.ts"
import { botOf, idOf } from "../records.ts"
import { type RawAnswer, startServer } from "../server.ts"

const bot = { name: "x", strategy_id: idOf("str", 1), capital_allocation: 1000 }

const assertProblem = (answer: RawAnswer, status: number, code: string) => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.strictEqual(answer.json.code, code)
  assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
  assert.strictEqual(answer.json.status, status)
  assert.strictEqual(answer.json.request_id, answer.headers.get("x-request-id"))
  for (const field of ["type", "title", "detail", "instance"]) {
    assert.isString(answer.json[field])
    assert.isAbove(answer.json[field].length, 0)
  }
  assert.isArray(answer.json.errors)
  assert.strictEqual(answer.headers.get("x-content-type-options"), "nosniff")
  assert.strictEqual(answer.headers.get("cache-control"), "no-store")
}

const keyed = (): ReadonlyArray<readonly [string, string]> => {
  const all: Array<readonly [string, string]> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, middleware }) => {
      if (middleware.size > 0) all.push([endpoint.method, endpoint.path])
    }
  })
  return all
}

it.live("answers 401 to every operation without a key, under both prefixes", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer({ rates: { anonymous: 1000 } })
    for (const [method, path] of keyed()) {
      for (const form of [path, aliasOf(path)]) {
        if (form === undefined) continue
        const answer = yield* call(method, form.replace(":id", "x"), undefined, {
          authorization: undefined
        })
        assertProblem(answer, 401, "unauthenticated")
        assert.match(answer.headers.get("www-authenticate")!, /^Bearer/)
      }
    }
  })
)

it.live("answers 401 to a wrong key, another scheme and an expired key", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const get = (authorization: string) => call("GET", "/v1/bots", undefined, { authorization })
    assertProblem(yield* get("Bearer nope"), 401, "unauthenticated")
    assertProblem(yield* get("Basic abc"), 401, "unauthenticated")
    const expired = yield* get(`Bearer ${expiredKey}`)
    assertProblem(expired, 401, "key_expired")
    assert.include(expired.headers.get("www-authenticate")!, "invalid_token")
  })
)

it.live("answers 403 with the required scopes to a key that lacks them", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const answer = yield* call("POST", "/v1/bots/create", bot, {
      authorization: `Bearer ${readKey}`
    })
    assertProblem(answer, 403, "insufficient_scope")
    assert.deepStrictEqual(answer.json.required_scopes, ["bots:write"])
    assert.strictEqual(control.created, 0)
  })
)

it.live("answers 404 to unknown and malformed ids alike, and to unknown paths", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    for (const id of [idOf("bot", 9), "bot_nope", "x", "%2e%2e", "a".repeat(500)]) {
      assertProblem(yield* call("GET", `/v1/bots/${id}`), 404, "not_found")
      assertProblem(yield* call("POST", `/api/v1/bots/${id}/start`), 404, "not_found")
      assertProblem(yield* call("PUT", `/v1/bots/${id}`, { name: "x" }), 404, "not_found")
      assertProblem(yield* call("DELETE", `/v1/bots/${id}`), 404, "not_found")
    }
    assertProblem(yield* call("GET", "/v1/nope"), 404, "not_found")
    for (const path of ["/v1", "/v1/bots/", "//v1/bots", "/v1/BOTS", "/v1/bots/%E0%A4%A"]) {
      assertProblem(yield* call("GET", path), 404, "not_found")
    }
  })
)

it.live("answers 405 with Allow to a method that a path does not know", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    for (const prefix of ["/v1", "/api/v1"]) {
      const answer = yield* call("PATCH", `${prefix}/bots`)
      assertProblem(answer, 405, "method_not_allowed")
      assert.strictEqual(answer.headers.get("allow"), "GET, HEAD, POST")
    }
    assertProblem(yield* call("OPTIONS", "/healthz"), 405, "method_not_allowed")
    const allowed = (path: string) =>
      Effect.map(call("OPTIONS", path), ({ headers }) => headers.get("allow"))
    assert.strictEqual(yield* allowed("/v1/webhooks/event-types"), "GET, HEAD")
    assert.strictEqual(
      yield* allowed(`/v1/webhooks/${idOf("wh", 1)}`),
      "GET, HEAD, PUT, PATCH, DELETE"
    )
  })
)

it.live("takes no path that is written out for a record of that name", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    for (const [method, path, allow] of [
      ["PUT", "/v1/webhooks/event-types", "GET, HEAD"],
      ["DELETE", "/v1/webhooks/event-types", "GET, HEAD"],
      ["GET", "/api/v1/bots/create", "POST"],
      ["HEAD", "/api/v1/bots/create", "POST"]
    ] as const) {
      const answer = yield* call(method, path, method === "PUT" ? {} : undefined)
      assert.deepStrictEqual([answer.status, answer.headers.get("allow")], [405, allow], path)
    }
    assert.strictEqual((yield* call("HEAD", "/v1/webhooks/event-types")).status, 200)
  })
)

it.live("answers 400 with every fault of a body", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const answer = yield* call("POST", "/v1/bots", {
      strategy_id: 1,
      capital_allocation: 0,
      is_admin: true
    })
    assertProblem(answer, 400, "validation_failed")
    const faults = answer.json.errors as ReadonlyArray<{ pointer: string; code: string }>
    assert.deepStrictEqual(faults.map(({ code, pointer }) => `${pointer} ${code}`).toSorted(), [
      "#/capital_allocation not_allowed",
      "#/is_admin unknown_field",
      "#/name missing",
      "#/strategy_id wrong_type"
    ])
    assertProblem(yield* call("POST", "/v1/bots", [bot]), 400, "validation_failed")
    assert.strictEqual(control.created, 0)
  })
)

it.live("lists the first hundred faults of a body, and refuses one of too many values whole", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    const junk = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]))
    const many = yield* call("POST", "/v1/bots", { ...bot, ...junk(900) })
    assertProblem(many, 400, "validation_failed")
    assert.strictEqual(many.json.errors.length, 100)
    assert.match(many.json.detail, /^More than 99 fields are not valid/)
    const wide = yield* call("POST", "/v1/bots", junk(5_000))
    assertProblem(wide, 400, "validation_failed")
    assert.deepStrictEqual(
      wide.json.errors.map(({ code, pointer }: Record<string, string>) => [pointer, code]),
      [["#", "too_many_fields"]]
    )
    for (const body of [
      junk(90_000),
      { ...bot, symbols: Array.from({ length: 90_000 }, () => 1) }
    ]) {
      const answer = yield* call("POST", "/v1/bots", body)
      assertProblem(answer, 400, "validation_failed")
      const [fault, ...others] = answer.json.errors
      assert.deepInclude(fault, { pointer: "#", code: "too_many_values" })
      assert.lengthOf(others, 0)
    }
    assert.strictEqual(control.created, 0)
  })
)

it.live("names the allowed words where one is unknown", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const answer = yield* call("POST", "/v1/mix/generate", {
      objective: "get rich",
      risk_tolerance: "low",
      timeframe: "1M"
    })
    assertProblem(answer, 400, "validation_failed")
    assert.include(answer.text, "profit_factor")
    assert.include(answer.text, "12h")
    assert.strictEqual(answer.json.detail, "2 fields are not valid.")
    const [objective] = answer.json.errors
    assert.deepInclude(objective, { pointer: "#/objective", code: "not_allowed" })
    assert.match(objective.message, /^Expected one of total_return \(also /)
    // Three faults of two fields.
    const counted = yield* call("POST", "/v1/bots/create", { ...bot, name: "", mood: 1 })
    assert.strictEqual(counted.json.detail, "2 fields are not valid.")
    const limited = yield* call("GET", "/v1/bots?limit=abc")
    assert.strictEqual(limited.json.detail, "1 field is not valid.")
    assert.isAbove(limited.json.errors.length, 1)
    const definition = {
      format: 1,
      symbols: ["BTC/USDT"],
      timeframe: "1h",
      parameters: {},
      long: { enter: { type: "all", rules: [{ type: "abve" }] } }
    }
    const written = yield* call("POST", "/v1/mix/strategies", { name: "x", definition })
    assertProblem(written, 400, "validation_failed")
    const [fault] = written.json.errors
    assert.strictEqual(fault.pointer, "#/definition/long/enter/rules/0")
    assert.match(fault.message, /^Unknown type "abve" of a rule; use one of .*above/)
    assert.strictEqual(written.json.detail, "1 field is not valid.")
    const long = { ...definition, long: { enter: { type: "x".repeat(500_000) } } }
    const cut = yield* call("POST", "/v1/mix/strategies", { name: "x", definition: long })
    assertProblem(cut, 400, "validation_failed")
    assert.match(cut.json.errors[0].message, /^Unknown type "x{40}…" of a rule; use one of /)
  })
)

it.live("refuses JSON that two readers could understand differently", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const post = (text: string) => call("POST", "/v1/bots/create", text)
    const text = JSON.stringify(bot)
    assertProblem(yield* post('{"name":'), 400, "malformed_json")
    assertProblem(yield* post(text.replace("1000", "1e999")), 400, "validation_failed")
    assertProblem(yield* post(text.replace("{", '{"name":"y",')), 400, "validation_failed")
    assertProblem(yield* post(`${"[".repeat(40)}${"]".repeat(40)}`), 400, "validation_failed")
    assertProblem(yield* post(""), 400, "malformed_json")
  })
)

it.live("answers 415 to a body that is not JSON, whatever else is wrong", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.bots.set(idOf("bot", 1), botOf(1))
    const plain = { "content-type": "application/xml" }
    for (const [method, path] of [
      ["POST", "/v1/bots/create"],
      ["PUT", `/v1/bots/${idOf("bot", 1)}`],
      ["PUT", "/v1/bots/bot_nope"],
      ["POST", "/v1/webhooks"],
      ["POST", "/v1/candles?symbol=BTC%2FUSDT&timeframe=1h"]
    ] as const) {
      assertProblem(yield* call(method, path, bot, plain), 415, "unsupported_media_type")
    }
    const latin = { "content-type": "application/json; charset=latin1" }
    assertProblem(yield* call("POST", "/v1/bots", bot, latin), 415, "unsupported_media_type")
    const packed = { "content-encoding": "gzip" }
    assertProblem(yield* call("POST", "/v1/bots", bot, packed), 415, "unsupported_media_type")
    const utf8 = { "content-type": "application/json; charset=UTF-8" }
    assert.strictEqual((yield* call("POST", "/v1/bots", bot, utf8)).status, 201)
  })
)

it.live("answers 413 to a body above 1 MiB", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const answer = yield* call("POST", "/v1/bots", { ...bot, name: "x".repeat(1_100_000) })
    assertProblem(answer, 413, "payload_too_large")
  })
)

it.live("answers 409 with the state and what it allows", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.bots.set(idOf("bot", 1), botOf(1))
    const answer = yield* call("POST", `/v1/bots/${idOf("bot", 1)}/pause`)
    assertProblem(answer, 409, "invalid_transition")
    assert.strictEqual(answer.json.current_state, "created")
    assert.deepStrictEqual(answer.json.allowed, ["start", "stop", "delete"])
  })
)

it.live("says which event of a webhook it does not know", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const webhook = { url: "https://example.com/hook", events: ["trade.executed", "trade.dreamt"] }
    const answer = yield* call("POST", "/v1/webhooks", webhook)
    assertProblem(answer, 400, "validation_failed")
    const faults = answer.json.errors as ReadonlyArray<{ pointer: string; code: string }>
    assert.deepStrictEqual(
      faults.map(({ code, pointer }) => [pointer, code]),
      [["#/events/1", "unknown_event"]]
    )
  })
)

it.live("answers 422 to what can't be carried out", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const unknown = { ...bot, strategy_id: "str_nope" }
    assertProblem(yield* call("POST", "/v1/bots", unknown), 422, "unknown_strategy")
    const metadata = { url: "http://169.254.169.254/", events: ["trade.executed"] }
    assertProblem(yield* call("POST", "/v1/webhooks", metadata), 422, "url_not_allowed")
  })
)

it.live("answers 429 without Retry-After where waiting doesn't help", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const answer = yield* call("POST", "/v1/bots", { ...bot, strategy_id: "str_full" })
    assertProblem(answer, 429, "quota_exceeded")
    assert.isNull(answer.headers.get("retry-after"))
  })
)

it.live("answers 503 with Retry-After and no detail of the store where it is unavailable", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.failure = "store"
    const answer = yield* call("GET", "/v1/bots")
    assertProblem(answer, 503, "unavailable")
    assert.isAbove(Number(answer.headers.get("retry-after")), 0)
    assert.notInclude(answer.text, "postgres")
  })
)

it.live("answers 500 without a word of the store where that refuses what was taken for valid", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.failure = "content"
    for (const key of [undefined, "key-of-the-refused-request"]) {
      const headers = key === undefined ? {} : { "idempotency-key": key }
      const answer = yield* call("POST", "/v1/bots", bot, headers)
      assertProblem(answer, 500, "internal")
      assert.isNull(answer.headers.get("retry-after"))
      assert.notInclude(answer.text, "postgres")
    }
  })
)

it.live("answers 500 without a word of a defect", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.failure = "defect"
    const answer = yield* call("POST", "/v1/bots", bot)
    assertProblem(answer, 500, "internal")
    assert.notInclude(answer.text, "secret")
    assert.notInclude(answer.text, "node_modules")
  })
)
