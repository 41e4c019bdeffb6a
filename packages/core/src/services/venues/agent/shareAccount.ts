/**
 * The shares of bots in the money of an exchange account.
 *
 * @since 0.1.0
 */
import { Effect, Option } from "effect"
import { allocate, release, uncoveredAllocation } from "../../../domain/AccountBook.ts"
import { decimalOfNumber, decimalText } from "../../../domain/decimals.ts"
import { type Problem, problem } from "../../../domain/Problem.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import { type VenueAccount, venueKeyOf } from "../../../domain/VenueAccount.ts"
import type { VenueAccountStore } from "../../../ports/VenueAccountStore.ts"
import { type AcceptedLoss, withoutMissing } from "../books/missingHoldings.ts"
import { forgetFees, noteAllocation, worthOfBot } from "./accountBounds.ts"
import { bookOf, type KeptBook, newAccount, withBook } from "./agentState.ts"

/** An exchange account, and the store that keeps it. */
interface SharedAccount {
  readonly venueAccounts: VenueAccountStore["Service"]
  readonly accountId: string
  readonly exchange: string
}

/** The part of an exchange account that a bot is to get. */
export interface Allocation {
  /** Null for a bot that is to be made. */
  readonly id: string | null
  readonly quote: string
  readonly amount: number
  /** The quantity of each coin in the account. */
  readonly balances: ReadonlyMap<string, string>
}

const changeBook = Effect.fnUntraced(function* <E = never>(
  { accountId, exchange, venueAccounts }: SharedAccount,
  change: (book: KeptBook) => Effect.Effect<KeptBook, E>
): Effect.fn.Return<VenueAccount, StoreError | E> {
  const key = venueKeyOf(accountId, exchange)
  let account = Option.getOrNull(yield* venueAccounts.get(key))
  if (account === null) account = yield* venueAccounts.put(newAccount(accountId, exchange))
  // To keep no facts locks the account, so that the book is not changed by two at once.
  yield* venueAccounts.keepFacts(key, [])
  account = Option.getOrElse(yield* venueAccounts.get(key), () => account!)
  return yield* venueAccounts.put(withBook(account, yield* change(bookOf(account))))
})

/** How much an exchange account lacks for a bot's allocation beside its other bots; "0" for nothing. */
export const lackingFor = (
  { bounds, shares }: KeptBook,
  { amount, balances, id, quote }: Allocation
): string =>
  uncoveredAllocation(
    // A bot that gets an allocation anew leaves its former one.
    id === null ? shares : release(shares, id),
    { balances },
    quote,
    decimalText(decimalOfNumber(amount)),
    (symbol) => bounds.prices[symbol] ?? null
  )

/** The refusal of an allocation that is not free in the exchange account. */
export const beyondAccount = (missing: string, quote: string): Problem => {
  const message = `The exchange account lacks ${missing} ${quote} for this and its other bots.`
  const errors = [{ pointer: "/capital_allocation", code: "exceeds_account", message }]
  return problem("unprocessable", message, { errors })
}

/**
 * Gives a bot an allocation of the account's money. Its earlier holdings are left to the owner of
 * the account, as its books begin anew. Fails where other bots have got the funds since the account
 * was looked at. To be run in a transaction, which has the bot to itself.
 */
export const allocateShare = (
  account: SharedAccount,
  allocation: Allocation & { readonly id: string }
): Effect.Effect<VenueAccount, StoreError | Problem> =>
  changeBook(account, (book) => {
    const { bounds, shares } = book
    const { amount, id, quote } = allocation
    const missing = lackingFor(book, allocation)
    if (missing !== "0") return Effect.fail(beyondAccount(missing, quote))
    const before = worthOfBot(shares, bounds, id)
    const text = decimalText(decimalOfNumber(amount))
    return Effect.succeed({
      shares: allocate(release(shares, id), id, quote, text),
      bounds: noteAllocation(bounds, quote, amount - before)
    })
  })

/** Leaves a bot's assets to the owner of the account, as where the bot is deleted. */
export const releaseShare = (
  account: SharedAccount,
  botId: string
): Effect.Effect<VenueAccount, StoreError> =>
  changeBook(account, ({ bounds, shares }) => {
    const quote = shares.bots[botId]?.quote
    const gone = worthOfBot(shares, bounds, botId)
    return Effect.succeed({
      shares: release(shares, botId),
      bounds: forgetFees(quote === undefined ? bounds : noteAllocation(bounds, quote, -gone), botId)
    })
  })

/**
 * Takes from a bot the amounts that the venue lacks, once the owner has accepted that they are
 * gone. Fails with `unavailable` where another bot's loss was accepted after the comparison that has
 * found them: these may be the same.
 */
export const acceptShareLoss = Effect.fnUntraced(function* (
  account: SharedAccount,
  botId: string,
  loss: AcceptedLoss,
  comparedAtMs: number
): Effect.fn.Return<VenueAccount, StoreError | Problem> {
  const nowMs = yield* account.venueAccounts.nowMs
  return yield* changeBook(account, (book) => {
    const { bounds, lossAcceptedAtMs = Number.NEGATIVE_INFINITY, shares } = book
    if (lossAcceptedAtMs >= comparedAtMs) {
      const why = "Another bot of the exchange account has just accepted a loss. Ask again."
      return Effect.fail(problem("unavailable", why))
    }
    return Effect.succeed({
      bounds,
      shares: withoutMissing(shares, botId, loss),
      lossAcceptedAtMs: nowMs,
      acceptedLoss: { botId, missing: loss.missing }
    })
  })
})
