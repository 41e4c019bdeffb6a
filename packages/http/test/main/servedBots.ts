/**
 * A server with real services over real stores, a receiver of webhooks, and a bot on candles. Tests
 * see bots through it as callers and receivers do.
 */
import { serve } from "@candlewick/http"
import {
  Accounts,
  Candles,
  operatorAccountId,
  Candlewick,
  PaperBooks,
  RecordedMarketData,
  ReplayRate,
  type StorePorts
} from "@candlewick/core"
import { makeColumns } from "@candlewick/core/kernel"
import { makePlacements, type Placements } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { Pglite, PostgresStore } from "@candlewick/store-postgres"
import { Webhooks } from "@candlewick/webhooks"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const apiKey = "a-key-of-the-tests-of-bots-served-0123456789"
/** The market of all these bots. */
export const symbol = "REC/USD"
const hourMs = 3_600_000

/** Candles that stand still at these closes, from an hour on. */
const columnsOf = (closes: ReadonlyArray<number>, from: number) => {
  const made = makeColumns(closes.length)
  closes.forEach((close, index) => {
    made.time[index] = Date.UTC(2024, 0, 1) + (from + index) * hourMs
    for (const name of ["open", "high", "low", "close"] as const) made[name][index] = close
    made.volume[index] = 1
  })
  return made
}

const price = { type: "price", field: "close" }

/** Buys one unit above a price, and sells it below one. */
export const definitionOf = (enterAbove: number) => ({
  format: 1,
  symbols: [symbol],
  timeframe: "1h",
  parameters: {},
  long: {
    enter: { type: "above", left: price, right: { type: "constant", value: enterAbove } },
    exit: { type: "below", left: price, right: { type: "constant", value: 1 } }
  },
  sizing: { type: "fixed_quantity", quantity: 1 }
})

/** Tests ask again and again, and a slow machine makes more of them than a quota allows. */
const rates = { reads: 60_000, writes: 60_000, runs: 60_000 }

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

const parse = (text: string): unknown => (text === "" ? null : JSON.parse(text))

/** A server of a name over stores; servers that share stores share the placements too. */
export const startServer = Effect.fnUntraced(function* (
  stores: Layer.Layer<StorePorts>,
  name: string,
  placements: Placements = makePlacements()
) {
  const webhooks = Webhooks.layerWith({ allowHttp: true, allowCidrs: ["127.0.0.1/32"] })
  const ports = Layer.mergeAll(PaperBooks.layer, RecordedMarketData.layer, webhooks).pipe(
    Layer.provide(Layer.succeed(ReplayRate, 1_000))
  )
  const services = yield* Layer.build(
    Candlewick.layerWith({ size: 1 }).pipe(
      Layer.provideMerge(ports),
      Layer.provide(placements.layer(name)),
      Layer.provideMerge(stores)
    )
  )
  const silent = { write: () => undefined }
  const served = serve({ host: "127.0.0.1", port: 0, accessLog: silent, rates }).pipe(
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
        body: parse(await response.text())
      }
    })
  return { baseUrl, call, key: apiKey, services }
})

/** A receiver of webhooks on loopback, and what it was sent. */
export const startReceiver = Effect.acquireRelease(
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

/** Asks again and again, for at most thirty seconds, until the answer is wanted. */
export const eventually = <A>(ask: Effect.Effect<A>, isWanted: (answer: A) => boolean) =>
  Effect.gen(function* () {
    for (let attempt = 0; attempt < 1_500; attempt++) {
      const answer = yield* ask
      if (isWanted(answer)) return answer
      yield* Effect.sleep("20 millis")
    }
    return yield* Effect.die(new Error("it did not come to that"))
  })

/** A server of a name over stores. */
export type Server = Effect.Success<ReturnType<typeof startServer>>

/** Imports candles of these closes, from an hour on. */
export const importCloses = ({ services }: Server, closes: ReadonlyArray<number>, from = 0) =>
  Effect.provide(
    Effect.gen(function* () {
      const market = { maker_rate: 0, taker_rate: 0, slippage_rate: 0, spread_rate: 0, lot: 1 }
      const key = { symbol, timeframe: "1h" } as const
      yield* (yield* Candles).import(operatorAccountId, {
        key,
        columns: columnsOf(closes, from),
        market
      })
    }),
    services
  )

/** A bot that has followed candles of these closes to their end; where it is. */
export const startBot = Effect.fnUntraced(function* (
  server: Server,
  closes: ReadonlyArray<number>,
  enterAbove: number
) {
  const { call, services } = server
  yield* Effect.provide(
    Effect.flatMap(Accounts, (accounts) => accounts.ensureAdmin(apiKey)),
    services
  )
  yield* importCloses(server, closes)
  const definition = definitionOf(enterAbove)
  const strategy = yield* call("POST", "/v1/mix/strategies", { name: "a strategy", definition })
  assert.strictEqual(strategy.status, 201, JSON.stringify(strategy.body))
  const bot = yield* call("POST", "/v1/bots/create", {
    name: "a bot",
    strategy_id: strategy.body.id,
    capital_allocation: 10_000,
    auto_start: true
  })
  assert.strictEqual(bot.status, 201, JSON.stringify(bot.body))
  const botId = String(bot.body.id)
  const path = `/api/v1/bots/${botId}`
  yield* eventually(call("GET", `${path}/status`), ({ body }) => body.is_data_ended === true)
  return { path, botId }
})

/** The stores that a server may have in a test. */
export const stores = {
  memory: MemoryStore.layer,
  PGlite: Layer.orDie(PostgresStore.layerAlone.pipe(Layer.provide(Pglite.layer())))
}
