/**
 * The operations on the markets of an account: they write, revise and read.
 *
 * A market says which tick, lot, costs and limits an order meets. A change never alters a revision
 * that a bot or a run goes by: it makes the next one. No operation infers a step from candles.
 *
 * **Example** (A change makes a revision)
 *
 * ```ts
 * import { Candlewick } from "@candlewick/core"
 * import { MemoryStore } from "@candlewick/store-memory"
 *
 * const candlewick = await Candlewick.open({ store: MemoryStore.layer })
 * const made = await candlewick.markets.create({ symbol: "ACME/USD", tick: 0.01 })
 * const changed = await candlewick.markets.update(made.id, { can_short: true })
 * console.log(made.revision, changed.revision, changed.tick)
 * await candlewick.close()
 * ```
 *
 * ```text output
 * 1 2 0.01
 * ```
 *
 * @since 0.1.0
 */
import { marketOf } from "@candlewick/engine"
import { Context, Effect, Layer, Option, Struct } from "effect"
import { Limits } from "../../domain/Limits.ts"
import {
  type MarketChanges,
  type MarketRequest,
  type MarketRevision,
  ownerOf,
  ownersFor,
  sharedOwner,
  termsOf
} from "../../domain/Market.ts"
import { passesFilter } from "../../domain/listFilters.ts"
import type { PageRequest } from "../../domain/Page.ts"
import type { marketOperations } from "../../domain/operations/marketOperations.ts"
import { type Problem, problem } from "../../domain/Problem.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import { MarketStore } from "../../ports/MarketStore.ts"
import { Transactor } from "../../ports/Transactor.ts"
import { checkQuota } from "../accounts/checkQuota.ts"
import type { MethodsOf } from "../methodsOf.ts"
import { narrowedPage } from "../narrowedPage.ts"
import { checkVersion, replacing } from "../refusals.ts"
import { transactOnce } from "../transactOnce.ts"
import { findMarket, keepMarket, type MarketPorts } from "./marketRecords.ts"

/**
 * Markets of an account, and those that all accounts share.
 *
 * @category services
 * @since 0.1.0
 */
export class Markets extends Context.Service<Markets, MethodsOf<typeof marketOperations>>()(
  "@candlewick/core/services/Markets"
) {
  /** Markets over the store. */
  static readonly layer = Layer.effect(
    Markets,
    Effect.gen(function* () {
      const ports: MarketPorts = { markets: yield* MarketStore, transactor: yield* Transactor }
      return Markets.of({
        create: (accountId, request) =>
          replacing(createMarket(ports, accountId, request), "market", request.symbol),
        get: (accountId, id, revision) => getMarket(ports, accountId, id, revision),
        list: (accountId) => listMarkets(ports, accountId),
        update: (accountId, id, changes, version) =>
          replacing(updateMarket(ports, accountId, id, changes, version), "market", id, version),
        revisions: Effect.fnUntraced(function* (accountId, id, page) {
          const { owner, symbol } = yield* foundMarket(ports, accountId, id)
          const list = (part: PageRequest) => ports.markets.listRevisions(owner, symbol, part)
          const keyOf = ({ revision }: MarketRevision) => String(revision)
          return yield* narrowedPage(list, page, keyOf, passesFilter(page, "updated_at"))
        })
      })
    })
  )
}

const listMarkets = ({ markets }: MarketPorts, accountId: string) =>
  Effect.map(Effect.forEach(ownersFor(accountId), markets.list), (lists) =>
    lists
      .flat()
      // Equal symbols stay in the order of their owners.
      .toSorted((one, other) =>
        one.symbol < other.symbol ? -1 : one.symbol > other.symbol ? 1 : 0
      )
  )

const missing = (id: string): Problem => problem("not_found", `The market ${id} does not exist.`)

/** The newest revision of a market by its id, or of the one that counts by its symbol. */
const foundMarket = Effect.fnUntraced(function* (
  ports: MarketPorts,
  accountId: string,
  id: string
): Effect.fn.Return<MarketRevision, Problem | StoreError> {
  if (id.includes("\0")) return yield* missing(id)
  const found = id.includes("/")
    ? Option.getOrUndefined(yield* findMarket(ports, accountId, id))
    : (yield* listMarkets(ports, accountId)).find((market) => market.id === id)
  return found ?? (yield* missing(id))
})

const getMarket = Effect.fn("Markets.get")(function* (
  ports: MarketPorts,
  accountId: string,
  id: string,
  revision: number | undefined
): Effect.fn.Return<MarketRevision, Problem | StoreError> {
  const newest = yield* foundMarket(ports, accountId, id)
  if (revision === undefined || revision === newest.revision) return newest
  const found = yield* ports.markets.get(newest.owner, newest.symbol, revision)
  if (Option.isSome(found)) return found.value
  return yield* problem("not_found", `The market ${id} has no revision ${revision}.`)
})

const createMarket = Effect.fn("Markets.create")(function* (
  ports: MarketPorts,
  accountId: string,
  { source = "given", symbol, ...terms }: MarketRequest
): Effect.fn.Return<MarketRevision, Problem | StoreError> {
  const owner = ownerOf(accountId)
  const { markets, transactor } = ports
  const creating = Effect.gen(function* () {
    yield* checkQuota(transactor, {
      accountId,
      what: "markets",
      max: Limits.marketsPerAccountMax,
      count: Effect.map(markets.list(owner), (all) => all.length)
    })
    return yield* keepMarket(ports, { owner, symbol }, (before) =>
      before === null
        ? Effect.succeed({ source, terms: marketOf(symbol, terms) })
        : Effect.fail(alreadyThere(before))
    )
  })
  return yield* transactOnce(transactor, "create", creating)
})

const alreadyThere = ({ id, symbol }: MarketRevision): Problem => {
  const message = `The market ${symbol} exists already as ${id}: change that one.`
  return problem("already_exists", message, {
    errors: [{ pointer: "/symbol", code: "already_exists", message }]
  })
}

const updateMarket = Effect.fn("Markets.update")(function* (
  ports: MarketPorts,
  accountId: string,
  id: string,
  { source, ...changes }: MarketChanges,
  version: number | undefined
): Effect.fn.Return<MarketRevision, Problem | StoreError> {
  const found = yield* foundMarket(ports, accountId, id)
  const { owner, symbol } = found
  if (owner !== ownerOf(accountId)) {
    const message = `The market ${symbol} is ${sharedOwner}: create one of your own to change its terms.`
    return yield* problem("unprocessable", message)
  }
  const updating = keepMarket(ports, { owner, symbol }, (kept) => {
    const before = kept ?? found
    const isNamed = Struct.keys(changes).length > 0
    const parts = {
      source: source ?? (isNamed ? "given" : before.source),
      terms: { ...termsOf(before), ...changes }
    }
    const asked = { id: before.id, version: before.revision }
    return Effect.as(checkVersion(asked, version), parts)
  })
  return yield* transactOnce(ports.transactor, "update", updating)
})
