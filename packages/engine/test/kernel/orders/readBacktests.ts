/**
 * Whole strategies on real candles that other software has run: the cases, their candles, trades
 * and statistics, read from the folder in CANDLEWICK_ORACLES.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { type CandleColumns, sliceColumns } from "../../../src/kernel/columns.ts"
import { idsIn, oracles } from "../oracleFolder.ts"
import { readCandles } from "../readCandles.ts"
import { readTable } from "../readTable.ts"
import { assertNear } from "./checkTrades.ts"
import type { ScriptTrade } from "./readScripts.ts"
import type { SourceEngine } from "./sourceEngine.ts"
import type { SourceParameters } from "./sourceStrategies.ts"

export interface BacktestCase {
  readonly id: string
  readonly data: {
    readonly file: string
    readonly rows_used: readonly [number, number] | null
    readonly bars: number
  }
  readonly strategy: {
    readonly name: string
    readonly params: SourceParameters
    readonly first_decision_bar: number
    readonly warmup_bars: number
  }
  readonly engine: SourceEngine
  readonly files: { readonly equity: string | null }
}

const folder = join(oracles, "backtests")

/** The cases by their ids; none where the folder is not there. */
export const backtestIds: ReadonlyArray<string> = idsIn("backtests")

/** A case goes by the name of its folder, whatever it calls itself: its other files are there. */
export const readCase = (id: string): BacktestCase => ({
  ...(JSON.parse(readFileSync(join(folder, id, "case.json"), "utf8")) as BacktestCase),
  id
})

const files = new Map<string, CandleColumns>()
export const candlesOf = ({ data }: BacktestCase): CandleColumns => {
  const all = files.get(data.file) ?? readCandles(join(oracles, data.file))
  files.set(data.file, all)
  const [from, to] = data.rows_used ?? [0, all.length]
  const candles = sliceColumns(all, from, to)
  assert.strictEqual(candles.length, data.bars, "candles")
  return candles
}

export const readTrades = ({ id }: BacktestCase): ReadonlyArray<ScriptTrade> => {
  const column = readTable(join(folder, id, "trades.csv"))
  const orNull = (value: number) => (Number.isNaN(value) ? null : value)
  const sl = column("sl")
  const tp = column("tp")
  const [size, entry, exit] = [column("size"), column("entry_bar"), column("exit_bar")]
  const [entryPrice, exitPrice] = [column("entry_price"), column("exit_price")]
  const [pnl, commission, rate] = [column("pnl"), column("commission"), column("return_frac")]
  return Array.from(size, (value, row) => ({
    size: value,
    entry_bar: entry[row]!,
    exit_bar: exit[row]!,
    entry_price: entryPrice[row]!,
    exit_price: exitPrice[row]!,
    sl: orNull(sl[row]!),
    tp: orNull(tp[row]!),
    pnl: pnl[row]!,
    commission: commission[row]!,
    return_frac: rate[row]!,
    tag: null
  }))
}

/** Holds equity to the case's, where it tells that; at so many candles. */
export const checkEquity = (
  { id, files: { equity } }: BacktestCase,
  seen: Float64Array,
  count = seen.length
): void => {
  if (equity === null) return
  const wanted = readTable(join(folder, id, equity))("equity")
  assert.strictEqual(seen.length, wanted.length, "equity")
  wanted
    .subarray(0, count)
    .forEach((value, index) => assertNear(seen[index]!, value, `equity ${index}`, 1e-6))
}

/** The facts that the file has of a run without reference to its statistics. */
const untold = new Set(["start", "end", "duration_s"])

export type Statistics = Readonly<Record<string, unknown>>

export const readStatistics = ({ id }: BacktestCase): Statistics =>
  JSON.parse(readFileSync(join(folder, id, "stats.json"), "utf8")) as Statistics

export const checkStatistics = (
  seen: Readonly<Record<string, number>>,
  wanted: Statistics
): void => {
  for (const [name, value] of Object.entries(wanted)) {
    if (untold.has(name)) continue
    const found = seen[name] ?? Number.NaN
    if (value === null) assert.isNaN(found, name)
    else assertNear(found, Number(value), name, 1e-8)
  }
}
