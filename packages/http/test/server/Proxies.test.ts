/** A server behind a proxy: a prefix before its paths, and the addresses that it is told. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeWayOf } from "../../src/server/proxies.ts"
import { botOf, idOf } from "../records.ts"
import { startServer } from "../server.ts"

const alert = { bot_id: idOf("bot", 1), metric: "drawdown", op: "gt", threshold: 0.2 }

describe("a server with a base path", () => {
  for (const [name, asked] of [
    ["that the proxy leaves", "/trading/desk"],
    ["that the proxy takes away", ""]
  ] as const) {
    it.live(`${name} puts it before every path of an answer`, () =>
      Effect.gen(function* () {
        const { call, control } = yield* startServer({ basePath: "/trading/desk" })
        for (const number of [1, 2]) control.bots.set(idOf("bot", number), botOf(number))
        const page = yield* call("GET", `${asked}/v1/bots?limit=1`)
        assert.strictEqual(page.status, 200, page.text)
        assert.match(page.headers.get("link") ?? "", /^<\/trading\/desk\/v1\/bots\?/)
        const made = yield* call("POST", `${asked}/v1/alerts`, alert)
        assert.strictEqual(made.status, 201, made.text)
        assert.match(made.headers.get("location") ?? "", /^\/trading\/desk\/v1\/alerts\//)
        const missing = yield* call("GET", `${asked}/v1/nothing`)
        assert.strictEqual(missing.status, 404)
        assert.strictEqual(missing.json.instance, "/trading/desk/v1/nothing")
        const document = yield* call("GET", `${asked}/openapi.json`)
        assert.deepStrictEqual(document.json.servers, [{ url: "/trading/desk" }])
      })
    )
  }

  it.live("takes no path for its own that only begins with the same letters", () =>
    Effect.gen(function* () {
      const { call } = yield* startServer({ basePath: "/v" })
      assert.strictEqual((yield* call("GET", "/v1/bots")).status, 200)
      assert.strictEqual((yield* call("GET", "/v/v1/bots")).status, 200)
      assert.strictEqual((yield* call("GET", "/x/v1/bots")).status, 404)
    })
  )

  it.live("sends a browser from its root to its documents", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* startServer({ basePath: "/desk" })
      const answer = yield* Effect.promise(() => fetch(`${baseUrl}/desk`, { redirect: "manual" }))
      assert.strictEqual(answer.headers.get("location"), "/desk/docs")
    })
  )
})

describe("headers of a proxy", () => {
  const headers = {
    "x-forwarded-for": "198.51.100.7, 203.0.113.9, 10.0.0.2",
    "x-forwarded-prefix": "/desk/"
  }

  it("count where the proxy is named", () => {
    const wayOf = makeWayOf({ trustedProxies: ["10.0.0.0/8", "::1"] })
    const way = { address: "203.0.113.9", prefix: "/desk", target: "/v1/bots?limit=1" }
    assert.deepStrictEqual(wayOf("10.0.0.1", headers, "/desk/v1/bots?limit=1"), way)
    assert.deepStrictEqual(wayOf("::1", headers, "/v1/bots?limit=1"), way)
    assert.deepStrictEqual(wayOf("::ffff:10.0.0.1", headers, "/v1/bots?limit=1"), way)
  })

  it("are ignored from anybody else", () => {
    const way = { address: "192.0.2.1", prefix: "", target: "/v1/bots" }
    assert.deepStrictEqual(makeWayOf({})("192.0.2.1", headers, "/v1/bots"), way)
    const wayOf = makeWayOf({ trustedProxies: ["10.0.0.0/8"] })
    assert.deepStrictEqual(wayOf("192.0.2.1", headers, "/v1/bots"), way)
  })

  it("that are no addresses and no paths change nothing", () => {
    const wayOf = makeWayOf({ trustedProxies: ["10.0.0.0/8"] })
    const odd = { "x-forwarded-for": "me, <script>", "x-forwarded-prefix": "//evil.example" }
    assert.deepStrictEqual(wayOf("10.0.0.1", odd, "/v1/bots"), {
      address: "10.0.0.1",
      prefix: "",
      target: "/v1/bots"
    })
    const ports = { "x-forwarded-for": "[2001:db8::1]:443" }
    assert.strictEqual(wayOf("10.0.0.1", ports, "/").address, "2001:db8::1")
  })

  it.live("say which address is held back", () =>
    Effect.gen(function* () {
      const { call } = yield* startServer({
        trustedProxies: ["127.0.0.1"],
        rates: { anonymous: 1 }
      })
      const from = (address: string) =>
        Effect.map(
          call("GET", "/openapi.json", undefined, { "x-forwarded-for": address }),
          ({ status }) => status
        )
      assert.deepStrictEqual(
        [yield* from("192.0.2.1"), yield* from("192.0.2.1"), yield* from("192.0.2.2")],
        [200, 429, 200]
      )
    })
  )
})
