/**
 * Keeps markets in memory, every revision of each.
 *
 * @since 0.1.0
 */
import { type MarketRevision, MarketStore } from "@candlewick/core"
import { Effect, Layer, Option } from "effect"
import { keyOf, sortable } from "./internal/Collection.ts"
import { Database } from "./internal/Database.ts"
import { frozenCopy } from "./internal/frozenCopy.ts"
import { pageOf } from "./internal/pages.ts"
import { alreadyExists } from "./internal/refusals.ts"

/** By owner, symbol and revision, so that the revisions of a market lie side by side. */
const keyOfRevision = (owner: string, symbol: string, revision: number): string =>
  keyOf(owner, symbol, sortable(revision))

/** The bounds of the keys that begin with these parts. */
const boundsOf = (...parts: ReadonlyArray<string>): readonly [from: string, before: string] => {
  const start = parts.join("\u0000")
  return [`${start}\u0000`, `${start}\u0001`]
}

/** The last of each symbol's revisions, which lie in rising order. */
const newestOf = (
  rising: Iterable<readonly [string, MarketRevision]>
): ReadonlyArray<MarketRevision> => {
  const newest = new Map<string, MarketRevision>()
  for (const [, market] of rising) newest.set(market.symbol, market)
  return [...newest.values()]
}

/**
 * `MarketStore` over the shared memory.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<MarketStore, never, Database> = Layer.effect(
  MarketStore,
  Effect.map(Database, (database) => ({
    insert: (revision) =>
      database.write((tables) => {
        const key = keyOfRevision(revision.owner, revision.symbol, revision.revision)
        if (tables.markets.get(key) !== undefined) {
          return alreadyExists("market", `${revision.id} ${revision.revision}`)
        }
        tables.markets = tables.markets.put(key, frozenCopy(revision))
        return undefined
      }),
    newest: (owner, symbol) =>
      database.read(({ markets }) => {
        for (const [, market] of markets.falling(...boundsOf(owner, symbol))) {
          return Option.some(market)
        }
        return Option.none()
      }),
    get: (owner, symbol, revision) =>
      database.read(({ markets }) =>
        Option.fromUndefinedOr(markets.get(keyOfRevision(owner, symbol, revision)))
      ),
    list: (owner) => database.read(({ markets }) => newestOf(markets.rising(...boundsOf(owner)))),
    listRevisions: (owner, symbol, { before, limit }) =>
      database.read(({ markets }) => {
        const [from, end] = boundsOf(owner, symbol)
        const until = before === undefined ? end : keyOfRevision(owner, symbol, Number(before))
        const newestFirst = Array.from(markets.falling(from, until), ([, market]) => market)
        return pageOf(newestFirst, limit, ({ revision }) => String(revision))
      })
  }))
)
