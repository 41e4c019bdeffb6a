/**
 * Many bots on one live market: what they have in common is asked for and computed once.
 */
import { MarketData, type StrategyDefinition } from "@candlewick/core"
import { SeriesTracks } from "@candlewick/engine"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { vi } from "vitest"
import { whileTimePasses } from "./passingTime.ts"
import { definition, setTheScene, symbol } from "./scene.ts"
import { makeScript } from "./scripted.ts"
import { botsOver, eventually } from "./world.ts"

const script = { [symbol]: [99, 101, 98, 102, 97, 103, 96, 104] }
const botCount = 20

/** Enters above the average of three closes. */
const averaged: StrategyDefinition = {
  ...definition,
  long: {
    enter: {
      type: "above",
      left: { type: "price", field: "close" },
      right: { type: "sma", period: 3 }
    }
  }
}

/** A live market that counts the streams of its candles that are open. */
const countedMarket = () => {
  const told = makeScript(script, "live")
  const streams = { open: 0 }
  const count = (change: number) => Effect.sync(() => void (streams.open += change))
  const layer = Layer.effect(
    MarketData,
    Effect.map(MarketData, (source) => ({
      ...source,
      candles: (asked) =>
        Stream.unwrap(
          Effect.as(
            Effect.acquireRelease(count(1), () => count(-1)),
            source.candles(asked)
          )
        )
    }))
  ).pipe(Layer.provide(told.layer))
  return { layer, streams, tellUntil: told.tellUntil }
}

describe("twenty bots on one live market", () => {
  it.effect("listen to one stream of candles, and compute its average once", () => {
    const follow = vi.spyOn(SeriesTracks.prototype, "follow")
    const { layer, streams, tellUntil } = countedMarket()
    return Effect.gen(function* () {
      const scene = yield* setTheScene(script, { definition: averaged })
      const { accountId, bot, bots, strategy } = scene
      const ids = [bot.id]
      while (ids.length < botCount) {
        const request = { name: "one", strategy_id: strategy.id, capital_allocation: 10_000 }
        ids.push((yield* bots.create(accountId, request)).id)
      }
      const all = (index: number) =>
        Effect.forEach(ids, (id) =>
          eventually(
            bots.status(accountId, id),
            ({ last_candle_at: at }) => at === `2024-01-01T0${index}:00:00.000Z`
          )
        )
      for (const id of ids) yield* bots.command(accountId, id, "start")
      yield* tellUntil(4)
      yield* all(3)
      // A bot that began later than the others had one of its own until it had caught up.
      yield* eventually(
        Effect.sync(() => streams.open),
        (open) => open === 1
      )
      const [tracks, ...others] = new Set(follow.mock.contexts as Array<SeriesTracks>)
      assert.lengthOf(others, 0)
      const { nodes } = tracks!.counts
      assert.deepStrictEqual(tracks!.counts, { tracks: 1, followers: botCount, nodes })
      // As many as one bot alone has.
      for (const id of ids.slice(1)) yield* bots.command(accountId, id, "stop")
      yield* eventually(
        Effect.sync(() => tracks!.counts.followers),
        (count) => count === 1
      )
      assert.strictEqual(tracks!.counts.nodes, nodes)
      assert.strictEqual(streams.open, 1)
      yield* tellUntil(8)
      yield* scene.reaches(7)
    }).pipe(
      Effect.provide(botsOver(layer)),
      Effect.ensuring(Effect.sync(() => follow.mockRestore())),
      whileTimePasses
    )
  })
})
