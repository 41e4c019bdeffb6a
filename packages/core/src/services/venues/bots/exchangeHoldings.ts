/**
 * An exchange account as its owner sees it, shown by any process.
 *
 * @since 0.1.0
 */
import { toTimestamp } from "@candlewick/engine"
import { Effect, Option } from "effect"
import { emptyAccountBook, netOf } from "../../../domain/AccountBook.ts"
import { compareHoldings } from "../../../domain/HoldingLines.ts"
import type { ExchangeHoldings, OutsideTrade } from "../../../domain/ExchangeHoldings.ts"
import { Limits } from "../../../domain/Limits.ts"
import { type Problem, problem } from "../../../domain/Problem.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import { type TradeFact, venueKeyOf } from "../../../domain/VenueAccount.ts"
import type { Venues } from "../../../ports/Venue.ts"
import type { VenueAccountStore } from "../../../ports/VenueAccountStore.ts"
import { required } from "../../refusals.ts"
import { bookOf, questionOf } from "../agent/agentState.ts"
import { checkedVenue } from "../checkedVenue.ts"
import type { AccountRef } from "./liveVenue.ts"

interface Ports {
  readonly venueAccounts: VenueAccountStore["Service"]
  readonly venues: typeof Venues.Service
}

const toTrade = ({
  fee_amount,
  fee_currency,
  id,
  price,
  quantity,
  side,
  symbol,
  time_ms
}: TradeFact): OutsideTrade => ({
  id,
  symbol,
  side,
  quantity,
  price,
  fee_amount,
  fee_currency,
  executed_at: toTimestamp(time_ms)
})

/**
 * Asks the exchange for its holdings, and names their owners by the kept trades. Fails with
 * `not_found` where there is no such connection, and with `unavailable` where it does not answer.
 */
export const exchangeHoldings = Effect.fnUntraced(function* (
  { venueAccounts, venues }: Ports,
  account: AccountRef
): Effect.fn.Return<ExchangeHoldings, Problem | StoreError> {
  const { accountId, exchange } = account
  const { venue } = yield* required(venues.find(account), "connection to", exchange)
  const key = venueKeyOf(accountId, exchange)
  const held = yield* Effect.mapError(questionOf(checkedVenue(venue).holdings), ({ reason }) =>
    problem("unavailable", `The venue can't be asked now: ${reason.why}.`)
  )
  const kept = Option.getOrNull(yield* venueAccounts.get(key))
  const shares = kept === null ? emptyAccountBook : bookOf(kept).shares
  const ownersOf = (kind: "coin" | "position", name: string) =>
    Object.fromEntries(
      Object.keys(shares.bots).flatMap((id) => {
        const own = kind === "coin" ? netOf(shares, id) : shares.bots[id]!.positions
        const amount = own[name]
        return amount === undefined ? [] : [[id, amount]]
      })
    )
  const lines = compareHoldings(shares, held, { kind: venue.capabilities.kind })
  const limit = Limits.pageSizeMax
  const outside = kept === null ? [] : (yield* venueAccounts.listOutside(key, { limit })).items
  return {
    exchange,
    holdings: lines.map(({ bots, kind, name, outside: rest, venue: amount }) => ({
      name,
      kind,
      amount,
      bots,
      outside: rest,
      owners: ownersOf(kind, name)
    })),
    outside_trades: outside.map(toTrade)
  }
})
