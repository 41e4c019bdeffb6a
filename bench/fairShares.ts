/**
 * How long `trade.executed` takes to its receiver while bots replay on the embedded store.
 *
 *   node bench/fairShares.ts [bots] [seconds] [candles a second]
 *
 * Each bot trades at every fifth candle or so. A row tells the median and the longest delay, and
 * how many candles the bots have processed meanwhile: what one gains the others lose.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Logger, References } from "effect"
import {
  Accounts,
  Bots,
  Candles,
  operatorAccountId,
  Strategies,
  WebhookEndpoints
} from "../packages/core/src/index.ts"
import { makeColumns } from "../packages/core/src/kernel.ts"
import { readSettings } from "../packages/http/src/main/settings.ts"
import { servicesOf } from "../packages/http/src/main/services.ts"

const botCount = Number(process.argv[2] ?? 20)
const seconds = Number(process.argv[3] ?? 60)
const rate = Number(process.argv[4] ?? 20)
const hourMs = 3_600_000
const candleCount = 50_000
const symbol = "FAIR/USD"

const columns = () => {
  const made = makeColumns(candleCount)
  for (let index = 0; index < candleCount; index++) {
    made.time[index] = Date.UTC(2019, 0, 1) + index * hourMs
    made.open[index] = 100
    made.high[index] = 102
    made.low[index] = 98
    made.close[index] = index % 10 < 5 ? 101 : 99
    made.volume[index] = 1
  }
  return made
}

const price = { type: "price", field: "close" } as const
const limit = { type: "constant", value: 100 } as const

/** A receiver that notes how old each event is. */
const receive = async () => {
  const delays: Array<number> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => (body += chunk.toString()))
    request.on("end", () => {
      const { timestamp } = JSON.parse(body) as { readonly timestamp: string }
      delays.push(Date.now() - Date.parse(timestamp))
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens))
  const address = server.address()
  const port = typeof address === "object" ? address!.port : 0
  return { delays, port, close: () => server.close() }
}

const directory = mkdtempSync(join(tmpdir(), "candlewick-shares-"))
const receiver = await receive()
const settings = readSettings({
  CANDLEWICK_DATA_DIR: directory,
  CANDLEWICK_REPLAY_RATE: String(rate),
  CANDLEWICK_WORKERS: "1",
  CANDLEWICK_WEBHOOK_ALLOW_HTTP: "true",
  CANDLEWICK_WEBHOOK_ALLOW_CIDRS: "127.0.0.1/32",
  CANDLEWICK_WEBHOOK_PORTS: String(receiver.port)
})

const measure = Effect.gen(function* () {
  yield* Effect.flatMap(Accounts, (accounts) => accounts.ensureAdmin(undefined))
  const [bots, candles, endpoints, strategies] = [
    yield* Bots,
    yield* Candles,
    yield* WebhookEndpoints,
    yield* Strategies
  ]
  yield* candles.import(operatorAccountId, {
    key: { symbol, timeframe: "1h" },
    columns: columns()
  })
  const definition = {
    format: 1,
    symbols: [symbol],
    timeframe: "1h",
    parameters: {},
    long: {
      enter: { type: "above", left: price, right: limit },
      exit: { type: "below", left: price, right: limit }
    },
    sizing: { type: "fixed_quantity", quantity: 1 }
  } as const
  const strategy = yield* strategies.write(operatorAccountId, { name: "often", definition })
  const url = `http://127.0.0.1:${receiver.port}/`
  yield* endpoints.register(operatorAccountId, { url, events: ["trade.executed"] })
  const made = yield* Effect.forEach(
    Array.from({ length: botCount }, (_, index) => index),
    (index) =>
      bots.create(operatorAccountId, {
        name: `bot ${index}`,
        strategy_id: strategy.id,
        capital_allocation: 10_000,
        auto_start: true
      })
  )
  yield* Effect.sleep(`${seconds} seconds`)
  const statuses = yield* Effect.forEach(made, ({ id }) => bots.status(operatorAccountId, id))
  const done = statuses.map(({ last_candle_at: at }) =>
    at === null ? 0 : (Date.parse(at) - Date.UTC(2019, 0, 1)) / hourMs + 1
  )
  const sorted = receiver.delays.toSorted((one, other) => one - other)
  const stepped = done.reduce((sum, count) => sum + count, 0)
  console.log(
    `${botCount} bots, ${seconds} s: ${stepped} candles, ${sorted.length} deliveries, ` +
      `median ${sorted[sorted.length >> 1] ?? "none"} ms, longest ${sorted.at(-1) ?? "none"} ms`
  )
})

const quiet = Logger.layer([Logger.consolePretty()])

await Effect.runPromise(
  measure.pipe(
    Effect.provide(Layer.provideMerge(servicesOf(settings), quiet)),
    Effect.provideService(References.MinimumLogLevel, "Error"),
    Effect.scoped
  ) as Effect.Effect<void>
)
receiver.close()
rmSync(directory, { recursive: true, force: true })
process.exit(0)
