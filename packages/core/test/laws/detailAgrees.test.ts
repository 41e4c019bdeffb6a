/**
 * Shorter candles settle what a candle leaves open, and change nothing else: where no candle is
 * ambiguous, a run with detail makes the same fills as one without.
 */
import { assert, describe, it } from "@effect/vitest"
import { timeframeMs } from "../../src/domain/Timeframe.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import { resampleColumns } from "../../src/kernel/resample.ts"
import { simulate } from "../../src/kernel/simulate.ts"
import type { Simulation } from "../../src/kernel/simulate.ts"
import { randomCandles } from "../../src/testing/randomCandles.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { drawCandles } from "./drawnCandles.ts"
import { simulationInput } from "./simulated.ts"

const hourMs = timeframeMs("1h")
const coarse = "4h"
const candleMs = timeframeMs(coarse)

const fillsOf = ({ fills }: Simulation) =>
  fills.map(({ leg, price, quantity, side, time }) => ({ leg, price, quantity, side, time }))

describe("detail agrees", () => {
  it("makes the fills of 600 runs without it wherever no candle is ambiguous", () => {
    let fillCount = 0
    let agreed = 0
    let settled = 0
    for (let number = 0; number < 600; number += 1) {
      const random = makeRandom(`detail ${number}`)
      const fine: CandleColumns =
        number % 2 === 0
          ? drawCandles(random, "1h", 600)
          : randomCandles(`detail ${number}`, {
              count: 600,
              stepMs: hourMs,
              volatility: random.pick([0.005, 0.02])
            })
      const columns = resampleColumns(fine, hourMs, candleMs)
      const definition = randomDefinition(random.next, {
        timeframe: coarse,
        depth: random.integer(2, 3)
      })
      const fill = random.pick(["next_open", "close"] as const)
      const input = simulationInput(definition, [columns], { fill })
      const alone = simulate(input)
      const detailed = simulate({
        ...input,
        markets: [{ ...input.markets[0]!, detail: { columns: fine, candleMs } }]
      })
      if (alone.ambiguousCount > 0) {
        settled += 1
        continue
      }
      const where = `run ${number}: ${JSON.stringify(definition.exits)}, ${fill}`
      assert.deepStrictEqual(fillsOf(detailed), fillsOf(alone), where)
      assert.strictEqual(detailed.ambiguousCount, 0, where)
      fillCount += alone.fills.length
      agreed += 1
    }
    assert.isAbove(agreed, 300, "so few runs prove little")
    assert.isAbove(settled, 10, "some runs are ambiguous")
    assert.isAbove(fillCount, 2_000, "so few fills prove little")
  })
})
