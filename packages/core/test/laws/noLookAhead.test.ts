import { assert, describe, it } from "@effect/vitest"
import { defaultValues } from "../../src/interpreters/searchSpace.ts"
import { toSignalColumns } from "../../src/interpreters/signalColumns.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { copyColumns, sliceColumns } from "../../src/kernel/columns.ts"
import type { StrategySignals } from "../../src/interpreters/signalColumns.ts"
import { makeRandom } from "../../src/kernel/random.ts"
import type { Random } from "../../src/kernel/random.ts"
import { randomDefinition } from "../../src/testing/randomStrategy.ts"
import { drawCandles } from "./drawnCandles.ts"

const names = ["enterLong", "exitLong", "enterShort", "exitShort"] as const

const assertSamePast = (
  whole: StrategySignals,
  other: StrategySignals,
  until: number,
  where: string
): void => {
  for (const name of names) {
    assert.deepStrictEqual(
      whole.signals[name]?.slice(0, until),
      other.signals[name]?.slice(0, until),
      `${where}, ${name}`
    )
  }
  for (let at = 0; at < until; at += 1) {
    assert.deepStrictEqual(other.levelsAt(at), whole.levelsAt(at), `${where}, candle ${at}`)
  }
}

/** The same candles up to `until`, and entirely different ones from there on. */
const withOtherFuture = (columns: CandleColumns, until: number, random: Random): CandleColumns => {
  const changed = copyColumns(columns)
  for (let at = until; at < changed.length; at += 1) {
    const factor = 0.2 + random.next() * 5
    for (const field of ["open", "high", "low", "close", "volume"] as const) {
      changed[field][at]! *= factor
    }
  }
  return changed
}

describe("no look-ahead", () => {
  it("keeps the past of 200 random strategies when the future is deleted or changed", () => {
    for (let number = 0; number < 200; number += 1) {
      const random = makeRandom(`look ahead ${number}`)
      const definition = randomDefinition(random.next)
      const columns = drawCandles(random, definition.timeframe, 240)
      const values = defaultValues(definition)
      const whole = toSignalColumns(definition, values, columns)
      for (let cut = 0; cut < 4; cut += 1) {
        const until = random.integer(1, columns.length - 1)
        const where = `strategy ${number}, cut at ${until}`
        const deleted = toSignalColumns(definition, values, sliceColumns(columns, 0, until))
        assertSamePast(whole, deleted, until, `${where}, deleted`)
        const changed = withOtherFuture(columns, until, random)
        const differing = toSignalColumns(definition, values, changed)
        assertSamePast(whole, differing, until, `${where}, changed`)
      }
    }
  })
})
