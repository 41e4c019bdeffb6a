/**
 * Writes the protective orders of a bot as attempts, for the sender to send and to cancel.
 *
 * @since 0.1.0
 */
import { BigDecimal, Effect } from "effect"
import {
  decimalOfNumber,
  decimalOfUnsafe,
  decimalText,
  floorDecimalToStep
} from "../../../domain/decimals.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { ProtectionPlace } from "../../../domain/OpenPosition.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import { AttemptMachine, openAttemptStates } from "../../../domain/AttemptMachine.ts"
import type { VenueCapabilities, VenueMarket } from "../../../ports/Venue.ts"
import type { VenueAccountStore } from "../../../ports/VenueAccountStore.ts"
import { makeVenueId } from "../makeVenueId.ts"
import { type DustLot, dustLots, isTooSmall, type SellingContext } from "./dustLots.ts"
import { mayRest, placedAgainMs, planProtection } from "./planProtection.ts"
import { protectionOf, restOfAttempt } from "./protectionStatus.ts"
import { isOrderOver, keptApart, lastPriceOf, type VenueBook } from "./venueBook.ts"
import { askAgainOf, forgetRefusals } from "./refusedStops.ts"
import {
  type ExitsContext,
  expectExit,
  lotsToProtect,
  restsOfLots,
  type ProtectedLot,
  type WantedExit,
  wantedExits
} from "./wantedExits.ts"
import { watchExits } from "./watchedExits.ts"
import { isEntry } from "../../orderLegs.ts"

/** The bot whose positions are protected, and the venue. */
export interface ProtectedAccount extends Omit<ExitsContext, "capabilities"> {
  /** The terms of the markets; without them nothing counts as too small. */
  readonly markets?: ReadonlyArray<VenueMarket> | undefined
  /** How long a position may lack its stop; a minute by default. */
  readonly unprotectedMaxMs?: number | undefined
  /** Lots below the least notional whose entry goes on to fill, as `growingLots` has them. */
  readonly growing: ReadonlySet<string>
  /** The key of the exchange account. */
  readonly key: string
  readonly accountId: string
  readonly botId: string
  /** The epoch of the exchange account, which its ids name. */
  readonly epoch: number
  readonly capabilities: ProtectingVenue
}

/** The properties of a venue that decide about protective orders and their ids. */
type ProtectingVenue = ExitsContext["capabilities"] &
  Pick<VenueCapabilities, "idForm" | "hasExpiry">

/** The fate of a bot's protection. */
export interface KeptProtection {
  /** As the venue has confirmed it; null where nothing is held. */
  readonly status: ProtectionPlace | null
  readonly wanted: ReadonlyArray<WantedExit>
  /**
   * The attempts that were open before, and the attempts of the wanted exits. An attempt that
   * is taken back now says so.
   */
  readonly attempts: ReadonlyArray<OrderAttempt>
  /** The lots that are to have a stop, and are large enough to be sold. */
  readonly lots: ReadonlyArray<ProtectedLot>
  /** The open attempts of the bot's other exits. */
  readonly exits: ReadonlyArray<OrderAttempt>
  readonly refused: ReadonlyArray<WantedExit>
  /** Lots that are too small to be sold, and of which the venue has no order any more. */
  readonly dust: ReadonlyArray<DustLot>
  /** Client order ids of exits that are watched from now on, and were at the venue. */
  readonly takenBack: ReadonlyArray<string>
  /** When an exit that its venue has refused is asked for again at the latest; null for none. */
  readonly askAgainMs: number | null
  /** Whether the sender has something to do. */
  readonly isChanged: boolean
}

type Store = Pick<
  VenueAccountStore["Service"],
  "attemptsOf" | "listOpenAttempts" | "nowMs" | "putAttempt"
>

/**
 * The bot's attempts of protective orders, which are the open ones and all of the exits that are
 * wanted, and its other open exits.
 */
const attemptsFor = Effect.fnUntraced(function* (
  store: Store,
  book: VenueBook,
  { botId, key }: ProtectedAccount,
  wanted: ReadonlyArray<WantedExit>
): Effect.fn.Return<Pick<KeptProtection, "attempts" | "exits">, StoreError> {
  const own = (yield* store.listOpenAttempts(key)).filter(({ bot_id }) => bot_id === botId)
  const isProtective = ({ client_order_id: id }: OrderAttempt): boolean =>
    book.orders[id]?.isProtective === true
  const known = new Map(own.filter(isProtective).map((attempt) => [attempt.id, attempt]))
  for (const { clientOrderId } of wanted) {
    for (const attempt of yield* store.attemptsOf(botId, clientOrderId)) {
      known.set(attempt.id, attempt)
    }
  }
  const exits = own.filter((attempt) => !isProtective(attempt) && !isEntry(attempt))
  return { attempts: [...known.values()], exits }
})

/** The steps by which the sender cuts an exit at the market down to what its bot has. */
const termsOf = (
  { markets }: ProtectedAccount,
  market: number,
  { type }: WantedExit
): Pick<OrderAttempt, "terms"> => {
  const known = markets?.[market]
  if (type !== "market" || known === undefined) return {}
  const costs = { fee_rate: 0, fee_per_fill: 0, slippage_rate: 0 }
  const steps = { quantity_step: known.quantityStep, price_step: known.priceStep }
  const { minNotional: min_notional, minQuantity: min_quantity } = known
  return { terms: { ...costs, ...steps, min_notional, min_quantity } }
}

const newAttempt = Effect.fnUntraced(function* (
  book: VenueBook,
  account: ProtectedAccount,
  exit: WantedExit,
  { attempts, nowMs }: { readonly attempts: ReadonlyArray<OrderAttempt>; readonly nowMs: number }
) {
  const { accountId, botId, capabilities, epoch, key } = account
  const { clientOrderId, leg, market, symbol } = exit
  const numbers = attempts.flatMap(({ client_order_id, number }) =>
    client_order_id === clientOrderId ? [number] : []
  )
  const number = Math.max(0, ...numbers) + 1
  const parts = { botId, epoch, market, decision: clientOrderId, leg, attempt: number }
  const price = account.priceOf?.(symbol) ?? lastPriceOf(book.markets[market]!) ?? 0
  // An exit that the bot watches for all lots has its own name there.
  const lot = keptApart(book, market, exit.lot === clientOrderId ? null : exit.lot)
  const order: OrderAttempt["order"] = {
    symbol,
    side: exit.side,
    type: exit.type,
    quantity: exit.quantity,
    limit_price: exit.limitPrice,
    stop_price: exit.stopPrice,
    is_reduce_only: exit.isReduceOnly,
    ...(capabilities.hasExpiry === true &&
      exit.expiresAtMs !== undefined && { expires_at_ms: exit.expiresAtMs })
  }
  const attempt: OrderAttempt = {
    account_key: key,
    id: yield* makeVenueId(parts, capabilities.idForm),
    bot_id: botId,
    account_id: accountId,
    client_order_id: clientOrderId,
    market,
    leg,
    number,
    order,
    ...(exit.asked !== undefined && { decided_order: { ...order, quantity: exit.asked } }),
    ...(exit.cancelsAtMs !== undefined &&
      order.expires_at_ms === undefined && { cancels_at_ms: exit.cancelsAtMs }),
    ...(lot !== null && { decided_after: book.sequence, lot }),
    ...termsOf(account, market, exit),
    reference_price: decimalText(decimalOfNumber(price)),
    written_at_ms: nowMs,
    state: AttemptMachine.initial,
    is_cancel_wanted: false,
    sent_at_ms: null,
    filled_quantity: "0",
    miss_count: 0,
    reason: null,
    version: 0
  }
  return attempt
})

/** Takes the open attempts of an exit back, whose end is then not that of the bot's order. */
const takeBack = Effect.fnUntraced(function* (
  store: Store,
  book: VenueBook,
  botId: string,
  { clientOrderId }: WantedExit
): Effect.fn.Return<void, StoreError> {
  const { watch } = book.orders[clientOrderId]!
  for (const attempt of yield* store.attemptsOf(botId, clientOrderId)) {
    if (!openAttemptStates.includes(attempt.state)) continue
    watch!.takenBack = [...watch!.takenBack, attempt.id]
    watch!.awaited = [...(watch!.awaited ?? []), attempt.id]
    if (!attempt.is_cancel_wanted) {
      yield* store.putAttempt({ ...attempt, is_cancel_wanted: true })
    }
  }
})

/**
 * Carries out the changes of the bot's own exits that may be watched. Returns the client order ids
 * of exits that were taken back, and whether the sender has something to do.
 */
const keepWatch = Effect.fnUntraced(function* (
  store: Store,
  book: VenueBook,
  account: ProtectedAccount,
  nowMs: number
): Effect.fn.Return<Pick<KeptProtection, "isChanged" | "takenBack">, StoreError> {
  const takenBack: Array<string> = []
  const whole = new Set(dustLots(book, account).flatMap((lot) => (lot.isWhole ? [lot.market] : [])))
  const steps = watchExits(book, { ...account, nowMs }, whole)
  for (const { exit, type } of steps) {
    if (type === "take_back") {
      yield* takeBack(store, book, account.botId, exit)
      takenBack.push(exit.clientOrderId)
      continue
    }
    const attempts = yield* store.attemptsOf(account.botId, exit.clientOrderId)
    yield* store.putAttempt(yield* newAttempt(book, account, exit, { attempts, nowMs }))
  }
  return { isChanged: steps.length > 0, takenBack }
})

/** Whether an entry of a lot, or one that its market merges with it, has filled in part so far. */
const isFilling = (book: VenueBook, market: number, lot: string): boolean =>
  Object.entries(book.orders).some(
    ([id, order]) =>
      order.market === market &&
      order.leg === "entry" &&
      (book.netting !== "hedging" || id === lot) &&
      BigDecimal.isPositive(decimalOfUnsafe(order.filled)) &&
      !isOrderOver(book, order)
  )

/** The lots that are below their market's least notional, also where orders only reduce. */
const belowLeast = (
  book: VenueBook,
  account: Omit<SellingContext, "capabilities">
): ReadonlyArray<DustLot> => dustLots(book, { ...account, capabilities: { hasReduceOnly: false } })

/**
 * The lots that are below their market's least notional, and whose entry goes on to fill. The venue
 * may refuse any order for one, and the next fill may make it large enough for its stop.
 */
export const growingLots = (
  book: VenueBook,
  account: Omit<SellingContext, "capabilities">
): ReadonlySet<string> => {
  const growing = belowLeast(book, account).filter(({ lot, market }) =>
    isFilling(book, market, lot)
  )
  return new Set(growing.map(({ lot }) => lot))
}

/** The quantities in whole steps of the lots that are not below their market's least notional. */
export const largeLots = (
  book: VenueBook,
  account: Omit<SellingContext, "capabilities">
): ReadonlyMap<string, string> => {
  const small = new Set(belowLeast(book, account).map(({ lot }) => lot))
  const large = book.markets.flatMap(({ lots }, market) => {
    const step = decimalOfNumber(book.specs[market]!.lot)
    return lots
      .filter(({ id }) => !small.has(id))
      .map(({ id, quantity }) => {
        const size = floorDecimalToStep(BigDecimal.abs(decimalOfUnsafe(quantity)), step)
        return [id, decimalText(size)] as const
      })
  })
  return new Map(large)
}

/** Whether an order at a venue asks for more than the bot's other exits leave of its lot. */
const exceedsLot = (
  book: VenueBook,
  attempt: OrderAttempt,
  lot: string,
  capabilities: ExitsContext["capabilities"]
): boolean => {
  const left = restsOfLots(book, attempt.market, capabilities).get(lot)
  return left === undefined || BigDecimal.isGreaterThan(restOfAttempt(attempt), left)
}

const isOpenFor =
  (lot: string, lotOf: (clientOrderId: string) => string) =>
  (attempt: OrderAttempt): boolean =>
    lotOf(attempt.client_order_id) === lot && mayRest(attempt)

/** The earlier of two times, of which either may be none. */
const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)

/**
 * Makes the protective orders of a bot follow its positions, and the exits that make room for them.
 * It runs in the transaction that reads and writes the books. That is after facts were booked,
 * candles were taken or levels were moved, and when an attempt has changed its state. It changes
 * nothing where all is as it should be.
 */
export const keepProtected = Effect.fnUntraced(function* (
  store: Store,
  book: VenueBook,
  account: ProtectedAccount
): Effect.fn.Return<KeptProtection, StoreError> {
  const { capabilities, growing } = account
  const nowMs = yield* store.nowMs
  const watched = yield* keepWatch(store, book, account, nowMs)
  const wanted = wantedExits(book, account)
  const { attempts: before, exits } = yield* attemptsFor(store, book, account, wanted)
  forgetRefusals(book, exits, { capabilities, nowMs })
  const lotOf = (id: string): string => book.orders[id]?.lot ?? id
  const small = dustLots(book, account)
  const isSmall = (lot: string): boolean => small.some((one) => one.lot === lot)
  // An order that the venue still has may fill by itself, and could not be placed anew.
  const isKept = (attempt: OrderAttempt): boolean => {
    const lot = lotOf(attempt.client_order_id)
    return isSmall(lot) && !exceedsLot(book, attempt, lot, capabilities)
  }
  const plan = planProtection(
    wanted.filter(
      ({ lot, market, quantity }) =>
        !isSmall(lot) && !isTooSmall(book, market, decimalOfUnsafe(quantity), account)
    ),
    before.filter((attempt) => !isKept(attempt)),
    { capabilities, lotOf, nowMs }
  )
  const attempts = before.map((attempt) =>
    plan.cancel.includes(attempt) ? { ...attempt, is_cancel_wanted: true } : attempt
  )
  for (const attempt of plan.cancel) {
    yield* store.putAttempt({ ...attempt, is_cancel_wanted: true })
  }
  for (const exit of plan.place) {
    expectExit(book, exit)
    yield* store.putAttempt(yield* newAttempt(book, account, exit, { attempts, nowMs }))
  }
  const dust = small.filter(({ lot }) => !growing.has(lot) && !attempts.some(isOpenFor(lot, lotOf)))
  const isSellable = ({ lot }: ProtectedLot): boolean =>
    !(growing.has(lot) && isSmall(lot)) && dust.every((one) => one.lot !== lot)
  return {
    status: protectionOf(book, [...attempts, ...exits]),
    wanted,
    attempts,
    lots: lotsToProtect(book, account).filter(isSellable),
    exits,
    refused: plan.refused,
    dust,
    takenBack: watched.takenBack,
    askAgainMs: earlier(askAgainOf(book, nowMs), placedAgainMs(plan.refused, before, nowMs)),
    isChanged: watched.isChanged || plan.cancel.length + plan.place.length > 0
  }
})
