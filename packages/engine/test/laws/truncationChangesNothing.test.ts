/**
 * An indicator's value depends on nothing after it: a series that ends earlier has the same values,
 * to the bit.
 */
import { assert, describe, it } from "@effect/vitest"
import { indicatorNames } from "../../src/language/Indicator.ts"
import { sliceColumns } from "../../src/kernel/columns.ts"
import { randomCandles } from "../../src/testing/randomCandles.ts"
import { drawCandles } from "./drawnCandles.ts"
import { drawRun, outputsOf, steppedOutputsOf } from "./indicatorRuns.ts"
import { atLeast, draws } from "../../../../test/draws.ts"

describe("truncation changes nothing", () => {
  it.each(indicatorNames)("has the same first values of %s however early a series ends", (name) => {
    let valueCount = 0
    for (const { number, random } of draws(`truncated ${name}`, 20)) {
      const run = drawRun(name, random, random.pick([3, 24]))
      const candles =
        number % 2 === 0
          ? drawCandles(random, random.pick(["15m", "1h", "1d"] as const), 400)
          : randomCandles(`truncated ${name} ${number}`, { count: 400 })
      const source = random.pick(["close", "close", "volume"] as const)
      const whole = outputsOf(run, candles, source)
      for (let cut = 0; cut < 4; cut += 1) {
        const until = random.integer(0, candles.length)
        const first = outputsOf(run, sliceColumns(candles, 0, until), source)
        assert.strictEqual(first.length, Object.keys(run.row.outputs).length)
        first.forEach((output, nth) => {
          const where = `${run.where}, run ${number}, output ${nth} cut at ${until}`
          assert.deepStrictEqual(output, whole[nth]?.slice(0, until), where)
        })
      }
      assert.deepStrictEqual(steppedOutputsOf(run, candles, source), whole, run.where)
      for (const output of whole) {
        valueCount += output.reduce((count, value) => count + (Number.isNaN(value) ? 0 : 1), 0)
      }
    }
    assert.isAbove(valueCount, atLeast(1_000))
  })
})
