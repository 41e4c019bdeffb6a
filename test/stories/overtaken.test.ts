/**
 * Work that fails after another process has written the bot's state says nothing of the bot.
 */
import { BotStateStore, MarketData } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Option, References, Stream } from "effect"
import { setTheScene, symbol } from "./scene.ts"
import { makeScript } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

/** The failure is told as an error, which is wanted here. */
const silent = Effect.provideService(References.MinimumLogLevel, "None")

/** A bot at its second candle, whose source of candles comes to grief once when it is told to. */
const withFault = <A, E>(
  use: (world: {
    readonly scene: Effect.Success<ReturnType<typeof setTheScene>>
    readonly told: ReturnType<typeof makeScript>
    readonly fault: Effect.Effect<boolean>
    readonly states: BotStateStore["Service"]
  }) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const script = { [symbol]: [99, 99, 101, 102, 103] }
    const told = makeScript(script)
    const asked = yield* Deferred.make<void>()
    const failing = Effect.andThen(Deferred.await(asked), Effect.die("the source is broken"))
    let subscriptions = 0
    const market = Layer.effect(
      MarketData,
      Effect.map(MarketData, (source) => ({
        ...source,
        candles: (request) => {
          const candles = source.candles(request)
          const isFirst = subscriptions++ === 0
          return isFirst ? Stream.merge(candles, Stream.fromEffect(failing)) : candles
        }
      }))
    ).pipe(Layer.provide(told.layer))
    const services = yield* Layer.build(Layer.provideMerge(botsOnStores(market), MemoryStore.layer))
    yield* Effect.gen(function* () {
      const scene = yield* setTheScene(script)
      yield* scene.bots.command(scene.accountId, scene.bot.id, "start")
      yield* told.tellUntil(2)
      yield* scene.reaches(1)
      const states = yield* BotStateStore
      yield* use({ scene, told, states, fault: Deferred.succeed(asked, undefined) })
    }).pipe(Effect.provideContext(services))
  }).pipe(Effect.scoped, silent)

describe("a bot whose work fails", () => {
  it.live("goes on from what another process has written meanwhile", () =>
    withFault(({ fault, scene, states, told }) =>
      Effect.gen(function* () {
        const state = Option.getOrThrow(yield* states.get(scene.bot.id))
        yield* states.put(state)
        yield* fault
        yield* told.tellUntil(5)
        yield* scene.reaches(4)
        const status = yield* scene.bots.status(scene.accountId, scene.bot.id)
        assert.deepInclude(status, { status: "running", error: null })
        assert.lengthOf(status.open_positions, 1)
      })
    )
  )

  it.live("is in error where nobody has", () =>
    withFault(({ fault, scene }) =>
      Effect.gen(function* () {
        yield* fault
        const status = yield* eventually(
          scene.bots.status(scene.accountId, scene.bot.id),
          (one) => one.status === "error"
        )
        assert.deepInclude(status.error, { code: "internal", retryable: false })
      })
    )
  )
})
