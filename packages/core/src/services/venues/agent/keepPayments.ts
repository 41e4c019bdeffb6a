/**
 * Funding of an exchange account, shared among the bots whose positions it was paid on.
 *
 * A venue nets the positions of all bots, and pays once. Each bot gets its part by its position at
 * the time of the payment. A trade that is reported after the payment and was made before it comes
 * too late to change the parts.
 *
 * @since 0.1.0
 */
import { BigDecimal, Effect } from "effect"
import { type AccountBook, adjust, coinsOf } from "../../../domain/AccountBook.ts"
import { decimalOfUnsafe, decimalText } from "../../../domain/decimals.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { FundingFact } from "../../../domain/VenueAccount.ts"
import type { VenuePayment } from "../../../ports/Venue.ts"
import type { AgentState, KeptBook } from "./agentState.ts"
import { worthOfOne } from "./keepPrices.ts"

type Amount = BigDecimal.BigDecimal

/** Places after the point that a bot's part has at least. */
const partScale = 8

/** Facts of the account before a payment among which trades after its time are looked for. */
const recentCount = 500

/** The quantity of a market that a bot held at a time that is not long ago. */
const heldAt = Effect.fnUntraced(function* (
  { ports }: AgentState,
  shares: AccountBook,
  botId: string,
  { symbol, timeMs }: VenuePayment,
  sequence: number
): Effect.fn.Return<Amount, StoreError> {
  let held = decimalOfUnsafe(shares.bots[botId]!.positions[symbol] ?? "0")
  const after = Math.max(0, sequence - recentCount)
  for (const { fact } of yield* ports.venueAccounts.factsOf(botId, after)) {
    if (fact.type !== "trade" || fact.symbol !== symbol || fact.time_ms <= timeMs) continue
    const moved = decimalOfUnsafe(fact.quantity)
    held = fact.side === "buy" ? BigDecimal.subtract(held, moved) : BigDecimal.sum(held, moved)
  }
  return BigDecimal.abs(held)
})

/** The parts of an amount by quantities; all of it where no more than these was held. */
export const splitByHoldings = (
  amount: string,
  held: ReadonlyMap<string, Amount>,
  whole: string | null
): ReadonlyMap<string, string> => {
  const holders = [...held]
    .filter(([, quantity]) => !BigDecimal.isZero(quantity))
    .sort(([one], [other]) => (one < other ? -1 : 1))
  const sum = BigDecimal.sumAll(holders.map(([, quantity]) => quantity))
  const told = whole === null ? sum : BigDecimal.abs(decimalOfUnsafe(whole))
  const isAll = BigDecimal.isLessThanOrEqualTo(told, sum)
  const paid = decimalOfUnsafe(amount)
  const scale = Math.max(partScale, paid.scale)
  const parts = new Map<string, string>()
  let rest = paid
  for (const [nth, [botId, quantity]] of holders.entries()) {
    const exact = BigDecimal.divideUnsafe(BigDecimal.multiply(paid, quantity), isAll ? sum : told)
    const isLast = isAll && nth === holders.length - 1
    const part = isLast ? rest : BigDecimal.round(exact, { scale })
    rest = BigDecimal.subtract(rest, part)
    if (!BigDecimal.isZero(part)) parts.set(botId, decimalText(part))
  }
  return parts
}

const toFact = (
  { amount, currency, id, symbol, timeMs }: VenuePayment,
  botId: string | null,
  price?: string
): FundingFact => ({
  type: "funding",
  id: botId === null ? id : `${id} ${botId}`,
  bot_id: botId,
  client_order_id: null,
  symbol,
  amount,
  currency,
  ...(price !== undefined && { currency_price: price }),
  time_ms: timeMs
})

/** Keeps payments once, and moves the cash of the bots that held something. */
export const keepPayments = Effect.fnUntraced(function* (
  agent: AgentState,
  before: Pick<KeptBook, "bounds" | "shares">,
  payments: ReadonlyArray<VenuePayment>
): Effect.fn.Return<
  {
    readonly shares: AccountBook
    readonly botIds: ReadonlyArray<string>
    readonly count: number
    /** The parts of bots. */
    readonly facts: ReadonlyArray<FundingFact>
  },
  StoreError
> {
  const { venueAccounts } = agent.ports
  const botIds: Array<string> = []
  const facts: Array<FundingFact> = []
  let { shares } = before
  let count = 0
  for (const payment of payments) {
    const [whole] = yield* venueAccounts.keepFacts(agent.key, [toFact(payment, null)])
    if (whole === undefined) continue
    count++
    const held = new Map<string, Amount>()
    for (const botId of Object.keys(shares.bots)) {
      held.set(botId, yield* heldAt(agent, shares, botId, payment, whole.sequence))
    }
    const { currency, symbol } = payment
    const isQuote = currency === coinsOf(symbol)[1]
    const price = isQuote ? undefined : worthOfOne(before.bounds, currency, symbol)
    for (const [botId, amount] of splitByHoldings(payment.amount, held, payment.quantity)) {
      const fact = toFact({ ...payment, amount }, botId, price)
      yield* venueAccounts.keepFacts(agent.key, [fact])
      facts.push(fact)
      shares = adjust(shares, botId, { name: payment.currency, isPosition: false }, amount)
      botIds.push(botId)
    }
  }
  return { shares, botIds, count, facts }
})
