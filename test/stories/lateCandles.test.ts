/**
 * Candles of a live market that come late: a bot enters nothing on them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { setTheScene, symbol } from "./scene.ts"
import { makeScript, scriptStart } from "./scripted.ts"
import { makeWallClock } from "./wallClock.ts"
import { botsOver } from "./world.ts"

const hourMs = 3_600_000

/** The third close asks for an entry, and so does the fourth. */
const closes = [99, 99, 101, 101]
const script = { [symbol]: closes }

/** A bot that has seen two candles in time, and how many minutes late its next ones come. */
const comesLate = (
  story: (market: {
    /** The legs of the bot's orders after the next candle, which comes so many minutes late. */
    readonly legsAfter: (lateMinutes: number) => Effect.Effect<ReadonlyArray<string>, unknown>
    /** Why entries were passed over. */
    readonly because: Effect.Effect<ReadonlyArray<unknown>, unknown>
  }) => Effect.Effect<void, unknown>
) => {
  const { layer, tellUntil } = makeScript(script, "live")
  const wall = makeWallClock(scriptStart + closes.length * hourMs)
  return Effect.gen(function* () {
    const { accountId, bot, bots, reaches } = yield* setTheScene(script)
    let count = 0
    const legsAfter = Effect.fnUntraced(function* (lateMinutes: number) {
      wall.told.timeMs = scriptStart + ++count * hourMs + lateMinutes * 60_000
      yield* tellUntil(count)
      yield* reaches(count - 1)
      const { items } = yield* bots.orders(accountId, bot.id, { limit: 9 })
      return items.map(({ leg }) => leg)
    })
    wall.told.timeMs = scriptStart
    yield* bots.command(accountId, bot.id, "start")
    for (const _ of [0, 1]) assert.deepStrictEqual(yield* legsAfter(0), [])
    const because = Effect.map(bots.logs(accountId, bot.id, { limit: 99 }), ({ items }) =>
      items.flatMap(({ data, event }) => (event === "entry.suppressed" ? [data["because"]] : []))
    )
    yield* story({ legsAfter, because })
  }).pipe(Effect.provide(botsOver(layer)), wall.on)
}

describe("a bot on a live market", () => {
  it.effect("enters on a candle that comes half of its time late", () =>
    comesLate(({ legsAfter }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* legsAfter(30), ["entry"])
      })
    )
  )

  it.effect("enters nothing on a candle that comes later, but on the next one in time", () =>
    comesLate(({ because, legsAfter }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* legsAfter(31), [])
        assert.deepStrictEqual(yield* because, [["stale_data"]])
        assert.deepStrictEqual(yield* legsAfter(0), ["entry"])
      })
    )
  )
})
