/**
 * A broker that fills with the same matching engine as the simulator.
 *
 * Each bot has an account of its own, kept as one snapshot, so that a restart finds orders and
 * positions as they were.
 *
 * @since 0.1.0
 */
import { Effect, Layer, Option, type Schema } from "effect"
import { BrokerError, BrokerUnavailable } from "../../domain/BrokerError.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import {
  cancelOrder,
  makeMatchingAccount,
  makeOutcome,
  type MarketSpec,
  matchAtClose,
  matchCandles,
  type MatchingAccount,
  placeOrder
} from "@candlewick/engine/kernel"
import {
  Broker,
  type BrokerAccount,
  type BrokerReport,
  type SettleCandles
} from "../../ports/Broker.ts"
import { PaperAccountStore } from "../../ports/PaperAccountStore.ts"

/** What is kept of a paper account. */
interface Snapshot {
  readonly symbols: ReadonlyArray<string>
  readonly specs: ReadonlyArray<MarketSpec>
  readonly account: MatchingAccount
  /** Client order ids that were placed and are not known to be over. */
  readonly placed: ReadonlyArray<string>
}

const toAccount = ({ account, symbols }: Snapshot): BrokerAccount => ({
  cash: account.ledger.cash,
  positions: account.books.flatMap(({ position, protection }, market) =>
    position === null
      ? []
      : [
          {
            symbol: symbols[market]!,
            quantity: position.quantity,
            entryPrice: position.entryPrice,
            protection
          }
        ]
  ),
  openOrders: account.books.flatMap(({ orders }, market) =>
    orders.map((order) => ({ symbol: symbols[market]!, clientOrderId: order.id }))
  )
})

const settleWith = (snapshot: Snapshot, candles: SettleCandles): BrokerReport => {
  const { account, specs, symbols } = snapshot
  const outcome = makeOutcome()
  if (candles === null) {
    specs.forEach((spec, market) =>
      matchAtClose(account, market, spec, outcome, { legs: ["exit"] })
    )
  } else {
    const inputs = candles.map(({ symbol, ...candle }) => ({
      ...candle,
      market: symbols.indexOf(symbol)
    }))
    matchCandles(account, inputs, specs, outcome)
  }
  const { ended, fills, payments } = outcome
  return { ended, fills, payments }
}

const make = Effect.gen(function* () {
  const store = yield* PaperAccountStore

  const load = Effect.fnUntraced(function* (
    botId: string
  ): Effect.fn.Return<Snapshot, BrokerError | StoreError> {
    const found = yield* store.get(botId)
    if (Option.isNone(found)) {
      return yield* new BrokerError({
        reason: new BrokerUnavailable({ cause: `${botId} has no paper account` })
      })
    }
    return structuredClone(found.value) as unknown as Snapshot
  })
  const save = (botId: string, snapshot: Snapshot) =>
    store.put(botId, snapshot as unknown as Schema.Json)

  return Broker.of({
    open: Effect.fn("PaperBroker.open")(function* ({ botId, capital, markets }) {
      const specs = markets.map(({ spec }) => spec)
      if (Option.isSome(yield* store.get(botId))) {
        return yield* save(botId, { ...(yield* load(botId)), specs })
      }
      yield* save(botId, {
        symbols: markets.map(({ market }) => market.symbol),
        specs,
        account: makeMatchingAccount(capital, markets.length),
        placed: []
      })
    }),

    place: Effect.fnUntraced(function* (botId, market, order) {
      const snapshot = yield* load(botId)
      if (snapshot.placed.includes(order.id)) return
      placeOrder(snapshot.account, market, order)
      // Ids rise with the decision, so a resend can only name a recent one.
      yield* save(botId, { ...snapshot, placed: [...snapshot.placed, order.id].slice(-64) })
    }),

    find: (botId, market, clientOrderId) =>
      Effect.map(load(botId), ({ account, placed }) => {
        const isOpen = account.books[market]?.orders.some(({ id }) => id === clientOrderId)
        if (isOpen === true) return Option.some("open")
        return placed.includes(clientOrderId) ? Option.some("over") : Option.none()
      }),

    cancel: Effect.fnUntraced(function* (botId, market, clientOrderId) {
      const snapshot = yield* load(botId)
      const isCancelled = cancelOrder(snapshot.account, market, clientOrderId)
      if (isCancelled) yield* save(botId, snapshot)
      return isCancelled
    }),

    settle: Effect.fnUntraced(function* (botId, candles) {
      const snapshot = yield* load(botId)
      // Nothing happens without a candle, so that nothing is written either.
      if (candles?.length === 0) return { ended: [], fills: [], payments: [] }
      const outcome = settleWith(snapshot, candles)
      yield* save(botId, snapshot)
      return outcome
    }),

    account: (botId) => Effect.map(load(botId), toAccount),

    close: (botId) => store.remove(botId)
  })
})

/**
 * The paper broker.
 *
 * @category services
 * @since 0.1.0
 */
export const PaperBroker = {
  /** A `Broker` over `PaperAccountStore`. */
  layer: Layer.effect(Broker, make)
}
