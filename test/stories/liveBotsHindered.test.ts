/**
 * The hindrances of a live bot's exchange account, told between its candles.
 */
import { Alerts } from "@candlewick/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { holdLive, liveWorld, makeModel } from "./liveWorld.ts"
import { whileTimePasses } from "./passingTime.ts"
import { eventually } from "./world.ts"

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
