/** The handlers that the frame makes of a table's rows, and the rows that it refuses. */
import {
  alertOperations,
  Alerts,
  botOperations,
  Bots,
  type MethodsOf,
  Problem,
  webhookOperations,
  WebhookEndpoints
} from "@candlewick/core"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Caller } from "../../src/api/Authorization.ts"
import { CurrentRequest, type RequestFacts } from "../../src/server/CurrentRequest.ts"
import { forCaller } from "../../src/server/forCaller.ts"

/** A service whose every method tells what it was given. */
const telling = <Table>(
  answer: object = { id: "new", version: 7 },
  others: Partial<MethodsOf<Table>> = {}
) => {
  const calls: Array<ReadonlyArray<unknown>> = []
  const service = new Proxy({} as MethodsOf<Table>, {
    get: (_, name) =>
      others[name as keyof Table] ??
      ((...all: ReadonlyArray<unknown>) =>
        Effect.sync(() => {
          calls.push([name, ...all])
          return answer
        }))
  })
  return { calls, service }
}

const caller = { accountId: "acc_1", keyId: "key_1", scopes: [] }

/** Answers as if the request had come from outside, and tells the headers of the answer. */
const answer = Effect.fnUntraced(function* <A>(
  handled: Effect.Effect<A, never, Caller | HttpServerRequest.HttpServerRequest>,
  headers: Record<string, string> = {}
) {
  const facts: RequestFacts = {
    ...(yield* CurrentRequest),
    path: "/api/v1/things",
    target: "/api/v1/things",
    accountId: "acc_1",
    answerHeaders: {}
  }
  const request = HttpServerRequest.fromWeb(new Request("http://x/", { headers }))
  const body = yield* handled.pipe(
    Effect.provideService(Caller, caller),
    Effect.provideService(CurrentRequest, facts),
    Effect.provideService(HttpServerRequest.HttpServerRequest, request)
  )
  return { body, headers: facts.answerHeaders }
})

it.effect("finds each argument where its role says, behind the account", () =>
  Effect.gen(function* () {
    const { calls, service } = telling<typeof webhookOperations>()
    const { serve } = yield* Effect.provideService(
      forCaller(WebhookEndpoints, webhookOperations),
      WebhookEndpoints,
      service
    )
    const change = { url: "https://example.com/" }
    // Keys are told apart by their names, whatever their order.
    yield* answer(serve("delivery")({ params: { delivery: "dlv_1", id: "wh_1" } }))
    yield* answer(serve("update")({ params: { id: "wh_1" }, payload: change }))
    yield* answer(serve("update")({ params: { id: "wh_1" }, payload: change }), {
      "if-match": '"3"'
    })
    assert.deepStrictEqual(calls, [
      ["delivery", "acc_1", "wh_1", "dlv_1"],
      ["update", "acc_1", "wh_1", change, undefined],
      ["update", "acc_1", "wh_1", change, 3]
    ])
  })
)

it.effect("asks for the page of a query, with what the list is to leave out", () =>
  Effect.gen(function* () {
    const { calls, service } = telling<typeof botOperations>({ items: [{ seq: 2 }], next: "2" })
    const { serve } = yield* Effect.provideService(forCaller(Bots, botOperations), Bots, service)
    const query = { limit: 1, level: "warn" } as const
    const first = yield* answer(serve("logs")({ params: { id: "bot_1" }, query }))
    if (HttpServerResponse.isHttpServerResponse(first.body)) assert.fail("it was refused")
    const { data, has_more, next_cursor } = first.body
    assert.deepStrictEqual([data.length, has_more], [1, true])
    assert.match(first.headers["link"]!, /rel="next"$/)
    const cursor = next_cursor!
    yield* answer(serve("logs")({ params: { id: "bot_1" }, query: { ...query, cursor } }))
    assert.deepStrictEqual(calls, [
      ["logs", "acc_1", "bot_1", { level: "warn", limit: 1, before: undefined }],
      ["logs", "acc_1", "bot_1", { level: "warn", limit: 1, before: "2" }]
    ])
  })
)

it.effect("tags a record with its version, says where a new one is, and refuses in one place", () =>
  Effect.gen(function* () {
    const conflict = new Problem({ code: "conflict", detail: "Somebody was quicker." })
    const { service } = telling<typeof alertOperations>(undefined, {
      update: () => Effect.fail(conflict)
    })
    const { call, serve } = yield* Effect.provideService(
      forCaller(Alerts, alertOperations),
      Alerts,
      service
    )
    const made = yield* answer(
      serve("create", { at: "/alerts" })({ payload: { metric: "price", op: "gt", threshold: 1 } })
    )
    assert.deepStrictEqual(made.headers, { etag: '"7"', location: "/api/v1/alerts/new" })
    const removed = yield* answer(serve("remove")({ params: { id: "alr_1" } }))
    assert.deepStrictEqual(removed.headers, {}, "what has no version has no tag")
    const update = serve("update")({ params: { id: "alr_1" }, payload: {} })
    for (const [headers, status] of [
      [{}, 409],
      [{ "if-match": '"3"' }, 412],
      [{ "if-match": "nonsense" }, 412]
    ] as const) {
      const { body } = yield* answer(update, headers)
      assert.strictEqual(HttpServerResponse.isHttpServerResponse(body) && body.status, status)
    }
    const refused = yield* answer(call(() => Effect.fail(conflict))({}))
    assert.strictEqual(
      HttpServerResponse.isHttpServerResponse(refused.body) && refused.body.status,
      409
    )
  })
)

it.effect("makes no handler of a row with an argument that no request has", () =>
  Effect.gen(function* () {
    const { service } = telling<typeof botOperations>()
    const { serve } = yield* Effect.provideService(forCaller(Bots, botOperations), Bots, service)
    // @ts-expect-error Which command it is stands in the path, which the row doesn't know.
    assert.isFunction(serve("command"))
    // @ts-expect-error There is no such operation.
    assert.isFunction(serve("dance"))
    // @ts-expect-error An update has a body.
    assert.isTrue(Effect.isEffect(serve("update")({ params: { id: "bot_1" } })))
  })
)
