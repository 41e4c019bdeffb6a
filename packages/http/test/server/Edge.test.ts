/** Request ids, traces, logs, probes, metrics and documents. */
import { createHash } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { redact } from "../../src/server/redact.ts"
import { readKey } from "../fakes.ts"
import { idOf } from "../records.ts"
import { startServer } from "../server.ts"

it.live("takes over a request id that is one, and makes one otherwise", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const get = (id: string) => call("GET", "/v1/bots/bot_nope", undefined, { "x-request-id": id })
    const taken = yield* get("contract-1")
    assert.strictEqual(taken.headers.get("x-request-id"), "contract-1")
    assert.strictEqual(taken.json.request_id, "contract-1")
    for (const id of ["a b", "x".repeat(129), "<script>"]) {
      assert.match((yield* get(id)).json.request_id, /^req_[0-9A-Z]{26}$/)
    }
  })
)

it.live("goes on with the caller's trace, or begins one", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    const answer = yield* call("GET", "/v1/bots", undefined, {
      traceparent: `00-${trace}-00f067aa0ba902b7-01`
    })
    assert.match(answer.headers.get("traceparent")!, new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`))
    const begun = yield* call("GET", "/v1/bots", undefined, { traceparent: "nonsense" })
    assert.match(begun.headers.get("traceparent")!, /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/)
  })
)

it.live("writes a line for a request, without query, key or body", () =>
  Effect.gen(function* () {
    const { call, lines } = yield* startServer()
    yield* call("GET", "/v1/bots?limit=3&name=cw_live_abc", undefined, { "x-request-id": "r-1" })
    yield* call("GET", "/v1/nope/cw_live_secretsecret", undefined, { "x-request-id": "r-2" })
    yield* Effect.sleep(500)
    const [first, second] = lines.map((line) => JSON.parse(line))
    assert.strictEqual(first.request_id, "r-1")
    assert.strictEqual(first.status, 200)
    assert.strictEqual(first.route, "/api/v1/bots")
    assert.strictEqual(first.path, "/v1/bots")
    assert.match(first.account_id, /^acc_/)
    assert.strictEqual(second.level, "warn")
    assert.notInclude(lines.join(), "secretsecret")
    assert.notInclude(lines.join(), "cw_test_full")
  })
)

it("takes keys, signing secrets and bearer tokens out of text", () => {
  const text = redact("cw_live_abc123 whsec_Zm9v= Bearer abc.def cw_test_x-y rest")
  assert.strictEqual(
    text,
    "cw_live_[redacted] whsec_[redacted] Bearer [redacted] cw_test_[redacted] rest"
  )
})

it.live("is alive without a key, and ready while every check holds", () =>
  Effect.gen(function* () {
    let holds = true
    const store = Effect.suspend(() => (holds ? Effect.void : Effect.fail("down: secret")))
    const { call } = yield* startServer({ checks: { store } })
    const get = (path: string) => call("GET", path, undefined, { authorization: undefined })
    assert.deepStrictEqual((yield* get("/healthz")).json, { status: "ok" })
    assert.deepStrictEqual((yield* get("/readyz")).json, { status: "ready", checks: ["store"] })
    holds = false
    const down = yield* get("/readyz")
    assert.strictEqual(down.status, 503)
    assert.strictEqual(down.json.code, "unavailable")
    assert.include(down.json.detail, "store")
    assert.notInclude(down.text, "secret")
    assert.isNotNull(down.headers.get("retry-after"))
  })
)

it.live("shows metrics by route to callers with a key", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    yield* call("GET", `/v1/bots/${idOf("bot", 1)}`)
    const metrics = yield* call("GET", "/metrics")
    assert.strictEqual(
      metrics.headers.get("content-type"),
      "text/plain; version=0.0.4; charset=utf-8"
    )
    assert.match(
      metrics.text,
      /candlewick_http_requests_total\{method="GET",route="\/api\/v1\/bots\/:id",status="404"\} \d+/
    )
    assert.include(metrics.text, "candlewick_http_request_duration_seconds_bucket")
    const ofAccount = 'candlewick_bots{mode="paper",status="running"} 2'
    assert.include(metrics.text, ofAccount)
    const mayRead = { authorization: `Bearer ${readKey}` }
    assert.include((yield* call("GET", "/metrics", undefined, mayRead)).text, ofAccount)
    const anonymous = yield* call("GET", "/metrics", undefined, { authorization: undefined })
    assert.strictEqual(anonymous.status, 401)
  })
)

it.live("answers HEAD as GET without a body", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const answer = yield* call("HEAD", "/v1/bots")
    assert.strictEqual(answer.status, 200)
    assert.strictEqual(answer.text, "")
  })
)

it.live("packs the documents, and sends them once to those who keep them", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    for (const path of ["/docs", "/openapi.json"]) {
      const plain = yield* call("GET", path, undefined, { "accept-encoding": "identity" })
      assert.isNull(plain.headers.get("content-encoding"))
      const packed = yield* call("GET", path, undefined, { "accept-encoding": "br, gzip" })
      assert.strictEqual(packed.headers.get("content-encoding"), "gzip")
      assert.strictEqual(packed.text, plain.text)
      const refused = yield* call("GET", path, undefined, { "accept-encoding": "gzip;q=0" })
      assert.isNull(refused.headers.get("content-encoding"))
      assert.strictEqual(packed.headers.get("cache-control"), "public, max-age=3600")
      const etag = packed.headers.get("etag")!
      const again = yield* call("GET", path, undefined, { "if-none-match": etag })
      assert.deepStrictEqual([again.status, again.text], [304, ""])
      assert.strictEqual(again.headers.get("etag"), etag)
      const other = yield* call("GET", path, undefined, { "if-none-match": '"another"' })
      assert.strictEqual(other.status, 200)
    }
  })
)

it.live("shows the documents offline", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const docs = yield* call("GET", "/docs", undefined, { authorization: undefined })
    assert.strictEqual(docs.status, 200)
    assert.match(docs.headers.get("content-type")!, /^text\/html/)
    assert.notMatch(docs.text, /<script|https?:\/\//i, "it runs nothing and asks nobody")
    const policy = docs.headers.get("content-security-policy")!
    const [, style = ""] = /<style>([^]*?)<\/style>/.exec(docs.text) ?? []
    const hash = createHash("sha256").update(style).digest("base64")
    assert.match(policy, /^default-src 'none'; /)
    assert.include(policy, `; style-src 'sha256-${hash}'; `)
    for (const text of ["bots.create", "schema-", "Idempotency-Key"]) {
      assert.include(docs.text, text)
    }
    const root = yield* call("GET", "/", undefined, { authorization: undefined })
    assert.isTrue(root.text === docs.text, `the root answers ${root.status}`)
  })
)

it.live("finishes the request under way before it ends", () =>
  Effect.gen(function* () {
    const pending = yield* Effect.scoped(
      Effect.gen(function* () {
        const { call, control } = yield* startServer()
        const begun = Deferred.makeUnsafe<void>()
        control.beforeCreate = Effect.andThen(Deferred.succeed(begun, undefined), Effect.sleep(400))
        const bot = { name: "x", strategy_id: idOf("str", 1), capital_allocation: 1 }
        const fiber = yield* Effect.forkDetach(call("POST", "/v1/bots", bot))
        yield* Deferred.await(begun)
        return fiber
      })
    )
    assert.strictEqual((yield* Fiber.join(pending)).status, 201)
  })
)
