/**
 * The matcher whose stored bytes are kept, for each way in which entries become lots. It has orders
 * of every type at rest in two markets, a group, lots with moving exits, funding and shares of
 * volume.
 *
 * After a change of the layout, `node packages/engine/test/match/storedMatcher.ts` adds the bytes
 * of the new version to those that are kept.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  makeOutcome,
  type MarketSpec,
  type MatchOutcome,
  type OrderRequest
} from "../../src/kernel/account.ts"
import {
  type MatcherSnapshot,
  type NettingMode,
  SimulatedAccount
} from "../../src/kernel/SimulatedAccount.ts"
import { packMatcher, unpackMatcher } from "../../src/kernel/matcherBytes.ts"
import { matcherVersion } from "../../src/match/matcherCodes.ts"

/** A matcher as a host keeps it, and what becomes of it on the candles that follow. */
export interface StoredMatcher {
  readonly netting: NettingMode
  /** The bytes in base 64, without the room of the log. */
  readonly desk: string
  readonly length: number
  readonly names: ReadonlyArray<readonly [id: number, name: string]>
  readonly group?: MatcherSnapshot["group"]
  readonly later: unknown
}

export const storedNettings = ["hedging", "average"] as const

/** The folder of the kept bytes. */
export const storedMatchers = join(import.meta.dirname, "storedMatchers")

const specs: ReadonlyArray<MarketSpec> = [
  {
    tick: 0.01,
    lot: 0.001,
    minNotional: 1,
    makerRate: 0.0005,
    takerRate: 0.001,
    feePerFill: 0.1,
    slippageRate: 0.0005,
    canShort: true,
    leverage: 3,
    funding: { rate: 0.0001, intervalMs: 7_200_000 }
  },
  {
    tick: 0.1,
    lot: 0.01,
    minNotional: 5,
    makerRate: 0,
    takerRate: 0.002,
    feePerFill: 0,
    slippageRate: 0,
    canShort: true,
    leverage: 3,
    volumeShare: { max: 0.5, slippageRate: 0.01 }
  }
]

const plain: Omit<OrderRequest, "id"> = {
  side: 1,
  type: "market",
  leg: "entry",
  quantity: 2,
  limit: null,
  stop: null,
  expiresAfter: null,
  reason: "signal",
  attached: null
}

const fraction = (value: number) => ({ kind: "fraction", value }) as const
const distance = (value: number) => ({ kind: "distance", value }) as const
const level = (value: number) => ({ kind: "price", value }) as const

/** Exits of every kind of level, which move. */
const moving: OrderRequest["attached"] = {
  stopLoss: fraction(0.04),
  takeProfit: level(112),
  trailingStop: { distance: distance(12), activation: fraction(0.01) },
  breakEven: { activation: fraction(0.05), offsetRate: 0.001 }
}

const first: ReadonlyArray<readonly [market: number, order: OrderRequest]> = [
  [0, { ...plain, id: "e0", attached: moving }],
  [1, { ...plain, id: "f0", side: -1, quantity: 3 }]
]

const beside = { endsWithPosition: true } as const

const resting: ReadonlyArray<readonly [market: number, order: OrderRequest]> = [
  [0, { ...plain, ...beside, id: "e2.dip0", type: "limit", limit: 99.5, expiresAfter: 9 }],
  [0, { ...plain, ...beside, id: "e2.boost0", type: "stop", stop: 104.5, quantity: 1 }],
  [
    0,
    {
      ...plain,
      ...beside,
      id: "x2.target0",
      side: -1,
      type: "limit",
      leg: "exit",
      limit: 106,
      quantity: 0.5,
      reason: "take_profit"
    }
  ],
  [
    1,
    {
      ...plain,
      id: "f2-0.more",
      side: -1,
      type: "stop_limit",
      stop: 48,
      limit: 47.5,
      quantity: 1,
      group: "f2.more"
    }
  ],
  [
    1,
    {
      ...plain,
      id: "f2-1.more",
      side: -1,
      type: "limit",
      limit: 53,
      quantity: 1,
      group: "f2.more",
      until: 14 * 3_600_000
    }
  ],
  [
    1,
    {
      ...plain,
      id: "x2.part0",
      leg: "exit",
      type: "limit",
      limit: 45,
      quantity: 1,
      lot: "f0",
      ...beside
    }
  ]
]

/** Opens and closes of both markets, an hour each; highs and lows are one beyond. */
const closes: ReadonlyArray<readonly [number, number]> = [
  [100, 50],
  [101, 50],
  [102, 50.5],
  [101, 51],
  [100, 52.2],
  [99, 51],
  [103, 49],
  [106, 47],
  [108, 45],
  [103, 44],
  [100, 46],
  [99, 49]
]

const show = (account: SimulatedAccount, at: number): void => {
  const before = closes[Math.max(0, at - 1)]!
  const candles = closes[at]!.map((close, market) => ({
    market,
    time: at * 3_600_000,
    open: before[market]!,
    high: Math.max(before[market]!, close) + 1,
    low: Math.min(before[market]!, close) - 1,
    close,
    volume: 5
  }))
  account.show(candles)
}

/** The last candle that the kept matcher has seen. */
const keptAt = 3

/** The matcher, after its first candles. */
export const openStored = (netting: NettingMode): SimulatedAccount => {
  const account = SimulatedAccount.open(10_000, specs, netting)
  show(account, 0)
  for (const [market, order] of first) account.place(market, order)
  show(account, 1)
  for (const [market, order] of resting) {
    const { lot: _lot, ...whole } = order
    account.place(market, netting === "hedging" ? order : whole)
  }
  show(account, 2)
  account.protect(0, { stop: 96.5 })
  show(account, keptAt)
  account.drain(makeOutcome())
  return account
}

/** The outcome of a matcher that is kept, as JSON. */
export const laterOf = (account: SimulatedAccount): unknown => {
  const outcome: MatchOutcome = makeOutcome()
  for (let at = keptAt + 1; at < closes.length; at++) show(account, at)
  account.drain(outcome)
  // Older records lack the candles in which orders ended.
  const ended = outcome.ended.map(({ index: _index, ...order }) => order)
  const told = {
    outcome: { ...outcome, ended },
    held: account.held(),
    ledger: account.ledger,
    equity: account.equity
  }
  return JSON.parse(JSON.stringify(told))
}

/** The stored form of a matcher. */
export const store = (netting: NettingMode): StoredMatcher => {
  const account = openStored(netting)
  const { bytes, ...rest } = account.snapshot()
  const packed = packMatcher(bytes)
  return {
    netting,
    desk: Buffer.from(packed.bytes).toString("base64"),
    length: packed.length,
    ...rest,
    later: laterOf(account)
  }
}

/** The matcher of a stored form. */
export const restore = ({ desk, group, length, names }: StoredMatcher): SimulatedAccount => {
  const bytes = unpackMatcher({ bytes: new Uint8Array(Buffer.from(desk, "base64")), length })
  return SimulatedAccount.restore({ bytes, names, ...(group !== undefined && { group }) })
}

if (import.meta.main) {
  const path = join(storedMatchers, `version${matcherVersion}.json`)
  writeFileSync(path, `${JSON.stringify(storedNettings.map(store), null, 2)}\n`)
}
