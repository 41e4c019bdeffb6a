/**
 * The trials of a search as columns of numbers: as threads find them, as checkpoints keep them, and
 * as the store has them.
 *
 * @since 0.1.0
 */
import { metricNames, type Objective } from "@candlewick/engine"
import type { BlockSums, SharpeSample } from "@candlewick/engine/kernel"
import { Schema } from "effect"
import type { Trial, TrialDetails } from "../../../domain/Optimization.ts"
import type { TrialColumns } from "../../../ports/TrialStore.ts"
import type { TrialResult } from "./runTrials.ts"

const toText = (numbers: Float64Array): string =>
  Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString("base64")

const toNumbers = (text: string): Float64Array => {
  const bytes = Uint8Array.from(Buffer.from(text, "base64"))
  return new Float64Array(bytes.buffer)
}

/** A finished trial as a checkpoint keeps it: its numbers are the bytes of doubles as text. */
export const KeptTrials = Schema.Array(
  Schema.Struct({
    plainReason: Schema.NullOr(Schema.String),
    returnCount: Schema.Int,
    periodsPerYear: Schema.Finite,
    metrics: Schema.String,
    means: Schema.NullOr(Schema.String),
    squares: Schema.NullOr(Schema.String),
    blockLength: Schema.Int
  })
)

type KeptTrial = (typeof KeptTrials.Type)[number]

/** A trial for a checkpoint. */
export const keepTrial = (trial: TrialResult): KeptTrial => ({
  plainReason: trial.plainReason,
  returnCount: trial.returnCount,
  periodsPerYear: trial.periodsPerYear,
  metrics: toText(trial.metrics),
  means: trial.blocks === null ? null : toText(trial.blocks.means),
  squares: trial.blocks === null ? null : toText(trial.blocks.squares),
  blockLength: trial.blocks?.length ?? 0
})

/** The trial that a checkpoint kept. */
export const recallTrial = (kept: KeptTrial): TrialResult => ({
  plainReason: kept.plainReason,
  returnCount: kept.returnCount,
  periodsPerYear: kept.periodsPerYear,
  metrics: toNumbers(kept.metrics),
  blocks:
    kept.means === null || kept.squares === null
      ? null
      : {
          means: toNumbers(kept.means),
          squares: toNumbers(kept.squares),
          length: kept.blockLength
        }
})

const places = new Map<string, number>(metricNames.map((name, place) => [name, place]))

/** One of a trial's metrics; NaN where it has no value. */
export const metricOf = ({ metrics }: TrialResult, name: string): number =>
  metrics[places.get(name)!]!

/** One of a trial's metrics; null where it has no value. */
export const figureOf = (trial: TrialResult, name: string): number | null => {
  const value = metricOf(trial, name)
  return Number.isFinite(value) ? value : null
}

/** The figures of trials that the judgement of a search reads. */
export interface JudgedTrials {
  readonly periodsPerYear: number
  /** Yearly Sharpe ratios of the trials; NaN where there is none. */
  readonly sharpes: ReadonlyArray<number>
  readonly sampleOf: (index: number) => SharpeSample | null
  readonly blocks: ReadonlyArray<BlockSums>
}

/** The results by the index of their trial, for the judgement. */
export const judgedOf = (results: ReadonlyMap<number, TrialResult>): JudgedTrials => {
  // In the order of their proposal, whichever was finished first: sums depend on it.
  const all = [...results].toSorted(([one], [other]) => one - other).map(([, result]) => result)
  const periodsPerYear = all[0]?.periodsPerYear ?? 365
  return {
    periodsPerYear,
    sharpes: all.map((one) => metricOf(one, "sharpe")),
    sampleOf: (index) => {
      const trial = results.get(index)
      if (trial === undefined) return null
      const sample = {
        sharpe: metricOf(trial, "sharpe") / Math.sqrt(periodsPerYear),
        count: trial.returnCount,
        skewness: metricOf(trial, "skewness"),
        kurtosisRaw: metricOf(trial, "kurtosis")
      }
      return Object.values(sample).every(Number.isFinite) ? sample : null
    },
    blocks: all.flatMap(({ blocks }) => (blocks === null ? [] : [blocks]))
  }
}

const parameterColumn = (name: string): string => `parameters.${name}`

/** Columns of every search besides its parameters and the metrics. */
const ownColumns = ["index", "objective", "position_count", "is_eligible"] as const

/** The trials as the store keeps them, a row for each that was finished. */
export const toTrialColumns = (
  trials: ReadonlyArray<Trial>,
  results: ReadonlyMap<number, TrialResult>
): TrialColumns => {
  const rows = trials.toSorted((one, other) => one.index - other.index)
  const column = (name: string, valueOf: (trial: Trial) => number) => ({
    name,
    values: Float64Array.from(rows, valueOf)
  })
  const parameters = Object.keys(rows[0]?.parameters ?? {})
  return [
    column("index", ({ index }) => index),
    ...parameters.map((name) =>
      column(parameterColumn(name), (trial) => trial.parameters[name] ?? Number.NaN)
    ),
    column("objective", ({ objective }) => objective ?? Number.NaN),
    column("position_count", ({ position_count }) => position_count),
    column("is_eligible", ({ is_eligible }) => (is_eligible ? 1 : 0)),
    ...metricNames.map((name) => column(name, ({ index }) => metricOf(results.get(index)!, name)))
  ]
}

const finite = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : value

/** The trials of a table, a row at a time. */
export interface TrialRows {
  readonly count: number
  /** Names of the columns, in their order. */
  readonly names: ReadonlyArray<string>
  readonly at: (row: number) => TrialDetails
  readonly valuesAt: (row: number) => ReadonlyArray<number | null>
  readonly column: (name: string) => Float64Array | undefined
}

/** The rows of columns. */
export const rowsOf = (columns: TrialColumns): TrialRows => {
  const byName = new Map(columns.map(({ name, values }) => [name, values]))
  const names = columns.map(({ name }) => name)
  const prefix = parameterColumn("")
  const parameters = names.filter((name) => name.startsWith(prefix))
  const others = new Set<string>([...ownColumns, ...parameters])
  const metrics = names.filter((name) => !others.has(name))
  const value = (name: string, row: number) => byName.get(name)?.[row]
  return {
    count: columns[0]?.values.length ?? 0,
    names,
    column: (name) => byName.get(name),
    valuesAt: (row) => names.map((name) => finite(value(name, row))),
    at: (row) => ({
      index: value("index", row) ?? row,
      parameters: Object.fromEntries<number>(
        parameters.map((name) => [name.slice(prefix.length), value(name, row) ?? 0])
      ),
      objective: finite(value("objective", row)),
      position_count: value("position_count", row) ?? 0,
      is_eligible: value("is_eligible", row) === 1,
      metrics: Object.fromEntries(metrics.map((name) => [name, finite(value(name, row))]))
    })
  }
}

/** How the rows of trials are ordered: by a column, and of equals by their index. */
export const orderRows = (
  rows: TrialRows,
  column: string,
  order: "asc" | "desc"
): ReadonlyArray<number> => {
  const values = rows.column(column) ?? new Float64Array(rows.count)
  const sign = order === "asc" ? 1 : -1
  return Array.from({ length: rows.count }, (_, row) => row).toSorted((one, other) => {
    const [left, right] = [values[one]!, values[other]!]
    // Trials without a value come last in either order.
    if (Number.isNaN(left) || Number.isNaN(right)) {
      return Number(Number.isNaN(left)) - Number(Number.isNaN(right)) || one - other
    }
    return sign * (left < right ? -1 : left > right ? 1 : 0) || one - other
  })
}

/** Which way a search's objective is best first. */
export const bestFirst = (objective: Objective): "asc" | "desc" =>
  objective === "max_drawdown" ? "asc" : "desc"
