/**
 * The OpenAPI document: every operation as it is printed, with scopes, refusals and notifications.
 */
import { eventNames, scopes } from "@candlewick/core"
import { Api } from "@candlewick/http"
import { assert, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"

const document: any = OpenApi.fromApi(Api)

const printed = [
  "POST /api/v1/bots/create",
  "GET /api/v1/bots",
  "GET /api/v1/bots/:id",
  "PUT /api/v1/bots/:id",
  "DELETE /api/v1/bots/:id",
  "POST /api/v1/bots/:id/start",
  "POST /api/v1/bots/:id/stop",
  "POST /api/v1/bots/:id/pause",
  "GET /api/v1/bots/:id/status",
  "GET /api/v1/bots/:id/logs",
  "GET /api/v1/bots/:id/performance",
  "POST /api/v1/mix/generate",
  "GET /api/v1/mix/strategies/:id",
  "POST /api/v1/mix/optimize",
  "GET /api/v1/mix/optimize/:id/status",
  "GET /api/v1/mix/optimize/:id/results",
  "POST /api/v1/mix/backtest",
  "GET /api/v1/mix/backtest/:id/results",
  "POST /v1/webhooks"
]

const operations = (): Array<{ name: string; operation: any }> =>
  Object.entries<any>(document.paths).flatMap(([path, item]) =>
    Object.entries<any>(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation
    }))
  )

it("is OpenAPI 3.1 and lists every documented operation as it is printed", () => {
  assert.match(document.openapi, /^3\.1\./)
  const listed = new Set(operations().map(({ name }) => name))
  for (const name of printed) assert.isTrue(listed.has(name.replace(":id", "{id}")), name)
})

it("names the scopes of every operation that needs a key, and only scopes that there are", () => {
  const open = ["GET /healthz", "GET /readyz"]
  for (const { name, operation } of operations()) {
    if (open.includes(name)) {
      assert.deepStrictEqual(operation.security, [], name)
      continue
    }
    const [{ bearer }] = operation.security
    assert.deepStrictEqual(bearer, operation["x-required-scopes"])
    for (const scope of bearer) assert.include(scopes, scope)
    assert.isDefined(operation.responses["401"], name)
  }
  const start = document.paths["/api/v1/bots/{id}/start"].post
  assert.deepStrictEqual(start["x-required-scopes"], ["bots:execute"])
  assert.strictEqual(start["x-alias"], "/v1/bots/{id}/start")
  const { scheme, type } = document.components.securitySchemes.bearer
  assert.deepStrictEqual({ scheme, type }, { scheme: "bearer", type: "http" })
})

it("resolves every reference", () => {
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    const reference = (value as { $ref?: unknown }).$ref
    if (typeof reference === "string") {
      const found = reference
        .slice(2)
        .split("/")
        .reduce((place: any, segment) => place?.[segment.replaceAll("~1", "/")], document)
      assert.isDefined(found, reference)
    }
    for (const item of Object.values(value)) walk(item)
  }
  walk(document)
})

it("has unique operation ids and a summary for each operation", () => {
  const all = operations().map(({ operation }) => operation)
  assert.strictEqual(new Set(all.map((each) => each.operationId)).size, all.length)
  for (const each of all) assert.isString(each.summary, each.operationId)
})

it("describes refusals as problems", () => {
  const refusal = document.components.responses.Refusal404
  assert.deepStrictEqual(Object.keys(refusal.content), ["application/problem+json"])
  const update = document.paths["/api/v1/bots/{id}"].put
  for (const status of [
    "400",
    "401",
    "403",
    "404",
    "409",
    "412",
    "413",
    "415",
    "422",
    "429",
    "503"
  ]) {
    assert.strictEqual(update.responses[status].$ref, `#/components/responses/Refusal${status}`)
  }
  assert.isUndefined(document.paths["/api/v1/bots"].get.responses["412"])
})

it("has a webhook for each event, with the documented fields", () => {
  assert.deepStrictEqual(Object.keys(document.webhooks), [...eventNames])
  const { schema } =
    document.webhooks["trade.executed"].post.requestBody.content["application/json"]
  assert.deepStrictEqual(schema.required, ["event", "timestamp", "data"])
  assert.deepStrictEqual(schema.properties.data.required, [
    "trade_id",
    "symbol",
    "side",
    "amount",
    "price"
  ])
})

it("says which bodies may be left out", () => {
  assert.isFalse(document.paths["/api/v1/bots/{id}/stop"].post.requestBody.required)
  assert.isTrue(document.paths["/api/v1/bots/create"].post.requestBody.required)
  assert.isUndefined(document.paths["/api/v1/bots/{id}/start"].post.requestBody)
})

it("says the patterns of what the server refuses in a query and in a body", () => {
  const parametersOf = (path: string) =>
    new Map<string, any>(
      document.paths[path].get.parameters.map((one: any) => [one.name, one.schema])
    )
  const samples: ReadonlyArray<readonly [string, string, ReadonlyArray<string>, string[]]> = [
    ["/api/v1/bots", "limit", ["1", "9", "10", "99", "100"], ["", "0", "101", "1.5", "x", "-1"]],
    ["/api/v1/account/equity", "days", ["1", "9", "30", "89", "90"], ["0", "91", "100", "x"]],
    ["/api/v1/bots", "cursor", ["QmFzZTY0_-"], ["", "a b", "x".repeat(513)]],
    [
      "/api/v1/candles/export",
      "from",
      ["2026-01-15T09:30:00Z", "2026-01-15T09:30:00.123Z"],
      ["2026-01-15", "2026-01-15T09:30:00+01:00", "now"]
    ]
  ]
  for (const [path, name, taken, refused] of samples) {
    const pattern = new RegExp(parametersOf(path).get(name).pattern, "u")
    for (const text of taken) assert.match(text, pattern, name)
    for (const text of refused) assert.notMatch(text, pattern, name)
  }
  const body = document.paths["/api/v1/mix/backtest"].post.requestBody.content["application/json"]
  assert.include(JSON.stringify(body.schema.properties.from), '"format":"date-time"')
})
