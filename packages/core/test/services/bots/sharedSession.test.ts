/**
 * Sessions compute together with those of other bots for as long as they are used, however that
 * ends.
 */
import { noCode, SeriesTracks, type StrategyDefinition } from "@candlewick/engine"
import { indexAt, sliceColumns } from "@candlewick/engine/kernel"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { randomWalk } from "../../../../engine/src/testing/randomCandles.ts"
import type { MarketData } from "../../../src/ports/MarketData.ts"
import { makeSnapshot, openSession } from "../../../src/services/bots/botSession.ts"
import { replaceSession, useSession } from "../../../src/services/bots/sharedSession.ts"
import { botRecord, botStateRecord } from "../../../src/testing/records.ts"

const symbol = "AAA/USD"
const columns = randomWalk("shared session", { count: 100, stepMs: 3_600_000 })

const definition: StrategyDefinition = {
  format: 1,
  symbols: [symbol],
  timeframe: "1h",
  parameters: {},
  long: {
    enter: {
      type: "above",
      left: { type: "price", field: "close" },
      right: { type: "ema", period: 20 }
    }
  }
}

const marketData = {
  clock: "replay",
  history: ({ until }: { readonly until: number }) =>
    Effect.sync(() => sliceColumns(columns, 0, indexAt(columns, until + 1)))
} as unknown as MarketData["Service"]

/** Opens sessions whose bots have processed so many candles. */
const makeSessions = () => {
  const seriesTracks = new SeriesTracks()
  const open = (count: number) => {
    const bot = botRecord({ symbols: [symbol], timeframe: "1h" })
    const snapshot = makeSnapshot(10_000, [], null, 0) as never
    const cursor = columns.time[count - 1]!
    const state = botStateRecord({ bot_id: bot.id, cursor, snapshot })
    const ports = { code: noCode, marketData, seriesTracks }
    return openSession(ports, bot, definition, state)
  }
  return { open, tracks: seriesTracks }
}

describe("sessions of one market", () => {
  it.effect("compute once what they have in common, and leave it to whoever stays", () =>
    Effect.gen(function* () {
      const { open, tracks } = makeSessions()
      const one = yield* open(90)
      one.shared.join()
      const { nodes } = tracks.counts
      const two = yield* open(80)
      two.shared.join()
      assert.deepStrictEqual(tracks.counts, { tracks: 1, followers: 2, nodes })
      one.shared.leave()
      assert.deepStrictEqual(tracks.counts, { tracks: 1, followers: 1, nodes })
      const run = { session: two }
      yield* replaceSession(run, yield* open(85))
      assert.deepStrictEqual(tracks.counts, { tracks: 1, followers: 1, nodes })
      run.session.shared.leave()
      assert.deepStrictEqual(tracks.counts, { tracks: 0, followers: 0, nodes: 0 })
    })
  )

  it.effect("leave the others also where their work fails or is broken off", () =>
    Effect.gen(function* () {
      const { open, tracks } = makeSessions()
      const opening = Effect.map(open(90), (session) => ({ session }))
      const seen: Array<number> = []
      yield* Effect.flip(
        useSession(opening, () => {
          seen.push(tracks.counts.followers)
          return Effect.fail("it failed")
        })
      )
      const begun = yield* Deferred.make<void>()
      const hanging = useSession(opening, () =>
        Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      )
      const fiber = yield* Effect.forkChild(hanging)
      yield* Deferred.await(begun)
      seen.push(tracks.counts.followers)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(seen, [1, 1])
      assert.strictEqual(tracks.counts.followers, 0)
    })
  )
})
