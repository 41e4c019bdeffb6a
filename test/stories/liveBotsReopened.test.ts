/** Live bots that are opened again because the stream of their candles was cut once. */
import { MarketData, MarketDataError, SourceUnavailable, Venues } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Latch, Layer, References, Stream } from "effect"
import { openOrdersOf, tradesOf } from "../../packages/core/src/testing/modelVenue/Exchange.ts"
import { holdLive, makeModel } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { symbol } from "./scene.ts"
import { makeScript } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

const down = new MarketDataError({ reason: new SourceUnavailable({ cause: "the feed is cut" }) })

const risk = {
  max_drawdown: 1,
  risk_per_trade: 1,
  max_exposure: 1,
  daily_loss: 1,
  is_stop_loss_mandatory: true,
  unprotected_max_seconds: 20
}

it.effect("sells a lot that lacks its stop in time, however old its exchange's answers are", () => {
  let isRefusing = false
  const model = makeModel({
    capabilities: { readLagMs: 60_000 },
    drawFault: (call) =>
      isRefusing && call.type === "submit" && call.order.type === "stop"
        ? { outcome: "refused" }
        : {}
  })
  const told = makeScript({ [symbol]: [99, 99, 99, 101, 101] })
  const cut = Latch.makeUnsafe()
  let openCount = 0
  const cutOnce = Stream.suspend(() =>
    openCount++ === 0
      ? Stream.fromEffect(Effect.andThen(cut.await, Effect.fail(down)))
      : Stream.never
  )
  const feed = Layer.effect(
    MarketData,
    Effect.map(MarketData, (real) => ({
      ...real,
      candles: (request) => Stream.merge(real.candles(request), cutOnce)
    }))
  ).pipe(Layer.provide(told.layer))
  const find = () => Effect.succeedSome({ venue: model.venue, isRehearsal: true })
  const bots = Layer.provide(botsOnStores(feed), Layer.succeed(Venues, { find }))
  return Effect.gen(function* () {
    yield* holdLive(model, told, undefined, { risk })
    yield* Effect.sleep("130 seconds")
    isRefusing = true
    const stop = openOrdersOf(yield* model.truth).find(({ type }) => type === "stop")!
    yield* model.act({ type: "end", id: stop.id!, status: "cancelled" })
    const endedAtMs = yield* Clock.currentTimeMillis
    yield* Effect.sleep("15 seconds")
    yield* cut.open
    yield* eventually(Effect.map(model.truth, tradesOf), ({ length }) => length === 2)
    assert.strictEqual(openCount, 2)
    assert.isAtMost((yield* Clock.currentTimeMillis) - endedAtMs, 23_000)
  }).pipe(
    Effect.provide(Layer.provideMerge(bots, MemoryStore.layer)),
    Effect.provideService(References.MinimumLogLevel, "None"),
    whileTimePasses
  )
})
