import { assert, describe, it } from "@effect/vitest"
import { defaultValues, samplePoint, searchSpace } from "../../src/language/searchSpace.ts"
import { makeColumnCache } from "../../src/plan/evaluateColumns.ts"
import { toSignalColumns } from "../../src/plan/signalColumns.ts"
import { makeSignalStep } from "../../src/plan/signalStep.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { drawStrategy } from "./drawnStrategies.ts"
import { candleAt, drawCandles } from "./drawnCandles.ts"
import { slotsReader } from "./ladderSlots.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

const strategyCount = 300

describe("a strategy has one meaning", () => {
  it("says the same of every candle as columns and as steps", () => {
    let entryCount = 0
    let enteringCount = 0
    let slotCount = 0
    for (const { number, random } of draws("one meaning", strategyCount)) {
      const definition = drawStrategy(random.next)
      const columns = drawCandles(random, definition.timeframe, 300)
      const values =
        number % 3 === 0
          ? defaultValues(definition)
          : samplePoint(searchSpace(definition), random.next)
      const whole = toSignalColumns(definition, values, columns)
      const step = makeSignalStep(definition, values)
      assert.deepStrictEqual(step.plan, whole.plan)
      const { enterLong, exitLong, enterShort, exitShort } = whole.signals
      const { ladder } = whole
      assert.deepStrictEqual(step.ladder?.plan, ladder?.plan)
      const readSlots = slotsReader(definition, values)
      const before = entryCount
      for (let at = 0; at < columns.length; at += 1) {
        const { signal, levels } = step.next(candleAt(columns, at))
        const where = `strategy ${number}, candle ${at}`
        assert.strictEqual(signal.enterLong, enterLong?.[at] === 1, where)
        assert.strictEqual(signal.exitLong, exitLong?.[at] === 1, where)
        assert.strictEqual(signal.enterShort, enterShort?.[at] === 1, where)
        assert.strictEqual(signal.exitShort, exitShort?.[at] === 1, where)
        assert.deepStrictEqual(levels, whole.levelsAt(at), where)
        if (ladder !== undefined) {
          const { rule, series } = ladder
          const slots = readSlots(step.ladder!)
          const ofColumns = readSlots({
            rule: (slot) => rule(slot, at),
            series: (slot) => series(slot, at)
          })
          assert.deepStrictEqual(slots, ofColumns, where)
          slotCount += slots.length
        }
        if (signal.enterLong || signal.enterShort) entryCount += 1
      }
      if (entryCount > before) enteringCount += 1
    }
    assert.isAbove(enteringCount, atLeast(strategyCount / 2))
    assert.isAbove(entryCount, atLeast(strategyCount * 10))
    assert.isAbove(slotCount, atLeast(strategyCount * 100))
  })

  it("says the same with a cache that other sets have filled, however small it is", () => {
    for (const { random } of draws("shared columns", 40)) {
      const definition = drawStrategy(random.next, { parameterRate: 0.7 })
      const columns = drawCandles(random, definition.timeframe, 200)
      const space = searchSpace(definition)
      const roomy = makeColumnCache(columns)
      const cramped = makeColumnCache(columns, { bytesMax: 5_000 })
      for (let trial = 0; trial < 10; trial += 1) {
        const values = samplePoint(space, random.next)
        const alone = toSignalColumns(definition, values, columns)
        for (const cache of [roomy, cramped]) {
          const shared = toSignalColumns(definition, values, cache)
          assert.deepStrictEqual(shared.signals, alone.signals)
          for (let at = 0; at < columns.length; at += 1) {
            assert.deepStrictEqual(shared.levelsAt(at), alone.levelsAt(at))
          }
        }
      }
    }
  })

  it("sees a higher timeframe only once its candle has closed", () => {
    const columns = drawCandles(makeRandom("closed only"), "1h", 400)
    const definition = drawStrategy(makeRandom("unused").next, { timeframe: "1h" })
    const onFourHours = {
      ...definition,
      long: {
        enter: {
          type: "above",
          left: {
            type: "timeframe",
            timeframe: "4h",
            of: { type: "price", field: "close" }
          },
          right: { type: "price", field: "close" }
        }
      }
    } as const
    const { enterLong } = toSignalColumns(onFourHours, defaultValues(definition), columns).signals
    const hourMs = 3_600_000
    for (let at = 0; at < columns.length; at += 1) {
      const closesAt = columns.time[at]! + hourMs
      let seen = Number.NaN
      for (let earlier = 0; earlier <= at; earlier += 1) {
        const start = Math.floor(columns.time[earlier]! / (4 * hourMs)) * 4 * hourMs
        const isWhole = start >= columns.time[0]!
        if (isWhole && start + 4 * hourMs <= closesAt) seen = columns.close[earlier]!
      }
      assert.strictEqual(enterLong![at], seen > columns.close[at]! ? 1 : 0)
    }
  })
})
