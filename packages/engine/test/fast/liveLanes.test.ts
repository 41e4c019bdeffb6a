/**
 * Bots in lanes decide what each would have decided alone, to the bit, and go on from a snapshot.
 */
import { assert, describe, it } from "@effect/vitest"
import { laneKernels } from "../../src/fast/live/laneKernels.ts"
import { type LaneBot, type LiveLanes, makeLiveLanes } from "../../src/fast/liveLanes.ts"
import { samplePoint, searchSpace } from "../../src/language/searchSpace.ts"
import { makeSignalStep } from "../../src/plan/signalStep.ts"
import { makeRandom, type Random } from "../../src/kernel/random.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { candleAt, drawCandles } from "../laws/drawnCandles.ts"
import { atLeast, draws, hasAllDraws } from "../../../../test/draws.ts"

const timeframe = "1h"

/** Bots whose strategies all have a form for lanes, some alike but for their parameters. */
const drawBots = (random: Random, count: number): ReadonlyArray<LaneBot> => {
  const bots: Array<LaneBot> = []
  while (bots.length < count) {
    const depth = random.pick([2, 3, 4])
    const definition = randomDefinition(random.next, { timeframe, depth, parameterRate: 0.6 })
    const space = searchSpace(definition)
    const alike = Array.from({ length: random.integer(1, 4) }, () => ({
      definition,
      values: samplePoint(space, random.next)
    }))
    if ("step" in makeLiveLanes(alike)) bots.push(...alike)
  }
  return bots
}

const lanesOf = (bots: ReadonlyArray<LaneBot>): LiveLanes => {
  const lanes = makeLiveLanes(bots)
  if (!("step" in lanes)) throw new Error(`bot ${lanes.bot}: ${lanes.reason}`)
  return lanes
}

describe("live lanes", () => {
  it("decide what every bot decides by itself, levels included", () => {
    let entryCount = 0
    const kinds = new Set<string>()
    for (const { number, random } of draws("lanes", 12)) {
      const bots = drawBots(random, 25)
      const lanes = lanesOf(bots)
      const alone = bots.map(({ definition, values }) => makeSignalStep(definition, values))
      const columns = drawCandles(random, timeframe, 300)
      for (const word of lanes.snapshot().program.matchAll(/^\w+/gm)) kinds.add(word[0])
      for (let at = 0; at < columns.length; at += 1) {
        const candle = candleAt(columns, at)
        const signals = lanes.step(candle)
        alone.forEach((step, bot) => {
          const where = `lanes ${number}, candle ${at}, bot ${bot}`
          const { levels, signal } = step.next(candle)
          assert.strictEqual(signals.enterLong[bot] === 1, signal.enterLong, where)
          assert.strictEqual(signals.exitLong[bot] === 1, signal.exitLong, where)
          assert.strictEqual(signals.enterShort[bot] === 1, signal.enterShort, where)
          assert.strictEqual(signals.exitShort[bot] === 1, signal.exitShort, where)
          assert.deepStrictEqual(lanes.levelsOf(bot), levels, where)
          if (signal.enterLong || signal.enterShort) entryCount += 1
        })
      }
    }
    assert.isAbove(entryCount, atLeast(10_000))
    // Every kind of operation was among them.
    const missing = Object.keys(laneKernels).filter((kind) => !kinds.has(kind))
    if (hasAllDraws) assert.deepStrictEqual(missing, [])
  })

  it("go on from a snapshot as if nothing had happened", () => {
    for (const { number, random } of draws("restored lanes", 20)) {
      const bots = drawBots(random, 12)
      const columns = drawCandles(random, timeframe, 160)
      const kept = lanesOf(bots)
      const cut = random.integer(0, columns.length - 1)
      for (let at = 0; at < cut; at += 1) kept.step(candleAt(columns, at))
      const restored = lanesOf(bots)
      // The memory of the lane is gone.
      for (let at = 0; at < 7; at += 1) restored.step(candleAt(columns, at))
      assert.isTrue(restored.restore(kept.snapshot()))
      assert.deepStrictEqual(restored.signals, kept.signals)
      for (let at = cut; at < columns.length; at += 1) {
        const candle = candleAt(columns, at)
        assert.deepStrictEqual(restored.step(candle), kept.step(candle), `${number} at ${at}`)
      }
      assert.deepStrictEqual(restored.snapshot(), kept.snapshot())
    }
  })

  it("don't take back what other lanes remember", () => {
    const random = makeRandom("other lanes")
    const one = lanesOf(drawBots(random, 5))
    const other = lanesOf(drawBots(random, 5))
    assert.isFalse(one.restore(other.snapshot()))
  })

  it("say which bot they can't take, and why", () => {
    const random = makeRandom("refused")
    const bots = drawBots(random, 3)
    const close = { type: "price", field: "close" } as const
    const [first] = bots
    const definition = {
      ...first!.definition,
      long: { enter: { type: "above", left: close, right: { type: "kama" } } }
    } as const
    assert.deepStrictEqual(makeLiveLanes([...bots, { definition, values: first!.values }]), {
      bot: bots.length,
      reason: "kama has no form for lanes yet"
    })
  })
})
