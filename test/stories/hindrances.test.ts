/**
 * The hindrances that keep bots from opening positions: their acts meanwhile, and where the reason
 * is told.
 */
import {
  Alerts,
  BotJournal,
  Bots,
  ExposureGuard,
  type Hindrance,
  Portfolio,
  StoreDamaged,
  StoreError
} from "@candlewick/core"
import { MemoryStore } from "@candlewick/store-memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric, References } from "effect"
import { whileTimePasses } from "./passingTime.ts"
import { setTheScene, symbol } from "./scene.ts"
import { makeScript, scriptStart } from "./scripted.ts"
import { makeWallClock } from "./wallClock.ts"
import { botsOnStores, botsOver, eventually, type World } from "./world.ts"

const hourMs = 3_600_000
const closes = [99, 101, 101, 101, 99, 99, 101, 101, 99, 99, 101, 101, 101]
const script = { [symbol]: closes }
/** An import takes no candles of the future: the script is over while it is kept. */
const scriptEnd = scriptStart + closes.length * hourMs

const slow: Hindrance = {
  kind: "slow_store",
  since: "2024-01-01T00:00:00.000Z",
  message: "it takes longer than 4 s"
}

/** A process whose store is slow while the test says so. */
const slowAtTimes = (clock: "live" | "replay") => {
  const told = makeScript(script, clock)
  const host = { hindrance: null as Hindrance | null }
  const guard = Layer.succeed(
    ExposureGuard,
    Effect.sync(() => host.hindrance)
  )
  return { ...told, host, layer: botsOver(told.layer).pipe(Layer.provide(guard)) }
}

const kinds = ({ hindrances }: { readonly hindrances: ReadonlyArray<Hindrance> }) =>
  hindrances.map(({ kind }) => kind)

/** How many bots the metric shows as hindered by a kind. */
const shown = (kind: string) =>
  Effect.map(
    Metric.snapshot,
    (metrics) =>
      metrics.find(
        ({ attributes, id }) => id === "candlewick_bots_hindered" && attributes?.["kind"] === kind
      )?.state as { readonly value: number } | undefined
  )

/** Enters and leaves without a hindrance: the fills that a recording always makes. */
const fillsOf = Effect.fnUntraced(function* (
  scene: Effect.Success<ReturnType<typeof setTheScene>>
) {
  const { items } = yield* scene.bots.trades(scene.accountId, scene.bot.id, { limit: 99 })
  return items.map(({ amount, price, side }) => [side, amount, price]).toReversed()
})

describe("a bot on a recording", () => {
  it.effect("waits while its store is slow, and fills as if it never had been", () => {
    const { host, layer, tellUntil } = slowAtTimes("replay")
    return Effect.gen(function* () {
      const scene = yield* setTheScene(script)
      const { accountId, bot, bots, reaches } = scene
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(1)
      yield* reaches(0)
      host.hindrance = slow
      yield* tellUntil(13)
      const waiting = yield* eventually(bots.status(accountId, bot.id), (status) =>
        kinds(status).includes("slow_store")
      )
      assert.deepStrictEqual(waiting.hindrances, [slow])
      yield* eventually(shown("slow_store"), (state) => state?.value === 1)
      // A command is carried out meanwhile.
      yield* bots.command(accountId, bot.id, "pause")
      yield* scene.becomes("paused")
      yield* bots.command(accountId, bot.id, "start")
      yield* scene.becomes("running")
      const before = (yield* bots.status(accountId, bot.id)).last_candle_at!
      assert.isAtMost(Date.parse(before), scriptStart + hourMs)
      host.hindrance = null
      yield* reaches(12)
      assert.deepStrictEqual(yield* fillsOf(scene), [
        ["buy", 10, 101],
        ["sell", 10, 99],
        ["buy", 10, 101],
        ["sell", 10, 99],
        ["buy", 10, 101]
      ])
      const logs = (yield* bots.logs(accountId, bot.id, { limit: 99 })).items
      const told = logs.filter(({ event }) => event.endsWith("hindered")).toReversed()
      assert.deepStrictEqual(
        told.map(({ data, event }) => [event, data["kind"]]),
        [
          ["bot.hindered", "slow_store"],
          ["bot.unhindered", "slow_store"]
        ]
      )
      assert.deepStrictEqual((yield* shown("slow_store"))?.value, 0)
    }).pipe(Effect.provide(layer), whileTimePasses)
  })
})

describe("a bot on a live market", () => {
  it.effect("closes what it holds and opens nothing while its store is slow, and says so", () => {
    const { host, layer, tellUntil } = slowAtTimes("live")
    const wall = makeWallClock(scriptEnd)
    const test = Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      wall.told.timeMs = scriptStart
      const statusAt = Effect.fnUntraced(function* (index: number) {
        wall.told.timeMs = scriptStart + (index + 1) * hourMs
        yield* tellUntil(index + 1)
        return yield* reaches(index)
      })
      yield* bots.command(accountId, bot.id, "start")
      for (const index of [0, 1]) yield* statusAt(index)
      assert.lengthOf((yield* statusAt(2)).open_positions, 1)
      host.hindrance = slow
      for (const index of [3, 4]) yield* statusAt(index)
      const hindered = yield* statusAt(5)
      assert.lengthOf(hindered.open_positions, 0)
      assert.deepStrictEqual(hindered.hindrances, [slow])
      assert.deepStrictEqual((yield* shown("slow_store"))?.value, 1)
      for (const index of [6, 7, 8]) yield* statusAt(index)
      assert.lengthOf((yield* statusAt(9)).open_positions, 0)
      host.hindrance = null
      for (const index of [10, 11]) yield* statusAt(index)
      const free = yield* statusAt(12)
      assert.lengthOf(free.open_positions, 1)
      assert.notInclude(kinds(free), "slow_store")
      assert.deepStrictEqual((yield* shown("slow_store"))?.value, 0)
      const logs = (yield* bots.logs(accountId, bot.id, { limit: 99 })).items
      const told = logs.filter(({ event }) => event.endsWith("hindered"))
      assert.lengthOf(told, 2)
      const alerts = yield* Alerts
      const [made] = (yield* alerts.list(accountId, { limit: 9 })).items
      assert.deepInclude(made, {
        metric: "hindered",
        bot_id: bot.id,
        fired_count: 1,
        last_value: 0
      })
    })
    return test.pipe(Effect.provide(layer), wall.on)
  })

  it.effect("says that its candles have stopped, though none comes to say it at", () => {
    const { layer, tellUntil } = slowAtTimes("live")
    const wall = makeWallClock(scriptEnd)
    const test = Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      wall.told.timeMs = scriptStart
      yield* bots.command(accountId, bot.id, "start")
      wall.told.timeMs = scriptStart + hourMs
      yield* tellUntil(1)
      yield* reaches(0)
      wall.told.timeMs = scriptStart + 3 * hourMs
      const logs = yield* eventually(
        Effect.map(bots.logs(accountId, bot.id, { limit: 99 }), ({ items }) => items),
        (lines) => lines.some(({ event }) => event === "bot.hindered")
      )
      assert.deepInclude(logs.find(({ event }) => event === "bot.hindered")!.data, {
        kind: "stale_data"
      })
      assert.deepStrictEqual(kinds(yield* bots.status(accountId, bot.id)), ["stale_data"])
      wall.told.timeMs = scriptStart + 3 * hourMs + 600_000
      yield* tellUntil(4)
      const fresh = yield* reaches(3)
      assert.deepStrictEqual(fresh.hindrances, [])
    })
    return test.pipe(Effect.provide(layer), wall.on)
  })
})

describe("a bot of a halted account", () => {
  it.effect("has the switch, a gate and an ended recording among its hindrances", () => {
    const { layer, tellUntil } = slowAtTimes("replay")
    return Effect.gen(function* () {
      const { accountId, bot, bots, reaches } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* tellUntil(3)
      yield* reaches(2)
      yield* bots.haltAll(accountId)
      assert.deepStrictEqual(kinds(yield* bots.status(accountId, bot.id)), ["account_halted"])
      yield* tellUntil(13)
      const ended = yield* eventually(
        bots.status(accountId, bot.id),
        ({ is_data_ended }) => is_data_ended
      )
      assert.deepStrictEqual(kinds(ended), ["account_halted", "data_ended"])
      yield* bots.command(accountId, bot.id, "stop")
      const stopped = yield* eventually(
        bots.status(accountId, bot.id),
        ({ status }) => status === "stopped"
      )
      assert.deepStrictEqual(stopped.hindrances, [])
    }).pipe(Effect.provide(layer), whileTimePasses)
  })
})

describe("a bot whose recording has ended", () => {
  it.effect("is shown as held back by every process until more candles come", () => {
    const longer = { [symbol]: [...closes, 101] }
    return Effect.gen(function* () {
      const stores = yield* Layer.build(MemoryStore.layer)
      const inProcess = Effect.fnUntraced(function* <A, E>(
        told: ReturnType<typeof makeScript>,
        use: Effect.Effect<A, E, Layer.Success<typeof World>>
      ) {
        const layer = botsOnStores(told.layer).pipe(
          Layer.provideMerge(Layer.succeedContext(stores))
        )
        return yield* Effect.scoped(Effect.provideContext(use, yield* Layer.build(layer)))
      }, Effect.scoped)
      const isShown = (count: number) =>
        eventually(shown("data_ended"), (state) => state?.value === count)
      const first = makeScript(script)
      const { accountId, id } = yield* inProcess(
        first,
        Effect.gen(function* () {
          const { accountId: owner, bot, bots, reaches } = yield* setTheScene(script)
          const portfolio = yield* Portfolio
          yield* bots.command(owner, bot.id, "start")
          yield* first.tellUntil(3)
          yield* reaches(2)
          assert.strictEqual((yield* portfolio.overview(owner)).held_back_count, 0)
          assert.strictEqual((yield* shown("data_ended"))?.value, 0)
          yield* first.tellUntil(13)
          yield* isShown(1)
          const { hindrances } = yield* eventually(
            bots.status(owner, bot.id),
            ({ is_data_ended }) => is_data_ended
          )
          const { held_back: held } = yield* portfolio.overview(owner)
          assert.deepStrictEqual(
            held.map(({ hindrances: told, id: of }) => [of, told]),
            [[bot.id, hindrances]]
          )
          assert.deepStrictEqual(kinds(held[0]!), ["data_ended"])
          // It is no warning: one line of the log tells of it, and no alert.
          const { items } = yield* bots.logs(owner, bot.id, { limit: 99 })
          const events = items.map(({ event }) => event)
          assert.lengthOf(
            events.filter((event) => event === "data.ended"),
            1
          )
          assert.notInclude(events, "bot.hindered")
          assert.lengthOf((yield* (yield* Alerts).list(owner, { limit: 9 })).items, 0)
          return { accountId: owner, id: bot.id }
        })
      )
      const again = makeScript(script)
      yield* again.tellUntil(13)
      yield* inProcess(again, isShown(1))
      const more = makeScript(longer)
      yield* more.tellUntil(13)
      yield* inProcess(
        more,
        Effect.gen(function* () {
          const bots = yield* Bots
          yield* isShown(0)
          yield* more.tellUntil(14)
          yield* isShown(1)
          yield* bots.command(accountId, id, "stop")
          yield* isShown(0)
          assert.strictEqual((yield* (yield* Portfolio).overview(accountId)).held_back_count, 0)
        })
      )
    }).pipe(Effect.scoped, whileTimePasses)
  })
})

describe("a bot whose part of the store is damaged", () => {
  it.effect("is in error and stays so, because trying again does not help", () => {
    const told = makeScript(script)
    let tries = 0
    const journal = Layer.effect(
      BotJournal,
      Effect.map(BotJournal, (store) => ({
        ...store,
        appendEquity: () =>
          Effect.suspend(() => {
            tries++
            const reason = new StoreDamaged({ cause: "invalid page in block 194" })
            return Effect.fail(new StoreError({ reason }))
          })
      }))
    )
    const stores = Layer.provideMerge(journal, MemoryStore.layer)
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots } = yield* setTheScene(script)
      yield* bots.command(accountId, bot.id, "start")
      yield* told.tellUntil(3)
      const { error } = yield* becomes("error")
      assert.deepInclude(error, {
        code: "store",
        message: "the store's records of the bot are damaged",
        retryable: false
      })
      yield* Effect.sleep("1 minute")
      assert.strictEqual(tries, 1)
      yield* bots.command(accountId, bot.id, "stop")
    }).pipe(
      Effect.provide(Layer.provideMerge(botsOnStores(told.layer), stores)),
      Effect.provideService(References.MinimumLogLevel, "None"),
      whileTimePasses
    )
  })
})

describe("a bot that is paused", () => {
  it.effect("says which entries it passes over, and what its market has done since", () => {
    const told = makeScript({ [symbol]: [99, 99, 101, 102, 99, 99, 103, 104, 110, 111] })
    return Effect.gen(function* () {
      const { accountId, becomes, bot, bots, reaches } = yield* setTheScene({
        [symbol]: [99, 99, 101, 102, 99, 99, 103, 104, 110, 111]
      })
      yield* bots.command(accountId, bot.id, "start")
      yield* told.tellUntil(1)
      assert.isNull((yield* reaches(0)).passed_over)
      yield* bots.command(accountId, bot.id, "pause")
      yield* becomes("paused")
      yield* told.tellUntil(8)
      const paused = yield* reaches(7)
      assert.lengthOf(paused.open_positions, 0)
      // Two entries: at 101, which 102 goes on asking for, and at 103.
      assert.deepInclude(paused.passed_over!, { entries: 2, until: null })
      assert.deepStrictEqual(paused.passed_over!.markets, [
        {
          symbol,
          side: "buy",
          price: 101,
          candle_at: "2024-01-01T02:00:00.000Z",
          last_price: 104,
          change: 104 / 101 - 1
        }
      ])
      yield* bots.command(accountId, bot.id, "start")
      yield* becomes("running")
      yield* told.tellUntil(10)
      const { passed_over: over } = yield* reaches(9)
      assert.isNotNull(over!.until)
      assert.strictEqual(over!.markets[0]!.last_price, 110)
      const { items } = yield* bots.logs(accountId, bot.id, { limit: 99 })
      const suppressed = items.filter(({ event }) => event === "entry.suppressed").toReversed()
      assert.deepStrictEqual(
        suppressed.map(({ data }) => data),
        [
          { price: 101, hour: "02" },
          { price: 103, hour: "06" }
        ].map(({ hour, price }) => ({
          symbol,
          side: "buy",
          price,
          reason: "signal",
          because: ["paused"],
          candle_time: `2024-01-01T${hour}:00:00.000Z`,
          rule: "the close is above 100",
          values: { close: price }
        }))
      )
      const ends = items.filter(({ event }) => event === "entries.passed_over")
      assert.deepStrictEqual(
        ends.map(({ message }) => message),
        [`2 entries were passed over; ${symbol} went from 101 to 110 (+8.91 %)`]
      )
    }).pipe(Effect.provide(botsOver(told.layer)), whileTimePasses)
  })
})
