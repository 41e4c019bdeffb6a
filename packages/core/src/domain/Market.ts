/**
 * Markets as they are kept: their owner, the source of their terms, and every revision.
 *
 * The terms, from tick to funding, are the engine's `Market`. A run or a bot names its revision. So
 * a later change of the market leaves earlier results as they were.
 *
 * @since 0.1.0
 */
import { Market, MarketSymbol, marketOf, Timestamp } from "@candlewick/engine"
import { Schema, Struct } from "effect"
import { AccountId, MarketId, operatorAccountId } from "./Identifier.ts"

/** The owner of records that every account reads. @category tables @since 0.1.0 */
export const sharedOwner = "shared"

/** The owner of a market or a series of candles. @category schemas @since 0.1.0 */
export const Owner = Schema.Union([Schema.Literal(sharedOwner), AccountId])

/** The owner of a market or a series of candles. @category models @since 0.1.0 */
export type Owner = typeof Owner.Type

/**
 * The owner of an account's writes: the operator writes the shared records.
 *
 * @category models
 * @since 0.1.0
 */
export const ownerOf = (accountId: string): Owner =>
  accountId === operatorAccountId ? sharedOwner : accountId

/**
 * The owners whose records an account reads. The first owner that has any of a symbol is the one
 * that counts.
 *
 * @category models
 * @since 0.1.0
 */
export const ownersFor = (accountId: string): ReadonlyArray<Owner> =>
  accountId === operatorAccountId ? [sharedOwner] : [accountId, sharedOwner]

/** Where the terms of a market come from. @category tables @since 0.1.0 */
export const marketSources = ["given", "exchange", "inferred"] as const

/**
 * The source of a market's terms: a caller, an exchange, or the defaults.
 *
 * @category schemas
 * @since 0.1.0
 */
export const MarketSource = Schema.Literals(marketSources)

/** Where the terms of a market come from. @category models @since 0.1.0 */
export type MarketSource = typeof MarketSource.Type

/** One revision of a market. @category schemas @since 0.1.0 */
export const MarketRevision = Schema.Struct({
  id: MarketId,
  owner: Owner,
  ...Market.fields,
  source: MarketSource,
  /** Counts from 1; every change of the terms or of their source makes the next one. */
  revision: Schema.Int,
  /** SHA-256 of the terms, in hex. Equal terms of two accounts have one hash. */
  hash: Schema.String,
  /** When the first revision was made. */
  created_at: Timestamp,
  /** When this revision was made. */
  updated_at: Timestamp
})

/** One revision of a market. @category models @since 0.1.0 */
export type MarketRevision = typeof MarketRevision.Type

/** Which revision of a market a run or a bot went by. @category schemas @since 0.1.0 */
export const MarketPin = Schema.Struct({
  symbol: MarketSymbol,
  market_id: MarketId,
  owner: Owner,
  source: MarketSource,
  revision: Schema.Int,
  hash: Schema.String
})

/** Which revision of a market a run or a bot went by. @category models @since 0.1.0 */
export type MarketPin = typeof MarketPin.Type

/** The revision by its names. @category models @since 0.1.0 */
export const pinOf = ({
  hash,
  id,
  owner,
  revision,
  source,
  symbol
}: MarketRevision): MarketPin => ({ symbol, market_id: id, owner, source, revision, hash })

const RevisionNumber = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/**
 * A revision that a caller asks for. A number names one of the market that counts for the account
 * by then. The form of results and bots names one of their market, whichever counts. Any further
 * field about it must be so.
 *
 * @category schemas
 * @since 0.1.0
 */
export const NamedRevision = Schema.Union([
  RevisionNumber,
  Schema.Struct({
    market_id: MarketId,
    revision: RevisionNumber,
    ...Struct.map(
      Struct.pick(MarketPin.fields, ["symbol", "owner", "source", "hash"]),
      Schema.optionalKey
    )
  })
])

/** A revision that a caller asks for. @category models @since 0.1.0 */
export type NamedRevision = typeof NamedRevision.Type

/**
 * Whether a revision is the one that is asked for. Servers give equal markets equal ids, so that it
 * is the hash, which shows terms of another server.
 *
 * @category models
 * @since 0.1.0
 */
export const isNamed = (market: MarketRevision, named: NamedRevision): boolean => {
  if (typeof named === "number") return market.revision === named
  const pin: Partial<MarketPin> = pinOf(market)
  return Struct.keys(named).every((field) => named[field] === pin[field])
}

/**
 * The revisions that a caller asks for, by their symbols or as a result lists them.
 *
 * @category schemas
 * @since 0.1.0
 */
export const NamedRevisions = Schema.Union([
  Schema.Record(MarketSymbol, NamedRevision),
  Schema.Array(MarketPin).check(Schema.isMaxLength(50))
])

/** The revisions that a caller asks for. @category models @since 0.1.0 */
export type NamedRevisions = typeof NamedRevisions.Type

const above = (least: number) => Schema.Finite.check(Schema.isGreaterThanOrEqualTo(least))
const below = (most: number) => Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: most }))

/** The shortest interval of funding, a minute, and the longest, a year. */
const [fundingMinHours, fundingMaxHours] = [1 / 60, 8_760]

/** The terms that a caller may name. */
const termFields = {
  ...Struct.pick(Market.fields, [
    "tick",
    "lot",
    "min_notional",
    "maker_rate",
    "taker_rate",
    "fee_per_fill",
    "funding_rate",
    "volume_share_max",
    "volume_slippage_rate",
    "can_short"
  ]),
  spread_rate: below(0.5),
  slippage_rate: below(0.5),
  max_leverage: above(1).check(Schema.isLessThanOrEqualTo(1_000)),
  funding_interval_hours: Schema.Finite.check(
    Schema.isBetween({ minimum: fundingMinHours, maximum: fundingMaxHours })
  ),
  source: Schema.Literals(["given", "exchange"])
}

/**
 * A market to be kept; a term that is left out is the usual one.
 *
 * @category schemas
 * @since 0.1.0
 */
export const MarketRequest = Schema.Struct({
  symbol: MarketSymbol,
  ...Struct.map(termFields, Schema.optionalKey)
})

/** A market to be kept. @category models @since 0.1.0 */
export type MarketRequest = typeof MarketRequest.Type

/** Changes to a market; a term that is left out stays. @category schemas @since 0.1.0 */
export const MarketChanges = Schema.Struct(Struct.map(termFields, Schema.optionalKey))

/** Changes to a market. @category models @since 0.1.0 */
export type MarketChanges = typeof MarketChanges.Type

const termNames = Struct.keys(Market.fields)

/** The terms of a revision alone. @category models @since 0.1.0 */
export const termsOf = (market: Market): Market => Struct.pick(market, termNames)

/**
 * Each term with its name, always in the order of the schema.
 *
 * @category models
 * @since 0.1.0
 */
export const termEntries = (market: Market): ReadonlyArray<readonly [string, unknown]> =>
  termNames.map((name) => [name, market[name]])

/** Whether terms are the defaults of a market without a record. @since 0.1.0 */
export const areUsual = (terms: Market): boolean => {
  const usual = marketOf(terms.symbol, { synthetic: terms.synthetic })
  return termNames.every((name) => terms[name] === usual[name])
}
