/**
 * How revisions of markets are made, found and kept.
 *
 * @since 0.1.0
 */
import { type Market, marketOf, toTimestamp } from "@candlewick/engine"
import { Clock, Effect, Option } from "effect"
import { idPrefixes } from "../../domain/Identifier.ts"
import {
  type MarketRevision,
  type MarketSource,
  type Owner,
  ownersFor,
  termEntries,
  termsOf
} from "../../domain/Market.ts"
import type { StoreError } from "../../domain/StoreError.ts"
import type { MarketStore } from "../../ports/MarketStore.ts"
import type { Transactor } from "../../ports/Transactor.ts"
import { sha256Hex } from "../sha256.ts"

/** The ports that markets are kept with. */
export interface MarketPorts {
  readonly markets: MarketStore["Service"]
  readonly transactor: Transactor["Service"]
}

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const idLength = 26

/** The id of an owner's market: the same on every server, so that samples have one name. */
const idOf = (owner: Owner, symbol: string): Effect.Effect<string> =>
  Effect.map(sha256Hex(`candlewick market\n${owner}\n${symbol}`), (digest) => {
    const digits = Array.from({ length: idLength }, (_, at) => {
      const byte = Number.parseInt(digest.slice(2 * at, 2 * at + 2), 16)
      return alphabet[byte % alphabet.length]!
    })
    return `${idPrefixes.market}_${digits.join("")}`
  })

/** The hash of terms: of each with its name, in the order of their schema. */
const hashOf = (terms: Market): Effect.Effect<string> =>
  sha256Hex(JSON.stringify(termEntries(terms)))

/** The parts of a revision. */
export interface RevisionParts {
  readonly owner: Owner
  readonly terms: Market
  readonly source: MarketSource
  /** The one that it follows, or null where it is the first. */
  readonly before: MarketRevision | null
  readonly at: string
}

/**
 * The next revision of an owner's market.
 *
 * @category models
 * @since 0.1.0
 */
export const makeRevision = Effect.fnUntraced(function* ({
  at,
  before,
  owner,
  source,
  terms
}: RevisionParts): Effect.fn.Return<MarketRevision> {
  return {
    id: yield* idOf(owner, terms.symbol),
    owner,
    ...termsOf(terms),
    source,
    revision: (before?.revision ?? 0) + 1,
    hash: yield* hashOf(terms),
    created_at: before?.created_at ?? at,
    updated_at: at
  }
})

/** The owner's own market or, without one, the shared one; none where neither is kept. */
export const findMarket = Effect.fnUntraced(function* (
  { markets }: Pick<MarketPorts, "markets">,
  accountId: string,
  symbol: string
): Effect.fn.Return<Option.Option<MarketRevision>, StoreError> {
  for (const owner of ownersFor(accountId)) {
    const found = yield* markets.newest(owner, symbol)
    if (Option.isSome(found)) return found
  }
  return Option.none()
})

/** The usual terms of a symbol, for candles whose market has no record. */
export const usualMarket = (
  owner: Owner,
  symbol: string,
  synthetic: boolean
): Effect.Effect<MarketRevision> =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    makeRevision({
      owner,
      terms: marketOf(symbol, { synthetic }),
      source: "inferred",
      before: null,
      at: toTimestamp(nowMs)
    })
  )

/** Locks an owner's market, so that callers that read it and add a revision follow one another. */
const lockMarket = ({ lock }: Transactor["Service"], owner: Owner, symbol: string) =>
  lock(`market ${owner} ${symbol}`)

/**
 * Keeps a new revision of an owner's market, in the transaction under way. Where neither the terms
 * nor their source differ, it keeps none.
 */
export const keepMarket = Effect.fnUntraced(function* <E>(
  { markets, transactor }: MarketPorts,
  { owner, symbol }: { readonly owner: Owner; readonly symbol: string },
  decide: (
    before: MarketRevision | null
  ) => Effect.Effect<Pick<RevisionParts, "source" | "terms">, E>
): Effect.fn.Return<MarketRevision, E | StoreError> {
  yield* lockMarket(transactor, owner, symbol)
  const before = Option.getOrNull(yield* markets.newest(owner, symbol))
  const parts = yield* decide(before)
  const at = toTimestamp(yield* Clock.currentTimeMillis)
  const next = yield* makeRevision({ ...parts, owner, before, at })
  const isSame = next.hash === before?.hash && next.source === before.source
  if (before !== null && isSame) return before
  yield* markets.insert(next)
  return next
})
