/** Single records and commands: statuses, Location, ETag and If-Match. */
import { assert, it } from "@effect/vitest"
import { problem } from "@candlewick/core"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { ifMatched } from "../../src/server/records.ts"
import { botOf, idOf } from "../records.ts"
import { startServer } from "../server.ts"

const bot = { name: "x", strategy_id: idOf("str", 1), capital_allocation: 1000 }
const id = idOf("bot", 1)

it.live("creates with 201, a Location under the caller's prefix and an ETag, on both paths", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    for (const [path, prefix] of [
      ["/api/v1/bots/create", "/api/v1"],
      ["/v1/bots/create", "/v1"],
      ["/api/v1/bots", "/api/v1"],
      ["/v1/bots", "/v1"]
    ] as const) {
      const answer = yield* call("POST", path, bot)
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.headers.get("location"), `${prefix}/bots/${answer.json.id}`)
      assert.strictEqual(answer.headers.get("etag"), '"1"')
      const found = yield* call("GET", answer.headers.get("location")!)
      assert.strictEqual(found.json.id, answer.json.id)
    }
  })
)

it.live("honours If-Match on PUT: 412 for another version, whatever its form", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.bots.set(id, botOf(1, { version: 3 }))
    const put = (match: string | undefined) =>
      call("PUT", `/v1/bots/${id}`, { name: "renamed" }, { "if-match": match })
    for (const stale of ['"2"', 'W/"2"', '"nonsense"']) {
      const answer = yield* put(stale)
      assert.strictEqual(answer.status, 412)
      assert.strictEqual(answer.json.code, "precondition_failed")
    }
    const changed = yield* put('"3"')
    assert.strictEqual(changed.status, 200)
    assert.strictEqual(changed.headers.get("etag"), '"4"')
    assert.strictEqual((yield* put('W/"4"')).status, 200)
    assert.strictEqual((yield* put("*")).status, 200)
    assert.strictEqual((yield* put(undefined)).json.version, 7)
  })
)

it.effect("says 412 only of what changed, not of what is in use", () =>
  Effect.gen(function* () {
    const request = HttpServerRequest.fromWeb(
      new Request("http://x/", { headers: { "if-match": '"1"' } })
    )
    for (const [code, answered] of [
      ["conflict", "precondition_failed"],
      ["in_use", "in_use"]
    ] as const) {
      const refused = ifMatched(() => Effect.fail(problem(code, "no"))).pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request)
      )
      assert.strictEqual((yield* Effect.flip(refused)).code, answered)
    }
  })
)

it.live("deletes with 204 and no body", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.bots.set(id, botOf(1))
    const answer = yield* call("DELETE", `/v1/bots/${id}`)
    assert.strictEqual(answer.status, 204)
    assert.strictEqual(answer.text, "")
    assert.strictEqual((yield* call("DELETE", `/v1/bots/${id}?positions=sell`)).status, 400)
  })
)

it.live("compares a bot with the backtest of its period, under both prefixes", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.bots.set(id, botOf(1))
    for (const prefix of ["/v1", "/api/v1"]) {
      const { json, status } = yield* call("GET", `${prefix}/bots/${id}/expected`)
      assert.strictEqual(status, 200)
      assert.deepInclude(json, { id, difference: 0, unexplained: 0 })
    }
    assert.strictEqual((yield* call("GET", `/v1/bots/${idOf("bot", 2)}/expected`)).status, 404)
  })
)

it.live("shows a deleted bot and its books below another path, under both prefixes", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.bots.set(id, botOf(1))
    const status = (path: string) =>
      Effect.map(call("GET", path), ({ status: answered }) => answered)
    assert.strictEqual(yield* status(`/v1/archived-bots/${id}`), 404)
    yield* call("DELETE", `/v1/bots/${id}`)
    const { json } = yield* call("GET", `/api/v1/archived-bots/${id}`)
    assert.deepInclude(json, { id, kept_positions: [] })
    for (const books of ["logs?level=warn", "performance", "trades", "orders", "equity"]) {
      assert.strictEqual(yield* status(`/v1/archived-bots/${id}/${books}`), 200, books)
      assert.strictEqual(yield* status(`/v1/archived-bots/${idOf("bot", 2)}/${books}`), 404, books)
    }
    const listed = yield* call("GET", "/v1/archived-bots")
    assert.deepInclude(listed.json, { data: [json], has_more: false })
    assert.strictEqual((yield* call("DELETE", `/v1/archived-bots/${id}`)).status, 405)
  })
)

it.live("takes commands without a body and content type, with an empty one, and with options", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.bots.set(id, botOf(1))
    const started = yield* call("POST", `/v1/bots/${id}/start`)
    assert.strictEqual(started.status, 200)
    assert.strictEqual(started.json.changed, true)
    assert.strictEqual(started.json.status, "starting")
    assert.strictEqual((yield* call("POST", `/v1/bots/${id}/start`, {})).json.changed, false)
    assert.strictEqual((yield* call("POST", `/v1/bots/${id}/start`, { now: 1 })).status, 400)
    const stopped = yield* call("POST", `/v1/bots/${id}/stop`, { positions: "close" })
    assert.strictEqual(stopped.json.name, "close")
    assert.strictEqual((yield* call("POST", `/v1/bots/${id}/stop`)).json.changed, false)
    assert.strictEqual((yield* call("POST", `/v1/bots/${id}/stop`, { positions: 1 })).status, 400)
  })
)

it.live("shows status, logs and performance of a bot", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.bots.set(id, botOf(1))
    assert.strictEqual((yield* call("GET", `/v1/bots/${id}/status`)).json.equity, 1000)
    assert.strictEqual((yield* call("GET", `/v1/bots/${id}/performance`)).json.equity, 1000)
    const logs = yield* call("GET", `/v1/bots/${id}/logs?level=warn`)
    assert.strictEqual(logs.json.data[0].level, "warn")
    assert.strictEqual((yield* call("GET", `/v1/bots/${id}/logs?level=loud`)).status, 400)
    for (const part of ["trades", "orders", "equity"]) {
      const list = yield* call("GET", `/v1/bots/${id}/${part}`)
      assert.deepStrictEqual(list.json, { data: [], has_more: false, next_cursor: null })
    }
  })
)

it.live("registers a webhook in the account settings too", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const webhook = { url: "https://example.com/hook", events: ["trade.executed"] }
    const answer = yield* call("PUT", "/v1/account/settings", { webhook })
    assert.strictEqual(answer.status, 200)
    assert.match(answer.json.webhook.secret, /^whsec_/)
    const settings = yield* call("GET", "/api/v1/account/settings")
    assert.strictEqual(settings.json.webhooks.length, 1)
    assert.notInclude(settings.text, answer.json.webhook.secret)
    assert.strictEqual((yield* call("PUT", "/v1/account/settings", {})).status, 400)
    const patched = yield* call("PATCH", `/v1/webhooks/${answer.json.webhook.id}`, {})
    assert.strictEqual(patched.status, 200)
    assert.strictEqual((yield* call("GET", "/v1/webhooks/event-types")).json.data.length, 5)
  })
)

it.live("issues a key once and revokes by id", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const answer = yield* call("POST", "/v1/account/keys", { name: "ci", scopes: ["bots:read"] })
    assert.strictEqual(answer.status, 201)
    assert.strictEqual(answer.json.secret, "cw_live_shown_once")
    assert.strictEqual((yield* call("DELETE", `/v1/account/keys/${idOf("key", 8)}`)).status, 404)
    assert.strictEqual((yield* call("GET", "/v1/account")).json.name, "Desk")
  })
)

it.live("halts and resumes the account, with or without a reason", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const halted = yield* call("POST", "/api/v1/account/halt", { reason: "too hot" })
    assert.strictEqual(halted.status, 200)
    assert.deepInclude(halted.json, { is_halted: true, halted_reason: "too hot", changed: true })
    assert.strictEqual(halted.headers.get("etag"), '"1"')
    assert.isNull((yield* call("POST", "/v1/account/halt")).json.halted_reason)
    for (const body of [{ reason: 1 }, { reason: "x".repeat(501) }, { why: "x" }]) {
      assert.strictEqual((yield* call("POST", "/v1/account/halt", body)).status, 400)
    }
    assert.isFalse((yield* call("POST", "/v1/account/resume")).json.changed)
  })
)

it.live("keeps alerts", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const alert = { metric: "price", op: "gt", threshold: 5, symbol: "BTC/USDT" }
    const made = yield* call("POST", "/v1/alerts", alert)
    assert.strictEqual(made.status, 201)
    assert.strictEqual((yield* call("GET", `/api/v1/alerts/${made.json.id}`)).json.threshold, 5)
    assert.strictEqual((yield* call("GET", "/v1/alerts")).json.data.length, 1)
  })
)
