/** Live bots whose candles do not come, because their source fails. */
import { MarketData, MarketDataError, SourceUnavailable, Venues } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, it } from "@effect/vitest"
import { Effect, Latch, Layer, References, Stream } from "effect"
import { holdLive, makeModel } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { symbol } from "./scene.ts"
import { makeScript } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

const down = new MarketDataError({ reason: new SourceUnavailable({ cause: "the feed is cut" }) })

it.effect("books the fill of its stop while the source of its candles fails", () => {
  const model = makeModel()
  const told = makeScript({ [symbol]: [99, 99, 99, 101, 101] })
  const cut = Latch.makeUnsafe()
  let isCut = false
  const failing = Stream.fromEffect(Effect.andThen(cut.await, Effect.fail(down)))
  const feed = Layer.effect(
    MarketData,
    Effect.map(MarketData, (real) => ({
      ...real,
      history: (request) =>
        Effect.suspend(() => (isCut ? Effect.fail(down) : real.history(request))),
      candles: (request) => Stream.merge(real.candles(request), failing)
    }))
  ).pipe(Layer.provide(told.layer))
  const venues = Layer.succeed(Venues, {
    find: () => Effect.succeedSome({ venue: model.venue, isRehearsal: true })
  })
  const world = Layer.provideMerge(Layer.provide(botsOnStores(feed), venues), MemoryStore.layer)
  return Effect.gen(function* () {
    const { accountId, becomes, bot, bots } = yield* holdLive(model, told)
    isCut = true
    yield* cut.open
    yield* becomes(({ hindrances }) => hindrances.some(({ kind }) => kind === "stale_data"))
    yield* model.moveTo(symbol, "80")
    const { items } = yield* eventually(
      bots.trades(accountId, bot.id, { limit: 9 }),
      (page) => page.items.length === 2
    )
    assert.deepStrictEqual(
      items.map(({ side }) => side),
      ["sell", "buy"]
    )
    const { hindrances, open_positions: positions } = yield* bots.status(accountId, bot.id)
    assert.lengthOf(positions, 0)
    assert.include(
      hindrances.map(({ kind }) => kind),
      "stale_data"
    )
  }).pipe(
    Effect.provide(world),
    Effect.provideService(References.MinimumLogLevel, "None"),
    whileTimePasses
  )
})
