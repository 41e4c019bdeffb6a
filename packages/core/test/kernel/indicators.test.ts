/**
 * Indicators against values that other software published or computed.
 *
 * The vendored values come with candles of their own; the wider set, which is not vendored because
 * of the licences of its candles, is read from the folder in CANDLEWICK_ORACLES.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { type CandleColumns, makeColumns } from "../../src/kernel/columns.ts"
import { atrColumn, atrWarmup } from "../../src/kernel/indicators/atr.ts"
import { bollingerColumn, bollingerWarmup } from "../../src/kernel/indicators/bollinger.ts"
import { donchianColumn, donchianWarmup } from "../../src/kernel/indicators/donchian.ts"
import { emaColumn, emaWarmup } from "../../src/kernel/indicators/ema.ts"
import { macdColumn, macdWarmup } from "../../src/kernel/indicators/macd.ts"
import { rsiColumn, rsiWarmup } from "../../src/kernel/indicators/rsi.ts"
import { smaColumn, smaWarmup } from "../../src/kernel/indicators/sma.ts"
import { readCandles } from "./readCandles.ts"
import { readTable } from "./readTable.ts"

type Columns = ReadonlyArray<Float64Array>

interface Subject {
  readonly name: string
  readonly column: (inputs: Columns, settings: ReadonlyArray<number>) => Columns
  readonly inputs: (candles: CandleColumns) => Columns
  /** Settings of the published values. */
  readonly settings: ReadonlyArray<number>
  /** Index of the first value with those settings. */
  readonly warmup: number
  /** Columns of the published file that hold our outputs, in order. */
  readonly published: ReadonlyArray<string>
  /** By how many candles the published values lag ours. */
  readonly lag?: number
  /** A value that tolerances are relative to, instead of the close. */
  readonly scale?: number
  readonly wide: {
    readonly indicator: string
    /** Names of the settings and of the outputs in the wider set. */
    readonly settings: ReadonlyArray<string>
    readonly outputs: ReadonlyArray<string>
    /** How many series there are of it. */
    readonly count: number
  }
}

const ofClose = ({ close }: CandleColumns): Columns => [close]

const subjects: ReadonlyArray<Subject> = [
  {
    name: "sma",
    column: smaColumn,
    inputs: ofClose,
    settings: [20],
    warmup: smaWarmup(20),
    published: ["sma"],
    wide: { indicator: "SMA", settings: ["period"], outputs: ["sma"], count: 6 }
  },
  {
    name: "ema",
    column: emaColumn,
    inputs: ofClose,
    settings: [20],
    warmup: emaWarmup(20),
    published: ["ema"],
    wide: { indicator: "EMA", settings: ["period"], outputs: ["ema"], count: 4 }
  },
  {
    name: "rsi",
    column: rsiColumn,
    inputs: ofClose,
    settings: [14],
    warmup: rsiWarmup(14),
    published: ["rsi"],
    scale: 100,
    wide: { indicator: "RSI", settings: ["period"], outputs: ["rsi"], count: 4 }
  },
  {
    name: "macd",
    column: macdColumn,
    inputs: ofClose,
    settings: [12, 26, 9],
    warmup: macdWarmup(12, 26, 9),
    published: ["macd", "signal", "histogram"],
    wide: {
      indicator: "MACD",
      settings: ["fast", "slow", "signal"],
      outputs: ["macd", "signal", "hist"],
      count: 2
    }
  },
  {
    name: "bb",
    column: bollingerColumn,
    inputs: ofClose,
    settings: [20, 2],
    warmup: bollingerWarmup(20, 2),
    published: ["sma", "upperBand", "lowerBand"],
    wide: {
      indicator: "BBANDS",
      settings: ["period", "stddev"],
      outputs: ["middle", "upper", "lower"],
      count: 2
    }
  },
  {
    name: "atr",
    column: atrColumn,
    inputs: ({ high, low, close }) => [high, low, close],
    settings: [14],
    warmup: atrWarmup(14),
    published: ["atr"],
    wide: { indicator: "ATR", settings: ["period"], outputs: ["atr"], count: 2 }
  },
  {
    name: "donchian",
    column: donchianColumn,
    inputs: ({ high, low }) => [high, low],
    settings: [20],
    warmup: donchianWarmup(20),
    published: ["upperBand", "centerline", "lowerBand"],
    // The published channel is that of the candles before, without the newest.
    lag: 1,
    wide: {
      indicator: "DONCHIAN",
      settings: ["period"],
      outputs: ["upper", "middle", "lower"],
      count: 2
    }
  }
]

const at = (values: Float64Array | undefined, index: number): number =>
  values?.[index] ?? Number.NaN

const firstValue = (values: Float64Array | undefined): number =>
  values?.findIndex((value) => !Number.isNaN(value)) ?? -1

/** The same undefined values, and the others equal to 1e-8 of the scale. */
const assertSeries = (
  seen: Float64Array | undefined,
  wanted: Float64Array,
  scale: (index: number) => number,
  what: string
): void => {
  assert.strictEqual(seen?.length, wanted.length, `${what}: length`)
  assert.isAtLeast(firstValue(wanted), 0, `${what}: no value is expected`)
  assert.strictEqual(firstValue(seen), firstValue(wanted), `${what}: first value`)
  wanted.forEach((value, index) => {
    const where = `${what} at ${index}`
    if (Number.isNaN(value)) assert.isNaN(at(seen, index), where)
    else assert.closeTo(at(seen, index), value, 1e-8 * scale(index), where)
  })
}

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const spy = readCandles(join(root, "samples/spy502_1d.csv"))

describe("indicators against published values", () => {
  it.each(subjects)("gives the published $name of SPY, from the same candle on", (subject) => {
    const table = readTable(join(root, `test/golden/indicators/${subject.name}.csv`))
    const outputs = subject.column(subject.inputs(spy), subject.settings)
    const lag = subject.lag ?? 0
    assert.strictEqual(outputs.length, subject.published.length)
    subject.published.forEach((name, output) => {
      const published = table(name)
      const shifted = Float64Array.from(published, (_, index) =>
        index < lag ? Number.NaN : at(outputs[output], index - lag)
      )
      assertSeries(shifted, published, (index) => subject.scale ?? at(spy.close, index), name)
    })
  })

  it.each(subjects)("says where the $name begins", ({ column, inputs, settings, warmup }) => {
    const [first] = column(inputs(spy), settings)
    assert.strictEqual(firstValue(first), warmup)
  })
})

interface WideSeries {
  readonly id: string
  readonly file: string
  readonly data: { readonly file: string; readonly rows_used: readonly [number, number] | null }
  readonly indicator: string
  readonly params: Readonly<Record<string, number | string>>
  readonly first_valid_bar: Readonly<Record<string, number>>
}

const oracles = process.env["CANDLEWICK_ORACLES"]

/**
 * Not ours, by choice: an exponential average seeded with the first value alone, and TA-Lib's own
 * seeding of the fast average in a MACD.
 */
const isOtherConvention = ({ params }: WideSeries): boolean =>
  params["seed"] === "first value" || params["variant"] === "talib"

describe("indicators against values computed by other software", () => {
  it.for(subjects)("gives every series of $wide.indicator in the wider set", (subject, ctx) => {
    if (oracles === undefined) return ctx.skip("CANDLEWICK_ORACLES names no folder")
    const { indicator, settings, outputs, count } = subject.wide
    const index = JSON.parse(
      readFileSync(join(oracles, "indicators/index.json"), "utf8")
    ) as ReadonlyArray<WideSeries>
    const series = index.filter((one) => one.indicator === indicator && !isOtherConvention(one))
    assert.strictEqual(series.length, count)
    for (const one of series) {
      const [from, to] = one.data.rows_used ?? [0, undefined]
      assert.strictEqual(from, 0, "candles are read from the first on")
      const candles = readCandles(join(oracles, one.data.file), to)
      const table = readTable(join(oracles, one.file))
      const seen = subject.column(
        subject.inputs(candles),
        settings.map((name) => Number(one.params[name]))
      )
      outputs.forEach((name, output) => {
        const what = `${one.id} ${name}`
        const scale = (bar: number) => subject.scale ?? at(candles.close, bar)
        assert.strictEqual(firstValue(seen[output]), one.first_valid_bar[name], what)
        assertSeries(seen[output], table(name), scale, what)
      })
    }
  })
})

describe("indicators of little", () => {
  it.each(subjects)("has no $name before the candles suffice", (subject) => {
    const short = readCandles(join(root, "samples/spy502_1d.csv"), subject.warmup)
    for (const output of subject.column(subject.inputs(short), subject.settings)) {
      assert.lengthOf(output, subject.warmup)
      assert.strictEqual(firstValue(output), -1)
    }
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
