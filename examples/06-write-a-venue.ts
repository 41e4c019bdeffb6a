/**
 * A conversation with a venue of one's own, without a bot: each answer that a bot's orders rest on.
 *
 *   npm run venue
 */
import { type VenueOrder, Venues } from "@candlewick/core"
import { Clock, Effect, Layer, Option } from "effect"
import { makeOwnVenue } from "./ownVenue.ts"

const own = makeOwnVenue("1000", "20")
const { symbol, venue } = own

/** A buy order of three units at 19 or less; real ids come from the bot's side, 128 bits each. */
const orderAt = (sentAtMs: number, fields: Partial<VenueOrder> = {}): VenueOrder => ({
  id: "00000000000000000000000000000001",
  symbol,
  side: "buy",
  type: "limit",
  quantity: "3",
  limitPrice: "19",
  stopPrice: null,
  isReduceOnly: false,
  sentAtMs,
  ...fields
})

/** The reason of a failure, with its code where it has one. */
const tell = (name: string, order: VenueOrder) =>
  Effect.match(venue.submit(order), {
    onFailure: ({ reason }) => {
      console.log(`${name}: ${reason._tag} ${"code" in reason ? reason.code : reason.why}`)
    },
    onSuccess: () => console.log(`${name}: taken`)
  })

const program = Effect.gen(function* () {
  // A host that has connections names them to its bots by the account and the exchange's name.
  const { find } = yield* Venues
  const connected = yield* find({ accountId: "acc_1", exchange: "corner" })
  console.log(`corner is connected: ${Option.isSome(connected)}`)

  const nowMs = yield* Clock.currentTimeMillis
  yield* tell("an order", orderAt(nowMs))
  yield* tell("the same order again", orderAt(nowMs))
  yield* tell("an order of yesterday", orderAt(nowMs - 86_400_000, { id: "2".repeat(32) }))
  yield* tell("a third of a step", orderAt(nowMs, { id: "3".repeat(32), quantity: "0.003" }))
  yield* tell("too much", orderAt(nowMs, { id: "4".repeat(32), quantity: "60" }))
  console.log(`open orders: ${(yield* venue.openOrders).length}`)

  const before = yield* venue.trades(null)
  yield* own.moveTo("18.5")
  const { cursor, trades } = yield* venue.trades(before.cursor)
  for (const { orderId, price, quantity } of trades) {
    console.log(`trade: ${quantity} at ${price} for order …${orderId?.slice(-3)}`)
  }
  console.log(`trades after the cursor: ${(yield* venue.trades(cursor)).trades.length}`)
  console.log(`a cancel afterwards: ${yield* venue.cancel(symbol, orderAt(nowMs).id)}`)
  for (const [coin, amount] of (yield* venue.holdings).balances) console.log(`${coin}: ${amount}`)
})

const connections = Layer.succeed(Venues, {
  find: ({ exchange }) =>
    Effect.succeed(exchange === "corner" ? Option.some({ venue }) : Option.none())
})

await Effect.runPromise(Effect.provide(program, connections))

// Output:
// corner is connected: true
// an order: taken
// the same order again: VenueOutcomeUnknown 00000000000000000000000000000001 was met before
// an order of yesterday: VenueRefused too_late
// a third of a step: VenueRefused invalid_order
// too much: VenueRefused insufficient_funds
// open orders: 1
// trade: 3 at 18.5 for order …001
// trades after the cursor: 0
// a cancel afterwards: gone
// USD: 944.5
// TEA: 3
