/**
 * Books that fill orders on the same matcher as the simulator.
 *
 * Each bot has an account of its own, kept as one snapshot, so that a restart finds orders and
 * positions as they were. The account lies in the bot's own store, so that an order is placed in
 * the transaction that checks who owns the bot.
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer, Option } from "effect"
import { BooksError, BooksUnavailable } from "../../domain/BooksError.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { makeOutcome, SimulatedAccount } from "@candlewick/engine/kernel"
import type {
  BookedAccount,
  BooksRequest,
  BookedPosition,
  BooksReport,
  SettleCandles,
  BotBooks
} from "./BotBooks.ts"
import { PaperAccountStore } from "../../ports/PaperAccountStore.ts"
import { groupedPapers } from "./groupWork.ts"
import { type PaperAccount, readPaperAccount, toKept } from "./paperAccount.ts"

const positionIn = (
  { matcher, symbols }: PaperAccount,
  market: number
): ReadonlyArray<BookedPosition> => {
  const { position } = matcher.book(market)
  if (position === null) return []
  const { entryPrice, quantity } = position
  const lots = matcher.lots(market)
  const { protection } = lots[0]!
  const symbol = symbols[market]!
  return [{ symbol, quantity, entryPrice, protection, ...(matcher.hasSeparateLots && { lots }) }]
}

const toAccount = (account: PaperAccount): BookedAccount => {
  const { matcher, symbols } = account
  return {
    cash: matcher.ledger.cash,
    positions: symbols.flatMap((_, market) => positionIn(account, market)),
    openOrders: symbols.flatMap((symbol, market) =>
      matcher.book(market).orders.map(({ id }) => ({ symbol, clientOrderId: id }))
    )
  }
}

const settleWith = (
  { matcher, netting, symbols }: PaperAccount,
  candles: SettleCandles
): BooksReport => {
  matcher.net(netting)
  if (candles === null) {
    symbols.forEach((_, market) => matcher.atClose(market, undefined, false))
  } else {
    matcher.show(
      candles.map(({ symbol, ...candle }) => ({ ...candle, market: symbols.indexOf(symbol) }))
    )
  }
  const outcome = makeOutcome()
  matcher.drain(outcome)
  const { ended, fills, payments } = outcome
  return { ended, fills, payments }
}

/** Opens an account, or has an existing one go by the terms and the netting named last. */
const openAccount = Effect.fnUntraced(function* (
  store: PaperAccountStore["Service"],
  { botId, capital, markets, netting = "single" }: BooksRequest
): Effect.fn.Return<PaperAccount, BooksError | StoreError> {
  const specs = markets.map(({ spec }) => spec)
  const found = yield* store.get(botId)
  if (Option.isSome(found)) {
    const account = yield* readPaperAccount(botId, found.value)
    account.matcher.renew(specs)
    account.matcher.net(netting)
    return { ...account, netting, specs }
  }
  return {
    symbols: markets.map(({ market }) => market.symbol),
    specs,
    matcher: SimulatedAccount.open(capital, specs, netting),
    netting,
    placed: []
  }
})

const make = Effect.gen(function* () {
  const store = groupedPapers(yield* PaperAccountStore)

  const load = Effect.fnUntraced(function* (
    botId: string
  ): Effect.fn.Return<PaperAccount, BooksError | StoreError> {
    const found = yield* store.get(botId)
    if (Option.isNone(found)) {
      return yield* new BooksError({
        reason: new BooksUnavailable({ cause: `${botId} has no paper account` })
      })
    }
    return yield* readPaperAccount(botId, found.value)
  })
  const save = (botId: string, account: PaperAccount) => store.put(botId, toKept(account))

  const books: BotBooks = {
    isInStore: true,

    open: Effect.fn("PaperBooks.open")(function* (request) {
      yield* save(request.botId, yield* openAccount(store, request))
    }),

    place: Effect.fnUntraced(function* (botId, market, order) {
      const account = yield* load(botId)
      const { matcher, placed } = account
      if (placed.includes(order.id)) return
      matcher.place(market, order)
      // Ids rise with the decision, so a resend can only name a recent one.
      yield* save(botId, { ...account, placed: [...placed, order.id].slice(-64) })
    }),

    find: (botId, market, clientOrderId) =>
      Effect.map(load(botId), ({ matcher, placed, symbols }) => {
        const isOpen =
          market < symbols.length &&
          matcher.book(market).orders.some(({ id }) => id === clientOrderId)
        if (isOpen) return Option.some("open")
        return placed.includes(clientOrderId) ? Option.some("over") : Option.none()
      }),

    cancel: Effect.fnUntraced(function* (botId, market, clientOrderId) {
      const account = yield* load(botId)
      const isCancelled = account.matcher.cancel(market, clientOrderId)
      if (isCancelled) yield* save(botId, account)
      return isCancelled
    }),

    protect: Effect.fnUntraced(function* (botId, market, levels) {
      const account = yield* load(botId)
      account.matcher.protect(market, levels)
      yield* save(botId, account)
    }),

    settle: Effect.fnUntraced(function* (botId, candles) {
      const account = yield* load(botId)
      // Nothing happens without a candle, so that nothing is written either.
      if (candles?.length === 0) return { ended: [], fills: [], payments: [] }
      const report = settleWith(account, candles)
      yield* save(botId, account)
      return report
    }),

    account: (botId) => Effect.map(load(botId), toAccount),

    close: (botId) => store.remove(botId)
  }
  return books
})

/**
 * The books of bots on paper.
 *
 * @category services
 * @since 0.1.0
 */
export class PaperBooks extends Context.Service<PaperBooks, BotBooks>()(
  "@candlewick/core/services/PaperBooks"
) {
  /** Books over `PaperAccountStore`. */
  static readonly layer = Layer.effect(PaperBooks, make)
}
