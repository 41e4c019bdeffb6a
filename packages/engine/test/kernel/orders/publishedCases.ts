/**
 * backtesting.py's assertions about itself in its own tests, read from the folder in
 * CANDLEWICK_ORACLES, and the comparison of results with them.
 */
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { dayMs } from "../../../src/kernel/calendar.ts"
import { type CandleColumns, sliceColumns } from "../../../src/kernel/columns.ts"
import { listsIn, oracles } from "../oracleFolder.ts"
import { readCandles } from "../readCandles.ts"
import { assertNear } from "./checkTrades.ts"
import type { SourceEngine } from "./sourceEngine.ts"

/** A number, a list of them, dates, or a formula of a price. */
export type Value = number | string | ReadonlyArray<number | string>

interface Published {
  readonly id: string
  readonly data: string
  readonly expected: Readonly<Record<string, Value>>
}

/** Its account where a case says nothing else. */
export const plain: SourceEngine = {
  cash: 10_000,
  commission: 0,
  spread: 0,
  margin: 1,
  trade_on_close: false,
  hedging: false,
  exclusive_orders: false,
  finalize_trades: false
}

/** The day of a time. */
export const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** All that the first trade of a run says. */
export const firstOf = <A>(trades: ReadonlyArray<A>): A => {
  const [first] = trades
  if (first === undefined) throw new Error("nothing was traded")
  return first
}

/** The values found in the candles of a case, by the names of the expected ones. */
export type Check = (candles: CandleColumns) => Readonly<Record<string, Value>>

/** A price as the file gives it: a number, or an open times another. */
const numberOf = (value: string, { open }: CandleColumns): number => {
  const [, index, factor] = /^open\[(\d+)\]\*([\d.]+)$/.exec(value) ?? []
  return open[Number(index)]! * Number(factor)
}

const checkValue = (seen: Value | undefined, wanted: Value, name: string): void => {
  if (typeof wanted === "number") assertNear(Number(seen), wanted, name, 1e-9)
  else assert.deepStrictEqual(seen, wanted, name)
}

/** The candles that a case names: a file, or some rows of one. */
const candlesOf = (data: string): CandleColumns => {
  const [, file, first, last] = /^(\S+)(?: rows (\d+)\.\.(\d+))?$/.exec(data) ?? []
  const all = readCandles(join(oracles, file!))
  return last === undefined ? all : sliceColumns(all, Number(first), Number(last) + 1)
}

/** Holds what is found to a case. */
export const checkPublished = ({ data, expected }: Published, found: Check): void => {
  const candles = candlesOf(data)
  const seen = found(candles)
  for (const [name, value] of Object.entries(expected)) {
    const isFormula = typeof value === "string"
    checkValue(seen[name], isFormula ? numberOf(value, candles) : value, name)
  }
}

/** Its cases; none without the folder. */
export const publishedCases: ReadonlyArray<Published> = listsIn<{
  readonly kind: string
  readonly cases: ReadonlyArray<Published>
}>("published").flatMap(({ kind, cases }) => (kind === "published_expectations" ? cases : []))

/** Statistics with what is told in days, for which they have seconds. */
export const inDays = (
  found: Readonly<Record<string, number>>,
  { time }: CandleColumns
): Readonly<Record<string, number>> => {
  const daysOf = (name: string): number => (found[name]! * 1000) / dayMs
  return {
    ...found,
    duration_days: (time.at(-1)! - time[0]!) / dayMs,
    avg_drawdown_duration_days: daysOf("avg_drawdown_duration_s"),
    max_drawdown_duration_days: daysOf("max_drawdown_duration_s"),
    avg_trade_duration_days: daysOf("avg_trade_duration_s"),
    max_trade_duration_days: daysOf("max_trade_duration_s")
  }
}
