/**
 * Two servers over one store, and callers who read the same before either of them writes: what was
 * answered is kept.
 */
import {
  Accounts,
  AccountStore,
  Candles,
  CandleStore,
  RecordedMarketData,
  type StorePorts
} from "@candlewick/core"
import { sliceColumns } from "@candlewick/core/kernel"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { onEveryStore } from "../../packages/store-postgres/test/databases/onEveryDatabase.ts"
import { free, symbol } from "../stories/scene.ts"
import { columnsOf } from "../stories/scripted.ts"
import { botsOnStores } from "../stories/world.ts"
import { refusalCode } from "./setting.ts"

const server = botsOnStores(RecordedMarketData.layer)

type Server = Context.Context<Layer.Success<typeof server>>

const lingering = <A, E, R>(read: Effect.Effect<A, E, R>) =>
  Effect.tap(read, () => Effect.sleep("30 millis"))

/** The stores, at which who has read something stays a while before it goes on. */
const slowly = (stores: Context.Context<StorePorts>) => {
  const accounts = Context.get(stores, AccountStore)
  const candles = Context.get(stores, CandleStore)
  return stores.pipe(
    Context.add(AccountStore, {
      ...accounts,
      findKey: (lookup) => lingering(accounts.findKey(lookup))
    }),
    Context.add(CandleStore, {
      ...candles,
      load: (key, range) => lingering(candles.load(key, range)),
      getMarket: (name) => lingering(candles.getMarket(name))
    })
  )
}

const races = (name: string, stores: Layer.Layer<StorePorts>) => {
  const onTwoServers = <A, E>(
    test: (one: Server, other: Server) => Effect.Effect<A, E, StorePorts>
  ) =>
    Effect.gen(function* () {
      const kept = yield* Layer.build(stores)
      const ground = Layer.succeedContext(slowly(kept))
      const start = Layer.build(Layer.fresh(Layer.provide(server, ground)))
      const [one, other] = yield* Effect.all([start, start])
      yield* Effect.provideContext(test(one, other), kept)
    }).pipe(Effect.scoped)

  describe(name, () => {
    it.live("candles of one series that come in at once are all kept", () =>
      onTwoServers(
        Effect.fnUntraced(function* (one, other) {
          const parts = 4
          const length = 50
          const whole = columnsOf(Array.from({ length: parts * length }, (_, index) => 100 + index))
          const key = { symbol, timeframe: "1h" } as const
          const imports = Array.from({ length: parts }, (_, part) =>
            Effect.provideContext(
              Effect.flatMap(Candles, (candles) =>
                candles.import({
                  key,
                  columns: sliceColumns(whole, part * length, (part + 1) * length),
                  // What each says of the market is kept as well.
                  market: part === 0 ? free : {}
                })
              ),
              part % 2 === 0 ? one : other
            )
          )
          yield* Effect.all(imports, { concurrency: "unbounded" })
          const { describe: describeSeries, getMarket, load } = yield* CandleStore
          assert.deepStrictEqual(yield* load(key), Option.some(whole))
          const series = Option.getOrThrow(yield* describeSeries(key))
          assert.strictEqual(series.candle_count, parts * length)
          assert.deepInclude(Option.getOrThrow(yield* getMarket(symbol)), free)
        })
      )
    )

    it.live("a key that was revoked while it was used for the first time opens nothing more", () =>
      onTwoServers(
        Effect.fnUntraced(function* (one, other) {
          const accounts = Context.get(one, Accounts)
          const elsewhere = Context.get(other, Accounts)
          const { account, key, secret } = yield* accounts.create("Desk")
          const use = Effect.exit(elsewhere.authenticate(secret))
          const uses = Array.from({ length: 4 }, (_, index) =>
            Effect.andThen(Effect.sleep(index * 15), use)
          )
          const revoke = Effect.andThen(
            Effect.sleep("40 millis"),
            accounts.revokeKey(account.id, key.id)
          )
          yield* Effect.all([revoke, ...uses], { concurrency: "unbounded" })
          assert.strictEqual(yield* refusalCode(elsewhere.authenticate(secret)), "unauthenticated")
          const { items } = yield* accounts.listKeys(account.id, { limit: 5 })
          assert.isNotNull(items[0]!.revoked_at)
          assert.isNotNull(items[0]!.last_used_at)
        })
      )
    )
  })
}

races("Races over the memory store", MemoryStore.layer)
onEveryStore("Races", races)
