/**
 * From nothing to a trading bot through the typed client: generate, backtest, optimise, run, watch,
 * stop.
 *
 *   npm start                                            (in one terminal; it prints a key)
 *   BASE_URL=http://127.0.0.1:8080 API_KEY=cw_live_… npm run quickstart
 */
import { createServer } from "node:http"
import { Client } from "@candlewick/http"
import { verifyNotification } from "@candlewick/webhooks/verify"

const baseUrl = process.env["BASE_URL"] ?? "http://127.0.0.1:8080"
const apiKey = process.env["API_KEY"] ?? ""
const candlewick = await Client.connect({ baseUrl, apiKey })
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

// A receiver of our own: it verifies what it gets, and notes which events came.
const heard = new Set<string>()
let secret = ""
const receiver = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const { event } = verifyNotification({
      secret,
      headers: request.headers,
      rawBody: Buffer.concat(chunks)
    })
    heard.add(event)
    response.writeHead(204).end()
  })
})
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
const address = receiver.address()
const port = typeof address === "object" && address !== null ? address.port : 0
const webhook = await candlewick.webhooks.register({
  payload: {
    url: `http://127.0.0.1:${port}/hook`,
    events: ["strategy.generated", "backtest.complete", "strategy.optimized", "trade.executed"]
  }
})
secret = webhook.secret
console.log(`webhook registered for ${webhook.events.length} events`)

// Generate: the three documented fields are enough; a seed makes it repeatable.
const generating = await candlewick.strategies.generate({
  payload: { objective: "sharpe", risk_tolerance: "medium", timeframe: "1h", seed: 7 },
  headers: { prefer: "wait=60" }
})
const strategy = await candlewick.strategies.get({ params: { id: generating.id } })
console.log(`strategy ${strategy.status} on ${strategy.symbols.join()} ${strategy.timeframe}`)
console.log(`verdict told: ${strategy.verdict !== null}`)

// Backtest it on the whole series, costs on.
const backtest = await candlewick.backtests.start({
  payload: { strategy_id: strategy.id },
  headers: { prefer: "wait=60" }
})
const tested = await candlewick.backtests.results({ params: { id: backtest.id } })
console.log(`backtest ${tested.status}`)

// Optimise its parameters, in and out of sample.
const optimization = await candlewick.optimizations.start({
  payload: { strategy_id: strategy.id, max_trials: 40, seed: 7 },
  headers: { prefer: "wait=60" }
})
const optimized = await candlewick.optimizations.results({ params: { id: optimization.id } })
console.log(`optimization ${optimized.status}`)

// Run it on paper, over replayed candles, until it has traded.
const bot = await candlewick.bots.create({
  payload: { name: "quickstart", strategy_id: strategy.id, capital_allocation: 10_000 }
})
const params = { id: bot.id }
await candlewick.bots.start({ params })
for (let second = 0; second < 90 && !heard.has("trade.executed"); second++) await sleep(1000)
const status = await candlewick.bots.status({ params })
console.log(`bot ${status.status}`)
await candlewick.bots.stop({ params, payload: { positions: "close" } })
for (let second = 0; second < 30; second++) {
  if ((await candlewick.bots.status({ params })).status === "stopped") break
  await sleep(500)
}
const performance = await candlewick.bots.performance({ params })
console.log(`bot traded: ${performance.trade_count > 0}`)
for (let second = 0; second < 10 && heard.size < 4; second++) await sleep(1000)
console.log(`verified events: ${[...heard].sort().join(", ")}`)
await candlewick.bots.remove({ params, query: {} })
await candlewick.webhooks.remove({ params: { id: webhook.id } })
receiver.close()

// Output:
// webhook registered for 4 events
// strategy ready on GBP/USD 1h
// verdict told: true
// backtest completed
// optimization completed
// bot running
// bot traded: true
// verified events: backtest.complete, strategy.generated, strategy.optimized, trade.executed
