/**
 * Bots, runs and deliveries ask the store each for their own share: none is among the requests of
 * callers, which would wait for it.
 */
import { Backtests, DeliveryQueue, Transactor, WorkClass } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import {
  accountId,
  engineLayer,
  keepCandles,
  walkCandles,
  writeStrategy
} from "../services/runSetting.ts"
import { liveWorld, makeModel, setLive, statusWhere } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { setTheScene, symbol } from "./scene.ts"
import { makeScript } from "./scripted.ts"
import { advance, announce, answered, onStores, register, scripted } from "./webhookWorld.ts"
import { botsOnStores } from "./world.ts"

/** A store that notes whose transactions and whose calls to the queue of deliveries it gets. */
const notedStore = () => {
  const noted: Array<string> = []
  const by = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) =>
    Effect.andThen(
      Effect.map(WorkClass, (one) => void noted.push(`${what} of ${one}`)),
      effect
    )
  const transactor = Layer.effect(
    Transactor,
    Effect.map(Transactor, (real) => ({
      ...real,
      transact: (effect) => by("transaction", real.transact(effect))
    }))
  )
  const queue = Layer.effect(
    DeliveryQueue,
    Effect.map(DeliveryQueue, (real) => ({
      ...real,
      claim: (request) => by("claim", real.claim(request)),
      keepOutcomes: (outcomes) => by("outcomes", real.keepOutcomes(outcomes))
    }))
  )
  const store = Layer.provideMerge(Layer.merge(transactor, queue), MemoryStore.layer)
  return { noted, store }
}

/** The notes, each once, without the transactions that publish events. */
const besidesEvents = (noted: ReadonlyArray<string>) =>
  [...new Set(noted)].filter((one) => one !== "transaction of deliveries")

describe("the share of the store", () => {
  it.effect("of a bot's step is that of bots", () => {
    const { noted, store } = notedStore()
    const script = { [symbol]: [99, 101, 98, 102] }
    const told = makeScript(script)
    return Effect.gen(function* () {
      const { accountId: owner, becomes, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.command(owner, bot.id, "start")
      yield* becomes("running")
      noted.length = 0
      yield* told.tellUntil(4)
      yield* reaches(3)
      assert.deepStrictEqual(besidesEvents(noted), ["transaction of bots"])
    }).pipe(Effect.provide(Layer.provideMerge(botsOnStores(told.layer), store)), whileTimePasses)
  })

  it.effect("of a live bot's step, and of the sender of its account, is that of bots", () => {
    const { noted, store } = notedStore()
    const model = makeModel()
    const world = liveWorld(model)
    return Effect.gen(function* () {
      const { accountId: owner, bots, request } = yield* setLive()
      const { id } = yield* bots.create(owner, request)
      yield* bots.command(owner, id, "start")
      yield* statusWhere(bots, owner, id, ({ status }) => status === "running")
      noted.length = 0
      yield* world.tellUntil(4)
      yield* statusWhere(bots, owner, id, (status) => status.open_positions.length === 1)
      assert.deepStrictEqual(besidesEvents(noted), ["transaction of bots"])
    }).pipe(Effect.provide(Layer.provideMerge(world.services, store)), whileTimePasses)
  })

  it.effect("of a run is that of runs, once it was begun", () => {
    const { noted, store } = notedStore()
    return Effect.gen(function* () {
      yield* keepCandles(walkCandles(1, 500))
      const strategy = yield* writeStrategy()
      const backtests = yield* Backtests
      const { id } = yield* backtests.start(accountId, { strategy_id: strategy.id })
      noted.length = 0
      yield* backtests.wait(accountId, id, 60)
      assert.deepStrictEqual(besidesEvents(noted), ["transaction of runs"])
    }).pipe(Effect.provide(Layer.provideMerge(engineLayer(), store)))
  })

  it.effect("of a delivery is that of deliveries", () => {
    const { noted, store } = notedStore()
    const { asked, webhooks } = scripted(() => Effect.succeed(answered(204)))
    return Effect.gen(function* () {
      yield* register()
      yield* announce()
      noted.length = 0
      yield* advance(5_000)
      assert.lengthOf(asked, 1)
      assert.sameMembers(
        [...new Set(noted)],
        ["transaction of deliveries", "claim of deliveries", "outcomes of deliveries"]
      )
    }).pipe(Effect.provide(Layer.provideMerge(onStores(webhooks), store)))
  })
})
