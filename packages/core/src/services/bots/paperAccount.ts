/**
 * The stored form of a paper account: its matcher's bytes, and names for the numbers in them.
 *
 * Earlier versions kept accounts as plain objects. They are read too, and have the matcher's bytes
 * from then on.
 *
 * @since 0.1.0
 */
import { Effect, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { AccountUnreadable, BooksError } from "../../domain/BooksError.ts"
import {
  migrateAccount,
  type MarketSpec,
  type MatcherSnapshot,
  type NettingMode,
  packMatcher,
  SimulatedAccount,
  unpackMatcher
} from "@candlewick/engine/kernel"

/** A paper account at work. */
export interface PaperAccount {
  readonly symbols: ReadonlyArray<string>
  readonly specs: ReadonlyArray<MarketSpec>
  readonly matcher: SimulatedAccount
  /** The netting of the account's entries once it holds nothing. */
  readonly netting: NettingMode
  /** Client order ids that were placed and are not known to be over. */
  readonly placed: ReadonlyArray<string>
}

const { Finite, Int, Literals, NullOr } = Schema
const list = Schema.Array

/** The terms of a market, as accounts keep them. */
export const Spec = Schema.Struct({
  tick: Finite,
  lot: Finite,
  minNotional: Finite,
  makerRate: Finite,
  takerRate: Finite,
  feePerFill: Finite,
  slippageRate: Finite,
  canShort: Schema.Boolean,
  leverage: Finite,
  funding: Schema.optional(Schema.Struct({ rate: Finite, intervalMs: Finite })),
  volumeShare: Schema.optional(Schema.Struct({ max: Finite, slippageRate: Finite }))
})

/** Fields that both stored forms have. */
const common = { symbols: list(Schema.String), specs: list(Spec), placed: list(Schema.String) }

const version = 2

/** An account as it is written. */
const Kept = Schema.Struct({
  ...common,
  version: Schema.Literal(version),
  netting: Schema.optionalKey(Literals(["single", "average", "hedging"])),
  /** The bytes in base 64. */
  desk: Schema.String,
  /** Bytes of the matcher with its log. */
  length: Int,
  names: list(Schema.Tuple([Int, Schema.String])),
  group: Schema.optional(Schema.Struct({ id: Int, market: Int, name: Schema.String }))
})

const Level = Schema.Struct({ kind: Literals(["fraction", "distance", "price"]), value: Finite })

/** Exits that come with an entry, as accounts keep them. */
export const Attached = Schema.Struct({
  stopLoss: NullOr(Level),
  takeProfit: NullOr(Level),
  trailingStop: NullOr(Schema.Struct({ distance: Level, activation: NullOr(Level) })),
  breakEven: NullOr(Schema.Struct({ activation: Level, offsetRate: Finite }))
})

const Side = Literals([1, -1])

const Order = Schema.Struct({
  id: Schema.String,
  side: Side,
  type: Literals(["market", "limit", "stop", "stop_limit"]),
  leg: Literals(["entry", "exit"]),
  quantity: Finite,
  limit: NullOr(Finite),
  stop: NullOr(Finite),
  expiresAfter: NullOr(Int),
  reason: Literals(["signal", "time_limit", "force_exit", "end_of_data", "kill_switch"]),
  attached: NullOr(Attached),
  age: Int,
  isTriggered: Schema.Boolean
})

/** A position, as accounts keep it. */
export const Position = Schema.Struct({
  quantity: Finite,
  entryPrice: Finite,
  entryIndex: Int,
  entryTime: Finite,
  entryFees: Finite
})

/** Exits of a position, as accounts keep them. */
export const PaperExits = Schema.Struct({
  entryOrderId: Schema.String,
  liveFrom: Int,
  direction: Side,
  tick: Finite,
  stop: NullOr(Finite),
  stopReason: Literals(["stop_loss", "trailing_stop", "break_even"]),
  target: NullOr(Finite),
  trailing: NullOr(
    Schema.Struct({
      distance: Finite,
      isFraction: Schema.Boolean,
      activation: NullOr(Finite),
      best: Finite
    })
  ),
  breakEven: NullOr(Schema.Struct({ activation: Finite, stop: Finite })),
  passed: Schema.optional(Schema.Struct({ best: Finite, worst: Finite }))
})

const Book = Schema.Struct({
  orders: list(Order),
  position: NullOr(Position),
  protection: NullOr(PaperExits),
  lastClose: NullOr(Finite),
  lastTime: NullOr(Finite),
  index: Int,
  lastExitIndex: NullOr(Int),
  wasStopped: Schema.Boolean
})

/** The stored form of accounts that earlier versions kept as plain objects. */
const KeptBefore = Schema.Struct({
  ...common,
  account: Schema.Struct({
    ledger: Schema.Struct({
      cash: Finite,
      realizedPnl: Finite,
      feesPaid: Finite,
      fundingPaid: Finite,
      turnover: Finite
    }),
    books: list(Book)
  })
})

const readKept = Schema.decodeUnknownSync(Kept)
const readBefore = Schema.decodeUnknownSync(KeptBefore)

const toSnapshot = ({ desk, group, length, names }: typeof Kept.Type): MatcherSnapshot => ({
  bytes: unpackMatcher({ bytes: Result.getOrThrow(Base64.decode(desk)), length }),
  names,
  group
})

/** An order of an older account has all of its parts, and orders of today may have more. */
const carryOver = ({ account, specs }: typeof KeptBefore.Type): MatcherSnapshot =>
  migrateAccount(structuredClone(account) as never, specs)

const read = (snapshot: Schema.Json): PaperAccount => {
  const isBefore = typeof snapshot === "object" && snapshot !== null && !("version" in snapshot)
  const kept = isBefore ? readBefore(snapshot) : readKept(snapshot)
  const { placed, specs, symbols } = kept
  const matcher = SimulatedAccount.restore("account" in kept ? carryOver(kept) : toSnapshot(kept))
  const isWhole = specs.length === symbols.length && matcher.marketCount === symbols.length
  if (!isWhole) throw new RangeError(`the account has not ${symbols.length} markets`)
  const netting = "netting" in kept ? (kept.netting ?? "single") : "single"
  return { placed, specs, symbols, matcher, netting }
}

/** The account that was kept; data that is no account stays as it is. */
export const readPaperAccount = (
  botId: string,
  snapshot: Schema.Json
): Effect.Effect<PaperAccount, BooksError> =>
  Effect.try({
    try: () => read(snapshot),
    catch: (error) =>
      new BooksError({
        reason: new AccountUnreadable({ cause: `the paper account of ${botId}: ${String(error)}` })
      })
  })

/** The stored form of an account. */
export const toKept = ({ matcher, netting, placed, specs, symbols }: PaperAccount): Schema.Json => {
  const { bytes, group, names } = matcher.snapshot()
  const packed = packMatcher(bytes)
  const kept: typeof Kept.Type = {
    version,
    symbols,
    specs,
    placed,
    netting,
    desk: Base64.encode(packed.bytes),
    length: packed.length,
    names,
    ...(group !== undefined && { group })
  }
  return kept as unknown as Schema.Json
}
