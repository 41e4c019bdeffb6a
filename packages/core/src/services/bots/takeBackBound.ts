/**
 * The end of orders at an exchange whose position is left. These are exits at a price, and entries
 * that add to it or of which a part was in it.
 *
 * Such an exit would sell others' coins, or lock the quantity of an exit at market. Such an entry,
 * a safety order for one, would open a position that no rule asked for.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import type { Bot } from "../../domain/Bot.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { type MatchFill, type OrderRequest, showEnded } from "@candlewick/engine/kernel"
import { cancelAtVenue } from "../venues/bots/writeOrders.ts"
import type { BotPorts } from "./botPorts.ts"
import type { BotSession } from "./botSession.ts"
import { isEntry } from "../orderLegs.ts"
import { moveOrder } from "./orderRecords.ts"
import { isSellable } from "./sellable.ts"
import { positionClosedReason as reason } from "./takenBack.ts"

/** The part of a market's position that is left: all of it, or one lot. */
type LeftPart = "all" | { readonly lot: string }

/** The orders that are spared, where a rest of the part is too small to be sold. */
interface Spared {
  /** The exit whose fill has left the rest: it goes on to close it. */
  readonly filling: string | null
  /** An exit of no more than the rest may be at its venue, which fills it by itself. */
  readonly rest: number
}

const none: Spared = { filling: null, rest: 0 }

/** The part of a quantity that sums of doubles may miss. */
const roundingMax = 1e-9

/** Whether an order ends with the part of its market's position that is left. */
const isBound = (
  { endsWithPosition, id, leg, lot, quantity, type }: OrderRequest,
  left: LeftPart,
  hasFilled: boolean,
  rest: number
): boolean => {
  const isOf = left === "all" || left.lot === (leg === "entry" ? id : lot)
  if (leg !== "entry") return isOf && type !== "market" && quantity * (1 - roundingMax) > rest
  return isOf && (left !== "all" || endsWithPosition === true || hasFilled)
}

/** The parts of exits that their attempts at the venue leave out, as less was held. */
const cutsOf = Effect.fnUntraced(function* (
  { venueBooks }: Pick<BotPorts, "venueBooks">,
  botId: string
): Effect.fn.Return<(id: string) => number, StoreError> {
  const book = yield* Effect.catchTag(venueBooks.read(botId), "BooksError", Effect.die)
  return (id) => Number(book.orders[id]?.watch?.cut ?? "0")
})

const takeBack = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  market: number,
  { id }: OrderRequest
): Effect.fn.Return<void, StoreError> {
  yield* moveOrder(ports, bot.id, id, "cancelled", { reason })
  showEnded(session.account, { orderId: id, market, outcome: "cancelled", reason })
  yield* cancelAtVenue(ports, bot, session, market, id)
})

/**
 * Takes a live bot's entries back in a market that is about to be left. Its exits make way for the
 * one at market. They end with its fill, and rest again where its venue refuses it.
 */
export const takeBackEntries = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  market: number
): Effect.fn.Return<void, StoreError> {
  if (session.live === null) return
  const entries = session.account.books[market]!.orders.filter(isEntry)
  for (const order of entries) yield* takeBack(ports, bot, session, market, order)
})

/**
 * Takes a live bot's orders back that end with a position; a matcher on paper ends them itself. An
 * entry had a part in the position if its record has a fill by now. A fill that the report tells
 * after the exit belongs to the next position.
 */
export const takeBackBound = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  market: number,
  left: LeftPart,
  { filling, rest }: Spared = none
): Effect.fn.Return<void, StoreError> {
  const { orders } = session.account.books[market]!
  if (session.live === null || orders.length === 0) return
  const cuts = rest > 0 ? yield* cutsOf(ports, bot.id) : () => 0
  for (const order of orders) {
    const { id, leg } = order
    if (id === filling) continue
    const kept = leg === "entry" ? yield* ports.orders.get(bot.id, id) : Option.none()
    const hasFilled = Option.exists(kept, ({ filled_quantity: filled }) => filled > 0)
    const asked = { ...order, quantity: order.quantity - cuts(id) }
    if (!isBound(asked, left, hasFilled, rest)) continue
    yield* takeBack(ports, bot, session, market, order)
  }
})

/**
 * The part of a position that an exit's fill has left. A rest that can't be sold is none. Orders
 * that can only reduce are often let off the least notional.
 */
const leftBy = (
  { account, live, specs }: BotSession,
  { effect, lot, market, price }: MatchFill
): { readonly part: LeftPart; readonly rest: number } | null => {
  if (effect === "close") return { part: "all", rest: 0 }
  const { lots = [], position } = account.books[market]!
  const isLetOff = live?.venue.capabilities.hasReduceOnly === true
  const terms = { ...specs[market]!, ...(isLetOff && { minNotional: 0 }) }
  const held = lot === undefined ? position : lots.find(({ id }) => id === lot)?.position
  const rest = Math.abs(held?.quantity ?? 0)
  return isSellable(terms, rest, price) ? null : { part: lot === undefined ? "all" : { lot }, rest }
}

/** Takes back the orders that end with the position, or with the lot, that a fill has closed. */
export const takeBackAfter = Effect.fnUntraced(function* (
  ports: BotPorts,
  bot: Bot,
  session: BotSession,
  fill: MatchFill
): Effect.fn.Return<void, StoreError> {
  const { effect, lot: id, market, orderId } = fill
  if (effect !== "close" && effect !== "reduce") return
  const left = leftBy(session, fill)
  if (left === null) return
  const { lots = [] } = session.account.books[market]!
  const isRestHeld = effect === "reduce" && (id === undefined || lots.some((one) => one.id === id))
  const spared = { filling: isRestHeld ? orderId : null, rest: left.rest }
  yield* takeBackBound(ports, bot, session, market, left.part, spared)
})
