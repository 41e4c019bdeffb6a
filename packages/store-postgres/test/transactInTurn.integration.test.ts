/**
 * Transactions of several classes of work on a store that has one session.
 */
import { Transactor, WorkClass } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Pglite, PostgresStore } from "../src/index.ts"

const store = PostgresStore.layerAlone.pipe(Layer.provideMerge(Pglite.layer()))

describe("an embedded store", () => {
  it.live("gives a delivery its turn before all but one of the bots that wait", () =>
    Effect.gen(function* () {
      const { transact } = yield* Transactor
      const sql = yield* SqlClient.SqlClient
      const order: Array<string> = []
      const going = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const step = (name: string) =>
        transact(
          // One inside another does not wait for a turn of its own.
          transact(
            Effect.andThen(
              sql`select 1`,
              Effect.sync(() => void order.push(name))
            )
          )
        )
      const first = transact(
        Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(going))
      )
      const waiting = (one: WorkClass, name: string) =>
        Effect.forkChild(Effect.provideService(step(name), WorkClass, one), {
          startImmediately: true
        })
      const fibres: Array<Fiber.Fiber<unknown, unknown>> = [yield* Effect.forkChild(first)]
      yield* Deferred.await(begun)
      for (let bot = 1; bot <= 20; bot++) fibres.push(yield* waiting("bots", `bot ${bot}`))
      fibres.push(yield* waiting("deliveries", "a delivery"))
      fibres.push(yield* waiting("runs", "a run"))
      fibres.push(yield* waiting("requests", "a request"))
      fibres.push(yield* waiting("deliveries", "another delivery"))
      yield* Deferred.succeed(going, undefined)
      for (const fibre of fibres) yield* Fiber.join(fibre)
      const bots = Array.from({ length: 20 }, (_, bot) => `bot ${bot + 1}`)
      assert.deepStrictEqual(
        order.filter((name) => name.startsWith("bot ")),
        bots
      )
      assert.sameMembers(order.slice(0, 4), ["bot 1", "a delivery", "a run", "a request"])
      assert.include(order.slice(4, 6), "another delivery")
      assert.lengthOf(order, 24)
    }).pipe(Effect.provide(store))
  )
})
