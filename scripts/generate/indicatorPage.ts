/**
 * The page of the indicators: the catalogue, and what only running them tells.
 */
import { decodeStrategy, type Indicator, indicatorCatalogue, type Series } from "@candlewick/core"
import type { CandleColumns } from "@candlewick/engine/kernel"
import { Result } from "effect"
import { randomWalk, withFlat } from "../../packages/engine/src/testing/randomCandles.ts"
import { code, jsonCode, page, table } from "./markdown.ts"

const count = 400
const flatFrom = 200
const moving = randomWalk("indicators", { count })
const price = 250
const still = new Float64Array(count).fill(price)
const flat: CandleColumns = {
  ...moving,
  open: still,
  high: still,
  low: still,
  close: still,
  volume: new Float64Array(count).fill(10)
}
const untraded: CandleColumns = { ...flat, volume: new Float64Array(count) }
const stretch = withFlat(moving, flatFrom, count - flatFrom)

const defaults = (row: Indicator): ReadonlyArray<number> =>
  Object.values(row.settings).map((setting) => setting.default)

const run = (row: Indicator, candles: CandleColumns): ReadonlyArray<Float64Array> =>
  row.column(
    row.inputs.map((input) => candles[input === "source" ? "close" : input]),
    defaults(row)
  )

const valueText = (value: number): string =>
  Number.isNaN(value) ? "undefined" : value === price ? "the price" : String(value)

/** A node that the format accepts, with every setting and the last output named. */
const exampleOf = (name: string, row: Indicator): string => {
  const outputs = Object.keys(row.outputs)
  const settings = Object.entries(row.settings).map(([setting, one]) => [setting, one.default])
  const output = outputs.length === 1 ? {} : { output: outputs.at(-1) }
  const series = { type: name, ...Object.fromEntries(settings), ...output } as Series
  const decoded = decodeStrategy({
    format: 1,
    symbols: ["BTC/USD"],
    timeframe: "1h",
    parameters: {},
    long: { enter: { type: "above", left: series, right: { type: "constant", value: 1 } } }
  })
  if (Result.isFailure(decoded)) throw new Error(`${name}: ${JSON.stringify(decoded.failure)}`)
  return jsonCode(series)
}

const outputTable = (row: Indicator): string => {
  const takesVolume = row.inputs.includes("volume")
  const first = run(row, moving).map((column) => column.findIndex((value) => !Number.isNaN(value)))
  const onFlat = run(row, flat)
  const onUntraded = run(row, untraded)
  return table(
    [
      "output",
      "unit",
      "candles before its first value",
      "where nothing ever moved",
      ...(takesVolume ? ["nor was traded"] : [])
    ],
    Object.entries(row.outputs).map(([output, unit], at) => [
      code(output),
      unit,
      first[at]!,
      valueText(onFlat[at]!.at(-1)!),
      ...(takesVolume ? [valueText(onUntraded[at]!.at(-1)!)] : [])
    ])
  )
}

const section = (name: string, row: Indicator): string =>
  [
    `## ${row.title} (\`${name}\`)`,
    row.reference,
    Object.keys(row.settings).length === 0
      ? "It has no settings."
      : table(
          ["setting", "default", "from", "to", "kind"],
          Object.entries(row.settings).map(([setting, one]) => [
            code(setting),
            one.default,
            one.min,
            one.max,
            one.kind
          ])
        ),
    `${exampleOf(name, row)}, computed from ${row.inputs.join(", ")}:`,
    outputTable(row)
  ].join("\n\n")

/** Where a heading is. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9_ -]/g, "")
    .replaceAll(" ", "-")

/** The note on flat stretches below, or no page. */
const checkStretch = (): void => {
  const lastOf = (name: "rsi" | "adx" | "tsi", at: number): readonly [number, number] => {
    const column = run(indicatorCatalogue[name], stretch)[at]!
    return [column[flatFrom - 1]!, column[count - 1]!]
  }
  const isKept = ([before, after]: readonly [number, number]): boolean =>
    Math.abs(after - before) < 1e-6 * Math.abs(before)
  const kept = [lastOf("rsi", 0), lastOf("adx", 1), lastOf("adx", 2)]
  const moved = [lastOf("adx", 0), lastOf("tsi", 0)]
  if (!kept.every(isKept) || moved.some(isKept) || moved.some(([, after]) => after === 0)) {
    throw new Error("the page of indicators says something else of flat stretches")
  }
}

/** The whole page. */
export const indicatorPage = (): string => {
  checkStretch()
  const rows = Object.entries<Indicator>(indicatorCatalogue)
  return page(
    "Indicators",
    'This page is the reference of indicators. An indicator is a series of the [strategy format](strategy-format.md): `{ "type": "rsi", "period": 14 }`. A setting is a number or `{ "parameter": name }`, its default where it is left out. `source` is a series, the close where it is left out; only those that are computed from `source` take one. `output` names one of several; the first is meant where none is named.',
    "Units: `percent` runs to 100, `ratio` to 1, `source` is that of what it is computed from, and `source_difference` that of a difference of it. A rule compares only what has the same unit.",
    "Until its first value an indicator is undefined, and so is a rule that looks at it: it doesn't hold, nor does its opposite. After an input that was undefined in between it warms up anew.",
    "SMA, WMA, the middle of Bollinger bands and the mean in a z-score are exact where their source is of decimals, as prices are. They are the nearest double of the average on paper, wherever the series begins. So a price is above such an average, or equal to it, exactly where it is on paper. Decimals have at most ten places, and sums at most 2^52 of their steps. From the first value that is another number, to the next that is undefined, sums are rounded. They may then depend in their last digit on where the series begins. So do all others: exponential and Wilder's averages, deviations, and what is computed from a computed series. [Why](decisions/0011-averages-are-exact.md).",
    'Where nothing ever moved, ratios have nothing to divide by, and the tables below give their values. An RSI is 0, not 50, so that "RSI below 30" holds. On a flat stretch between moves, an indicator of a window has these values as soon as the window is flat. Exponential and Wilder\'s averages come ever nearer to them. But a ratio of two such averages does not, because both fade alike. RSI and both directional indices keep their last value; ADX and TSI go on towards the value of their last moves.',
    rows.map(([name, { title }]) => `[${title}](#${anchor(`${title} (\`${name}\`)`)})`).join(" · "),
    ...rows.map(([name, row]) => section(name, row))
  )
}
