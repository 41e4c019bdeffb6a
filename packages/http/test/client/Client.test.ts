/** The typed clients, against a server. */
import { ApiProblem, Client } from "@candlewick/http"
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { fullKey } from "../fakes.ts"
import { idOf } from "../records.ts"
import { startServer } from "../server.ts"

const bot = { name: "x", strategy_id: idOf("str", 1), capital_allocation: 1000 }

it.live("calls operations as effects and fails with the problem", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* startServer()
    const client = yield* Client.make({ baseUrl, apiKey: fullKey })
    const created = yield* client.bots.create({ payload: bot })
    const params = { id: created.id }
    assert.deepStrictEqual(yield* client.bots.get({ params }), created)
    assert.isTrue((yield* client.bots.start({ params })).changed)
    assert.isTrue((yield* client.bots.stop({ params, payload: {} })).changed)
    const page = yield* client.bots.list({ query: { limit: 1 } })
    assert.strictEqual(page.data[0]!.id, created.id)
    yield* client.bots.remove({ params, query: {} })
    const problem = yield* Effect.flip(client.bots.get({ params }))
    assert.instanceOf(problem, ApiProblem)
    assert.strictEqual(problem.code, "not_found")
  }).pipe(Effect.provide(Client.layerFetch))
)

it.live("reads results before and after the end, and streams candles in", () =>
  Effect.gen(function* () {
    const { baseUrl, control } = yield* startServer()
    const client = yield* Client.make({ baseUrl, apiKey: fullKey })
    const early = yield* client.backtests.results({ params: { id: idOf("bt", 1) } })
    assert.strictEqual(early.status, "queued")
    const results = yield* client.backtests.results({ params: { id: idOf("bt", 2) } })
    assert.strictEqual(results.metrics?.["total_return"], 0.1)
    const strategy = yield* client.strategies.generate({
      headers: { prefer: "wait=10" },
      payload: { objective: "sharpe", risk_tolerance: "low", timeframe: "1h" }
    })
    assert.strictEqual(strategy.status, "ready")
    const text = "time,open,high,low,close,volume\n0,1,1,1,1,1\n"
    yield* client.candles.import({
      query: { symbol: "BTC/USDT", timeframe: "1h" },
      payload: Stream.make(new TextEncoder().encode(text))
    })
    assert.strictEqual(control.imported?.length, 1)
  }).pipe(Effect.provide(Client.layerFetch))
)

it.live("gives promises to plain callers, and rejects them with the problem", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* startServer()
    yield* Effect.promise(async () => {
      const client = await Client.connect({ baseUrl, apiKey: fullKey })
      const created = await client.bots.create({ payload: bot })
      assert.strictEqual(created.name, "x")
      const webhook = await client.webhooks.register({
        payload: { url: "https://example.com/hook", events: ["trade.executed"] }
      })
      assert.match(webhook.secret, /^whsec_/)
      const refused = await client.bots.pause({ params: { id: created.id } }).then(
        () => undefined,
        (error: unknown) => error
      )
      assert.instanceOf(refused, ApiProblem)
      assert.strictEqual(refused.current_state, "created")
      const stranger = await Client.connect({ baseUrl, apiKey: "nope" })
      const unknown = await stranger.bots.list({ query: {} }).catch((error: unknown) => error)
      assert.strictEqual((unknown as ApiProblem).code, "unauthenticated")
    })
  })
)
