/**
 * Books fills in an account: sizes cut to the cash, fees, positions opened and closed, protection
 * set and taken away.
 */
import type {
  Leg,
  MarketSpec,
  MatchingAccount,
  MatchOutcome,
  RestingOrder
} from "../../../src/kernel/account.ts"
import {
  feeOf,
  floorToLot,
  inverseOf,
  payableOf,
  roundToLot,
  type SideSign,
  slip
} from "../../../src/kernel/fill.ts"
import { applyFill, type RoundTrip, type ExitReason } from "../../../src/kernel/ledger.ts"
import type { PassedStops } from "../../../src/kernel/protection.ts"
import { protect } from "./protection.ts"

/**
 * Where and when a fill happens; `isInside` where protective exits are live from the next candle
 * only.
 */
export interface FillPlace {
  readonly market: number
  readonly time: number
  /** Volume of the candle, where it is known. */
  readonly volume?: number | undefined
  readonly isInside: boolean
}

/** How far an order of this size slips in this candle. */
export const slippageOf = (
  { slippageRate, volumeShare }: MarketSpec,
  quantity: number,
  { volume }: { readonly volume?: number | undefined }
): number => {
  if (volumeShare === undefined || volume === undefined || !(volume > 0)) return slippageRate
  return slippageRate + volumeShare.slippageRate * Math.min(1, Math.abs(quantity) / volume)
}

/** The largest quantity that an order gets in a candle. */
const availableIn = (
  { lot, volumeShare }: MarketSpec,
  { volume }: { readonly volume?: number | undefined }
): number =>
  volumeShare === undefined || volume === undefined
    ? Infinity
    : floorToLot(volume * volumeShare.max, lot)

/** The order that closes a whole position. */
export interface Closing {
  readonly orderId: string
  readonly leg: Leg
  readonly reason: ExitReason
  readonly price: number
  readonly isMaker: boolean
  /** The results of other paths through an ambiguous candle. */
  readonly others: ReadonlyArray<OtherExit>
}

/** An exit that another path would have made, after slippage. */
export interface OtherExit {
  readonly price: number
  readonly isMaker: boolean
}

/** Closes the whole position at a price and takes what protected it away. */
export const closePosition = (
  account: MatchingAccount,
  at: { readonly market: number; readonly time: number },
  spec: MarketSpec,
  outcome: MatchOutcome,
  closing: Closing
): void => {
  const position = account.books[at.market]!.position!
  const side = position.quantity > 0 ? -1 : 1
  const quantity = Math.abs(position.quantity)
  const rate = closing.isMaker ? spec.makerRate : spec.takerRate
  const fee = feeOf(quantity * closing.price, rate, spec.feePerFill)
  book(account, at, spec, outcome, { ...closing, side, quantity, fee })
}

/** Fills a resting or market order at a raw price, as far as it can be filled. */
export const fillOrder = (
  account: MatchingAccount,
  order: RestingOrder,
  rawPrice: number,
  at: FillPlace,
  spec: MarketSpec,
  outcome: MatchOutcome
): void => {
  if (order.leg === "exit") fillExit(account, order, rawPrice, at, spec, outcome)
  else fillEntry(account, order, rawPrice, at, spec, outcome)
}

const isMaker = ({ type }: RestingOrder): boolean => type === "limit" || type === "stop_limit"

const endOrder = (
  { books }: MatchingAccount,
  order: RestingOrder,
  { market }: FillPlace,
  outcome: MatchOutcome,
  ending: "rejected" | "cancelled",
  reason: string
): void => {
  const { index } = books[market]!
  outcome.ended.push({ orderId: order.id, market, outcome: ending, reason, index })
}

/** The cost of an order at a quantity: limits do not slip and pay the maker's rate. */
const priced = (
  order: RestingOrder,
  rawPrice: number,
  quantity: number,
  at: FillPlace,
  spec: MarketSpec
): { readonly price: number; readonly rate: number } =>
  isMaker(order)
    ? { price: rawPrice, rate: spec.makerRate }
    : {
        price: slip(order.side, rawPrice, slippageOf(spec, quantity, at)),
        rate: spec.takerRate
      }

const fillExit = (
  account: MatchingAccount,
  order: RestingOrder,
  rawPrice: number,
  at: FillPlace,
  spec: MarketSpec,
  outcome: MatchOutcome
): void => {
  const target = account.books[at.market]!
  const held = target.position
  if (held === null || held.quantity > 0 === order.side > 0) {
    return endOrder(account, order, at, outcome, "rejected", "there is no position to reduce")
  }
  // Lots that are sold one after the other do not add up to the bit; what is left is whole lots.
  const holding = roundToLot(Math.abs(held.quantity), spec.lot)
  const wanted = Math.min(order.quantity, holding)
  const quantity = Math.min(wanted, availableIn(spec, at))
  const rest = roundToLot(wanted - quantity, spec.lot)
  // The next candle is asked for what the volume of this one does not give.
  if (rest > 0) {
    const left = roundToLot(order.quantity - quantity, spec.lot)
    target.orders.push({ ...order, quantity: left })
  } else if (wanted < order.quantity) {
    endOrder(account, order, at, outcome, "cancelled", "there is no more to reduce")
  }
  if (!(quantity > 0)) return
  const { price, rate } = priced(order, rawPrice, quantity, at, spec)
  const fee = feeOf(quantity * price, rate, spec.feePerFill)
  book(account, at, spec, outcome, {
    orderId: order.id,
    leg: "exit",
    reason: order.reason,
    side: order.side,
    quantity,
    price,
    fee,
    others: noOthers
  })
}

const fillEntry = (
  account: MatchingAccount,
  order: RestingOrder,
  rawPrice: number,
  at: FillPlace,
  spec: MarketSpec,
  outcome: MatchOutcome
): void => {
  const reject = (reason: string) => endOrder(account, order, at, outcome, "rejected", reason)
  if (order.side === -1 && !spec.canShort) return reject("this market can't be shorted")
  if (account.books[at.market]!.position !== null) return reject("a position is open")
  const wanted = Math.min(order.quantity, availableIn(spec, at))
  if (!(wanted > 0)) return reject("the candle has too little volume")
  const { price, rate } = priced(order, rawPrice, wanted, at, spec)
  const quantity = affordable(account, at.market, wanted, price, rate, spec)
  if (!(quantity > 0)) return reject("there is not enough cash")
  if (quantity * price < spec.minNotional) return reject("it is below the minimum notional")
  // Without this row a host would take the rest for resting still.
  if (quantity < order.quantity) {
    const lacking = quantity < wanted ? "cash" : "volume"
    endOrder(
      account,
      order,
      at,
      outcome,
      "cancelled",
      `there is not enough ${lacking} for the rest`
    )
  }
  const fee = feeOf(quantity * price, rate, spec.feePerFill)
  book(account, at, spec, outcome, {
    orderId: order.id,
    leg: "entry",
    reason: order.reason,
    side: order.side,
    quantity,
    price,
    fee,
    others: noOthers
  })
  const target = account.books[at.market]!
  target.protection =
    order.attached === null
      ? null
      : protect(order, order.attached, price, target.index + (at.isInside ? 1 : 0), spec.tick)
}

/** The quantity cut to what can be paid at this price, on the lot. */
const affordable = (
  account: MatchingAccount,
  market: number,
  quantity: number,
  price: number,
  rate: number,
  spec: MarketSpec
): number => {
  let power = account.ledger.cash * spec.leverage
  account.books.forEach((other, index) => {
    const { position } = other
    if (position === null || index === market) return
    const last = other.lastClose ?? position.entryPrice
    power += position.quantity * last * spec.leverage - Math.abs(position.quantity) * last
  })
  power -= spec.feePerFill
  const { lot } = spec
  return payableOf(floorToLot(quantity, lot), price, rate, power, lot, inverseOf(lot))
}

interface Booking {
  readonly orderId: string
  readonly leg: Leg
  readonly reason: ExitReason
  readonly side: SideSign
  readonly quantity: number
  readonly price: number
  readonly fee: number
  readonly others: ReadonlyArray<OtherExit>
}

const noOthers: ReadonlyArray<OtherExit> = []

/** The exits that other paths through this candle and those before it would have made. */
const otherExits = (
  passed: PassedStops | undefined,
  others: ReadonlyArray<OtherExit>
): ReadonlyArray<OtherExit> =>
  passed === undefined
    ? others
    : [...others, ...[passed.best, passed.worst].map((price) => ({ price, isMaker: false }))]

const book = (
  account: MatchingAccount,
  at: { readonly market: number; readonly time: number },
  spec: MarketSpec,
  outcome: MatchOutcome,
  booking: Booking
): void => {
  const target = account.books[at.market]!
  const before = target.position
  const { side, quantity, price, fee } = booking
  const { index } = target
  const done = applyFill(account.ledger, before, {
    side,
    quantity,
    price,
    fee,
    index,
    time: at.time
  })
  target.position = done.position
  let closed: RoundTrip | null = null
  if (before !== null && done.closedQuantity > 0) {
    const direction = before.quantity > 0 ? 1 : -1
    const others = otherExits(target.protection?.passed, booking.others)
    const quantity = done.closedQuantity
    const otherPnls = others.map((other) => {
      const rate = other.isMaker ? spec.makerRate : spec.takerRate
      const change = direction * quantity * (other.price - before.entryPrice)
      return change - (done.closedFees - fee) - feeOf(quantity * other.price, rate, spec.feePerFill)
    })
    closed = {
      market: at.market,
      direction,
      quantity: done.closedQuantity,
      entryIndex: before.entryIndex,
      entryTime: before.entryTime,
      entryPrice: before.entryPrice,
      exitIndex: index,
      exitTime: at.time,
      exitPrice: price,
      fees: done.closedFees,
      pnl: done.closedPnl,
      returnRate: done.closedPnl / (done.closedQuantity * before.entryPrice),
      exitReason: booking.reason,
      isAmbiguous: others.length > 0,
      bestPathPnl: Math.max(done.closedPnl, ...otherPnls),
      worstPathPnl: Math.min(done.closedPnl, ...otherPnls)
    }
  }
  if (done.position === null) {
    target.protection = null
    target.lastExitIndex = index
    target.wasStopped = booking.leg === "stop_loss" || booking.leg === "trailing_stop"
  }
  outcome.fills.push({
    orderId: booking.orderId,
    market: at.market,
    leg: booking.leg,
    side,
    quantity,
    price,
    fee,
    index,
    time: at.time,
    effect: done.effect,
    closed
  })
}
