/**
 * An account at a venue, as the suite of venues trades with it.
 *
 * @since 0.1.0
 */
import { assert } from "@effect/vitest"
import { BigDecimal, Effect, Option } from "effect"
import { decimalOfUnsafe, decimalText } from "../domain/decimals.ts"
import { venueIdOf } from "../domain/venueIds.ts"
import type { VenueError } from "../domain/VenueError.ts"
import type {
  Decimal,
  Venue,
  VenueIdForm,
  VenueOrder,
  VenueOrderState,
  VenuePayment,
  VenueTrade
} from "../ports/Venue.ts"

/**
 * An account at a venue, and a hand on the world around it.
 *
 * @category models
 * @since 0.1.0
 */
export interface VenueHarness {
  readonly venue: Venue
  /**
   * A market that trades at 100. Its quantity step divides 1, and its price step divides 0.5. It
   * takes an order of one unit, and 10 000 of its quote are at hand.
   */
  readonly symbol: string
  /** Trades the market at a price; nothing else moves it. */
  readonly moveTo: (price: Decimal) => Effect.Effect<void, unknown>
  /** Lets time pass, and the market trade on at its price. */
  readonly wait: (ms: number) => Effect.Effect<void, unknown>
  /** The time from which the venue's window counts. */
  readonly nowMs: Effect.Effect<number, unknown>
  /** Has funding fall due on the market; left out where the venue has none. */
  readonly fund?: ((rate: Decimal) => Effect.Effect<unknown, unknown>) | undefined
  /**
   * Places an order as the account's owner does, without an id of ours; left out where only orders
   * of ours can be placed.
   */
  readonly placeByHand?:
    | ((order: Omit<VenueOrder, "id" | "sentAtMs">) => Effect.Effect<unknown, unknown>)
    | undefined
  /** Cuts the connection of the feed. */
  readonly cut: Effect.Effect<void, unknown>
  /** The longest time from a price that fills an order until all of its trades are reported. */
  readonly slowestMs: number
}

type Amount = BigDecimal.BigDecimal

const none = BigDecimal.fromBigInt(0n)

/** An id that no venue has met. @category testing @since 0.1.0 */
export const testVenueId = (form: VenueIdForm): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  return venueIdOf(hex, form)
}

/** All trades after a cursor, with the cursor after them. */
export const tradesFrom = Effect.fnUntraced(function* (
  { trades }: Venue,
  after: string | null
): Effect.fn.Return<
  {
    readonly trades: ReadonlyArray<VenueTrade>
    readonly payments: ReadonlyArray<VenuePayment>
    readonly cursor: string
  },
  VenueError
> {
  const told: Array<VenueTrade> = []
  const payments: Array<VenuePayment> = []
  let page = yield* trades(after)
  for (;;) {
    told.push(...page.trades)
    payments.push(...(page.payments ?? []))
    if (!page.hasMore) return { trades: told, payments, cursor: page.cursor }
    page = yield* trades(page.cursor)
  }
})

/** Each trade once, whichever was reported first. */
export const onceEach = (trades: ReadonlyArray<VenueTrade>): ReadonlyArray<VenueTrade> => [
  ...new Map(trades.toReversed().map((trade) => [trade.id, trade])).values()
]

/** The sum of the trades' quantities. */
export const quantityOf = (trades: ReadonlyArray<VenueTrade>): Decimal =>
  decimalText(BigDecimal.sumAll(trades.map(({ quantity }) => decimalOfUnsafe(quantity))))

/** The amounts that trades on spot have added to each coin, where they have changed it. */
export const movesOf = (
  trades: ReadonlyArray<VenueTrade>,
  { base, quote }: { readonly base: string; readonly quote: string }
): ReadonlyMap<string, Decimal> => {
  const moves = new Map<string, Amount>()
  const add = (coin: string, amount: Amount) =>
    moves.set(coin, BigDecimal.sum(moves.get(coin) ?? none, amount))
  for (const { fee, price, side, ...trade } of trades) {
    const quantity = decimalOfUnsafe(trade.quantity)
    const bought = side === "buy" ? quantity : BigDecimal.negate(quantity)
    add(base, bought)
    add(quote, BigDecimal.negate(BigDecimal.multiply(bought, decimalOfUnsafe(price))))
    add(fee.currency, BigDecimal.negate(decimalOfUnsafe(fee.amount)))
  }
  return changesFrom(new Map(), new Map([...moves].map(([coin, sum]) => [coin, decimalText(sum)])))
}

/** The changes from one set of amounts to another. */
export const changesFrom = (
  before: ReadonlyMap<string, Decimal>,
  after: ReadonlyMap<string, Decimal>
): ReadonlyMap<string, Decimal> => {
  const changes = new Map<string, Decimal>()
  for (const name of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const [from, to] = [before, after].map((amounts) => decimalOfUnsafe(amounts.get(name) ?? "0"))
    const change = BigDecimal.subtract(to!, from!)
    if (!BigDecimal.isZero(change)) changes.set(name, decimalText(change))
  }
  return changes
}

/** How often a condition is looked at before it counts as false for good. */
export const looks = 40

/** A buy order of one unit at the market, sent now; fields replace its own. */
const orderOf = ({ nowMs, symbol, venue }: VenueHarness, fields: Partial<VenueOrder>) =>
  Effect.map(nowMs, (sentAtMs): VenueOrder => ({
    id: testVenueId(venue.capabilities.idForm),
    symbol,
    side: "buy",
    type: "market",
    quantity: "1",
    limitPrice: null,
    stopPrice: null,
    isReduceOnly: false,
    sentAtMs,
    ...fields
  }))

/** An account that trades in one market, and waits for the reports of its venue. */
export const tradeWith = (harness: VenueHarness) => {
  const { slowestMs, symbol, venue, wait } = harness

  /** Waits until all that has happened is known. */
  const settled = wait(slowestMs + venue.capabilities.readLagMs)

  /** Sends an order that the venue is to take. */
  const place = Effect.fnUntraced(function* (fields: Partial<VenueOrder> = {}) {
    const order = yield* orderOf(harness, fields)
    yield* venue.submit(order)
    return order
  })

  /** The code of the refusal of an order, which the venue must not have afterwards. */
  const refusal = Effect.fnUntraced(function* (fields: Partial<VenueOrder>) {
    const order = yield* orderOf(harness, fields)
    const { reason } = yield* Effect.flip(venue.submit(order))
    assert.strictEqual(reason._tag, "VenueRefused")
    yield* settled
    assert.deepStrictEqual(yield* venue.order(order.symbol, order.id), Option.none())
    return "code" in reason ? reason.code : reason._tag
  })

  /** The order once it has this status, and fails where it never has. */
  const orderOnce = Effect.fnUntraced(function* (
    { id }: VenueOrder,
    status: VenueOrderState["status"]
  ) {
    for (let look = 0; ; look++) {
      const found = Option.getOrUndefined(yield* venue.order(symbol, id))
      if (found?.status === status) return found
      assert.isBelow(look, looks, `the order is never ${status}`)
      yield* settled
    }
  })

  /** Sends an order, and waits until it is filled and all of its trades are reported. */
  const trade = Effect.fnUntraced(function* (fields: Partial<VenueOrder> = {}) {
    const order = yield* place(fields)
    yield* orderOnce(order, "filled")
    yield* settled
    return order
  })

  const statusOf = (id: string) =>
    Effect.map(venue.order(symbol, id), (found) =>
      Option.isNone(found) ? "absent" : found.value.status
    )

  return {
    ...harness,
    orderOf: (fields: Partial<VenueOrder>) => orderOf(harness, fields),
    orderOnce,
    place,
    refusal,
    settled,
    statusOf,
    trade
  }
}
