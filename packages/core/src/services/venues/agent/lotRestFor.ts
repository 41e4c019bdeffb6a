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
import { isAtOnce } from "./payableEntry.ts"

/**
 * The rest of the lot that an exit closes at once; null for an exit of any lot, or at rest.
 *
 * The bot may not have heard of trades since it decided on the exit. They count here, and so do the
 * exits of the lot that are under way to end at once, or whose outcome is unknown.
 */
export const lotRestFor = Effect.fnUntraced(function* (
  { ports: { venueAccounts } }: Pick<AgentState, "ports">,
  attempt: OrderAttempt,
  open: ReadonlyArray<OrderAttempt>
): Effect.fn.Return<number | null, StoreError> {
  const { bot_id: botId, decided_after: decidedAfter, id, lot } = attempt
  if (lot === undefined || decidedAfter === undefined || !isAtOnce(attempt)) return null
  const isOfLot = (one: OrderAttempt): boolean => one.bot_id === botId && one.lot?.id === lot.id
  const taken: Array<BigDecimal.BigDecimal> = []
  for (const { fact } of yield* venueAccounts.factsOf(botId, decidedAfter)) {
    if (fact.type !== "trade" || fact.client_order_id === null) continue
    const attempts = yield* venueAccounts.attemptsOf(botId, fact.client_order_id)
    if (attempts.some(isOfLot)) taken.push(decimalOfUnsafe(fact.quantity))
  }
  for (const one of open) {
    if (one.id !== id && isOfLot(one) && mayBeLive(one) && isAtOnce(one)) {
      taken.push(restOfAttempt(one))
    }
  }
  return numberOf(BigDecimal.subtract(decimalOfUnsafe(lot.quantity), BigDecimal.sumAll(taken)))
})
