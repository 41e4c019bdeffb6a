/**
 * A bot and its exchange that differ, as callers and receivers see it: over HTTP, with real
 * services and a real receiver, and from two servers over one store.
 */
import { serve } from "@candlewick/http"
import {
  Accounts,
  Broker,
  Candles,
  Candlewick,
  PaperBroker,
  ProcessName,
  RecordedMarketData,
  ReplayRate,
  type StorePorts
} from "@candlewick/core"
import { makeColumns } from "@candlewick/core/kernel"
import { MemoryStore } from "@candlewick/store-memory"
import { Pglite, PostgresStore } from "@candlewick/store-postgres"
import { Webhooks } from "@candlewick/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const apiKey = "a-key-of-the-tests-of-reconciling-0123456789"
const symbol = "REC/USD"
const hourMs = 3_600_000

const columns = () => {
  const made = makeColumns(20)
  for (let index = 0; index < made.length; index++) {
    made.time[index] = Date.UTC(2024, 0, 1) + index * hourMs
    for (const name of ["open", "high", "low", "close"] as const) made[name][index] = 100
    made.volume[index] = 1
  }
  return made
}

const price = { type: "price", field: "close" }

/** Never trades by itself, so that whatever is held was bought behind the bot's back. */
const definition = {
  format: 1,
  symbols: [symbol],
  timeframe: "1h",
  parameters: {},
  long: {
    enter: { type: "above", left: price, right: { type: "constant", value: 1_000 } },
    exit: { type: "below", left: price, right: { type: "constant", value: 1 } }
  },
  sizing: { type: "fixed_quantity", quantity: 1 }
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

/** A server of a name over stores. */
const startServer = Effect.fnUntraced(function* (stores: Layer.Layer<StorePorts>, name: string) {
  const webhooks = Webhooks.layerWith({ allowHttp: true, allowCidrs: ["127.0.0.1/32"] })
  const ports = Layer.mergeAll(PaperBroker.layer, RecordedMarketData.layer, webhooks).pipe(
    Layer.provide(Layer.succeed(ReplayRate, 1_000))
  )
  const services = yield* Layer.build(
    Candlewick.layerWith({ size: 1 }).pipe(
      Layer.provideMerge(ports),
      Layer.provideMerge(stores),
      Layer.provideMerge(Layer.succeed(ProcessName, name))
    )
  )
  const silent = { write: () => undefined }
  const served = serve({ host: "127.0.0.1", port: 0, accessLog: silent }).pipe(
    Layer.provide(Layer.succeedContext(services))
  )
  const { address } = yield* Effect.provide(HttpServer.HttpServer, yield* Layer.build(served))
  const baseUrl = `http://127.0.0.1:${"port" in address ? address.port : 0}`
  const call = (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {}
  ): Effect.Effect<Answer> =>
    Effect.promise(async () => {
      const type = body === undefined ? {} : { "content-type": "application/json" }
      const response = await fetch(baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${apiKey}`, ...type, ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) })
      })
      return {
        status: response.status,
        headers: response.headers,
        body: JSON.parse(await response.text())
      }
    })
  return { call, services }
})

/** A receiver of webhooks on loopback, and what it was sent. */
const startReceiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const bodies: Array<any> = []
    const server = createServer((request, response) => {
      let text = ""
      request.on("data", (chunk) => (text += String(chunk)))
      request.on("end", () => {
        bodies.push(JSON.parse(text))
        response.writeHead(204).end()
      })
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const { port } = server.address() as AddressInfo
    return { server, bodies, url: `http://127.0.0.1:${port}/hook` }
  }),
  ({ server }) => Effect.sync(() => server.close())
)

const eventually = <A>(ask: Effect.Effect<A>, isWanted: (answer: A) => boolean) =>
  Effect.gen(function* () {
    for (let attempt = 0; attempt < 500; attempt++) {
      const answer = yield* ask
      if (isWanted(answer)) return answer
      yield* Effect.sleep("20 millis")
    }
    return yield* Effect.die(new Error("it did not come to that"))
  })

type Server = Effect.Success<ReturnType<typeof startServer>>

/** A bot that has followed all candles, and five units that somebody else bought for ten each. */
const setTheScene = Effect.fnUntraced(function* ({ call, services }: Server) {
  yield* Effect.provide(
    Effect.gen(function* () {
      yield* (yield* Accounts).ensureAdmin(apiKey)
      const market = { maker_rate: 0, taker_rate: 0, slippage_rate: 0, spread_rate: 0, lot: 1 }
      const key = { symbol, timeframe: "1h" } as const
      yield* (yield* Candles).import({ key, columns: columns(), market })
    }),
    services
  )
  const strategy = yield* call("POST", "/v1/mix/strategies", { name: "never", definition })
  assert.strictEqual(strategy.status, 201, JSON.stringify(strategy.body))
  const bot = yield* call("POST", "/v1/bots/create", {
    name: "a bot",
    strategy_id: strategy.body.id,
    capital_allocation: 10_000,
    auto_start: true
  })
  assert.strictEqual(bot.status, 201, JSON.stringify(bot.body))
  const path = `/api/v1/bots/${String(bot.body.id)}`
  yield* eventually(call("GET", `${path}/status`), ({ body }) => body.is_data_ended === true)
  const broker = yield* Effect.provide(Broker, services)
  yield* broker
    .place(bot.body.id, 0, {
      id: "foreign",
      side: 1,
      type: "market",
      leg: "entry",
      quantity: 5,
      limit: null,
      stop: null,
      expiresAfter: null,
      reason: "signal",
      attached: null
    })
    .pipe(Effect.orDie)
  const candle = { symbol, time: 0, open: 10, high: 10, low: 10, close: 10 }
  yield* Effect.orDie(broker.settle(bot.body.id, [candle]))
  return { path, botId: String(bot.body.id), broker }
})

const differences = [
  { kind: "position", symbol, own: null, exchange: { quantity: 5, entry_price: 10 } },
  { kind: "cash", own: 10_000, exchange: 9_950 }
]

const stores = {
  memory: MemoryStore.layer,
  PGlite: Layer.orDie(PostgresStore.layer.pipe(Layer.provide(Pglite.layer())))
}

describe("POST /bots/:id/reconcile", () => {
  for (const [name, store] of Object.entries(stores)) {
    it.live(
      `reports what differs, sends an alert, and accepts the exchange's truth once (${name})`,
      () =>
        Effect.gen(function* () {
          const receiver = yield* startReceiver
          const server = yield* startServer(store, "one")
          const { call } = server
          const { botId, path } = yield* setTheScene(server)
          const events = ["alert.triggered"]
          const hook = yield* call("POST", "/v1/webhooks", { url: receiver.url, events })
          assert.strictEqual(hook.status, 201, JSON.stringify(hook.body))

          const found = yield* call("POST", `${path}/reconcile`)
          assert.strictEqual(found.status, 200, JSON.stringify(found.body))
          assert.deepInclude(found.body, {
            id: botId,
            changed: true,
            trading_state: "halted",
            trading_state_reason: "reconcile_mismatch",
            adjustment: null
          })
          assert.deepStrictEqual(found.body.differences, differences)
          const tag = found.headers.get("etag")
          assert.strictEqual(tag, `"${String(found.body.version)}"`)
          const status = yield* call("GET", `${path}/status`)
          assert.deepStrictEqual(status.body.mismatch.differences, differences)
          const logs = yield* call("GET", `${path}/logs?level=error`)
          assert.strictEqual(logs.body.data[0].event, "reconcile.mismatch")

          yield* eventually(
            Effect.sync(() => receiver.bodies),
            (bodies) => bodies.length > 0
          )
          const [{ data, event }] = receiver.bodies
          assert.strictEqual(event, "alert.triggered")
          assert.deepInclude(data, { bot_id: botId, metric: "reconcile_mismatch", value: 2 })
          const alert = yield* call("GET", `/v1/alerts/${String(data.alert_id)}`)
          assert.deepInclude(alert.body, { metric: "reconcile_mismatch", fired_count: 1 })

          const resumed = yield* call("POST", `${path}/risk/resume`)
          assert.strictEqual(resumed.status, 409)
          assert.deepInclude(resumed.body, { code: "invalid_transition", allowed: ["reconcile"] })

          const refused = yield* call("POST", `${path}/reconcile`, { accept: "yes" })
          assert.strictEqual(refused.status, 400)
          const accept = (headers: Readonly<Record<string, string>>) =>
            call("POST", `${path}/reconcile`, { accept: true }, headers)
          const stale = yield* accept({ "if-match": '"1"' })
          assert.deepInclude(stale, { status: 412 })
          assert.strictEqual(stale.body.code, "precondition_failed")

          const once = { "if-match": tag!, "idempotency-key": "accept-once" }
          const accepted = yield* accept(once)
          assert.strictEqual(accepted.status, 200, JSON.stringify(accepted.body))
          assert.deepInclude(accepted.body, { changed: true, trading_state: "active" })
          assert.deepInclude(accepted.body.adjustment, { amount: 0, differences })
          assert.deepStrictEqual((yield* accept(once)).body, accepted.body, "the same answer")
          assert.deepInclude((yield* accept({})).body, {
            changed: false,
            differences: [],
            adjustment: null
          })
          const after = yield* call("GET", `${path}/performance`)
          assert.deepStrictEqual(after.body.adjustments, [accepted.body.adjustment])
          const { adjusted, capital_allocation, equity, realized_pnl, unrealized_pnl } = after.body
          assert.strictEqual(equity, 9_950 + 5 * 100)
          assert.strictEqual(capital_allocation + realized_pnl + adjusted + unrealized_pnl, equity)
          assert.lengthOf(receiver.bodies, 1, "one mismatch, one alert")
          const foreign = `/v1/bots/bot_01ARZ3NDEKTSV4RRFFQ69G5FAV/reconcile`
          assert.strictEqual((yield* call("POST", foreign)).status, 404)
        }).pipe(Effect.scoped),
      120_000
    )
  }

  it.live(
    "and closing positions are taken by a server that does not run the bot",
    () =>
      Effect.gen(function* () {
        const kept = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
        const one = yield* startServer(kept, "one")
        const other = yield* startServer(kept, "other")
        const { broker, botId, path } = yield* setTheScene(one)
        const found = yield* other.call("POST", `${path}/reconcile`)
        assert.deepStrictEqual(found.body.differences, differences)
        const accepted = yield* other.call("POST", `${path}/reconcile`, { accept: true })
        assert.deepInclude(accepted.body, { changed: true, trading_state: "active" })
        const closing = yield* other.call("POST", `${path}/positions/close`)
        assert.strictEqual(closing.status, 200, JSON.stringify(closing.body))
        assert.deepInclude(closing.body, { changed: true, status: "running" })
        assert.strictEqual(closing.body.positions_closing[0].quantity, 5)
        // The one that runs it tells the broker.
        const flat = yield* eventually(
          one.call("GET", `${path}/status`),
          ({ body }) => body.open_positions.length === 0
        )
        assert.strictEqual(flat.body.equity, 9_950 + 5 * 100)
        assert.deepStrictEqual((yield* Effect.orDie(broker.account(botId))).positions, [])
      }).pipe(Effect.scoped),
    60_000
  )
})
