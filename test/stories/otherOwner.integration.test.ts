/**
 * Commands that reach a process which does not own the bot: answered at once, carried on by the
 * owner.
 */
import {
  AccountStore,
  Bots,
  PaperBooks,
  riskProfiles,
  type StorePorts,
  type BotBooks
} from "@candlewick/core"
import { makeRandom } from "@candlewick/core/kernel"
import { makePlacements, orderRequest, type Placements } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, References, Scope } from "effect"
import {
  onEveryStore,
  takesMemory
} from "../../packages/store-postgres/test/databases/onEveryDatabase.ts"
import { setTheScene, symbol } from "./scene.ts"
import { makeScript, scriptStart, type Script } from "./scripted.ts"
import { buildStores, whileTimePasses } from "./passingTime.ts"
import { botsOnStores, eventually } from "./world.ts"

const hourMs = 3_600_000

/** Somebody else's order. */
const foreign = orderRequest({ id: "foreign", quantity: 5 })

/** That an owner tries again what another process was quicker with is no fault. */
const quiet = Effect.provideService(References.MinimumLogLevel, "Error")

/** A process of a name over stores, which ends with its scope. */
const begin = Effect.fnUntraced(function* (
  kept: Layer.Layer<StorePorts>,
  placements: Placements,
  script: Script,
  name: string,
  inStep: Effect.Effect<void> = Effect.void
) {
  const told = makeScript(script)
  const accounts = Layer.effect(
    AccountStore,
    Effect.map(AccountStore, (store) => ({
      ...store,
      get: (id: string) => Effect.tap(store.get(id), inStep)
    }))
  )
  const scope = yield* Scope.make()
  const services = yield* Layer.buildWithScope(
    botsOnStores(told.layer).pipe(
      Layer.provide(placements.layer(name)),
      Layer.provideMerge(accounts),
      Layer.provideMerge(kept)
    ),
    scope
  )
  return { told, services, end: Scope.close(scope, Exit.void) }
})

type Scene = Effect.Success<ReturnType<typeof setTheScene>>

const tellOf = (name: string, store: Layer.Layer<StorePorts>): void => {
  const isInMemory = name === "memory"
  /** Gives a test the stores, and time that passes. */
  const onStores = <A, E>(test: (kept: Layer.Layer<StorePorts>) => Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const stores = yield* buildStores(store)
      yield* whileTimePasses(test(Layer.succeedContext(stores)), { isInMemory })
    }).pipe(Effect.scoped, quiet)

  /** Two processes over one store, of which the first runs the bot. */
  const twoProcesses = <A, E>(
    script: Script,
    use: (world: {
      readonly scene: Scene
      readonly one: Effect.Success<ReturnType<typeof begin>>
      readonly other: Bots["Service"]
      readonly broker: BotBooks
    }) => Effect.Effect<A, E>,
    options: Parameters<typeof setTheScene>[1] & {
      readonly inStep?: Effect.Effect<void>
    } = {}
  ) =>
    onStores((kept) =>
      Effect.gen(function* () {
        const placements = makePlacements()
        const one = yield* begin(kept, placements, script, "one", options.inStep)
        const second = yield* begin(kept, placements, script, "other")
        const scene = yield* Effect.provide(setTheScene(script, options), one.services)
        const other = yield* Effect.provide(Bots, second.services)
        const broker = yield* Effect.provide(PaperBooks, one.services)
        yield* scene.bots.command(scene.accountId, scene.bot.id, "start")
        yield* scene.becomes("running")
        yield* use({ scene, one, other, broker })
        yield* one.end
        yield* second.end
      })
    )

  const slow = { timeout: 900_000 }

  describe(`a bot that another process owns (${name})`, () => {
    it.effect(
      "takes over what the exchange holds, and goes on from that",
      () => {
        const script = { [symbol]: [99, 99, 99, 99, 99, 99] }
        return twoProcesses(script, ({ broker, one, other, scene }) =>
          Effect.gen(function* () {
            const { accountId, bot, reaches } = scene
            yield* one.told.tellUntil(3)
            yield* reaches(2)
            yield* broker.place(bot.id, 0, foreign)
            const time = scriptStart - hourMs
            yield* broker.settle(bot.id, [{ symbol, time, open: 10, high: 10, low: 10, close: 10 }])
            const found = yield* other.reconcile(accountId, bot.id)
            assert.deepInclude(found, { changed: true, trading_state: "halted" })
            assert.lengthOf(found.differences, 2)
            const taken = yield* other.reconcile(accountId, bot.id, { accept: true })
            assert.deepInclude(taken, { changed: true, trading_state: "active" })
            // The rules sell below 100, and what they sell is the position that was taken over.
            yield* one.told.tellUntil(5)
            const flat = yield* eventually(
              other.status(accountId, bot.id),
              ({ open_positions }) => open_positions.length === 0
            )
            assert.strictEqual(flat.equity, 9_950 + 5 * 99)
            assert.isFalse((yield* other.reconcile(accountId, bot.id)).changed)
          })
        )
      },
      slow
    )

    it.effect(
      "is found in order whenever one looks while it trades, and trades as if nobody looked",
      () => {
        const random = makeRandom("looks")
        const closes = Array.from(
          { length: isInMemory ? 100 : 30 },
          () => 95 + Math.round(random.next() * 100) / 10
        )
        return twoProcesses({ [symbol]: closes }, ({ one, other, scene }) =>
          Effect.gen(function* () {
            const { accountId, bot, bots } = scene
            let looks = 0
            let isOver = false
            while (!isOver) {
              // A few at a time, however long a look takes.
              yield* one.told.tellUntil(4 * (looks + 1))
              const { differences } = yield* other.reconcile(accountId, bot.id)
              assert.deepStrictEqual(differences, [])
              looks += 1
              yield* Effect.sleep("2 millis")
              isOver = (yield* other.status(accountId, bot.id)).is_data_ended
            }
            assert.isAbove(looks, 5)
            const { items } = yield* bots.trades(accountId, bot.id, { limit: 500 })
            // Bought and sold at the opens after closes that cross 100, each once.
            const crossings = closes
              .slice(0, -1)
              .filter((close, at) => close > 100 !== (closes[at - 1] ?? 0) > 100 && close !== 100)
            assert.isAtLeast(items.length, crossings.length - 1)
            const sides = items.toReversed().map(({ side }) => side)
            assert.deepStrictEqual(
              sides,
              sides.map((_, at) => (at % 2 === 0 ? "buy" : "sell"))
            )
          })
        )
      },
      slow
    )

    it.effect(
      "keeps its books in order while it is told to close again and again",
      () => {
        const random = makeRandom("closes")
        const closes = Array.from(
          { length: isInMemory ? 100 : 18 },
          () => 98 + Math.round(random.next() * 100) / 10
        )
        // At its end it wants nothing any more.
        closes.push(99, 99)
        return twoProcesses({ [symbol]: closes }, ({ broker, one, other, scene }) =>
          Effect.gen(function* () {
            const { accountId, bot, bots } = scene
            let told = 0
            let closings = 0
            let isOver = false
            while (!isOver) {
              // A few at a time, however long a command takes.
              told += 2
              yield* one.told.tellUntil(told)
              const { changed } = yield* other.closePositions(accountId, bot.id)
              if (changed) closings += 1
              yield* Effect.sleep("2 millis")
              isOver = (yield* other.status(accountId, bot.id)).is_data_ended
            }
            assert.isAbove(closings, 1)
            const flat = yield* eventually(
              Effect.andThen(
                other.closePositions(accountId, bot.id),
                other.status(accountId, bot.id)
              ),
              ({ open_orders, open_positions }) => open_orders.length + open_positions.length === 0
            )
            const held = yield* broker.account(bot.id)
            assert.deepInclude(held, { cash: flat.cash, positions: [], openOrders: [] })
            assert.deepStrictEqual((yield* other.reconcile(accountId, bot.id)).differences, [])
            const { items } = yield* bots.trades(accountId, bot.id, { limit: 500 })
            assert.isAbove(items.length, 4)
            const paid = items.reduce(
              (sum, { amount, price, side }) => sum + (side === "sell" ? 1 : -1) * amount * price,
              10_000
            )
            assert.closeTo(flat.cash, paid, 1e-6)
            const sides = items.toReversed().map(({ side }) => side)
            assert.deepStrictEqual(
              sides,
              sides.map((_, at) => (at % 2 === 0 ? "buy" : "sell"))
            )
          })
        )
      },
      slow
    )

    it.effect(
      "enters nothing between a halt of its account that was answered and the end of that",
      () => {
        const random = makeRandom("halts")
        const closes = Array.from(
          { length: isInMemory ? 400 : 200 },
          () => 98 + Math.round(random.next() * 50) / 10
        )
        return twoProcesses({ [symbol]: closes }, ({ broker, one, other, scene }) =>
          Effect.gen(function* () {
            const { accountId, bot, bots } = scene
            const entries = Effect.map(
              bots.trades(accountId, bot.id, { limit: 500 }),
              ({ items }) => items.filter(({ leg }) => leg === "entry").length
            )
            let answeredCount = 0
            for (let count = 1; count <= 12; count++) {
              yield* one.told.tellUntil((closes.length * count) / 16)
              yield* Effect.sleep(`${random.integer(1, 40)} millis`)
              const halted = yield* other.haltAll(accountId)
              assert.deepInclude(halted, { is_halted: true, changed: true })
              const before = yield* entries
              yield* Effect.sleep(`${random.integer(1, 250)} millis`)
              // A busy machine may take longer than the answer waits for its bots.
              if (halted.bots_waiting.length === 0) {
                answeredCount++
                assert.strictEqual(yield* entries, before)
              }
              assert.isTrue((yield* other.resumeAll(accountId)).changed)
            }
            assert.isAbove(answeredCount, 6)
            yield* one.told.tellUntil(closes.length)
            yield* eventually(bots.status(accountId, bot.id), ({ is_data_ended }) => is_data_ended)
            assert.isAbove(yield* entries, 0)
            const status = yield* bots.status(accountId, bot.id)
            assert.strictEqual((yield* broker.account(bot.id)).cash, status.cash)
            assert.deepStrictEqual((yield* other.reconcile(accountId, bot.id)).differences, [])
          })
        )
      },
      slow
    )

    // Only a server's database has two transactions under way at once.
    if (name.includes("PostgreSQL")) {
      it.effect(
        "enters nothing that it was deciding on when its account was halted",
        () => {
          const script = { [symbol]: [101, 102, 103, 104] }
          const [reached, halted] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
          let isStepping = false
          // The step has found its account not to be halted.
          const inStep = Effect.suspend(() =>
            isStepping
              ? Deferred.succeed(reached, undefined).pipe(Effect.andThen(Deferred.await(halted)))
              : Effect.void
          )
          return twoProcesses(
            script,
            ({ one, other, scene }) =>
              Effect.gen(function* () {
                const { accountId, bot, bots, reaches } = scene
                isStepping = true
                yield* one.told.tellUntil(1)
                yield* Deferred.await(reached)
                isStepping = false
                const halting = yield* Effect.forkChild(other.haltAll(accountId))
                yield* eventually(
                  bots.status(accountId, bot.id),
                  (status) => status.trading_state_reason === "kill_switch"
                )
                yield* Deferred.succeed(halted, undefined)
                assert.deepInclude(yield* Fiber.join(halting), { bots_waiting: [] })
                yield* one.told.tellUntil(4)
                yield* reaches(3)
                const { items } = yield* other.orders(accountId, bot.id, { limit: 9 })
                assert.deepStrictEqual(
                  items.map(({ status }) => status),
                  ["cancelled"]
                )
              }).pipe(Effect.ensuring(Deferred.succeed(halted, undefined))),
            { inStep }
          )
        },
        slow
      )
    }

    // The store's calls for it are shown.
    if (!isInMemory) return

    it.effect(
      "has an entry withdrawn that waits for its candle, when its account is halted",
      () => {
        const script = { [symbol]: [99, 101, 102, 103, 104, 105] }
        return twoProcesses(script, ({ broker, one, other, scene }) =>
          Effect.gen(function* () {
            const { accountId, bot, reaches } = scene
            yield* one.told.tellUntil(2)
            yield* reaches(1)
            yield* eventually(
              other.status(accountId, bot.id),
              ({ open_orders }) => open_orders[0]?.status === "accepted"
            )
            const halted = yield* other.haltAll(accountId, { reason: "from elsewhere" })
            assert.deepInclude(halted, { orders_cancelled: 1, bots_waiting: [] })
            const status = yield* other.status(accountId, bot.id)
            assert.deepInclude(status, { trading_state_reason: "kill_switch", open_orders: [] })
            // The candle that would fill it comes before the owner has looked.
            yield* one.told.tellUntil(4)
            yield* reaches(3)
            assert.lengthOf((yield* other.trades(accountId, bot.id, { limit: 9 })).items, 0)
            assert.deepStrictEqual((yield* broker.account(bot.id)).openOrders, [])
            yield* other.resumeAll(accountId)
            yield* one.told.tellUntil(6)
            assert.lengthOf((yield* reaches(5)).open_positions, 1)
          })
        )
      },
      slow
    )

    it.effect(
      "has its positions closed, at the next open or at the last close",
      () => {
        const script = { [symbol]: [99, 101, 102, 103, 104, 105, 106] }
        return twoProcesses(script, ({ one, other, scene }) =>
          Effect.gen(function* () {
            const { accountId, bot, bots, reaches } = scene
            yield* one.told.tellUntil(4)
            yield* reaches(3)
            const closing = yield* other.closePositions(accountId, bot.id)
            assert.isTrue(closing.changed)
            assert.strictEqual(closing.positions_closing[0]?.quantity, 10)
            const twice = yield* other.closePositions(accountId, bot.id)
            assert.lengthOf(
              (yield* bots.status(accountId, bot.id)).open_orders,
              1,
              "asked for once, however often one asks"
            )
            assert.isTrue(twice.changed)
            yield* eventually(
              bots.status(accountId, bot.id),
              ({ open_orders }) => open_orders[0]?.status === "accepted"
            )
            yield* one.told.tellUntil(5)
            yield* reaches(4)
            const sold = (yield* bots.trades(accountId, bot.id, { limit: 1 })).items[0]
            assert.deepInclude(sold, { side: "sell", amount: 10, price: 103 })
            yield* one.told.tellUntil(7)
            const ended = yield* eventually(
              bots.status(accountId, bot.id),
              ({ is_data_ended, open_positions }) => is_data_ended && open_positions.length === 1
            )
            assert.strictEqual(ended.status, "running")
            yield* other.closePositions(accountId, bot.id)
            const flat = yield* eventually(
              other.status(accountId, bot.id),
              ({ open_positions }) => open_positions.length === 0
            )
            assert.strictEqual(flat.open_orders.length, 0)
            const last = (yield* bots.trades(accountId, bot.id, { limit: 1 })).items[0]
            assert.deepInclude(last, { side: "sell", price: 106 })
          })
        )
      },
      slow
    )

    it.effect(
      "trades again once its risk gate was opened",
      () => {
        const risk = {
          ...riskProfiles.low,
          max_drawdown: 0.01,
          daily_loss: 1,
          max_exposure: 10,
          risk_per_trade: 1,
          is_stop_loss_mandatory: false
        }
        const script = { [symbol]: [99, 101, 102, 90, 80, 99, 101, 102, 103, 104] }
        return twoProcesses(
          script,
          ({ one, other, scene }) =>
            Effect.gen(function* () {
              const { accountId, bot, reaches } = scene
              yield* one.told.tellUntil(8)
              assert.strictEqual((yield* reaches(7)).trading_state, "halted")
              const resumed = yield* other.resumeRisk(accountId, bot.id)
              assert.deepInclude(resumed, { changed: true, trading_state: "active" })
              yield* one.told.tellUntil(10)
              const again = yield* eventually(
                other.status(accountId, bot.id),
                ({ open_positions }) => open_positions.length === 1
              )
              assert.strictEqual(again.trading_state, "active")
            }),
          { risk }
        )
      },
      slow
    )
  })

  if (!isInMemory) return

  describe(`a bot whose process is gone (${name})`, () => {
    it.effect(
      "is held against the broker by the next one, before it goes on",
      () => {
        const script = { [symbol]: [99, 99, 101, 102, 103, 104] }
        return onStores((kept) =>
          Effect.gen(function* () {
            const placements = makePlacements()
            const one = yield* begin(kept, placements, script, "one")
            const scene = yield* Effect.provide(setTheScene(script), one.services)
            const { accountId, bot, bots } = scene
            yield* bots.command(accountId, bot.id, "start")
            yield* one.told.tellUntil(2)
            yield* scene.reaches(1)
            yield* one.end
            const broker = yield* Effect.provide(PaperBooks, one.services)
            yield* broker.place(bot.id, 0, foreign)
            const time = scriptStart - hourMs
            yield* broker.settle(bot.id, [{ symbol, time, open: 10, high: 10, low: 10, close: 10 }])
            const next = yield* begin(kept, placements, script, "next")
            yield* next.told.tellUntil(6)
            const there = yield* Effect.provide(Bots, next.services)
            const status = yield* eventually(
              there.status(accountId, bot.id),
              ({ is_data_ended }) => is_data_ended
            )
            assert.strictEqual(status.trading_state_reason, "reconcile_mismatch")
            assert.lengthOf((yield* there.trades(accountId, bot.id, { limit: 9 })).items, 0)
            yield* next.end
          })
        )
      },
      slow
    )

    it.effect(
      "is answered for at once, and carries on in the one that is there",
      () => {
        const script = { [symbol]: [99, 101, 102, 103] }
        return onStores((kept) =>
          Effect.gen(function* () {
            const placements = makePlacements()
            const one = yield* begin(kept, placements, script, "one")
            const scene = yield* Effect.provide(setTheScene(script), one.services)
            const { accountId, bot, bots } = scene
            yield* bots.command(accountId, bot.id, "start")
            yield* one.told.tellUntil(4)
            yield* eventually(bots.status(accountId, bot.id), ({ is_data_ended }) => is_data_ended)
            const other = yield* begin(kept, placements, script, "other")
            yield* one.end
            const closing = yield* Effect.provide(
              Effect.flatMap(Bots, (there) => there.closePositions(accountId, bot.id)),
              other.services
            )
            assert.isTrue(closing.changed)
            yield* Effect.provide(
              Effect.flatMap(Bots, (there) =>
                eventually(
                  there.status(accountId, bot.id),
                  ({ open_positions }) => open_positions.length === 0
                )
              ),
              other.services
            )
            yield* other.end
          })
        )
      },
      slow
    )
  })
}

if (takesMemory) tellOf("memory", MemoryStore.layer)
onEveryStore("stores", tellOf, { isLong: true })
