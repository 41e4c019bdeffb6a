/**
 * Keeps the account of a paper venue in its store.
 *
 * It has one record for changing state, one for each order that is over, and one for each page of
 * trades.
 *
 * @since 0.1.0
 */
import { Effect, Option, type Schema } from "effect"
import { SimulatedAccount } from "@candlewick/engine/kernel"
import type { StoreError } from "../../domain/StoreError.ts"
import type { PaperAccountStore } from "../../ports/PaperAccountStore.ts"
import type { Transactor } from "../../ports/Transactor.ts"
import type { Decimal, VenueTrade } from "../../ports/Venue.ts"
import { readPaperAccount, toKept } from "../bots/paperAccount.ts"
import {
  type PaperMarket,
  type PaperOrder,
  type PaperRecord,
  decodePaperOrder,
  readPage,
  readRecord,
  specOf
} from "./paperRecord.ts"

/** The options of an account at the paper venue. @category models @since 0.1.0 */
export interface PaperVenueOptions {
  /** Its name in the store. */
  readonly key: string
  /** The quote currency of all its markets at first, where the account is new. */
  readonly capital: Decimal
  readonly quote: string
  /** In an order that stays; more may follow. */
  readonly markets: ReadonlyArray<PaperMarket>
  /** The time by which windows count: the store's. */
  readonly nowMs: Effect.Effect<number, StoreError>
}

/** An account at work: the matcher, and the record of everything else. */
export interface PaperAccountAtWork extends PaperRecord {
  readonly at: SimulatedAccount
}

type Stores = {
  readonly accounts: PaperAccountStore["Service"]
  readonly transactor: Transactor["Service"]
}

const newRecord = ({ capital, markets, quote }: PaperVenueOptions): PaperAccountAtWork => ({
  at: SimulatedAccount.open(Number(capital), markets.map(specOf), "average"),
  desk: null,
  balances: { [quote]: capital },
  open: [],
  tradeCount: 0,
  recent: []
})

/** Reads and writes the account. A record that no venue of this kind has written is a defect. */
export const keepPaper = (options: PaperVenueOptions, { accounts, transactor }: Stores) => {
  const { key, markets } = options
  const orderKey = (id: string) => `${key}/orders/${id}`
  const pageKey = (page: number) => `${key}/trades/${page}`

  const load = Effect.gen(function* () {
    const found = yield* accounts.get(key)
    if (Option.isNone(found)) return newRecord(options)
    const record = yield* Effect.orDie(readRecord(found.value))
    const { matcher } = yield* Effect.orDie(readPaperAccount(key, record.desk))
    matcher.renew(markets.map(specOf))
    return { ...record, at: matcher }
  })

  const save = ({ at, ...record }: PaperAccountAtWork) => {
    const symbols = markets.map(({ symbol }) => symbol)
    const specs = markets.map(specOf)
    const desk = toKept({ matcher: at, netting: "average", placed: [], specs, symbols })
    return accounts.put(key, { ...record, desk })
  }

  /** The change has the account to itself, and is kept whole or not at all. */
  const change = <A, E>(make: (account: PaperAccountAtWork) => Effect.Effect<A, E>) =>
    transactor.transact(Effect.andThen(transactor.lock(key), Effect.flatMap(load, make)))

  const page = Effect.fnUntraced(function* (nth: number) {
    const found = yield* accounts.get(pageKey(nth))
    return yield* Effect.orDie(readPage(Option.getOrElse(found, () => [])))
  })

  const ended = Effect.fnUntraced(function* (id: string) {
    const found = yield* accounts.get(orderKey(id))
    if (Option.isNone(found)) return Option.none()
    return Option.some(yield* Effect.orDie(decodePaperOrder(found.value)))
  })

  return {
    load,
    save,
    change,
    page,
    ended,
    keepEnded: (order: PaperOrder) => accounts.put(orderKey(order.id), order),
    keepPage: (nth: number, trades: ReadonlyArray<VenueTrade>) =>
      accounts.put(pageKey(nth), structuredClone(trades) as unknown as Schema.Json)
  }
}

/** The account of a paper venue in its store. */
export type PaperKeeper = ReturnType<typeof keepPaper>
