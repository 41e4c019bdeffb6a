/**
 * The watch over the store of a host that has none of its own.
 */
import {
  Candlewick,
  ExposureGuard,
  type Hindrance,
  LocalEvents,
  makeKnownDamage,
  PaperBooks,
  StoreDamage,
  StoreHealth,
  Transactor
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import { whileTimePasses } from "../stories/passingTime.ts"
import { setTheScene, symbol } from "../stories/scene.ts"
import { makeScript } from "../stories/scripted.ts"
import { eventually } from "../stories/world.ts"

const script = { [symbol]: [99, 101, 101, 101] }

/** A store in memory whose transactions take as long as the test says. */
const slowStore = () => {
  const state = { takes: Duration.zero }
  const transactor = Layer.effect(
    Transactor,
    Effect.map(Transactor, (one) =>
      Transactor.of({
        ...one,
        transact: (effect) =>
          Effect.suspend(() => Effect.andThen(Effect.sleep(state.takes), one.transact(effect)))
      })
    )
  )
  return { state, store: Layer.provideMerge(transactor, MemoryStore.layer) }
}

const isSlow = ({ hindrances }: { readonly hindrances: ReadonlyArray<Hindrance> }) =>
  hindrances.some(({ kind }) => kind === "slow_store")

const quiet = Effect.provideService(References.MinimumLogLevel, "None")

describe("a host without a watch over its store", () => {
  it.effect("has the bots of a live market say that the store is slow, and end it", () => {
    const { state, store } = slowStore()
    const told = makeScript(script, "live")
    const host = Candlewick.layerWith({ size: 1 }).pipe(
      Layer.provideMerge(Layer.mergeAll(PaperBooks.layer, told.layer, LocalEvents.layer)),
      Layer.provideMerge(store)
    )
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* becomes("running")
      state.takes = Duration.seconds(6)
      yield* eventually(bots.status(accountId, bot.id), isSlow)
      state.takes = Duration.zero
      yield* eventually(bots.status(accountId, bot.id), (status) => !isSlow(status))
    }).pipe(Effect.provide(host), whileTimePasses, quiet)
  })

  it.effect("has the bots of a live market say that the store is damaged", () => {
    const told = makeScript(script, "live")
    const known = makeKnownDamage()
    const host = Candlewick.layerWith({ size: 1 }).pipe(
      Layer.provideMerge(Layer.mergeAll(PaperBooks.layer, told.layer, LocalEvents.layer)),
      Layer.provideMerge(MemoryStore.layer),
      Layer.provide(Layer.succeed(StoreDamage, known))
    )
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* becomes("running")
      yield* known.note("invalid page in block 194")
      const { hindrances } = yield* eventually(
        bots.status(accountId, bot.id),
        (status) => status.hindrances.length > 0
      )
      assert.deepStrictEqual(
        hindrances.map(({ kind, message }) => [kind, message]),
        [["damaged_store", "a part of its data is damaged"]]
      )
    }).pipe(Effect.provide(host), whileTimePasses, quiet)
  })

  const own: Hindrance = {
    kind: "slow_store",
    since: "2024-01-01T00:00:00.000Z",
    message: "the host says so"
  }
  const guards = [
    ["asks nothing of the store on a recording", "replay", null, null],
    ["lets the host's own findings come first", "live", own, own.message],
    ["finds the store slow by itself", "live", null, "it takes longer than 4 s"]
  ] as const
  it.effect.each(guards)("%s", ([, clock, ofHost, message]) => {
    const { state, store } = slowStore()
    const host = Layer.succeed(ExposureGuard, Effect.succeed(ofHost))
    const guard = StoreHealth.guardOfLive.pipe(
      Layer.provide([store, makeScript(script, clock).layer, host])
    )
    return Effect.gen(function* () {
      state.takes = Duration.minutes(1)
      yield* TestClock.adjust("12 seconds")
      const found = yield* yield* ExposureGuard
      assert.strictEqual(found?.message ?? null, message)
    }).pipe(Effect.provide(guard), quiet)
  })
})
