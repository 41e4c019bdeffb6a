/**
 * The shares of bots in the money of an exchange account.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import { allocate, ownedBy, release } from "../../../domain/AccountBook.ts"
import { decimalOfNumber, decimalText } from "../../../domain/decimals.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import { type VenueAccount, venueKeyOf } from "../../../domain/VenueAccount.ts"
import type { VenueAccountStore } from "../../../ports/VenueAccountStore.ts"
import { withoutMissing } from "../books/missingHoldings.ts"
import { noteAllocation } from "./accountBounds.ts"
import { bookOf, type KeptBook, newAccount, withBook } from "./agentState.ts"

/** An exchange account, and the store that keeps it. */
interface SharedAccount {
  readonly venueAccounts: VenueAccountStore["Service"]
  readonly accountId: string
  readonly exchange: string
}

const changeBook = Effect.fnUntraced(function* (
  { accountId, exchange, venueAccounts }: SharedAccount,
  change: (book: KeptBook) => KeptBook
): Effect.fn.Return<VenueAccount, StoreError> {
  const key = venueKeyOf(accountId, exchange)
  let account = Option.getOrNull(yield* venueAccounts.get(key))
  if (account === null) account = yield* venueAccounts.put(newAccount(accountId, exchange))
  // To keep no facts locks the account, so that the book is not changed by two at once.
  yield* venueAccounts.keepFacts(key, [])
  account = Option.getOrElse(yield* venueAccounts.get(key), () => account!)
  return yield* venueAccounts.put(withBook(account, change(bookOf(account))))
})

/**
 * Gives a bot an allocation of the account's money. What it owned before is left to the owner of
 * the account, as its books begin anew. To be run in a transaction, which has the bot to itself.
 */
export const allocateShare = (
  account: SharedAccount,
  bot: { readonly id: string; readonly quote: string; readonly amount: number }
): Effect.Effect<VenueAccount, StoreError> =>
  changeBook(account, ({ bounds, shares }) => {
    const before = Number(ownedBy(shares, bot.id)[bot.quote] ?? "0")
    const text = decimalText(decimalOfNumber(bot.amount))
    return {
      shares: allocate(release(shares, bot.id), bot.id, bot.quote, text),
      bounds: noteAllocation(bounds, bot.quote, bot.amount - before)
    }
  })

/** Leaves what a bot owns to the owner of the account, as where the bot is deleted. */
export const releaseShare = (
  account: SharedAccount,
  botId: string
): Effect.Effect<VenueAccount, StoreError> =>
  changeBook(account, ({ bounds, shares }) => ({ bounds, shares: release(shares, botId) }))

/** Takes from a bot what the venue does not have, once the owner has accepted that it is gone. */
export const acceptShareLoss = (
  account: SharedAccount,
  botId: string,
  missing: Readonly<Record<string, string>>
): Effect.Effect<VenueAccount, StoreError> =>
  changeBook(account, ({ bounds, shares }) => ({
    bounds,
    shares: withoutMissing(shares, botId, missing)
  }))
