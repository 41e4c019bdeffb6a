/**
 * A bot that trades live at a venue of one's own, which is a model here. It rehearses on candles
 * that this program gives it one by one.
 *
 *   npm run live
 */
import { Candlewick, makeColumns } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { Effect, Option } from "effect"
import { makeOwnVenue } from "./ownVenue.ts"

const hourMs = 3_600_000
const own = makeOwnVenue("1000", "20")
const { symbol, venue } = own

// A connection to a real exchange has no `isRehearsal`; its bots need live market data.
const corner = { venue, limits: { orderNotionalMax: 500 }, isRehearsal: true }
const candlewick = await Candlewick.open({
  store: MemoryStore.layer,
  venues: {
    find: ({ exchange }) =>
      Effect.succeed(exchange === "corner" ? Option.some(corner) : Option.none())
  }
})

let toldCount = 0
let last = 20

/** Has the market trade at a price until a candle closes there. */
const trade = async (close: number) => {
  await Effect.runPromise(own.moveTo(String(close)))
  const columns = makeColumns(1)
  columns.time[0] = Date.UTC(2026, 0, 1) + toldCount++ * hourMs
  columns.open[0] = last
  columns.high[0] = Math.max(last, close)
  columns.low[0] = Math.min(last, close)
  columns.close[0] = close
  columns.volume[0] = 100
  last = close
  await candlewick.candles.import({ key: { symbol, timeframe: "1h" }, columns })
}

/** Waits until something holds. */
const until = async (holds: () => Promise<boolean>) => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}

await trade(20)
const close = { type: "price", field: "close" } as const
const twenty = { type: "constant", value: 20 } as const
const strategy = await candlewick.strategies.write({
  name: "above twenty",
  definition: {
    format: 1,
    symbols: [symbol],
    timeframe: "1h",
    parameters: {},
    long: {
      enter: { type: "above", left: close, right: twenty },
      exit: { type: "below", left: close, right: twenty }
    },
    exits: { stop_loss: { type: "fraction", value: 0.2 } },
    sizing: { type: "fixed_quantity", quantity: 10 }
  }
})

const request = {
  name: "live",
  strategy_id: strategy.id,
  capital_allocation: 600,
  mode: "live",
  exchange: "corner"
} as const
const refused = await candlewick.bots.create({ ...request, capital_allocation: 2_000 }).then(
  () => "nothing",
  (problem) => problem.errors[0].code
)
console.log(`more than the account has: ${refused}`)

const bot = await candlewick.bots.create(request)
const statusOf = () => candlewick.bots.status(bot.id)
await candlewick.bots.command(bot.id, "start")
await until(async () => (await statusOf()).status === "running")

await trade(21)
await until(async () => (await statusOf()).open_positions.length === 1)
const holding = await statusOf()
const [position] = holding.open_positions
console.log(`holds ${position?.quantity} at ${position?.entry_price}`)
// This venue has no stop orders, so the bot watches its stop itself.
console.log(`its stop rests: ${holding.protection}`)

await trade(23)
await trade(19)
await until(async () => (await statusOf()).open_positions.length === 0)
const { items } = await candlewick.bots.trades(bot.id, { limit: 10 })
for (const { amount, price, side } of items.toReversed()) {
  console.log(`${side} ${amount} at ${price}`)
}

const { differences } = await candlewick.bots.reconcile(bot.id)
console.log(`differences from the venue: ${differences.length}`)
await candlewick.bots.command(bot.id, "stop")
await until(async () => (await statusOf()).status === "stopped")
for (const [coin, amount] of (await Effect.runPromise(venue.holdings)).balances) {
  console.log(`${coin}: ${amount}`)
}
await candlewick.close()

// Output:
// more than the account has: exceeds_account
// holds 10 at 21
// its stop rests: local
// buy 10 at 21
// sell 10 at 19
// differences from the venue: 0
// USD: 980
// TEA: 0
