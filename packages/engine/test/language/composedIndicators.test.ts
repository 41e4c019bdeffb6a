/**
 * The strategy language against indicators of other software that the catalogue lacks. A sum, a
 * mean or an extreme of a series can be written, and gives their values.
 *
 * The vendored values come with candles of their own; the wider set is read from the folder in
 * CANDLEWICK_ORACLES.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import type { Rule, Series } from "../../src/language/Rule.ts"
import {
  highest,
  indicator,
  lowest,
  max,
  min,
  price,
  rsi,
  shift
} from "../../src/language/buildSeries.ts"
import { above, below } from "../../src/language/buildStrategy.ts"
import { evaluateRule, evaluateSeries, makeColumnCache } from "../../src/plan/evaluateColumns.ts"
import { planStrategy } from "../../src/plan/planStrategy.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import { strategy } from "../../src/research/strategy.ts"
import {
  goldenSeries as golden,
  isSameSettings,
  publishedSeries
} from "../kernel/publishedSeries.ts"
import { readCandles } from "../kernel/readCandles.ts"
import {
  type CaseData,
  leaveOut,
  listsIn,
  noCases,
  oracles,
  readCaseCandles
} from "../kernel/oracleFolder.ts"
import { readTable } from "../kernel/readTable.ts"
import {
  type Composed,
  type ComposedRule,
  composedOfComputed,
  composedOfPublished
} from "./composedIndicators.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const spy = readCandles(join(root, "samples/spy502_1d.csv"))

/** The plan of a strategy that enters by a rule; what the language refuses throws. */
const planOf = (enter: Rule) => {
  const definition = strategy({ symbols: ["SPY/USD"], timeframe: "1d", long: { enter } })
  return planStrategy(definition, {}).enterLong!
}

const columnOf = (series: Series, candles: CandleColumns): Float64Array => {
  const enter: Rule = { type: "above", left: series, right: { type: "constant", value: 0 } }
  return evaluateSeries(makeColumnCache(candles), planOf(enter).inputs[0]!)
}

const largestOf = (values: Float64Array): number =>
  values.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0)

const check = ({ columns, file, from = 0 }: Composed, candles: CandleColumns, path: string) => {
  const table = readTable(path)
  for (const { ahead = 0, column, series, told = (value: number) => value } of columns) {
    const values = table(column)
    const scale = largestOf(values)
    const seen = columnOf(series, candles)
    assert.strictEqual(values.length, seen.length)
    let compared = 0
    for (let at = from; at + ahead < values.length; at++) {
      const wanted = told(values[at]!, values[at - 1] ?? Number.NaN)
      const actual = seen[at + ahead]!
      const where = `${file} ${column} at ${at}`
      if (Number.isNaN(wanted)) assert.isNaN(actual, where)
      else assert.closeTo(actual, wanted, 1e-8 * scale, where)
      if (!Number.isNaN(wanted)) compared++
    }
    assert.isAbove(compared, 100, `${file} ${column}: so few values prove little`)
  }
}

const noStreaks =
  "the language counts no streaks and no ranks; of the three parts of Connors' RSI only the RSI is " +
  "compared"

/** Up and down fractals, which are known two candles after they happened. */
const checkFractals = (candles: CandleColumns, path: string): void => {
  const table = readTable(path)
  const bear = above(
    shift(price.high, 2),
    max(highest(price.high, 2), shift(highest(price.high, 2), 3))
  )
  const bull = below(shift(price.low, 2), min(lowest(price.low, 2), shift(lowest(price.low, 2), 3)))
  for (const [name, rule, prices] of [
    ["fractalBear", bear, candles.high],
    ["fractalBull", bull, candles.low]
  ] as const) {
    const wanted = table(name)
    const seen = evaluateRule(makeColumnCache(candles), planOf(rule))
    const told = wanted.map((_, at) => (seen[at + 2] === 1 ? prices[at]! : Number.NaN))
    assert.deepStrictEqual(told, wanted, name)
  }
}

/** The vendored series, and those of the folder that are alike. */
const series = [
  ...readdirSync(golden).map((file) => {
    return { name: file, like: file, path: join(golden, file), candlesOf: () => spy }
  }),
  ...publishedSeries.map(({ data, file, like, name }) => {
    return { name, like, path: join(oracles, file), candlesOf: () => readCaseCandles(data) }
  })
]

describe("the strategy language against published indicators", () => {
  for (const { candlesOf, like, name, path } of series) {
    for (const one of composedOfPublished.filter(({ file }) => file === like)) {
      it(`says what is in ${name}`, ({ task }) => {
        Object.assign(task.meta, { from: one.from, inPart: one.inPart })
        check({ ...one, file: name }, candlesOf(), path)
      })
    }
    if (like === "fractal.csv") {
      it(`says what is in ${name}`, () => checkFractals(candlesOf(), path))
    }
    if (like === "vwap.csv") {
      it(`says what is in ${name}`, () => {
        const wanted = readTable(path)("vwap")
        checkFromTheFirst(candlesOf(), wanted, Math.min(wanted.length, 1000))
      })
    }
    if (like === "crsi.csv") {
      it(`does not say all that is in ${name}`, (ctx) => leaveOut(ctx, "refused", noStreaks))
    }
  }

  it("says the RSI within Connors' RSI, of which it can't say the rest", () => {
    const wanted = readTable(join(golden, "crsi.csv"))("rsi")
    const seen = columnOf(rsi(3), spy)
    wanted.forEach((value, at) => {
      if (Number.isNaN(value)) assert.isNaN(seen[at])
      else assert.closeTo(seen[at]!, value, 1e-6, `row ${at}`)
    })
  })
})

/** A mean since the first candle is, at candle n, one over n candles. */
const checkFromTheFirst = (candles: CandleColumns, wanted: Float64Array, count: number) => {
  for (let at = 0; at < count; at += at < 10 ? 1 : 7) {
    const series = indicator("vwma", { period: at + 1, source: price.hlc3 })
    const seen = columnOf(series, candles)[at]!
    assert.closeTo(seen, wanted[at]!, 1e-8 * wanted[at]!, `row ${at}`)
  }
}

/** A series of other software as the folder's lists tell it. */
interface Entry {
  readonly file: string
  readonly data: CaseData
  readonly indicator: string
  readonly params: ComposedRule["params"]
}

const isCumulative = ({ indicator: name, params }: Entry): boolean =>
  name === "VWAP" && params["anchor"] === "first bar"

describe("the strategy language against computed indicators", () => {
  const entries = listsIn<ReadonlyArray<Entry>>("indicators").flat()
  if (entries.length === 0) {
    it("says what is there", (ctx) => ctx.skip(noCases("indicators")))
  }
  for (const { data, file, indicator: source, params } of entries) {
    const one = composedOfComputed.find(
      (rule) => rule.source === source && isSameSettings(rule.params, params)
    )
    if (one === undefined) continue
    it(`says what is in ${file}`, (ctx) => {
      Object.assign(ctx.task.meta, { from: one.from, inPart: one.inPart })
      check({ ...one, file }, readCaseCandles(data), join(oracles, file))
    })
  }

  for (const { data, file } of entries.filter(isCumulative)) {
    it(`says what is in ${file}`, (ctx) => {
      Object.assign(ctx.task.meta, {
        inPart: "to row 999, since a window in the language has 1 000 candles at most"
      })
      const wanted = readTable(join(oracles, file))("vwap")
      checkFromTheFirst(readCaseCandles(data), wanted, Math.min(wanted.length, 1000))
    })
  }
})
