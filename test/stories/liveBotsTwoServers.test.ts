/**
 * Live bots over two processes, of which one sends for their exchange account.
 */
import { Bots } from "@candlewick/core"
import { makePlacements } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { holdLive, liveWorld, makeModel, setLive, statusWhere } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { eventually } from "./world.ts"

/** Two processes over one store, of which one sends for the exchange account of their bots. */
const beginTwo = Effect.gen(function* () {
  const model = makeModel()
  const stores = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
  const placements = makePlacements()
  const begin = Effect.fnUntraced(function* (name: string) {
    const world = liveWorld(model)
    const services = yield* Layer.build(
      world.services.pipe(Layer.provide(placements.layer(name)), Layer.provideMerge(stores))
    )
    return { services, world }
  })
  const one = yield* begin("one")
  const other = yield* begin("other")
  /** Asks a process about its bots. */
  const through = <A, E>(
    { services }: typeof one,
    ask: (bots: Bots["Service"]) => Effect.Effect<A, E>
  ) => Effect.provide(Effect.flatMap(Bots, ask), services)
  return { model, one, other, placements, processes: [one, other], through }
})

/** Two processes, and a live bot that one of them runs. */
const twoProcesses = Effect.gen(function* () {
  const { model, one, other, processes, through } = yield* beginTwo
  // Whichever of them runs the bot is to hear the candles.
  const tellUntil = (index: number) =>
    Effect.andThen(one.world.tellUntil(index), other.world.tellUntil(index))
  const { accountId, bot } = yield* Effect.provide(holdLive(model, { tellUntil }), one.services)
  return { accountId, bot, model, processes, through }
})

describe("two processes with live bots over one store", () => {
  it.effect("tell alike of an exchange that is maintained", () =>
    Effect.gen(function* () {
      const { accountId, bot, model, processes, through } = yield* twoProcesses
      const tellAlike = Effect.fnUntraced(function* (wanted: ReadonlyArray<string>) {
        for (const process of processes) {
          const kinds = yield* eventually(
            through(process, (bots) =>
              Effect.map(bots.status(accountId, bot.id), ({ hindrances }) =>
                hindrances.map(({ kind }) => kind)
              )
            ),
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
    }).pipe(Effect.scoped, whileTimePasses)
  )

  it.effect("find a loss alike, whichever of them is asked to reconcile", () =>
    Effect.gen(function* () {
      const { accountId, bot, model, processes, through } = yield* twoProcesses
      for (const process of processes) {
        const reconcile = through(process, (bots) => bots.reconcile(accountId, bot.id))
        assert.lengthOf((yield* reconcile).differences, 0)
        yield* model.act({ type: "deposit", coin: "STY", amount: "-4" })
        const { differences, trading_state: state } = yield* reconcile
        assert.lengthOf(differences, 1)
        assert.strictEqual(state, "halted")
        yield* model.act({ type: "deposit", coin: "STY", amount: "4" })
        assert.strictEqual((yield* reconcile).trading_state, "active")
      }
    }).pipe(Effect.scoped, whileTimePasses)
  )

  it.effect(
    "take no money for lost that is back, of a bot that is at rest without a position",
    () =>
      Effect.gen(function* () {
        const { model, one, other, placements, through } = yield* beginTwo
        const { accountId, bots, request } = yield* Effect.provide(setLive(), one.services)
        yield* placements.give(`${accountId}/model`, "one")
        const { id } = yield* bots.create(accountId, request)
        for (const [command, wanted] of [
          ["start", "running"],
          ["stop", "stopped"]
        ] as const) {
          yield* bots.command(accountId, id, command)
          yield* statusWhere(bots, accountId, id, ({ status }) => status === wanted)
        }
        yield* model.act({ type: "deposit", coin: "USD", amount: "-9000" })
        const look = through(one, (asked) => asked.reconcile(accountId, id))
        assert.lengthOf((yield* look).differences, 1)
        yield* model.act({ type: "deposit", coin: "USD", amount: "9000" })
        const accept = through(other, (asked) => asked.reconcile(accountId, id, { accept: true }))
        assert.isNull((yield* accept).adjustment)
      }).pipe(Effect.scoped, whileTimePasses)
  )

  it.effect("accept a loss alike, whichever of them is asked", () =>
    Effect.gen(function* () {
      const { accountId, bot, model, processes, through } = yield* twoProcesses
      let left = 10
      for (const process of processes) {
        yield* model.act({ type: "deposit", coin: "STY", amount: "-1" })
        const accept = through(process, (bots) =>
          bots.reconcile(accountId, bot.id, { accept: true })
        )
        assert.isTrue((yield* accept).changed)
        left -= 1
        for (const asked of processes) {
          const status = yield* through(asked, (bots) => bots.status(accountId, bot.id))
          assert.strictEqual(status.open_positions[0]?.quantity, left)
          assert.strictEqual(status.trading_state, "active")
        }
      }
    }).pipe(Effect.scoped, whileTimePasses)
  )
})
