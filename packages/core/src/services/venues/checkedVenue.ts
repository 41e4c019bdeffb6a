/**
 * A venue whose answers are looked at before anything is booked by them.
 *
 * An adapter may let its exchange's words through. One amount that is no decimal, or one time that
 * is no number, would spoil books that are sums of all trades. So such an answer counts as none.
 *
 * @since 0.1.0
 */
import { Effect, Option, Schema } from "effect"
import { decimalOf } from "../../domain/decimals.ts"
import { VenueError, VenueUnavailable } from "../../domain/VenueError.ts"
import type { Venue } from "../../ports/Venue.ts"

const Amount = Schema.String.check(
  Schema.makeFilter((text) => Option.isSome(decimalOf(text)), {
    expected: 'a decimal such as "0.0015"'
  })
)

const Name = Schema.String.check(Schema.isMinLength(1))

const Side = Schema.Literals(["buy", "sell"])

const Market = Schema.Struct({
  symbol: Name,
  base: Name,
  quote: Name,
  quantityStep: Amount,
  priceStep: Amount,
  minQuantity: Amount,
  minNotional: Amount,
  takerRate: Schema.optional(Amount),
  makerRate: Schema.optional(Amount),
  feeCoin: Schema.optional(Name)
})

const OrderState = Schema.Struct({
  id: Name,
  symbol: Name,
  side: Side,
  status: Schema.Literals(["open", "filled", "cancelled", "expired", "rejected"]),
  quantity: Amount,
  filledQuantity: Amount
})

const Trade = Schema.Struct({
  id: Name,
  orderId: Schema.NullOr(Name),
  symbol: Name,
  side: Side,
  quantity: Amount,
  price: Amount,
  fee: Schema.Struct({ amount: Amount, currency: Name }),
  timeMs: Schema.Int
})

const Payment = Schema.Struct({
  id: Name,
  type: Schema.Literal("funding"),
  symbol: Name,
  amount: Amount,
  currency: Name,
  quantity: Schema.NullOr(Amount),
  timeMs: Schema.Int
})

const Trades = Schema.Struct({
  trades: Schema.Array(Trade),
  payments: Schema.optional(Schema.Array(Payment)),
  cursor: Schema.String,
  hasMore: Schema.Boolean
})

const Amounts = Schema.ReadonlyMap(Name, Amount)

const Holdings = Schema.Struct({ balances: Amounts, positions: Amounts })

/** Fails an answer that is not of its schema; one that is passes as it is. */
const looking = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return <A>(answer: A): Effect.Effect<A, VenueError> =>
    Effect.mapError(Effect.as(decode(answer), answer), ({ message }) => {
      const told = message.replaceAll(/\s+/g, " ")
      const why = `the venue's answer can't be read: ${told}`
      return new VenueError({ reason: new VenueUnavailable({ why, is_maintenance: false }) })
    })
}

const lookAtMarket = looking(Schema.Option(Market))
const lookAtOrder = looking(Schema.Option(OrderState))
const lookAtOrders = looking(Schema.Array(OrderState))
const lookAtTrades = looking(Trades)
const lookAtHoldings = looking(Holdings)

/** The venue, of which an answer that can't be read is a failure that says why. */
export const checkedVenue = (venue: Venue): Venue => ({
  ...venue,
  market: (symbol) => Effect.flatMap(venue.market(symbol), lookAtMarket),
  order: (symbol, id) => Effect.flatMap(venue.order(symbol, id), lookAtOrder),
  openOrders: Effect.flatMap(venue.openOrders, lookAtOrders),
  trades: (cursor) => Effect.flatMap(venue.trades(cursor), lookAtTrades),
  holdings: Effect.flatMap(venue.holdings, lookAtHoldings)
})
