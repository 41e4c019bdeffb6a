/**
 * The attempts of a bot's decisions, written in the transaction of its step.
 *
 * A venue counts in steps: quantities are rounded down, so that a bot never orders more than it
 * decided, and prices to the nearest step.
 *
 * @since 0.1.0
 */
import { BigDecimal, Effect } from "effect"
import { type MarketSpec, type OrderRequest, passesStop } from "@candlewick/engine/kernel"
import { AttemptMachine, openAttemptStates } from "../../../domain/AttemptMachine.ts"
import type { Bot } from "../../../domain/Bot.ts"
import {
  decimalOfNumber,
  decimalOfUnsafe,
  decimalText,
  floorDecimalToStep
} from "../../../domain/decimals.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import { venueIdOf, venueIdText } from "../../../domain/venueIds.ts"
import type { VenueCapabilities, VenueMarket } from "../../../ports/Venue.ts"
import type { BotSession } from "../../bots/botSession.ts"
import { sideOf } from "../../bots/orderRecords.ts"
import { sha256Hex } from "../../sha256.ts"
import type { AgentPorts } from "./agentState.ts"
import { isEntry } from "../../orderLegs.ts"

/** Where a bot's attempts are written, and the terms of the venue that they go to. */
export interface AttemptSetting {
  readonly ports: Pick<AgentPorts, "venueAccounts">
  readonly key: string
  readonly capabilities: VenueCapabilities
  /** The bot's markets, in the order of its symbols. */
  readonly markets: ReadonlyArray<VenueMarket>
  /** How often margin may be held in each market; 1 where it is left out. */
  readonly leverages?: Readonly<Record<string, number>> | undefined
}

/** An order as a bot decides it: an entry, an exit, or a protective exit that rests. */
export interface DecidedOrder extends Pick<
  OrderRequest,
  "id" | "side" | "type" | "quantity" | "limit" | "stop"
> {
  readonly leg: OrderAttempt["leg"]
  /** Whether the part that does not fill at once ends. */
  readonly isImmediate?: boolean | undefined
  /** Orders of one group: the first that fills ends the others. */
  readonly group?: string | undefined
  /** Whether the order ends with the position that it adds to. */
  readonly endsWithPosition?: boolean | undefined
  /** The ids of the exits at market that the bot decided on before an entry. */
  readonly afterExits?: ReadonlyArray<string> | undefined
  /** When the order ends, for a venue that ends it by itself. */
  readonly expiresAtMs?: number | undefined
  /** When the agent cancels it, at a venue that does not. */
  readonly cancelsAtMs?: number | undefined
  /** The least notional of an entry whose stop the venue takes. */
  readonly leastNotional?: number | undefined
}

/** The demands of a bot's decisions on its venue. */
export type AttemptIntent =
  | {
      readonly type: "place"
      readonly market: number
      readonly order: DecidedOrder
      /** The number of the last fact that the bot had booked when it decided. */
      readonly decidedAfter: number
      /** The lot that an exit closes, where lots are kept apart. */
      readonly lot?: OrderAttempt["lot"]
    }
  | { readonly type: "cancel"; readonly market: number; readonly orderId: string }

/** An order that the venue would refuse, so that no attempt of it was written. */
export interface UnsentOrder {
  readonly orderId: string
  readonly why: string
}

/** The part of a quantity by which doubles may miss a whole number of steps. */
const roundingMax = 1e-10

const half = decimalOfUnsafe("0.5")

/** A quantity in whole steps, rounded down. */
export const toQuantity = (quantity: number, step: string): string =>
  decimalText(
    floorDecimalToStep(decimalOfNumber(quantity * (1 + roundingMax)), decimalOfUnsafe(step))
  )

/** A price in whole steps, the nearest one. */
export const toPrice = (price: number, step: string): string => {
  const one = decimalOfUnsafe(step)
  const raised = BigDecimal.sum(decimalOfNumber(price), BigDecimal.multiply(one, half))
  return decimalText(floorDecimalToStep(raised, one))
}

/** Whether an order holds for the price that there is, and for no other. */
export const isNowOrNever = ({ isImmediate, limit, stop }: DecidedOrder): boolean =>
  isImmediate === true && limit !== null && stop === null

/** An order in the words of the venue. */
export const toVenueOrder = (
  order: DecidedOrder,
  { priceStep, quantityStep, symbol }: VenueMarket,
  {
    hasExpiry,
    hasImmediate,
    hasReduceOnly
  }: Pick<VenueCapabilities, "hasExpiry" | "hasImmediate" | "hasReduceOnly">
): OrderAttempt["order"] => ({
  symbol,
  side: sideOf(order.side),
  type: order.type,
  quantity: toQuantity(order.quantity, quantityStep),
  limit_price: order.limit === null ? null : toPrice(order.limit, priceStep),
  stop_price: order.stop === null ? null : toPrice(order.stop, priceStep),
  is_reduce_only: hasReduceOnly && !isEntry(order),
  ...(hasImmediate === true && isNowOrNever(order) && { is_immediate: true }),
  ...(hasExpiry === true && order.expiresAtMs !== undefined && { expires_at_ms: order.expiresAtMs })
})

/** The reason for which a venue would refuse an order with any balance. */
export const refusalOfTerms = (
  order: OrderAttempt["order"],
  { minNotional, minQuantity }: VenueMarket,
  { hasStops }: Pick<VenueCapabilities, "hasStops">,
  lastPrice: string
): string | null => {
  const quantity = decimalOfUnsafe(order.quantity)
  if (!BigDecimal.isPositive(quantity)) return "the quantity is less than one step of the venue"
  if (BigDecimal.isLessThan(quantity, decimalOfUnsafe(minQuantity))) {
    return `the quantity is below the venue's minimum of ${minQuantity}`
  }
  const price = order.limit_price ?? order.stop_price ?? lastPrice
  const notional = BigDecimal.multiply(quantity, decimalOfUnsafe(price))
  // Many venues let orders that only reduce off the least notional: the venue is asked.
  if (!order.is_reduce_only && BigDecimal.isLessThan(notional, decimalOfUnsafe(minNotional))) {
    return `the order is worth less than the venue's minimum of ${minNotional}`
  }
  return order.stop_price !== null && !hasStops ? "the venue has no stop orders" : null
}

/** The highest rate of a fee: whichever is wrong, and whether it takes or rests, none is higher. */
export const highestFeeRate = (
  terms: Pick<VenueMarket, "makerRate" | "takerRate">,
  { makerRate = 0, takerRate = 0 }: Partial<Pick<MarketSpec, "makerRate" | "takerRate">> = {}
): number =>
  Math.max(takerRate, makerRate, Number(terms.takerRate ?? 0), Number(terms.makerRate ?? 0))

/** The terms by which the sender cuts an order down. */
const termsOf = (
  { markets }: Pick<AttemptSetting, "markets">,
  { specs }: Pick<BotSession, "specs">,
  market: number,
  { leastNotional = 0 }: Pick<DecidedOrder, "leastNotional">
): OrderAttempt["terms"] => {
  const terms = markets[market]!
  const { feePerFill = 0, slippageRate = 0 } = specs[market] ?? {}
  return {
    fee_rate: highestFeeRate(terms, specs[market]),
    fee_per_fill: feePerFill,
    slippage_rate: slippageRate,
    quantity_step: terms.quantityStep,
    price_step: terms.priceStep,
    min_quantity: terms.minQuantity,
    min_notional: decimalText(
      BigDecimal.max(decimalOfUnsafe(terms.minNotional), decimalOfNumber(leastNotional))
    ),
    ...(terms.feeCoin !== undefined && { fee_coin: terms.feeCoin })
  }
}

type WritingBot = Pick<Bot, "id" | "account_id">
type WritingSession = Pick<BotSession, "account" | "epoch" | "specs">

/**
 * An entry whose stop the last close has passed fills at once, as the market or its limit gives. An
 * exchange refuses such a stop, because it would be triggered at once.
 */
export const afterPassed = (decided: DecidedOrder, close: number | null): DecidedOrder => {
  const { limit, side, stop } = decided
  if (!isEntry(decided) || stop === null || close === null) return decided
  if (!passesStop(side, stop, close)) return decided
  return { ...decided, type: limit === null ? "market" : "limit", stop: null }
}

/** A decided order in the words of its venue, and why that would refuse it; null where not. */
export const judgeTerms = (
  { capabilities, markets }: Pick<AttemptSetting, "capabilities" | "markets">,
  { account }: Pick<BotSession, "account">,
  market: number,
  decided: DecidedOrder
): {
  readonly order: OrderAttempt["order"]
  readonly lastPrice: string
  readonly why: string | null
} => {
  const terms = markets[market]!
  const close = account.books[market]!.lastClose
  const order = toVenueOrder(afterPassed(decided, close), terms, capabilities)
  const lastPrice = close === null ? "0" : decimalText(decimalOfNumber(close))
  return { order, lastPrice, why: refusalOfTerms(order, terms, capabilities, lastPrice) }
}

const hasSome = (ids: ReadonlyArray<string> | undefined): ids is ReadonlyArray<string> =>
  ids !== undefined && ids.length > 0

const place = Effect.fnUntraced(function* (
  setting: AttemptSetting,
  bot: WritingBot,
  session: WritingSession,
  { decidedAfter, lot, market, order: decided }: Extract<AttemptIntent, { readonly type: "place" }>
): Effect.fn.Return<UnsentOrder | null, StoreError> {
  const {
    capabilities,
    key,
    leverages = {},
    ports: { venueAccounts }
  } = setting
  const { lastPrice, order, why } = judgeTerms(setting, session, market, decided)
  if (why !== null) return { orderId: decided.id, why }
  const parts = {
    botId: bot.id,
    epoch: session.epoch,
    market,
    decision: decided.id,
    leg: decided.leg,
    attempt: 1
  }
  yield* venueAccounts.putAttempt({
    account_key: key,
    id: venueIdOf(yield* sha256Hex(venueIdText(parts)), capabilities.idForm),
    bot_id: bot.id,
    account_id: bot.account_id,
    client_order_id: decided.id,
    market,
    leg: decided.leg,
    number: 1,
    order,
    ...(isNowOrNever(decided) && capabilities.hasImmediate !== true && { cancels_rest: true }),
    ...(decided.cancelsAtMs !== undefined &&
      order.expires_at_ms === undefined && { cancels_at_ms: decided.cancelsAtMs }),
    ...(capabilities.kind === "one_way" && isEntry(decided) && { leverages }),
    ...((isEntry(decided) || order.type === "market" || isNowOrNever(decided)) && {
      terms: termsOf(setting, session, market, decided)
    }),
    ...((isEntry(decided) || lot !== undefined) && { decided_after: decidedAfter }),
    ...(lot !== undefined && { lot }),
    ...(decided.group !== undefined && { group: decided.group }),
    ...(isEntry(decided) && hasSome(decided.afterExits) && { after_exits: decided.afterExits }),
    ...(isEntry(decided) && decided.endsWithPosition === true && { ends_with_position: true }),
    reference_price: lastPrice,
    written_at_ms: yield* venueAccounts.nowMs,
    state: AttemptMachine.initial,
    is_cancel_wanted: false,
    sent_at_ms: null,
    filled_quantity: "0",
    miss_count: 0,
    reason: null,
    version: 0
  })
  return null
})

/** Marks the attempts of an order that its bot wants gone; the sender does the rest. */
const takeBack = Effect.fnUntraced(function* (
  { ports: { venueAccounts } }: AttemptSetting,
  bot: WritingBot,
  orderId: string
): Effect.fn.Return<void, StoreError> {
  for (const attempt of yield* venueAccounts.attemptsOf(bot.id, orderId)) {
    if (attempt.is_cancel_wanted || !openAttemptStates.includes(attempt.state)) continue
    yield* venueAccounts.putAttempt({ ...attempt, is_cancel_wanted: true })
  }
})

/**
 * Writes the orders of a bot's decisions for its venue. Returns the orders that the venue would
 * refuse by its terms; nothing is written of them. To be run in the transaction of the step; the
 * agent of the account is to be rung after it.
 */
export const writeAttempts = Effect.fnUntraced(function* (
  setting: AttemptSetting,
  bot: WritingBot,
  session: WritingSession,
  intents: ReadonlyArray<AttemptIntent>
): Effect.fn.Return<ReadonlyArray<UnsentOrder>, StoreError> {
  const unsent: Array<UnsentOrder> = []
  for (const intent of intents) {
    if (intent.type === "cancel") {
      yield* takeBack(setting, bot, intent.orderId)
      continue
    }
    const refused = yield* place(setting, bot, session, intent)
    if (refused !== null) unsent.push(refused)
  }
  return unsent
})
