/**
 * Bots whose steps the store does not keep, though it takes other writes: as under a lock that
 * somebody has taken on a table.
 */
import { Alerts, BotStateStore, StoreError, StoreUnavailable } from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric, References } from "effect"
import { whileTimePasses } from "./passingTime.ts"
import { setTheScene, symbol } from "./scene.ts"
import { makeScript } from "./scripted.ts"
import { botsOnStores, eventually } from "./world.ts"

const closes = [99, 101, 101, 101, 99, 99, 101, 101, 99, 99]
const script = { [symbol]: closes }

/** How many bots `/metrics` shows as hindered by a slow store. */
const shown = Effect.map(Metric.snapshot, (metrics) => {
  const gauge = metrics.find(
    ({ attributes, id }) =>
      id === "candlewick_bots_hindered" && attributes?.["kind"] === "slow_store"
  )
  return (gauge?.state as { readonly value: number } | undefined)?.value
})

const lockedFor = (seconds: number) =>
  Effect.andThen(
    Effect.sleep(`${seconds} seconds`),
    Effect.fail(
      new StoreError({
        reason: new StoreUnavailable({ cause: `it took longer than ${seconds} s` })
      })
    )
  )

describe("a bot whose steps the store does not keep", () => {
  for (const [title, lockSeconds, told] of [
    ["says so in each place, goes on afterwards, and misses nothing", 15, 1],
    ["says nothing of a failure that passes", 1, 0]
  ] as const) {
    it.effect(title, () => {
      const feed = makeScript(script)
      let isLocked = false
      const states = Layer.effect(
        BotStateStore,
        Effect.map(BotStateStore, (store) => ({
          ...store,
          put: (state) =>
            Effect.suspend(() => (isLocked ? lockedFor(lockSeconds) : store.put(state)))
        }))
      )
      const stores = Layer.provideMerge(states, MemoryStore.layer)
      return Effect.gen(function* () {
        const { accountId, bot, bots, reaches } = yield* setTheScene(script)
        yield* bots.command(accountId, bot.id, "start")
        yield* feed.tellUntil(2)
        yield* reaches(1)
        isLocked = true
        yield* feed.tellUntil(closes.length)
        const kinds = Effect.map(bots.status(accountId, bot.id), ({ hindrances }) =>
          hindrances.map(({ kind }) => kind)
        )
        yield* eventually(kinds, (now) => now.includes("slow_store"))
        assert.strictEqual(yield* shown, 1)
        const alerts = Effect.flatMap(Alerts, (own) => own.list(accountId, { limit: 9 }))
        const linesOf = Effect.map(bots.logs(accountId, bot.id, { limit: 99 }), ({ items }) =>
          items.filter(({ event }) => event.endsWith("hindered")).toReversed()
        )
        if (told > 0) {
          yield* eventually(alerts, ({ items }) => items[0]?.fired_count === 1)
          for (let look = 0; look < 20; look++) {
            yield* Effect.sleep("3 seconds")
            assert.include(yield* kinds, "slow_store")
            assert.strictEqual(yield* shown, 1)
          }
          assert.lengthOf(yield* linesOf, 1)
        }
        isLocked = false
        yield* reaches(closes.length - 1)
        assert.notInclude(yield* kinds, "slow_store")
        assert.strictEqual(yield* shown, 0)
        const lines = yield* linesOf
        assert.deepStrictEqual(
          lines.map(({ data, event }) => [event, data["kind"]]),
          [
            ["bot.hindered", "slow_store"],
            ["bot.unhindered", "slow_store"]
          ].slice(0, 2 * told)
        )
        assert.lengthOf((yield* alerts).items, told)
        const { unexplained } = yield* bots.expected(accountId, bot.id)
        assert.strictEqual(unexplained, 0)
        assert.lengthOf((yield* bots.trades(accountId, bot.id, { limit: 99 })).items, 4)
      }).pipe(
        Effect.provide(Layer.provideMerge(botsOnStores(feed.layer), stores)),
        Effect.provideService(References.MinimumLogLevel, "None"),
        whileTimePasses
      )
    })
  }
})
