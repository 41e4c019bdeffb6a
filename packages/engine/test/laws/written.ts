/**
 * Definitions rewritten as code: the same rules, as columns that `onCandle` reads.
 */
import type { ParameterValues } from "../../src/language/Parameter.ts"
import type { StrategyDefinition } from "../../src/language/StrategyDefinition.ts"
import type { CodedStrategy } from "../../src/language/CodeRules.ts"
import { define } from "../../src/plan/define.ts"
import type { CommonParts, Declared } from "../../src/language/StrategyParts.ts"
import { toSignalColumns } from "../../src/plan/signalColumns.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"

const names = ["enterLong", "exitLong", "enterShort", "exitShort"] as const

const signalsOf = (
  definition: StrategyDefinition,
  values: ParameterValues,
  columns: CandleColumns
) => {
  const { signals } = toSignalColumns(definition, values, columns)
  const none = new Uint8Array(columns.length)
  return {
    enterLong: signals.enterLong ?? none,
    exitLong: signals.exitLong ?? none,
    enterShort: signals.enterShort ?? none,
    exitShort: signals.exitShort ?? none
  }
}

/** The same strategy with its rules as code; its exits, sizes and parameters stay as they are. */
export const asCode = (definition: StrategyDefinition): CodedStrategy => {
  const { format: _format, long: _long, short: _short, ...frame } = definition
  return define<Declared, (typeof names)[number]>({
    // A checked definition has the parts that the types ask for.
    ...(frame as CommonParts<Declared>),
    name: "rewritten",
    indicators: (candles, values) => signalsOf(definition, values, candles),
    onCandle: ({ value }) => ({
      enterLong: value("enterLong") === 1,
      exitLong: value("exitLong") === 1,
      enterShort: value("enterShort") === 1,
      exitShort: value("exitShort") === 1
    })
  })
}
