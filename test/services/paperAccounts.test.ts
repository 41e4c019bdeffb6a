/**
 * The stored form of a paper account. An account of an earlier version goes on as it would have; an
 * unreadable one is refused and stays.
 */
import { PaperBooks, BooksError, marketOf, PaperAccountStore } from "@candlewick/core"
import type { MarketSpec, OrderRequest } from "@candlewick/core/kernel"
import { orderRequest } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, type Schema } from "effect"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"

const layer = Layer.provideMerge(PaperBooks.layer, MemoryStore.layer)
const botId = "bot"

/** A candle that is shown, and the orders at its close. */
interface Step {
  readonly candles: ReadonlyArray<{
    readonly symbol: string
    readonly time: number
    readonly open: number
    readonly high: number
    readonly low: number
    readonly close: number
    readonly volume?: number
  }>
  readonly deeds: ReadonlyArray<
    | { readonly type: "place"; readonly market: number; readonly order: OrderRequest }
    | { readonly type: "cancel"; readonly market: number; readonly id: string }
  >
  /** Whether exits are filled at the last close afterwards. */
  readonly closes: boolean
}

/**
 * The middle of a drawn story as the broker of an earlier version kept it, and the rest of the
 * story. The digest is of that broker's reports on the rest.
 */
interface Recorded {
  readonly seed: string
  readonly kept: Kept
  readonly steps: ReadonlyArray<Step>
  readonly digest: string
  readonly after: { readonly cash: number }
}

const recorded: ReadonlyArray<Recorded> = JSON.parse(
  readFileSync(new URL("./accountsOfVersion1.json", import.meta.url), "utf8")
)

/** The broker of that version reported ends without their candles. */
const asThen = (key: string, value: unknown): unknown => {
  if (key !== "ended") return value
  return (value as ReadonlyArray<object>).map((end) => ({ ...end, index: undefined }))
}

const digestOf = (reports: ReadonlyArray<object>): string =>
  createHash("sha256").update(JSON.stringify(reports, asThen)).digest("hex")

/** Tells the rest of a story, and gives the reports. */
const tell = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const broker = yield* PaperBooks
  const reports: Array<object> = []
  for (const { candles, closes, deeds } of steps) {
    reports.push(yield* broker.settle(botId, candles))
    for (const deed of deeds) {
      if (deed.type === "place") yield* broker.place(botId, deed.market, deed.order)
      else yield* broker.cancel(botId, deed.market, deed.id)
    }
    if (closes) reports.push(yield* broker.settle(botId, null))
  }
  return reports
})

const spec: MarketSpec = {
  tick: 0.01,
  lot: 0.001,
  minNotional: 0,
  makerRate: 0.001,
  takerRate: 0.002,
  feePerFill: 0,
  slippageRate: 0,
  canShort: false,
  leverage: 1
}

const markets = [{ market: marketOf("A/USD"), spec }]

const candleAt = (index: number, open: number, low: number) => ({
  symbol: "A/USD",
  time: index * 3_600_000,
  open,
  high: open + 1,
  low,
  close: open
})

type Kept = Readonly<Record<string, Schema.Json>>

/** The stored form of an account that holds a position, and an order at rest. */
const keptOfHolder = Effect.gen(function* () {
  const broker = yield* PaperBooks
  const store = yield* PaperAccountStore
  yield* broker.open({ botId, capital: 1_000, markets })
  yield* broker.place(botId, 0, orderRequest({ id: "bought" }))
  yield* broker.settle(botId, [candleAt(0, 100, 99)])
  yield* broker.place(botId, 0, orderRequest({ id: "resting", type: "limit", limit: 90 }))
  return Option.getOrThrow(yield* store.get(botId)) as unknown as Kept
})

describe("a paper account of an earlier version", () => {
  it.effect.each(recorded)("goes on as it would have: $seed", ({ after, digest, kept, steps }) =>
    Effect.gen(function* () {
      const store = yield* PaperAccountStore
      yield* store.put(botId, kept)
      assert.strictEqual(digestOf(yield* tell(steps)), digest)
      const broker = yield* PaperBooks
      assert.strictEqual((yield* broker.account(botId)).cash, after.cash)
    }).pipe(Effect.provide(layer))
  )

  it.effect("shows what it holds, and what rests, as it did", () =>
    Effect.gen(function* () {
      const store = yield* PaperAccountStore
      const broker = yield* PaperBooks
      for (const { kept } of recorded) {
        yield* store.put(botId, kept)
        const { cash, openOrders, positions } = yield* broker.account(botId)
        const { books, ledger } = kept["account"] as unknown as {
          readonly ledger: { readonly cash: number }
          readonly books: ReadonlyArray<{
            readonly orders: ReadonlyArray<{ readonly id: string }>
            readonly position: { readonly quantity: number } | null
            readonly protection: { readonly stop: number | null } | null
          }>
        }
        assert.strictEqual(cash, ledger.cash)
        assert.deepStrictEqual(
          positions.map(({ protection, quantity }) => [quantity, protection?.stop ?? null]),
          books.flatMap(({ position, protection }) =>
            position === null ? [] : [[position.quantity, protection?.stop ?? null]]
          )
        )
        assert.deepStrictEqual(
          openOrders.map(({ clientOrderId }) => clientOrderId),
          books.flatMap(({ orders }) => orders.map(({ id }) => id))
        )
      }
      assert.isNotEmpty(recorded)
    }).pipe(Effect.provide(layer))
  )

  it.effect("has a matcher's bytes once it was written again", () =>
    Effect.gen(function* () {
      const store = yield* PaperAccountStore
      const { kept, steps } = recorded[0]!
      yield* store.put(botId, kept)
      yield* tell(steps.slice(0, 1))
      assert.hasAllKeys(Option.getOrThrow(yield* store.get(botId)) as object, [
        "version",
        "symbols",
        "specs",
        "placed",
        "netting",
        "desk",
        "length",
        "names"
      ])
    }).pipe(Effect.provide(layer))
  )
})

const textOf = (kept: Kept, field: string): string => {
  const text = kept[field]
  return typeof text === "string" ? text : assert.fail(`${field} is no text`)
}

const damages: ReadonlyArray<readonly [string, (kept: Kept) => Schema.Json]> = [
  ["of a later version", (kept) => ({ ...kept, version: 3 })],
  [
    "of a matcher of a later layout",
    (kept) => ({ ...kept, desk: laterLayout(textOf(kept, "desk")) })
  ],
  ["whose matcher is cut off", (kept) => ({ ...kept, desk: textOf(kept, "desk").slice(0, 400) })],
  ["whose matcher is no base 64", (kept) => ({ ...kept, desk: "?" })],
  ["whose length is none", (kept) => ({ ...kept, length: -1 })],
  ["of other markets", (kept) => ({ ...kept, symbols: ["A/USD", "B/USD"] })],
  ["that is nothing", () => null],
  ["that is a text", () => "account"],
  [
    "of an earlier version, without its books",
    () => ({ symbols: [], specs: [], placed: [], account: {} })
  ]
]

/** The second word of a matcher is its layout. */
const laterLayout = (matcher: string): string => {
  const bytes = Buffer.from(matcher, "base64")
  bytes.writeInt32LE(bytes.readInt32LE(4) + 1, 4)
  return bytes.toString("base64")
}

describe("a paper account that nobody can read", () => {
  it.effect.each(damages)("is refused and stays as it is: one %s", ([, damage]) =>
    Effect.gen(function* () {
      const broker = yield* PaperBooks
      const store = yield* PaperAccountStore
      const kept = damage(yield* keptOfHolder)
      yield* store.put(botId, kept)
      const attempts = [
        broker.open({ botId, capital: 5, markets }),
        broker.place(botId, 0, orderRequest()),
        Effect.asVoid(broker.cancel(botId, 0, "resting")),
        Effect.asVoid(broker.settle(botId, [candleAt(1, 100, 80)])),
        Effect.asVoid(broker.account(botId))
      ]
      for (const attempt of attempts) {
        const error = yield* Effect.flip(attempt)
        assert.instanceOf(error, BooksError)
        assert.strictEqual(error.reason._tag, "AccountUnreadable")
        assert.isFalse(error.isRetryable)
      }
      assert.deepStrictEqual(yield* store.get(botId), Option.some(kept))
    }).pipe(Effect.provide(layer))
  )
})

describe("a paper account", () => {
  it.effect("goes by the terms that were named last, with what it holds", () =>
    Effect.gen(function* () {
      const broker = yield* PaperBooks
      yield* keptOfHolder
      const before = yield* broker.account(botId)
      const dearer = [{ market: marketOf("A/USD"), spec: { ...spec, takerRate: 0.5 } }]
      yield* broker.open({ botId, capital: 5, markets: dearer })
      assert.deepStrictEqual(yield* broker.account(botId), before)
      yield* broker.place(botId, 0, orderRequest({ side: -1, leg: "exit" }))
      const { fills } = yield* broker.settle(botId, [candleAt(1, 100, 99)])
      assert.strictEqual(fills[0]?.fee, 100)
    }).pipe(Effect.provide(layer))
  )
})
