/**
 * The rest of a lot when an exit of it is about to be sent.
 *
 * @since 0.1.0
 */
import { BigDecimal, Effect } from "effect"
import { decimalOfUnsafe, numberOf } from "../../../domain/decimals.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import type { OrderAttempt } from "../../../domain/VenueAccount.ts"
import { restOfAttempt } from "../books/protectionStatus.ts"
import { mayBeLive } from "./accountBounds.ts"
import type { AgentState } from "./agentState.ts"

/**
 * The rest of the lot that an exit at the market closes; null for an exit of any lot.
 *
 * The bot may not have heard of trades since it decided on the exit. They count here, and so do the
 * exits of the lot at the market that are under way or whose outcome is unknown.
 */
export const lotRestFor = Effect.fnUntraced(function* (
  { ports: { venueAccounts } }: Pick<AgentState, "ports">,
  { bot_id: botId, decided_after: decidedAfter, id, lot, order }: OrderAttempt,
  open: ReadonlyArray<OrderAttempt>
): Effect.fn.Return<number | null, StoreError> {
  if (lot === undefined || decidedAfter === undefined || order.type !== "market") return null
  const isOfLot = (one: OrderAttempt): boolean => one.bot_id === botId && one.lot?.id === lot.id
  const taken: Array<BigDecimal.BigDecimal> = []
  for (const { fact } of yield* venueAccounts.factsOf(botId, decidedAfter)) {
    if (fact.type !== "trade" || fact.client_order_id === null) continue
    const attempts = yield* venueAccounts.attemptsOf(botId, fact.client_order_id)
    if (attempts.some(isOfLot)) taken.push(decimalOfUnsafe(fact.quantity))
  }
  for (const one of open) {
    if (one.id !== id && isOfLot(one) && mayBeLive(one) && one.order.type === "market") {
      taken.push(restOfAttempt(one))
    }
  }
  return numberOf(BigDecimal.subtract(decimalOfUnsafe(lot.quantity), BigDecimal.sumAll(taken)))
})
