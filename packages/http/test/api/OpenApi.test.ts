/**
 * The OpenAPI document: every operation as it is printed, with scopes, refusals and notifications.
 */
import { eventNames, scopes, strategyJsonSchema } from "@candlewick/core"
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
    ["/api/v1/bots", "cursor", ["QmFzZTY0_-bcdef"], ["", "a b", "QmFzZTY0_-bcde", "x".repeat(513)]],
    [
      "/api/v1/events",
      "types",
      ["trade.executed", "run.ended, backtest.complete"],
      ["", "trade", "trade.executed,", "tradexexecuted"]
    ],
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

it("says of a webhook what the server refuses of its address, its headers and its secret", () => {
  const { schema } = document.paths["/v1/webhooks"].post.requestBody.content["application/json"]
  const { headers, url } = schema.properties
  const { secret } =
    document.paths["/v1/webhooks/{id}/secret/rotate"].post.requestBody.content["application/json"]
      .schema.properties
  const [said] = headers.allOf
  const samples: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
    [url.pattern, ["https://a.example/", "HTTP://a.example"], ["ftp://a.example", "a.example", ""]],
    [
      secret.pattern,
      [`whsec_${"A".repeat(32)}`, `whsec_${"A".repeat(86)}==`],
      ["x", `whsec_${"A".repeat(28)}`, `whsec_${"A".repeat(87)}=`, `whsec_${"-".repeat(32)}`]
    ],
    [
      said.propertyNames.pattern,
      ["authorization", "X-Team", "hostname"],
      ["Host", "webhook-id", "CONTENT-Type", "a b", "", "__proto__"]
    ],
    [said.additionalProperties.pattern, ["a", "a b"], ["", " a", "ä", "a\n"]]
  ]
  for (const [pattern, taken, refused] of samples) {
    const regExp = new RegExp(pattern, "u")
    for (const one of taken) assert.match(one, regExp)
    for (const one of refused) assert.notMatch(one, regExp)
  }
  assert.strictEqual(said.maxProperties, 20)
})

it("says where a report waits for its run", () => {
  for (const run of ["optimize", "backtest"]) {
    assert.isDefined(document.paths[`/api/v1/mix/${run}/{id}/report`].get.responses["409"])
  }
  assert.isUndefined(document.paths["/api/v1/overview"].get.responses["409"])
})

it("says which lists have each entry once, and which constraints can be read", () => {
  const { schema } =
    document.paths["/api/v1/mix/optimize"].post.requestBody.content["application/json"]
  const { constraints, symbols } = schema.properties
  assert.isTrue(symbols.uniqueItems)
  const pattern = new RegExp(constraints.items.pattern, "u")
  for (const taken of ["fast < slow", "a>=2"]) assert.match(taken, pattern)
  for (const refused of ["", "fast", "a < b < c"]) assert.notMatch(refused, pattern)
})

it("lists the words that an operation takes, with their other spellings", () => {
  const { schema } =
    document.paths["/api/v1/mix/generate"].post.requestBody.content["application/json"]
  const { objective, risk_tolerance, symbols, timeframe } = schema.properties
  assert.includeMembers(objective.allOf[0].enum, ["sharpe", "maximize_returns"])
  assert.includeMembers(risk_tolerance.allOf[0].enum, ["low", "conservative"])
  assert.includeMembers(timeframe.allOf[0].enum, ["1h", "hourly"])
  assert.notInclude(timeframe.allOf[0].enum, "7h")
  assert.deepStrictEqual([symbols.minItems, symbols.prefixItems], [1, undefined])
})

it("has no pattern that takes tables of Unicode to read", () => {
  assert.notInclude(JSON.stringify(document), String.raw`\\p{`)
  const { name } =
    document.paths["/api/v1/account/keys"].post.requestBody.content["application/json"].schema
      .properties
  const pattern = new RegExp(name.pattern, "u")
  for (const taken of ["a", "日本 1", " a "]) assert.match(taken, pattern)
  for (const refused of ["", " ", "\u3000", "a\nb", "a\u2028"]) assert.notMatch(refused, pattern)
})

it("says where candles are not found", () => {
  const { "/api/v1/candles": candles, "/api/v1/candles/findings": findings } = document.paths
  assert.isDefined(candles.delete.responses["404"])
  assert.isDefined(findings.get.responses["404"])
  assert.isUndefined(candles.get.responses["404"])
})

it("says which fields of an alert and of a webhook go together", () => {
  const bodyOf = (path: string) =>
    document.paths[path].post.requestBody.content["application/json"].schema
  const [ofAccount, ofBot, ofPrice] = bodyOf("/api/v1/alerts").allOf
  const when = (metric: ReadonlyArray<string>) => ({
    not: { properties: { metric: { enum: metric } }, required: ["metric"] }
  })
  assert.deepStrictEqual(ofAccount.anyOf, [
    when(["kill_switch"]),
    { properties: { bot_id: false, symbol: false } }
  ])
  const ofOneBot = ofBot.anyOf[0].not.properties.metric.enum
  assert.include(ofOneBot, "drawdown")
  assert.notInclude(ofOneBot, "price")
  assert.deepStrictEqual(ofBot.anyOf, [when(ofOneBot), { required: ["bot_id"] }])
  assert.deepStrictEqual(ofPrice.anyOf, [
    when(["price"]),
    { anyOf: [{ required: ["symbol"] }, { required: ["bot_id"] }] }
  ])
  const [ofTelegram, ofOthers, atTelegram] = bodyOf("/v1/webhooks").allOf
  const address = new RegExp(atTelegram.anyOf[1].properties.url.pattern, "u")
  assert.match("https://api.telegram.org/bot1:a/sendMessage", address)
  for (const path of ["/bot1:a/getMe", "/sendMessage", "/bot1:a/sendMessage?x=1"]) {
    assert.notMatch(`https://api.telegram.org${path}`, address)
  }
  assert.deepStrictEqual(ofTelegram.anyOf[1].required, ["chat_id"])
  assert.deepStrictEqual(ofOthers.anyOf[1], { properties: { chat_id: { type: "null" } } })
  const { to } = bodyOf("/api/v1/mix/backtest").properties
  assert.strictEqual(to.description, "Later than `from`.")
})

it("says of a definition what the schema of the format says", () => {
  const { $defs } = strategyJsonSchema() as any
  const { schemas } = document.components
  const led = (schema: unknown): unknown =>
    JSON.parse(JSON.stringify(schema).replaceAll("#/$defs/", "#/components/schemas/"))
  for (const name of ["Addition", "Exits", "Sizing", "Rebalance", "Grid"]) {
    assert.deepStrictEqual(schemas[name], led($defs[name]), name)
  }
  const [, limit] = led($defs.EntryOrder.anyOf) as any
  assert.strictEqual(schemas.EntryOrder.anyOf[1].properties.until.format, "date-time")
  assert.strictEqual(
    schemas.EntryOrder.anyOf[1].properties.until.pattern,
    limit.properties.until.pattern
  )
  const { allOf, oneOf } = schemas.StrategyDefinition
  assert.deepStrictEqual(
    { allOf, oneOf },
    led({ allOf: $defs.StrategyDefinition.allOf, oneOf: $defs.StrategyDefinition.oneOf })
  )
  assert.isAbove(allOf.length, 5)
})

it("gives the texts of bodies a pattern, so that none has a zero character", () => {
  const bodyOf = (path: string) =>
    document.paths[path].post.requestBody.content["application/json"].schema
  for (const [path, name] of [
    ["/api/v1/account/halt", "reason"],
    ["/api/v1/bots", "exchange"],
    ["/api/v1/signals", "comment"],
    ["/api/v1/mix/backtest", "strategy_id"],
    ["/api/v1/alerts", "bot_id"]
  ] as const) {
    const pattern = new RegExp(bodyOf(path).properties[name].pattern, "u")
    assert.notMatch("a\0b", pattern, name)
    if (!name.endsWith("_id")) assert.match("a\nb", pattern, name)
  }
  const { parameters } = bodyOf("/api/v1/mix/backtest").properties
  assert.deepStrictEqual(parameters.propertyNames, { pattern: "^[a-z][a-z0-9_]{0,39}$" })
  const constraint = new RegExp(
    bodyOf("/api/v1/mix/optimize").properties.constraints.items.pattern,
    "u"
  )
  assert.match("fast_1 <= 1e-5", constraint)
  assert.notMatch("fa\0st < slow", constraint)
  const strategyId = new RegExp(bodyOf("/api/v1/bots").properties.strategy_id.pattern, "u")
  assert.match("str_01ARZ3NDEKTSV4RRFFQ69G5FAV", strategyId)
  assert.notMatch("bot_01ARZ3NDEKTSV4RRFFQ69G5FAV", strategyId)
  const { metric } = bodyOf("/api/v1/bots").properties.alerts.items.allOf[0].properties
  assert.deepStrictEqual(metric, { not: { enum: ["kill_switch"] } })
})

it("says in its description which requests an operation refuses that its schemas allow", () => {
  const said = (method: string, path: string): string => document.paths[path][method].description
  assert.include(said("get", "/api/v1/bots"), "400 for a `cursor` that no page of this list gave.")
  assert.notInclude(said("get", "/api/v1/overview"), "`cursor`")
  for (const path of ["/api/v1/mix/strategies", "/api/v1/mix/strategies/check"]) {
    assert.include(said("post", path), "400 for a definition")
  }
  assert.include(said("put", "/api/v1/mix/strategies/{id}"), "400 for a definition")
  assert.include(said("post", "/api/v1/mix/generate"), "400 for a range")
  assert.include(said("post", "/api/v1/mix/backtest"), "`detail_timeframe`")
  assert.include(said("post", "/api/v1/mix/optimize"), "a grid over a parameter without a step")
  assert.include(said("get", "/api/v1/mix/optimize/{id}/trials"), "400 for a `sort`")
  assert.include(said("get", "/api/v1/mix/optimize/{id}/trials/export"), "400 for a `sort`")
  assert.include(said("post", "/api/v1/mix/optimize/{id}/apply"), "400 for a trial")
  assert.include(said("post", "/api/v1/candles"), "400 for a `symbol` without a currency")
  assert.include(said("post", "/api/v1/candles/preview"), "a file without rows")
  assert.notInclude(said("get", "/api/v1/candles/export"), "400 for a range")
  assert.include(said("post", "/v1/webhooks/{id}/replay"), "Covers the last 14 days")
})

it("gives the characters of an idempotency key that the server takes", () => {
  const { schema } = document.components.parameters.IdempotencyKey
  const takes = (key: string): boolean => new RegExp(schema.pattern).test(key)
  assert.isTrue(takes("~".repeat(255)))
  for (const key of ["", " ", "ä", "a b", "~".repeat(256)]) assert.isFalse(takes(key))
})
