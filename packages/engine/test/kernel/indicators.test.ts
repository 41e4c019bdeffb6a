/**
 * Indicators against values that other software published or computed, and the manners that all of
 * them share.
 *
 * The vendored values come with candles of their own. The wider set is not vendored because of the
 * licences of its candles; the test reads it from the folder in CANDLEWICK_ORACLES.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import {
  type IndicatorName,
  indicatorNames,
  indicatorCatalogue
} from "../../src/language/Indicator.ts"
import { type Indicator } from "../../src/language/IndicatorRow.ts"
import { type CandleColumns, makeColumns } from "../../src/kernel/columns.ts"
import { atrColumn } from "../../src/kernel/indicators/atr.ts"
import { donchianColumn } from "../../src/kernel/indicators/donchian.ts"
import { rsiColumn } from "../../src/kernel/indicators/rsi.ts"
import { type CaseData, listsIn, noCases, oracles, readCaseCandles } from "./oracleFolder.ts"
import { goldenSeries as golden, publishedSeries } from "./publishedSeries.ts"
import { readCandles } from "./readCandles.ts"
import { readTable } from "./readTable.ts"

/** Which columns of a file hold which outputs of an indicator. */
interface Check {
  readonly indicator: IndicatorName
  readonly settings: ReadonlyArray<number>
  readonly file: string
  readonly columns: Readonly<Record<string, number>>
  /** By how many candles the file tells a value later than we do. */
  readonly shift?: number
  /** First row that is compared, where the start-up differs. */
  readonly from?: number
  /** Rows that are not compared. */
  readonly except?: ReadonlyArray<number>
  /** Whether only the changes from row to row mean anything. */
  readonly isChange?: boolean
  /** Why not all rows are compared, or not their values. */
  readonly inPart?: string
}

/** How series of the folder by another's name for an indicator are ours, whatever its settings. */
interface Rule extends Pick<Check, "indicator" | "columns" | "inPart"> {
  readonly source: string
  /** Parameters that have to be so; the name of another one stands for its value. */
  readonly where: Readonly<Record<string, number | string>>
  /** Our settings: parameters by their names, and numbers. */
  readonly settings: ReadonlyArray<number | string>
  /** Whether the file hides values until all of its columns have one. */
  readonly fromFirstValid?: boolean
}

const inputsOf = ({ inputs }: Indicator, candles: CandleColumns): ReadonlyArray<Float64Array> =>
  inputs.map((input) => candles[input === "source" ? "close" : input])

const at = (values: Float64Array | undefined, index: number): number =>
  values?.[index] ?? Number.NaN

const firstValue = (values: Float64Array | undefined): number =>
  values?.findIndex((value) => !Number.isNaN(value)) ?? -1

/** The same undefined values, and the others equal to 1e-8 of the scale. */
const assertSeries = (
  seen: Float64Array | undefined,
  wanted: Float64Array,
  scale: (value: number) => number,
  what: string,
  from = 0,
  except: ReadonlyArray<number> = []
): void => {
  assert.strictEqual(seen?.length, wanted.length, `${what}: length`)
  assert.isAtLeast(firstValue(wanted), 0, `${what}: no value is expected`)
  if (from === 0) assert.strictEqual(firstValue(seen), firstValue(wanted), `${what}: first value`)
  for (let index = from; index < wanted.length; index++) {
    if (except.includes(index)) continue
    const where = `${what} at ${index}`
    const value = wanted[index]!
    if (Number.isNaN(value)) assert.isNaN(at(seen, index), where)
    else assert.closeTo(at(seen, index), value, 1e-8 * scale(value), where)
  }
}

const checkSeries = (check: Check, candles: CandleColumns, path: string): void => {
  const { columns, except, from, indicator, isChange = false, settings, shift = 0 } = check
  const table = readTable(path)
  const row: Indicator = indicatorCatalogue[indicator]
  const outputs = row.column(inputsOf(row, candles), settings)
  for (const [name, output] of Object.entries(columns)) {
    const wanted = table(name)
    const seen = Float64Array.from(wanted, (_, index) =>
      index < shift ? Number.NaN : at(outputs[output], index - shift)
    )
    const largest = wanted.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0)
    const compared = (values: Float64Array): Float64Array =>
      isChange ? values.map((value, index) => value - at(values, index - 1)) : values
    const what = `${check.file} ${name}`
    assertSeries(compared(seen), compared(wanted), () => largest, what, from, except)
  }
}

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const spy = readCandles(join(root, "samples/spy502_1d.csv"))
const { published, computed } = JSON.parse(readFileSync(join(golden, "checks.json"), "utf8")) as {
  readonly published: ReadonlyArray<Check>
  readonly computed: ReadonlyArray<Rule>
}
const titleOf = ({ file, indicator, settings }: Check): string =>
  `${indicator}(${settings.join(", ")}) of ${file}`

/** For the table of docs/oracles.md: what is not compared, and why. */
const partOf = ({ except, from, inPart }: Check) => ({ except, from, inPart })

describe("indicators against published values", () => {
  for (const check of published) {
    it(titleOf(check), ({ task }) => {
      Object.assign(task.meta, partOf(check))
      checkSeries(check, spy, join(golden, check.file))
    })
  }

  it("holds every indicator to values of others", () => {
    const checked = new Set([...published, ...computed].map(({ indicator }) => indicator))
    assert.deepStrictEqual(
      indicatorNames.filter((name) => !checked.has(name)),
      []
    )
  })
})

/** A series of other software as the folder's lists tell it. */
interface Entry {
  readonly file: string
  readonly data: CaseData
  readonly indicator: string
  readonly params: Readonly<Record<string, number | string>>
  readonly first_valid_bar?: Readonly<Record<string, number>>
}

const isRuleOf = ({ settings, source, where }: Rule, { indicator, params }: Entry): boolean =>
  source === indicator &&
  Object.keys(params).every((name) => settings.includes(name) || name in where) &&
  settings.every((setting) => typeof setting === "number" || typeof params[setting] === "number") &&
  Object.entries(where).every(
    ([name, value]) => params[name] === value || (value in params && params[name] === params[value])
  )

/** How a series of the folder is compared, or null where it isn't an indicator of ours. */
const checkOf = (entry: Entry): Check | null => {
  const rule = computed.find((candidate) => isRuleOf(candidate, entry))
  if (rule === undefined) return null
  const { columns, fromFirstValid, indicator, inPart } = rule
  const settings = rule.settings.map((setting) => Number(entry.params[setting] ?? setting))
  const from = Math.max(...Object.values(entry.first_valid_bar ?? { none: 0 }))
  return {
    indicator,
    settings,
    file: entry.file,
    columns,
    ...(inPart !== undefined && { inPart }),
    ...(fromFirstValid === true && { from })
  }
}

describe("indicators against values computed by other software", () => {
  const entries = listsIn<ReadonlyArray<Entry>>("indicators").flat()
  if (entries.length === 0) {
    it("are ours", (ctx) => ctx.skip(noCases("indicators")))
  }
  for (const entry of entries) {
    const check = checkOf(entry)
    // The language may say it; composedIndicators.test.ts knows.
    if (check === null) continue
    it(titleOf(check), ({ task }) => {
      Object.assign(task.meta, partOf(check))
      checkSeries(check, readCaseCandles(entry.data), join(oracles, entry.file))
    })
  }
})

describe("indicators against the folder's published values", () => {
  if (publishedSeries.length === 0) {
    it("are ours", (ctx) => ctx.skip(noCases("indicators_published")))
  }
  for (const { data, file, like, name } of publishedSeries) {
    for (const alike of published.filter((check) => check.file === like)) {
      const check = { ...alike, file: name }
      it(titleOf(check), ({ task }) => {
        Object.assign(task.meta, partOf(check))
        checkSeries(check, readCaseCandles(data), join(oracles, file))
      })
    }
  }
})

const subjects = indicatorNames.map((name) => {
  const row: Indicator = indicatorCatalogue[name]
  const settings = Object.values(row.settings).map((setting) => setting.default)
  return {
    name,
    column: row.column,
    settings,
    warmup: row.warmup(...settings),
    inputs: (candles: CandleColumns) => inputsOf(row, candles)
  }
})

describe("indicators of little", () => {
  it.each(subjects)("says where the $name begins", ({ column, inputs, settings, warmup }) => {
    const [first] = column(inputs(spy), settings)
    assert.strictEqual(firstValue(first), warmup)
  })

  it.each(subjects)("has no $name before the candles suffice", (subject) => {
    const short = readCandles(join(root, "samples/spy502_1d.csv"), subject.warmup)
    const [first, ...others] = subject.column(subject.inputs(short), subject.settings)
    assert.strictEqual(firstValue(first), -1)
    for (const output of others) assert.lengthOf(output, subject.warmup)
    for (const output of subject.column(subject.inputs(makeColumns(0)), subject.settings)) {
      assert.lengthOf(output, 0)
    }
  })

  it.each(subjects)("warms the $name up again after a value that is not defined", (subject) => {
    const gap = 100
    const inputs = subject.inputs(spy)
    const broken = inputs.map((input) =>
      input.map((value, index) => (index === gap ? Number.NaN : value))
    )
    const rest = inputs.map((input) => input.subarray(gap + 1))
    const seen = subject.column(broken, subject.settings)
    const whole = subject.column(inputs, subject.settings)
    const anew = subject.column(rest, subject.settings)
    seen.forEach((output, nth) => {
      assert.deepStrictEqual(output.subarray(0, gap), whole[nth]?.subarray(0, gap))
      assert.isNaN(at(output, gap))
      const fresh = anew[nth] ?? new Float64Array(0)
      assertSeries(output.subarray(gap + 1), fresh, () => 1, `output ${nth}`)
    })
  })

  it("has the extremes of a donchian channel however long a run within it is", () => {
    // Short periods have runs that fill them; the published and computed series have none.
    for (const period of [1, 2, 3, 5]) {
      const [upper, middle, lower] = donchianColumn([spy.high, spy.low], [period])
      for (let index = period - 1; index < spy.length; index++) {
        const from = index - period + 1
        const highest = Math.max(...spy.high.subarray(from, index + 1))
        const lowest = Math.min(...spy.low.subarray(from, index + 1))
        const where = `${period} candles up to ${index}`
        assert.strictEqual(at(upper, index), highest, where)
        assert.strictEqual(at(lower, index), lowest, where)
        assert.strictEqual(at(middle, index), (highest + lowest) / 2, where)
      }
    }
  })

  it("has an rsi of 0 without any move, of 0 falling and of 100 rising", () => {
    const of = (next: (index: number) => number) =>
      at(rsiColumn([Float64Array.from({ length: 5 }, (_, index) => next(index))], [3])[0], 4)
    assert.strictEqual(
      of(() => 7),
      0
    )
    assert.strictEqual(
      of((index) => 7 - index),
      0
    )
    assert.strictEqual(
      of((index) => 7 + index),
      100
    )
  })

  it("counts a gap between candles into the true range", () => {
    const high = Float64Array.of(10, 21, 12)
    const low = Float64Array.of(9, 20, 11)
    const close = Float64Array.of(9.5, 20.5, 11.5)
    // 21 - 9.5, then 20.5 - 11.
    assert.deepStrictEqual(atrColumn([high, low, close], [1]), [
      Float64Array.of(Number.NaN, 11.5, 9.5)
    ])
  })
})
