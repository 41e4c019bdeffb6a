/**
 * Runs rows of the indicator catalogue with random settings on random candles, as the laws do.
 */
import { type IndicatorName, indicatorCatalogue } from "../../src/language/Indicator.ts"
import { type Indicator } from "../../src/language/IndicatorRow.ts"
import type { CandleColumns } from "../../src/kernel/columns.ts"
import type { Random } from "../../src/kernel/random.ts"

/** The input of an indicator that takes any series. */
export type SourceName = "close" | "volume"

/** One row with settings. */
export interface IndicatorRun {
  readonly name: IndicatorName
  readonly row: Indicator
  readonly settings: ReadonlyArray<number>
  /** The largest of its periods, or 1 where it has none. */
  readonly period: number
  readonly where: string
}

/** Draws settings within the bounds of a row, with periods up to `periodMax`. */
export const drawRun = (name: IndicatorName, random: Random, periodMax: number): IndicatorRun => {
  const row: Indicator = indicatorCatalogue[name]
  const bounds = Object.values(row.settings)
  const settings = bounds.map(({ kind, min, max }) =>
    kind === "integer"
      ? random.integer(min, periodMax)
      : Math.round((min + random.next() * (Math.min(max, 5) - min)) * 1_000) / 1_000
  )
  const periods = settings.filter((_, nth) => bounds[nth]?.kind === "integer")
  const where = `${name}(${settings.join(", ")})`
  return { name, row, settings, period: Math.max(1, ...periods), where }
}

/** The outputs of a run over candles. */
export const outputsOf = (
  { row, settings }: IndicatorRun,
  candles: CandleColumns,
  source: SourceName = "close"
): ReadonlyArray<Float64Array> =>
  row.column(
    row.inputs.map((input) => candles[input === "source" ? source : input]),
    settings
  )

/** The same outputs from the streaming kernel. */
export const steppedOutputsOf = (
  { row, settings }: IndicatorRun,
  candles: CandleColumns,
  source: SourceName = "close"
): ReadonlyArray<Float64Array> => {
  const columns = row.inputs.map((input) => candles[input === "source" ? source : input])
  const outputs = Object.keys(row.outputs).map(() => new Float64Array(candles.length))
  const step = row.step(settings)
  const values = new Float64Array(outputs.length)
  const inputs = new Float64Array(columns.length)
  for (let at = 0; at < candles.length; at += 1) {
    columns.forEach((column, nth) => (inputs[nth] = column[at]!))
    step(inputs, values)
    outputs.forEach((output, nth) => (output[at] = values[nth]!))
  }
  return outputs
}
