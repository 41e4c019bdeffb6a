/**
 * Bots and two processes over one store: each bot is run by one of them, and by the other once that
 * is gone.
 */
import { Alerts, Bots, BotStateStore, StepStore } from "@candlewick/core"
import { makeRandom } from "@candlewick/core/kernel"
import { makePlacements, type Placements } from "@candlewick/core/testing"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Latch, Layer, Metric, Scope } from "effect"
import { setTheScene, symbol } from "./scene.ts"
import { makeScript } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

const random = makeRandom("owners")
const closes = Array.from({ length: 60 }, () => 95 + Math.round(random.next() * 100) / 10)
const script = { [symbol]: closes }

/** A process of a name over stores, which ends with its scope. */
const begin = Effect.fnUntraced(function* (
  stores: Layer.Layer<Layer.Success<typeof MemoryStore.layer>>,
  placements: Placements,
  name: string
) {
  const told = makeScript(script)
  const scope = yield* Scope.make()
  const services = yield* Layer.buildWithScope(
    botsOnStores(told.layer).pipe(
      Layer.provide(placements.layer(name)),
      Layer.provideMerge(stores)
    ),
    scope
  )
  return { told, services, end: Scope.close(scope, Exit.void) }
})

/** How many bots `/metrics` shows as hindered by a kind. */
const hinderedCount = (kind: string) =>
  Effect.map(Metric.snapshot, (metrics) => {
    const gauge = metrics.find(
      ({ attributes, id }) => id === "candlewick_bots_hindered" && attributes?.["kind"] === kind
    )
    return (gauge?.state as { readonly value: number } | undefined)?.value
  })

describe("two processes over one store", () => {
  it.live("tell alike of a bot that no process runs", () =>
    Effect.gen(function* () {
      const stores = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
      const placements = makePlacements()
      const one = yield* begin(stores, placements, "one")
      const other = yield* begin(stores, placements, "other")
      const { accountId, bot, bots } = yield* Effect.provide(setTheScene(script), one.services)
      yield* bots.command(accountId, bot.id, "start")
      const kindsIn = ({ services }: typeof one) =>
        Effect.flatMap(Bots, (own) =>
          Effect.map(own.status(accountId, bot.id), ({ hindrances }) =>
            hindrances.map(({ kind }) => kind)
          )
        ).pipe(Effect.provide(services))
      for (const process of [one, other]) {
        yield* eventually(kindsIn(process), (kinds) => kinds.length === 0)
      }
      yield* placements.give(bot.id, "gone")
      for (const process of [one, other]) {
        yield* eventually(kindsIn(process), (kinds) => kinds.includes("ownership"))
      }
      yield* placements.give(bot.id, "other")
      for (const process of [one, other]) {
        yield* eventually(kindsIn(process), (kinds) => kinds.length === 0)
      }
      yield* Effect.all([one.end, other.end], { discard: true })
    })
  )

  for (const [title, agoMs, alertCount] of [
    ["with an alert where that took long", 60_000, 1],
    ["without an alert where another was quick", 4_000, 0]
  ] as const) {
    it.live(`say of a bot whose process was lost that nobody ran it, ${title}`, () =>
      Effect.gen(function* () {
        const kept = yield* Layer.build(MemoryStore.layer)
        const placements = makePlacements()
        const one = yield* begin(Layer.succeedContext(kept), placements, "one")
        // The other one takes the bot up once the test lets it.
        const mayOpen = yield* Latch.make()
        const steps = Context.get(kept, StepStore)
        const late = Context.make(StepStore, {
          ...steps,
          open: (botIds) => Effect.andThen(mayOpen.await, steps.open(botIds))
        })
        const lateStores = Layer.succeedContext(Context.merge(kept, late))
        const other = yield* begin(lateStores, placements, "other")
        const scene = yield* Effect.provide(setTheScene(script), one.services)
        const { accountId, bot } = scene
        yield* scene.bots.command(accountId, bot.id, "start")
        yield* one.told.tellUntil(10)
        yield* scene.reaches(9)

        const heardMs = (yield* Clock.currentTimeMillis) - agoMs
        yield* placements.lose("one", agoMs)
        yield* one.end
        yield* eventually(hinderedCount("ownership"), (count) => count === 1)
        yield* mayOpen.open
        yield* eventually(hinderedCount("ownership"), (count) => count === 0)
        yield* other.told.tellUntil(closes.length)
        const [bots, alerts] = yield* Effect.provide(Effect.all([Bots, Alerts]), other.services)
        yield* eventually(bots.status(accountId, bot.id), ({ is_data_ended }) => is_data_ended)

        const { items } = yield* bots.logs(accountId, bot.id, { limit: 99 })
        const told = items.filter(({ event }) => event.endsWith("hindered")).toReversed()
        assert.deepStrictEqual(
          told.map(({ data, event }) => [event, data["kind"]]),
          [
            ["bot.hindered", "ownership"],
            ["bot.unhindered", "ownership"]
          ]
        )
        const since = Date.parse(told[0]!.data["since"] as string)
        assert.isTrue(since >= heardMs && since < heardMs + agoMs, "when it was heard of last")
        assert.lengthOf((yield* alerts.list(accountId, { limit: 9 })).items, alertCount)
        yield* other.end
      }).pipe(Effect.scoped)
    )
  }

  it.live("run each bot once, hear of commands that the other took, and take over", () =>
    Effect.gen(function* () {
      const stores = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
      const placements = makePlacements()
      const one = yield* begin(stores, placements, "one")
      const other = yield* begin(stores, placements, "other")
      const scene = yield* Effect.provide(setTheScene(script), one.services)
      const { accountId, bot } = scene
      const statusIn = (services: typeof one.services) =>
        Effect.provide(
          Effect.flatMap(Bots, (bots) => bots.status(accountId, bot.id)),
          services
        )
      yield* scene.bots.command(accountId, bot.id, "start")
      yield* one.told.tellUntil(20)
      yield* scene.reaches(19)
      // The other one would go on, if it ran the bot as well.
      yield* other.told.tellUntil(closes.length)
      yield* Effect.sleep("2500 millis")
      const held = yield* statusIn(other.services)
      assert.strictEqual(held.status, "running")
      assert.strictEqual(Date.parse(held.last_candle_at!), Date.UTC(2024, 0, 1, 19))
      yield* Effect.provide(
        Effect.flatMap(Bots, (bots) => bots.command(accountId, bot.id, "pause")),
        other.services
      )
      yield* eventually(statusIn(other.services), ({ status }) => status === "paused")
      yield* one.end
      // Paused bots follow the market too: their exits are managed.
      const after = yield* eventually(
        statusIn(other.services),
        ({ is_data_ended }) => is_data_ended
      )
      assert.strictEqual(after.status, "paused")
      yield* other.end
    }).pipe(Effect.scoped)
  )

  it.live("leave a bot alone that was given to another", () =>
    Effect.gen(function* () {
      const stores = Layer.succeedContext(yield* Layer.build(MemoryStore.layer))
      const placements = makePlacements()
      const one = yield* begin(stores, placements, "one")
      const scene = yield* Effect.provide(setTheScene(script), one.services)
      const { accountId, bot } = scene
      yield* scene.bots.command(accountId, bot.id, "start")
      yield* one.told.tellUntil(10)
      yield* scene.reaches(9)
      const kept = yield* Effect.provide(
        Effect.gen(function* () {
          const states = yield* BotStateStore
          yield* placements.give(bot.id, "a third")
          const state = yield* Effect.flatMap(states.get(bot.id), Effect.fromOption)
          return yield* states.put(state)
        }),
        stores
      )
      yield* one.told.tellUntil(closes.length)
      yield* Effect.sleep("600 millis")
      const state = yield* Effect.provide(
        Effect.flatMap(BotStateStore, (states) =>
          Effect.flatMap(states.get(bot.id), Effect.fromOption)
        ),
        stores
      )
      assert.deepStrictEqual(state, kept)
      const status = yield* scene.bots.status(accountId, bot.id)
      assert.strictEqual(status.status, "running", "its new owner runs it")
      yield* one.end
    }).pipe(Effect.scoped)
  )
})
