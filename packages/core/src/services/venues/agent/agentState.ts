/**
 * The knowledge of an exchange account's agent besides its store, and its transactions.
 *
 * Nothing here has to survive: attempts, cursor and books are in the store, and an agent that
 * begins anew finds its work there.
 *
 * @since 0.1.0
 */
import { Data, Effect, type FiberSet, Option, Queue, Schedule, Schema } from "effect"
import { AccountBook, emptyAccountBook } from "../../../domain/AccountBook.ts"
import type { Bot } from "../../../domain/Bot.ts"
import { HoldingLine } from "../../../domain/HoldingLines.ts"
import type { StoreError } from "../../../domain/StoreError.ts"
import { type OrderAttempt, type VenueAccount, venueKeyOf } from "../../../domain/VenueAccount.ts"
import { VenueError, VenueOutcomeUnknown, VenueUnavailable } from "../../../domain/VenueError.ts"
import type { Venue, VenueLimits } from "../../../ports/Venue.ts"
import type { VenueAccountStore } from "../../../ports/VenueAccountStore.ts"
import type { BotPorts } from "../../bots/botPorts.ts"
import { untilKept } from "../../untilKept.ts"
import { BoundsMemory, emptyBounds } from "./accountBounds.ts"
import type { KeptComparisons } from "./outsideCoins.ts"
import type { AccountReconciliation, AgentReport, HindranceOfAccount } from "./AgentReport.ts"

/** The services of an agent. */
export type AgentPorts = Pick<
  BotPorts,
  "accounts" | "bots" | "haltFlag" | "orders" | "transactor"
> & { readonly venueAccounts: VenueAccountStore["Service"] }

/** An exchange account, its venue, and the listeners to its events. */
export interface AgentRequest {
  /** `venueKeyOf` the account and the exchange. */
  readonly key: string
  readonly accountId: string
  readonly exchange: string
  readonly venue: Venue
  readonly limits: VenueLimits
  readonly ports: AgentPorts
  /** Wakes a bot to look at its facts. */
  readonly wake: (botId: string) => Effect.Effect<void>
  /** Reports the facts that a person ought to know. */
  readonly report: (news: AgentReport) => Effect.Effect<void>
}

/** An agent at work. */
export interface AgentState extends AgentRequest, KeptComparisons {
  /** Counts the processes that have taken the account over; this one's is the last. */
  readonly epoch: number
  /** Attempts whose request is under way in this process. */
  readonly inFlight: Set<string>
  /** Requests that no answer has come to yet, by the attempt that each is of. */
  readonly underWay: Map<string, OrderAttempt["leg"]>
  readonly requests: FiberSet.FiberSet<void, Ousted>
  /** Whether the venue hinted at an order while a request was under way. */
  isHintedInFlight: boolean
  /** When a look-up of an attempt found nothing, after its fence. */
  readonly misses: Map<string, number>
  /** Working attempts whose end is looked for. */
  readonly toCheck: Set<string>
  /** When a cancel was asked last. */
  readonly cancelled: Map<string, number>
  /** When a bot was woken last for an attempt that waits for its exits, by the attempt. */
  readonly wokenFor: Map<string, number>
  readonly hindrances: Map<HindranceOfAccount["kind"], HindranceOfAccount>
  /** Rings where the sender, or the follower, has something to do. */
  readonly sending: Queue.Queue<void>
  readonly following: Queue.Queue<void>
  /** Whether all open orders are to be looked at, or the whole account. */
  wants: "trades" | "orders" | "account"
  /** Whether the venue answers and the account was reconciled since it did not. */
  isReady: boolean
  /** Whether it does nothing any more, as where another process has taken the account over. */
  isOver: boolean
  /** The store's time before which nothing is sent. */
  pausedUntilMs: number
  /** The last price of each market that bots or trades have reported, which may not be kept yet. */
  readonly prices: Map<string, number>
  /** Whether one of them has moved since the account's worth was noted. */
  hasNewPrices: boolean
  /** Since when holdings are ahead of the trades, by the order whose trades are untold. */
  readonly untold: Map<string, number>
  /** The store's time at which another process has asked for a comparison; null once it has one. */
  requestedAtMs: number | null
  /** The hindrances that the store was given last, as text. */
  keptHindrances: string
  reconciliation: AccountReconciliation | null
}

/** Another process has taken the account over. */
export class Ousted extends Data.TaggedError("Ousted") {}

/** The failures of an agent's work. */
export type AgentError = StoreError | VenueError | Ousted

const KeptAnswer = Schema.Struct({
  /** Requests until then are answered by it. */
  answersUntilMs: Schema.Finite,
  found: Schema.Struct({
    atMs: Schema.Finite,
    isEarly: Schema.Boolean,
    lines: Schema.Array(HoldingLine)
  })
})

const KeptBook = Schema.Struct({
  shares: AccountBook,
  bounds: BoundsMemory,
  /** When an owner has accepted a loss last; absent where none ever has. */
  lossAcceptedAtMs: Schema.optional(Schema.Finite),
  /** The bot that has accepted it, and the amounts by name. */
  acceptedLoss: Schema.optional(
    Schema.Struct({ botId: Schema.String, missing: Schema.Record(Schema.String, Schema.String) })
  ),
  /** By bot, the coins in which it has paid and that no price was known of yet. */
  unpriced: Schema.optional(Schema.Record(Schema.String, Schema.Array(Schema.String))),
  /** A request of another process for a comparison, and the last answer to one. */
  comparison: Schema.optional(
    Schema.Struct({ askedAtMs: Schema.Finite, answer: Schema.optionalKey(KeptAnswer) })
  ),
  /**
   * The hindrance of the account, for processes that do not send for it; absent where there is
   * none.
   */
  hindrances: Schema.optional(
    Schema.Array(Schema.Struct({ kind: Schema.String, why: Schema.String, sinceMs: Schema.Finite }))
  )
})

/** The part of each bot, the bounds' memory, and the hindrance of the account. */
export type KeptBook = typeof KeptBook.Type

const isKeptBook = Schema.is(KeptBook)

const isNothing = (book: VenueAccount["book"]): boolean =>
  typeof book === "object" && book !== null && Object.keys(book).length === 0

/**
 * The book of an account; an account without one has an empty one.
 *
 * @throws RangeError where it can't be read: to begin anew would leave bots without what they own.
 */
export const bookOf = ({ book, key }: Pick<VenueAccount, "book" | "key">): KeptBook => {
  if (isKeptBook(book)) return book
  if (isNothing(book)) return { shares: emptyAccountBook, bounds: emptyBounds }
  throw new RangeError(`the book of the exchange account ${key} can't be read`)
}

const putTogether = (
  account: VenueAccount,
  {
    acceptedLoss,
    bounds,
    comparison,
    hindrances = [],
    lossAcceptedAtMs,
    shares,
    unpriced = {}
  }: KeptBook
): VenueAccount => ({
  ...account,
  book: {
    shares,
    bounds,
    ...(lossAcceptedAtMs !== undefined && { lossAcceptedAtMs }),
    ...(acceptedLoss !== undefined && { acceptedLoss }),
    ...(comparison !== undefined && { comparison }),
    ...(Object.keys(unpriced).length > 0 && { unpriced }),
    ...(hindrances.length > 0 && { hindrances })
  }
})

/** The account with other shares and bounds, and with other coins without a price where named. */
export const withBook = (account: VenueAccount, book: Omit<KeptBook, "hindrances">): VenueAccount =>
  putTogether(account, { ...bookOf(account), ...book })

/** The account with other hindrances. */
export const withHindrances = (
  account: VenueAccount,
  hindrances: ReadonlyArray<HindranceOfAccount>
): VenueAccount => putTogether(account, { ...bookOf(account), hindrances })

/** A new exchange account. */
export const newAccount = (accountId: string, exchange: string): VenueAccount => ({
  key: venueKeyOf(accountId, exchange),
  account_id: accountId,
  exchange,
  cursor: null,
  epoch: 0,
  book: { shares: emptyAccountBook, bounds: emptyBounds },
  version: 0
})

/** Takes note of the last price of a market. */
export const reportPrice = (agent: AgentState, symbol: string, price: number): void => {
  if (agent.prices.get(symbol) === price || !Number.isFinite(price)) return
  agent.prices.set(symbol, price)
  agent.hasNewPrices = true
}

/** Takes the account over: the process that had it before can't send any more. */
export const takeOver = ({
  accountId,
  exchange,
  key,
  ports: { transactor, venueAccounts }
}: AgentRequest): Effect.Effect<number, StoreError> =>
  untilKept(
    transactor.transact(
      Effect.gen(function* () {
        const found = Option.getOrElse(yield* venueAccounts.get(key), () =>
          newAccount(accountId, exchange)
        )
        const taken = yield* venueAccounts.put({ ...found, epoch: found.epoch + 1 })
        return taken.epoch
      })
    )
  )

/** The account, locked until the transaction ends; fails where it is another process's. */
const ownAccount = Effect.fnUntraced(function* (
  { key, ports: { venueAccounts } }: AgentRequest,
  epoch: number
): Effect.fn.Return<VenueAccount, StoreError | Ousted> {
  // To keep no facts locks the account. Attempts come after it, wherever both are locked.
  yield* venueAccounts.keepFacts(key, [])
  const found = Option.getOrNull(yield* venueAccounts.get(key))
  return found?.epoch === epoch ? found : yield* new Ousted()
})

/**
 * Runs a transaction of the account's owner, again where another one was quicker; fails with
 * `Ousted` where another process has taken the account over.
 */
export const asOwner = <A>(
  agent: AgentState,
  work: (account: VenueAccount) => Effect.Effect<A, StoreError | Ousted>
): Effect.Effect<A, StoreError | Ousted> =>
  untilKept(agent.ports.transactor.transact(Effect.flatMap(ownAccount(agent, agent.epoch), work)))

/** The same for a transaction that writes for a bot, which has the bot to itself. */
export const asOwnerFor = <A>(
  agent: AgentState,
  botId: string,
  work: (account: VenueAccount, bot: Bot | null) => Effect.Effect<A, StoreError | Ousted>
): Effect.Effect<A, StoreError | Ousted> => {
  const { accountId, epoch, ports } = agent
  return untilKept(
    ports.transactor.transact(
      Effect.gen(function* () {
        // Bots come before exchange accounts wherever both are locked.
        const bot = Option.getOrNull(yield* ports.bots.hold(accountId, botId))
        return yield* work(yield* ownAccount(agent, epoch), bot)
      })
    )
  )
}

/** The longest that a venue may leave a request without an answer. */
const patience = "5 seconds"

const gaveUp = new VenueError({ reason: new VenueOutcomeUnknown({ why: "there was no answer" }) })

const unavailable = (why: string): VenueError =>
  new VenueError({ reason: new VenueUnavailable({ why, is_maintenance: false }) })

/** A request with an end: no answer in time, and an error of the adapter, prove nothing. */
export const requestOf = <A>(request: Effect.Effect<A, VenueError>): Effect.Effect<A, VenueError> =>
  request.pipe(
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(gaveUp) }),
    Effect.catchDefect(() => Effect.fail(gaveUp))
  )

/** Whether a question that failed may be answered a moment later. */
const isPassing = ({ reason }: VenueError): boolean =>
  reason._tag === "VenueUnavailable" && !reason.is_maintenance

const askAgain = { times: 2, schedule: Schedule.spaced("250 millis"), while: isPassing }

/**
 * A question with an end. One that fails is asked twice more within its time. An account is
 * compared by many questions in a row, and sends no stop before the last one is answered.
 */
export const questionOf = <A>(
  question: Effect.Effect<A, VenueError>
): Effect.Effect<A, VenueError> =>
  question.pipe(
    Effect.retry(askAgain),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(unavailable("there was no answer"))
    }),
    Effect.catchDefect((defect) => Effect.fail(unavailable(String(defect))))
  )

/** Wakes the sender to look for work. */
export const wakeSender = ({ sending }: AgentState): Effect.Effect<void> =>
  Effect.asVoid(Queue.offer(sending, undefined))

const widths = ["trades", "orders", "account"] as const

/** Makes the follower's next look at least as wide. */
export const widenLook = (agent: AgentState, wants: AgentState["wants"]): void => {
  if (widths.indexOf(wants) > widths.indexOf(agent.wants)) agent.wants = wants
}

/** Asks the follower for a look at the trades, at all open orders, or at the whole account. */
export const ringFollower = (agent: AgentState, wants: AgentState["wants"]): Effect.Effect<void> =>
  Effect.suspend(() => {
    widenLook(agent, wants)
    return Effect.asVoid(Queue.offer(agent.following, undefined))
  })
