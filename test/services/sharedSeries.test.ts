/**
 * Bots of one recording share its candles, and what is read of them.
 */
import {
  Candles,
  CandleStore,
  MarketData,
  type MarketUpdate,
  operatorAccountId,
  RecordedMarketData,
  ReplayRate
} from "@candlewick/core"
import { randomWalk } from "@candlewick/core/testing"
import { sliceColumns } from "@candlewick/core/kernel"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { eventually } from "../stories/world.ts"

const key = { symbol: "SHR/USD", timeframe: "1h" } as const
const columns = randomWalk(11, { count: 300, stepMs: 3_600_000 })

/** A recording, with how often and how much of it was read from its store. */
const withRecording = Effect.gen(function* () {
  const read = { candles: 0, loads: 0, lists: 0 }
  const stores = Layer.effect(
    CandleStore,
    Effect.map(CandleStore, (store) => ({
      ...store,
      list: (owner) => {
        read.lists++
        return store.list(owner)
      },
      load: (asked, range) => {
        read.loads++
        return Effect.tap(store.load(asked, range), (found) =>
          Effect.sync(() => {
            if (found._tag === "Some") read.candles += found.value.length
          })
        )
      }
    }))
  ).pipe(Layer.provideMerge(MemoryStore.layer))
  const services = yield* Layer.build(
    Layer.merge(RecordedMarketData.layer, Candles.layer).pipe(
      Layer.provide(Layer.succeed(ReplayRate, 10_000)),
      Layer.provide(stores)
    )
  )
  const add = (from: number, to: number) =>
    Effect.provideContext(
      Effect.flatMap(Candles, (candles) =>
        candles.import(operatorAccountId, { key, columns: sliceColumns(columns, from, to) })
      ),
      services
    )
  return { add, read, source: yield* Effect.provideContext(MarketData, services) }
})

const asked = { accountId: operatorAccountId, ...key }
const told = { accountId: operatorAccountId, symbols: [key.symbol], timeframe: key.timeframe }

describe("bots of one recording", () => {
  it.live("read it once", () =>
    Effect.gen(function* () {
      const { add, read, source } = yield* withRecording
      yield* add(0, 200)
      read.loads = 0
      const times = [0, 20, 100, 199].map((index) => columns.time[index]!)
      // The holder of candles keeps them there for the others.
      const first = yield* source.history({ ...asked, until: Number.MAX_SAFE_INTEGER })
      const histories = yield* Effect.forEach(times, (until) => source.history({ ...asked, until }))
      const streams = yield* Effect.forEach(times, (after) =>
        Stream.runCollect(
          Stream.takeUntil(source.candles({ ...told, after }), ({ type }) => type === "end")
        )
      )
      assert.strictEqual(read.loads, 1)
      assert.deepStrictEqual(
        histories.map(({ length }) => length),
        [1, 21, 101, 200]
      )
      for (const one of histories) assert.strictEqual(one.close.buffer, first.close.buffer)
      assert.deepStrictEqual(
        streams.map(({ length }) => length),
        [200, 180, 100, 1]
      )
    }).pipe(Effect.scoped)
  )

  it.live("are shown what is recorded later, which is read once as well", () =>
    Effect.gen(function* () {
      const { add, read, source } = yield* withRecording
      yield* add(0, 50)
      const count = 20
      const heard = Array.from({ length: count }, (): Array<MarketUpdate> => [])
      const after = columns.time[49]!
      const listeners = yield* Effect.forEach(heard, (one) =>
        Effect.forkChild(
          Stream.runForEach(source.candles({ ...told, after }), (update) =>
            Effect.sync(() => void one.push(update))
          )
        )
      )
      const all = (isSo: (one: ReadonlyArray<MarketUpdate>) => boolean) =>
        eventually(
          Effect.sync(() => heard.every(isSo)),
          (isAll) => isAll
        )
      yield* all((one) => one.at(-1)?.type === "end")
      yield* add(50, 53)
      read.candles = 0
      read.loads = 0
      read.lists = 0
      yield* all((one) => one.length === 5 && one.at(-1)!.type === "end")
      for (const one of heard) {
        const times = one.flatMap((update) => (update.type === "candles" ? [update.time] : []))
        assert.deepStrictEqual(times, Array.from(columns.time.slice(50, 53)))
      }
      assert.deepStrictEqual([read.loads, read.candles], [1, 3])
      assert.isBelow(read.lists, count)
      yield* Effect.forEach(listeners, Fiber.interrupt)
    }).pipe(Effect.scoped)
  )

  it.live("are shown what an import has mended before the last candle", () =>
    Effect.gen(function* () {
      const { add, source } = yield* withRecording
      yield* add(0, 30)
      yield* add(40, 60)
      const until = Number.MAX_SAFE_INTEGER
      const before = yield* source.history({ ...asked, until })
      yield* add(30, 40)
      const after = yield* source.history({ ...asked, until })
      assert.deepStrictEqual([before.length, after.length], [50, 60])
    }).pipe(Effect.scoped)
  )
})
