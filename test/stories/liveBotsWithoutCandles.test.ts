/** Live bots whose candles do not come, because their source fails or has ended. */
import {
  type Bots,
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
import { makeScript, scriptStart } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

const down = new MarketDataError({ reason: new SourceUnavailable({ cause: "the feed is cut" }) })

const worldOf = (model: ModelVenue, feed: Layer.Layer<MarketData>) => {
  const venues = Layer.succeed(Venues, {
    find: () => Effect.succeedSome({ venue: model.venue, isRehearsal: true })
  })
  return Layer.provideMerge(Layer.provide(botsOnStores(feed), venues), MemoryStore.layer)
}

/** The script of a source of candles, its cut and its repair, and when it was asked in between. */
interface CutSource {
  readonly told: ReturnType<typeof makeScript>
  readonly cut: Effect.Effect<void>
  readonly mend: Effect.Effect<void>
  readonly askedAtMs: ReadonlyArray<number>
}

/** A source of candles as it fails. */
interface CutOptions {
  /** How long each stream lasts, where only the streams fail. */
  readonly lastMs?: number
  /** The time at which a live market is; the candles are a recording where there is none. */
  readonly liveMs?: number
}

/** A story of bots whose source of candles fails once it is cut. */
const withCut = <E>(
  model: ModelVenue,
  story: (source: CutSource) => Effect.Effect<void, E, Layer.Success<ReturnType<typeof worldOf>>>,
  { lastMs, liveMs }: CutOptions = {}
) => {
  const script = { [symbol]: [99, 99, 99, 101, 101] }
  const told = makeScript(script, liveMs === undefined ? "replay" : "live")
  const latch = Latch.makeUnsafe()
  const askedAtMs: Array<number> = []
  let isCut = false
  const note = Effect.gen(function* () {
    if (isCut) askedAtMs.push(yield* Clock.currentTimeMillis)
  })
  const fail = Effect.andThen(note, Effect.fail(down))
  const lasting = Effect.sleep(lastMs ?? 0)
  const failing = note.pipe(
    Effect.andThen(latch.await),
    Effect.andThen(lasting),
    Effect.andThen(Effect.fail(down)),
    Stream.fromEffect
  )
  const feed = Layer.effect(
    MarketData,
    Effect.map(MarketData, (real) => ({
      ...real,
      history: (request) =>
        Effect.suspend(() => (isCut && lastMs === undefined ? fail : real.history(request))),
      candles: (request) => Stream.merge(real.candles(request), failing)
    }))
  ).pipe(Layer.provide(told.layer))
  const cut = Effect.suspend(() => {
    isCut = true
    return Effect.asVoid(latch.open)
  })
  const mend = Effect.suspend(() => {
    isCut = false
    return Effect.asVoid(latch.close)
  })
  return story({ askedAtMs, cut, mend, told }).pipe(
    Effect.provide(worldOf(model, feed)),
    Effect.provideService(References.MinimumLogLevel, "None"),
    (passing) => whileTimePasses(passing, liveMs === undefined ? {} : { startMs: liveMs })
  )
}

/** The lines about the failing source and its alert, oldest first. */
const toldOf = (bots: Bots["Service"], accountId: string, id: string) =>
  Effect.map(bots.logs(accountId, id, { limit: 100 }), ({ items }) =>
    items
      .filter(({ data, event }) => event === "alert.triggered" || data.kind === "stale_data")
      .map(({ event }) => event)
      .toReversed()
  )

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
    Effect.fnUntraced(function* ({ askedAtMs, cut, told }) {
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
      Effect.fnUntraced(function* ({ askedAtMs, cut, told }) {
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

describe("streams of candles that fail again and again, while the candles of before are there,", () => {
  for (const lastMs of [0, 5_000, 15_000]) {
    it.effect(`are opened after waits that double, and are told of: after ${lastMs} ms`, () => {
      const model = makeModel()
      return withCut(
        model,
        Effect.fnUntraced(function* ({ askedAtMs, cut, mend, told }) {
          const { accountId, becomes, bot, bots } = yield* holdLive(model, told)
          const lines = toldOf(bots, accountId, bot.id)
          yield* cut
          yield* Effect.sleep("3 minutes")
          assert.isAtLeast(askedAtMs.length, 7)
          for (const [index, atMs] of askedAtMs.slice(1).entries()) {
            const waitedMs = atMs - askedAtMs[index]! - lastMs
            assert.isAtLeast(waitedMs, Math.min(10_000, 100 * 2 ** index))
          }
          yield* becomes(({ hindrances }) => hindrances.some(({ kind }) => kind === "stale_data"))
          assert.deepStrictEqual(yield* lines, ["bot.hindered", "alert.triggered"])
          // No candle comes then either: the stream is open, and that is all.
          yield* mend
          yield* Effect.sleep("1 minute")
          yield* becomes(({ hindrances }) => hindrances.length === 0)
          assert.deepStrictEqual((yield* lines).slice(2), ["bot.unhindered"])
          const { length } = askedAtMs
          const cutAtMs = yield* Clock.currentTimeMillis
          yield* cut
          yield* Effect.sleep(lastMs + 1_000)
          assert.isAtMost(askedAtMs[length]! - cutAtMs, lastMs + 500)
        }),
        { lastMs }
      )
    })
  }
})

it.effect("is hindered by its source until candles come that are not old", () => {
  // The next candle is late two and a half hours after the newest one has opened.
  const lateMs = scriptStart + 4.5 * 3_600_000
  return withCut(
    makeModel(),
    Effect.fnUntraced(function* ({ cut, mend, told }) {
      yield* told.tellUntil(3)
      const { accountId, bots, request } = yield* setLive(undefined, [99, 99, 99])
      const bot = yield* bots.create(accountId, request)
      yield* bots.command(accountId, bot.id, "start")
      yield* statusWhere(bots, accountId, bot.id, ({ status }) => status === "running")
      const lines = toldOf(bots, accountId, bot.id)
      yield* cut
      yield* Effect.sleep("1 minute")
      yield* mend
      yield* Effect.sleep("1 minute")
      const hindered = ["bot.hindered", "alert.triggered", "bot.hindered"]
      assert.deepStrictEqual(yield* lines, hindered)
      yield* told.tellUntil(5)
      const all = yield* eventually(lines, ({ length }) => length > hindered.length)
      assert.deepStrictEqual(all, [...hindered, "bot.unhindered"])
    }),
    { lastMs: 0, liveMs: lateMs - 40_000 }
  )
})

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
