/**
 * Stops that keep positions and stops that close them, in every order: what is answered is what
 * happens.
 */
import { Bots } from "@candlewick/core"
import { makePlacements } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { definition, setTheScene, symbol, world } from "./scene.ts"
import { makeScript, type Script } from "./scripted.ts"
import { botsOnStores } from "./world.ts"

const script: Script = { [symbol]: [99, 101, 102, 103, 104, 105] }

/** A bot that has bought ten at 101 and whose market stands still since. */
const holding = (
  story: (
    scene: Effect.Success<ReturnType<typeof setTheScene>> & {
      readonly tellUntil: (index: number) => Effect.Effect<void>
    }
  ) => Effect.Effect<void, unknown>
) => {
  const { layer, tellUntil } = world(script)
  return Effect.gen(function* () {
    const scene = yield* setTheScene(script)
    yield* scene.bots.command(scene.accountId, scene.bot.id, "start")
    yield* tellUntil(4)
    yield* scene.reaches(3)
    yield* story({ ...scene, tellUntil })
  }).pipe(Effect.provide(layer))
}

describe("a stop that closes positions", () => {
  it.live("closes what an earlier one has kept", () =>
    holding(({ accountId, becomes, bot, bots }) =>
      Effect.gen(function* () {
        yield* bots.command(accountId, bot.id, "stop")
        yield* becomes("stopped")
        const kept = yield* bots.command(accountId, bot.id, "stop")
        assert.deepInclude(kept, { changed: false, positions_closing: [], unprotected: true })
        assert.lengthOf(kept.positions_kept, 1)

        const closing = yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
        assert.deepInclude(closing, {
          changed: true,
          status: "stopped",
          stop_positions: "close",
          positions_kept: [],
          unprotected: false
        })
        assert.lengthOf(closing.positions_closing, 1)
        const flat = yield* bots.status(accountId, bot.id)
        assert.deepInclude(flat, { status: "stopped", open_positions: [], open_orders: [] })
        const [last] = (yield* bots.trades(accountId, bot.id, { limit: 1 })).items
        assert.deepInclude(last, { side: "sell", price: 103 })

        const again = yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
        assert.deepInclude(again, { changed: false, positions_kept: [], positions_closing: [] })
      })
    )
  )

  it.live("closes also where one that keeps them is sent at the same moment", () =>
    holding(({ accountId, becomes, bot, bots, tellUntil }) =>
      Effect.gen(function* () {
        const both = [
          bots.command(accountId, bot.id, "stop"),
          bots.command(accountId, bot.id, "stop", { positions: "close" })
        ] as const
        const [keeping, closing] = yield* Effect.all(both, { concurrency: "unbounded" })
        assert.isTrue(keeping.changed)
        assert.isTrue(closing.changed)
        assert.lengthOf(closing.positions_closing, 1)
        yield* tellUntil(6)
        yield* becomes("stopped")
        assert.lengthOf((yield* bots.status(accountId, bot.id)).open_positions, 0)
      })
    )
  )

  it.live("is not taken back, and a stop that would keep them says so", () =>
    holding(({ accountId, becomes, bot, bots, tellUntil }) =>
      Effect.gen(function* () {
        const first = yield* bots.command(accountId, bot.id, "stop", { positions: "close" })
        assert.isTrue(first.changed)
        for (const options of [{ positions: "keep" } as const, {}]) {
          const later = yield* bots.command(accountId, bot.id, "stop", options)
          assert.deepInclude(later, {
            changed: false,
            status: "stopping",
            stop_positions: "close",
            positions_kept: [],
            unprotected: false
          })
          assert.lengthOf(later.positions_closing, 1)
        }
        yield* tellUntil(6)
        yield* becomes("stopped")
        assert.lengthOf((yield* bots.status(accountId, bot.id)).open_positions, 0)
      })
    )
  )

  it.live("makes one that is under way close them, whoever carries that out", () =>
    Effect.gen(function* () {
      const kept = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
      const placements = makePlacements()
      const process = Effect.fnUntraced(function* (name: string) {
        const told = makeScript(script)
        const bots = Layer.provide(botsOnStores(told.layer), placements.layer(name))
        const services = yield* Layer.build(Layer.provideMerge(bots, kept))
        return { services, told }
      })
      const owner = yield* process("owner")
      const other = yield* Effect.provide(Bots, (yield* process("other")).services)
      const { accountId, becomes, bot, bots, reaches } = yield* Effect.provide(
        setTheScene(script),
        owner.services
      )
      yield* bots.command(accountId, bot.id, "start")
      yield* owner.told.tellUntil(4)
      yield* reaches(3)
      // The owner looks at what others have written down once in a while.
      const keeping = yield* other.command(accountId, bot.id, "stop")
      assert.lengthOf(keeping.positions_kept, 1)
      const closing = yield* other.command(accountId, bot.id, "stop", { positions: "close" })
      assert.deepInclude(closing, {
        changed: true,
        stop_positions: "close",
        positions_kept: []
      })
      assert.lengthOf(closing.positions_closing, 1)
      yield* owner.told.tellUntil(6)
      yield* becomes("stopped")
      assert.lengthOf((yield* bots.status(accountId, bot.id)).open_positions, 0)
    }).pipe(Effect.scoped)
  )
})

describe("an entry that waits for the next open", () => {
  it.live("is not filled any more once a stop or a pause of another process was answered", () =>
    Effect.gen(function* () {
      for (const command of ["stop", "pause"] as const) {
        const kept = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
        const placements = makePlacements()
        const process = Effect.fnUntraced(function* (name: string) {
          const told = makeScript(script)
          const bots = Layer.provide(botsOnStores(told.layer), placements.layer(name))
          const services = yield* Layer.build(Layer.provideMerge(bots, kept))
          return { services, told }
        })
        const owner = yield* process("owner")
        const other = yield* Effect.provide(Bots, (yield* process("other")).services)
        const { accountId, becomes, bot, bots, reaches } = yield* Effect.provide(
          setTheScene(script),
          owner.services
        )
        yield* bots.command(accountId, bot.id, "start")
        yield* owner.told.tellUntil(2)
        yield* reaches(1)
        const answer = yield* other.command(accountId, bot.id, command)
        assert.deepInclude(answer, { orders_cancelled: 1, positions_kept: [] })
        // The next candle comes before the owner has looked.
        yield* owner.told.tellUntil(6)
        yield* becomes(command === "stop" ? "stopped" : "paused")
        const { items } = yield* bots.trades(accountId, bot.id, { limit: 10 })
        assert.lengthOf(items, 0)
      }
    }).pipe(Effect.scoped)
  )
})

describe("a position that is being closed", () => {
  it.live("is told of as such, until a stop keeps it", () =>
    holding(({ accountId, becomes, bot, bots }) =>
      Effect.gen(function* () {
        const closed = yield* bots.closePositions(accountId, bot.id)
        assert.lengthOf(closed.positions_closing, 1)
        const paused = yield* bots.command(accountId, bot.id, "pause")
        assert.deepInclude(paused, { positions_kept: [], orders_cancelled: 0 })
        assert.lengthOf(paused.positions_closing, 1)
        yield* becomes("paused")
        const stopped = yield* bots.command(accountId, bot.id, "stop")
        assert.deepInclude(stopped, {
          positions_closing: [],
          orders_cancelled: 1,
          unprotected: true
        })
        assert.lengthOf(stopped.positions_kept, 1)
        yield* becomes("stopped")
        const status = yield* bots.status(accountId, bot.id)
        assert.lengthOf(status.open_positions, 1)
        assert.lengthOf(status.open_orders, 0)
      })
    )
  )
})

describe("a stop that the candle of its entry touches", () => {
  it.live("is an order that its fill names", () => {
    const falling: Script = { [symbol]: [99, 101, 80, 80, 80] }
    const near = { ...definition, exits: { stop_loss: { type: "fraction", value: 0.05 } } } as const
    const { layer, tellUntil } = world(falling)
    return Effect.gen(function* () {
      const scene = yield* setTheScene(falling, { definition: near })
      const { accountId, bot, bots, reaches } = scene
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(4)
      yield* reaches(3)
      const trades = (yield* bots.trades(accountId, bot.id, { limit: 9 })).items
      const orders = (yield* bots.orders(accountId, bot.id, { limit: 9 })).items
      const stop = trades.find(({ leg }) => leg === "stop_loss")
      assert.isDefined(stop)
      assert.strictEqual(trades.find(({ leg }) => leg === "entry")?.executed_at, stop.executed_at)
      const named = orders.find(({ id }) => id === stop.order_id)
      assert.deepInclude(named, { leg: "stop_loss", type: "stop", status: "filled" })
    }).pipe(Effect.provide(layer))
  })
})
