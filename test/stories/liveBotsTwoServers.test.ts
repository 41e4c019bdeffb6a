/**
 * Live bots over two processes, of which one sends for their exchange account.
 */
import { Bots } from "@candlewick/core"
import { makePlacements } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { holdLive, liveWorld, makeModel } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { eventually } from "./world.ts"

describe("two processes with live bots over one store", () => {
  it.effect("tell alike of an exchange that is maintained", () =>
    Effect.gen(function* () {
      const model = makeModel()
      const stores = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
      const placements = makePlacements()
      const begin = Effect.fnUntraced(function* (name: string) {
        const world = liveWorld(model)
        const scope = yield* Scope.make()
        const services = yield* Layer.buildWithScope(
          world.services.pipe(Layer.provide(placements.layer(name)), Layer.provideMerge(stores)),
          scope
        )
        return { end: Scope.close(scope, Exit.void), services, world }
      })
      const one = yield* begin("one")
      const other = yield* begin("other")
      // Whichever of them runs the bot is to hear the candles.
      const tellUntil = (index: number) =>
        Effect.andThen(one.world.tellUntil(index), other.world.tellUntil(index))
      const held = holdLive(model, { tellUntil })
      const { accountId, bot } = yield* Effect.provide(held, one.services)
      const kindsIn = ({ services }: typeof one) =>
        Effect.flatMap(Bots, (own) =>
          Effect.map(own.status(accountId, bot.id), ({ hindrances }) =>
            hindrances.map(({ kind }) => kind)
          )
        ).pipe(Effect.provide(services))
      const tellAlike = Effect.fnUntraced(function* (wanted: ReadonlyArray<string>) {
        for (const process of [one, other]) {
          const kinds = yield* eventually(
            kindsIn(process),
            (found) => found.length === wanted.length
          )
          assert.deepStrictEqual(kinds, wanted)
        }
      })
      yield* tellAlike([])
      yield* model.act({ type: "maintenance", isDown: true })
      yield* tellAlike(["maintenance"])
      yield* model.act({ type: "maintenance", isDown: false })
      yield* tellAlike([])
      yield* Effect.all([one.end, other.end], { discard: true })
    }).pipe(whileTimePasses)
  )
})
