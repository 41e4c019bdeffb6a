/** Query parameters that an operation does not have are refused, as unknown fields of bodies are. */
import { Api } from "@candlewick/http"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { nearestName } from "../../src/server/knownQuery.ts"
import { readKey } from "../fakes.ts"
import { botOf, idOf } from "../records.ts"
import { startServer } from "../server.ts"

interface Described {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<string>
}

/** The operations that need a key, as the OpenAPI document has them. */
const keyed = (): ReadonlyArray<Described> =>
  Object.entries<any>((OpenApi.fromApi(Api) as any).paths).flatMap(([path, item]) =>
    Object.entries<any>(item)
      .filter(([, operation]) => operation.security.length > 0)
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        query: operation.parameters
          .filter((one: any) => one.in === "query")
          .map(({ name }: { name: string }) => name)
          .toSorted()
      }))
  )

/** A path with ids that have the form of ids. */
const filled = (path: string): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => (name === "id" ? idOf("bot", 1) : idOf("del", 1)))

it.live("refuses an unknown query parameter of every operation, and says which there are", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer({
      rates: { reads: 1000, writes: 1000, runs: 1000 }
    })
    const operations = keyed()
    assert.isAbove(operations.length, 60)
    for (const { method, path, query } of operations) {
      for (const place of new Set([path, path.replace(/^\/api\/v1/, "/v1")])) {
        const answer = yield* call(method, `${filled(place)}?zzzz=1`)
        assert.strictEqual(answer.status, 400, `${method} ${place}: ${answer.text}`)
        assert.strictEqual(answer.json.code, "validation_failed")
        assert.deepStrictEqual(answer.json.allowed, query, `${method} ${place}`)
        assert.deepStrictEqual(
          answer.json.errors.map(({ code, pointer }: any) => `${pointer} ${code}`),
          ["#/query/zzzz unknown_field"]
        )
      }
    }
    assert.strictEqual(control.created, 0)
  })
)

it("has a filter beside the page on every list", () => {
  const lists = keyed().filter(({ query }) => query.includes("cursor"))
  assert.isAbove(lists.length, 20)
  for (const { path, query } of lists) {
    const filters = query.filter((name) => !["cursor", "limit", "order", "sort"].includes(name))
    assert.isNotEmpty(filters, path)
  }
})

it.live("names the parameter that was meant, and each unknown one once", () =>
  Effect.gen(function* () {
    const { call } = yield* startServer()
    const one = yield* call("GET", "/v1/bots?limti=3")
    assert.strictEqual(
      one.json.errors[0].message,
      "The operation has no query parameter limti; did you mean limit?"
    )
    assert.match(one.json.detail, /no query parameter limti: it takes .*cursor.*limit/)
    const many = yield* call("GET", `/v1/bots?a/b=1&a/b=2&${"x".repeat(500)}=1&limit=1`)
    assert.strictEqual(many.status, 400)
    assert.deepStrictEqual(
      many.json.errors.map(({ pointer }: { pointer: string }) => pointer),
      ["#/query/a~1b", `#/query/${"x".repeat(40)}…`]
    )
    assert.include(many.json.detail, `has no query parameters a/b and ${"x".repeat(40)}…: it takes`)
    const names = Array.from({ length: 12 }, (_, at) => `p${at}`)
    const twelve = yield* call("GET", `/v1/bots?${names.map((name) => `${name}=1`).join("&")}`)
    assert.include(twelve.json.detail, "p8, p9 and 2 more: it takes")
    const none = yield* call("GET", `/v1/bots/${idOf("bot", 1)}?verbose=true`)
    assert.match(none.json.detail, /it takes none\.$/)
    assert.deepStrictEqual(none.json.allowed, [])
  })
)

it.live("asks for a key and its scopes before it looks at the query", () =>
  Effect.gen(function* () {
    const { call, control } = yield* startServer()
    control.bots.set(idOf("bot", 1), botOf(1))
    const nobody = yield* call("GET", "/v1/bots?zzzz=1", undefined, { authorization: undefined })
    assert.strictEqual(nobody.status, 401)
    const reader = yield* call("DELETE", `/v1/bots/${idOf("bot", 1)}?zzzz=1`, undefined, {
      authorization: `Bearer ${readKey}`
    })
    assert.strictEqual(reader.status, 403)
    assert.isTrue(control.bots.has(idOf("bot", 1)))
    // Probes are asked by many programs, and are no operations on an account.
    assert.strictEqual((yield* call("GET", "/healthz?probe=1")).status, 200)
  })
)

it("finds the nearest name, and none where none is near", () => {
  const names = ["cursor", "desired_status", "limit", "status", "strategy_id", "to"]
  assert.strictEqual(nearestName("Status", names), "status")
  assert.strictEqual(nearestName("strategy", names), "strategy_id")
  assert.strictEqual(nearestName("curser", names), "cursor")
  assert.isUndefined(nearestName("page", names))
  assert.isUndefined(nearestName("x", []))
})
