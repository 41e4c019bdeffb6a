/** Live bots whose candles do not come, because their source fails or has ended. */
import {
  MarketData,
  MarketDataError,
  type RiskProfile,
  SourceUnavailable,
  Venues
} from "@candlewick/core"
import type { ModelVenue } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Latch, Layer, References, Stream } from "effect"
import { openOrdersOf, tradesOf } from "../../packages/core/src/testing/modelVenue/Exchange.ts"
import { holdLive, makeModel, ordersWhere, setLive, statusWhere } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { definition, symbol } from "./scene.ts"
import { makeScript } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

const down = new MarketDataError({ reason: new SourceUnavailable({ cause: "the feed is cut" }) })

const worldOf = (model: ModelVenue, feed: Layer.Layer<MarketData>) => {
  const venues = Layer.succeed(Venues, {
    find: () => Effect.succeedSome({ venue: model.venue, isRehearsal: true })
  })
  return Layer.provideMerge(Layer.provide(botsOnStores(feed), venues), MemoryStore.layer)
}

/** A story of bots whose source of candles fails once it is cut. */
const withCut = <E>(
  model: ModelVenue,
  story: (
    told: ReturnType<typeof makeScript>,
    cut: Effect.Effect<void>,
    /** When the source was asked since it was cut. */
    askedAtMs: ReadonlyArray<number>
  ) => Effect.Effect<void, E, Layer.Success<ReturnType<typeof worldOf>>>
) => {
  const told = makeScript({ [symbol]: [99, 99, 99, 101, 101] })
  const latch = Latch.makeUnsafe()
  const askedAtMs: Array<number> = []
  let isCut = false
  const fail = Effect.gen(function* () {
    askedAtMs.push(yield* Clock.currentTimeMillis)
    return yield* down
  })
  const failing = Stream.fromEffect(Effect.andThen(latch.await, Effect.fail(down)))
  const feed = Layer.effect(
    MarketData,
    Effect.map(MarketData, (real) => ({
      ...real,
      history: (request) => Effect.suspend(() => (isCut ? fail : real.history(request))),
      candles: (request) => Stream.merge(real.candles(request), failing)
    }))
  ).pipe(Layer.provide(told.layer))
  const cut = Effect.suspend(() => {
    isCut = true
    return Effect.asVoid(latch.open)
  })
  return story(told, cut, askedAtMs).pipe(
    Effect.provide(worldOf(model, feed)),
    Effect.provideService(References.MinimumLogLevel, "None"),
    whileTimePasses
  )
}

/** A bot that holds 10, and whose source of candles fails once it is cut. */
const cutFrom = (
  model: ModelVenue,
  story: (
    cut: Effect.Effect<void>,
    scene: Effect.Success<ReturnType<typeof holdLive>>,
    askedAtMs: ReadonlyArray<number>
  ) => Effect.Effect<void, unknown>,
  risk?: RiskProfile
) =>
  withCut(
    model,
    Effect.fnUntraced(function* (told, cut, askedAtMs) {
      const scene = yield* holdLive(model, told, undefined, risk === undefined ? {} : { risk })
      yield* story(cut, scene, askedAtMs)
    })
  )

it.effect("books the fill of its stop while the source of its candles fails", () => {
  const model = makeModel()
  return cutFrom(model, (cut, { accountId, becomes, bot, bots }) =>
    Effect.gen(function* () {
      yield* cut
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
    })
  )
})

/** An exchange that takes no stops as long as that is said. */
const stopless = () => {
  const state = { isRefusing: false }
  const model = makeModel({
    drawFault: (call) =>
      state.isRefusing && call.type === "submit" && call.order.type === "stop"
        ? { outcome: "refused" }
        : {}
  })
  return { model, state }
}

const riskOf = (maxSeconds: number): RiskProfile => ({
  max_drawdown: 1,
  risk_per_trade: 1,
  max_exposure: 1,
  daily_loss: 1,
  is_stop_loss_mandatory: true,
  unprotected_max_seconds: maxSeconds
})

/** Waits until the pauses between two tries are as long as they get, and so long after a try. */
const untilTried = Effect.fnUntraced(function* (askedAtMs: ReadonlyArray<number>, thenMs: number) {
  yield* Effect.sleep("60 seconds")
  const { length } = askedAtMs
  yield* eventually(
    Effect.sync(() => askedAtMs.length),
    (now) => now > length
  )
  yield* Effect.sleep(thenMs)
})

const endStop = Effect.fnUntraced(function* (model: ModelVenue) {
  const stop = openOrdersOf(yield* model.truth).find(({ type }) => type === "stop")!
  yield* model.act({ type: "end", id: stop.id!, status: "cancelled" })
  return yield* Clock.currentTimeMillis
})

describe("while the source of its candles fails, a bot", () => {
  for (const maxSeconds of [5, 20]) {
    it.effect(`sells a lot that lacks its stop for ${maxSeconds} seconds in that time`, () => {
      const { model, state } = stopless()
      const story = cutFrom.bind(null, model, (cut, _, askedAtMs) =>
        Effect.gen(function* () {
          yield* cut
          yield* untilTried(askedAtMs, 500)
          state.isRefusing = true
          const endedAtMs = yield* endStop(model)
          yield* eventually(Effect.map(model.truth, tradesOf), ({ length }) => length === 2)
          const bareMs = (yield* Clock.currentTimeMillis) - endedAtMs
          assert.isAtLeast(bareMs, maxSeconds * 1_000)
          assert.isAtMost(bareMs, maxSeconds * 1_000 + 3_000)
          // The source is not asked more often for it.
          const [first, ...rest] = askedAtMs.slice(-2)
          for (const one of rest) assert.isAtLeast(one - first!, 10_000)
        })
      )
      return story(riskOf(maxSeconds))
    })
  }

  it.effect("asks again for a stop that was refused three times once a minute is over", () => {
    let [isRefusing, refused] = [false, 0]
    const model = makeModel({
      drawFault: (call) => {
        if (!isRefusing || call.type !== "submit" || call.order.type !== "stop") return {}
        return refused++ < 3 ? { outcome: "refused" } : {}
      }
    })
    const story = cutFrom.bind(null, model, (cut, { accountId, bot, bots }, askedAtMs) =>
      Effect.gen(function* () {
        yield* cut
        yield* untilTried(askedAtMs, 5_000)
        isRefusing = true
        const endedAtMs = yield* endStop(model)
        yield* Effect.sleep("50 seconds")
        yield* eventually(Effect.map(model.truth, openOrdersOf), ({ length }) => length === 1)
        const bareMs = (yield* Clock.currentTimeMillis) - endedAtMs
        assert.isAtLeast(bareMs, 60_000)
        assert.isAtMost(bareMs, 63_000)
        yield* statusWhere(bots, accountId, bot.id, ({ protection }) => protection === "venue")
      })
    )
    return story(riskOf(300))
  })
})

describe("while the source of its candles fails, an entry at the exchange", () => {
  /** A bot whose entry rests a tenth below the close. */
  const entering = (
    story: (
      scene: Effect.Success<ReturnType<typeof setLive>> & { readonly bot: { readonly id: string } },
      askedAtMs: ReadonlyArray<number>
    ) => Effect.Effect<void, unknown>
  ) => {
    const model = makeModel()
    return withCut(
      model,
      Effect.fnUntraced(function* (told, cut, askedAtMs) {
        const scene = yield* setLive({ ...definition, entry: { type: "limit", offset: 0.1 } })
        const { accountId, bots, request } = scene
        const bot = yield* bots.create(accountId, request)
        yield* bots.command(accountId, bot.id, "start")
        yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "running")
        yield* model.moveTo(symbol, "101")
        yield* told.tellUntil(4)
        yield* ordersWhere(model, (all) => all.some(({ status }) => status === "open"))
        yield* cut
        yield* untilTried(askedAtMs, 500)
        const sinceMs = yield* Clock.currentTimeMillis
        yield* story({ ...scene, bot }, askedAtMs)
        yield* eventually(Effect.map(model.truth, openOrdersOf), ({ length }) => length === 0)
        assert.isAtMost((yield* Clock.currentTimeMillis) - sinceMs, 2_000)
      })
    )
  }

  it.effect("is taken back by a halt, which is answered at once", () =>
    entering(({ accountId, bots }) =>
      Effect.gen(function* () {
        const { bots_waiting, orders_cancelled } = yield* bots.haltAll(accountId, { reason: "x" })
        assert.deepStrictEqual([bots_waiting, orders_cancelled], [[], 1])
      })
    )
  )

  it.effect("is taken back by a pause", () =>
    entering(({ accountId, bot, bots }) =>
      Effect.gen(function* () {
        yield* bots.command(accountId, bot.id, "pause")
        yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "paused")
      })
    )
  )

  it.effect("is taken back by a stop", () =>
    entering(({ accountId, bot, bots }) =>
      Effect.gen(function* () {
        yield* bots.command(accountId, bot.id, "stop")
        yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "stopped")
      })
    )
  )
})

it.effect("closes as its stop asks while the source of its candles fails, and asks no more", () => {
  const model = makeModel()
  return cutFrom(model, (cut, { accountId, becomes, bot, bots }, askedAtMs) =>
    Effect.gen(function* () {
      yield* cut
      yield* untilTried(askedAtMs, 500)
      yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
      const { open_positions: positions } = yield* becomes(({ status }) => status === "stopped")
      assert.lengthOf(positions, 0)
      assert.lengthOf(tradesOf(yield* model.truth), 2)
      assert.lengthOf(openOrdersOf(yield* model.truth), 0)
      const { length } = askedAtMs
      yield* Effect.sleep("60 seconds")
      assert.lengthOf(askedAtMs, length)
    })
  )
})

it.effect(
  "starts again only once its candles come, and asks a refused exit each ten seconds",
  () => {
    let [isRefusing, refused] = [false, 0]
    const model = makeModel({
      drawFault: (call) => {
        if (!isRefusing || call.type !== "submit" || call.order.type !== "market") return {}
        refused++
        return { outcome: "refused" }
      }
    })
    return cutFrom(model, (cut, { accountId, becomes, bot, bots }) =>
      Effect.gen(function* () {
        yield* cut
        yield* becomes(({ hindrances }) => hindrances.some(({ kind }) => kind === "stale_data"))
        yield* bots.command(accountId, bot.id, "pause")
        yield* becomes(({ status }) => status === "paused")
        yield* bots.command(accountId, bot.id, "start")
        yield* Effect.sleep("30 seconds")
        yield* becomes(({ status }) => status === "starting")
        isRefusing = true
        yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
        yield* Effect.sleep("35 seconds")
        assert.isAtLeast(refused, 3)
        assert.isAtMost(refused, 4)
        isRefusing = false
        yield* becomes(({ status }) => status === "stopped")
      })
    )
  }
)

it.effect("sells a lot that lacks its stop once the stream of its recording has completed", () => {
  const { model, state } = stopless()
  const told = makeScript({ [symbol]: [99, 99, 99, 101] })
  const feed = Layer.effect(
    MarketData,
    Effect.map(MarketData, (real) => ({
      ...real,
      candles: (request) => Stream.takeUntil(real.candles(request), ({ type }) => type === "end")
    }))
  ).pipe(Layer.provide(told.layer))
  return Effect.gen(function* () {
    const { becomes } = yield* holdLive(model, told, undefined, { risk: riskOf(5) })
    yield* becomes(({ is_data_ended: isEnded }) => isEnded)
    state.isRefusing = true
    yield* endStop(model)
    yield* eventually(Effect.map(model.truth, tradesOf), ({ length }) => length === 2)
  }).pipe(Effect.provide(worldOf(model, feed)), whileTimePasses)
})
