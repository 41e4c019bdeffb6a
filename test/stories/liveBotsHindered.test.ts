/**
 * The hindrances of a live bot's exchange account, told between its candles.
 */
import { Alerts, Bots, type Venue } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, References } from "effect"
import { holdLive, liveWorld, makeModel, processesOver } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { eventually } from "./world.ts"

describe("a live bot that a process can't take up", () => {
  it.effect(
    "says where its venue's terms can't be read, in time in its log, and when it is over",
    () => {
      const model = makeModel()
      const state = { isBroken: false }
      const broken = (venue: Venue): Venue => ({
        ...venue,
        market: (name) =>
          Effect.map(venue.market(name), (found) =>
            state.isBroken ? Option.map(found, (terms) => ({ ...terms, priceStep: "1e-2" })) : found
          )
      })
      return Effect.gen(function* () {
        const process = yield* processesOver(model, broken)
        const one = yield* process()
        const { accountId, bot } = yield* Effect.provide(holdLive(model, one.world), one.services)
        yield* one.end
        state.isBroken = true
        const other = yield* process()
        const bots = yield* Effect.provide(Bots, other.services)
        const venueOf = Effect.map(bots.status(accountId, bot.id), ({ hindrances }) =>
          hindrances.find(({ kind }) => kind === "venue")
        )
        const first = yield* eventually(
          venueOf,
          (found) => found?.message.includes("priceStep") === true
        )
        const told = (event: string) =>
          eventually(bots.logs(accountId, bot.id, { limit: 99 }), ({ items }) =>
            items.some((line) => line.event === event && line.data["kind"] === "venue")
          )
        yield* told("bot.hindered")
        assert.deepStrictEqual(yield* venueOf, first)
        const alerts = yield* Effect.provide(Alerts, other.services)
        const { items } = yield* alerts.list(accountId, { limit: 9 })
        assert.deepInclude(items[0], { metric: "hindered", bot_id: bot.id, fired_count: 1 })
        state.isBroken = false
        yield* told("bot.unhindered")
        assert.isUndefined(yield* venueOf)
        yield* other.end
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None"), whileTimePasses)
    }
  )
})

describe("a live bot whose venue is down", () => {
  it.effect(
    "says so in its log and by an alert before its next candle, and when it is over",
    () => {
      const model = makeModel()
      const world = liveWorld(model)
      return Effect.gen(function* () {
        const { accountId, bot, bots } = yield* holdLive(model, world)
        const told = (count: number) =>
          eventually(
            Effect.map(bots.logs(accountId, bot.id, { limit: 99 }), ({ items }) =>
              items.filter(({ event }) => event.endsWith("hindered")).toReversed()
            ),
            (lines) => lines.length >= count
          )
        const { last_candle_at: before } = yield* bots.status(accountId, bot.id)
        const startCount = (yield* told(0)).length
        yield* model.act({ type: "maintenance", isDown: true })
        yield* told(startCount + 1)
        const alerts = yield* Alerts
        const { items } = yield* eventually(alerts.list(accountId, { limit: 9 }), (all) =>
          all.items.some(({ fired_count: count }) => count > 0)
        )
        assert.deepInclude(items[0], { metric: "hindered", bot_id: bot.id })
        yield* model.act({ type: "maintenance", isDown: false })
        const lines = (yield* told(startCount + 2)).slice(startCount)
        assert.deepStrictEqual(
          lines.map(({ data, event }) => [event, data["kind"]]),
          [
            ["bot.hindered", "maintenance"],
            ["bot.unhindered", "maintenance"]
          ]
        )
        assert.strictEqual((yield* bots.status(accountId, bot.id)).last_candle_at, before)
      }).pipe(Effect.provide(world.layer), whileTimePasses)
    }
  )
})
