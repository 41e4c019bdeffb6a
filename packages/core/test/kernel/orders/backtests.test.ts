/**
 * Whole strategies on real candles, whose trades, equity and statistics other software computed.
 *
 * They are read from the folder in CANDLEWICK_ORACLES.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type CandleColumns, sliceColumns } from "../../../src/kernel/columns.ts"
import { simulateOrders } from "../../../src/kernel/orders/simulateOrders.ts"
import { readCandles } from "../readCandles.ts"
import { readTable } from "../readTable.ts"
import { assertNear, checkTrades, toSourceTrades } from "./checkTrades.ts"
import type { ScriptTrade } from "./readScripts.ts"
import { type SourceEngine, sourceOptions } from "./sourceEngine.ts"
import { sourceStatistics } from "./sourceStatistics.ts"
import { type SourceParameters, sourceStrategies } from "./sourceStrategies.ts"

interface BacktestCase {
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

const oracles = process.env["CANDLEWICK_ORACLES"] ?? ""
const folder = join(oracles, "backtests")
const isThere = oracles !== "" && existsSync(folder)

const files = new Map<string, CandleColumns>()
const candlesOf = ({ data }: BacktestCase): CandleColumns => {
  const all = files.get(data.file) ?? readCandles(join(oracles, data.file))
  files.set(data.file, all)
  const [from, to] = data.rows_used ?? [0, all.length]
  return sliceColumns(all, from, to)
}

const readTrades = (path: string): ReadonlyArray<ScriptTrade> => {
  const column = readTable(path)
  const orNull = (value: number) => (Number.isNaN(value) ? null : value)
  const sl = column("sl")
  const tp = column("tp")
  const at = (name: string) => column(name)
  const [size, entry, exit] = [at("size"), at("entry_bar"), at("exit_bar")]
  const [entryPrice, exitPrice] = [at("entry_price"), at("exit_price")]
  const [pnl, commission, rate] = [at("pnl"), at("commission"), at("return_frac")]
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

const check = (one: BacktestCase): void => {
  const { engine, strategy } = one
  const candles = candlesOf(one)
  assert.strictEqual(candles.length, one.data.bars, "candles")
  const built = sourceStrategies.get(strategy.name)!(strategy.params)
  const seen = simulateOrders(candles, built, sourceOptions(engine, strategy.first_decision_bar))
  const trades = toSourceTrades(seen, engine)
  const at = (name: string) => join(folder, one.id, name)
  checkTrades(trades, readTrades(at("trades.csv")))
  if (one.files.equity !== null) {
    const wanted = readTable(at(one.files.equity))("equity")
    assert.strictEqual(seen.equity.length, wanted.length, "equity")
    wanted.forEach((value, index) =>
      assertNear(seen.equity[index]!, value, `equity ${index}`, 1e-6)
    )
  }
  checkStatistics(
    sourceStatistics(candles, seen.equity, trades, strategy.warmup_bars),
    JSON.parse(readFileSync(at("stats.json"), "utf8")) as Readonly<Record<string, unknown>>
  )
}

/** What the file says of a run without reference to its statistics. */
const untold = new Set(["start", "end", "duration_s"])

const checkStatistics = (
  seen: Readonly<Record<string, number>>,
  wanted: Readonly<Record<string, unknown>>
): void => {
  for (const [name, value] of Object.entries(wanted)) {
    if (untold.has(name)) continue
    const found = seen[name] ?? Number.NaN
    if (value === null) assert.isNaN(found, name)
    else assertNear(found, Number(value), name, 1e-8)
  }
}

describe("whole strategies on real candles", () => {
  if (!isThere) {
    it("trade as other software did", (ctx) => ctx.skip("CANDLEWICK_ORACLES names no folder"))
    return
  }
  for (const id of readdirSync(folder)) {
    const one = JSON.parse(readFileSync(join(folder, id, "case.json"), "utf8")) as BacktestCase
    it(`trades ${id} as other software did`, () => check(one), 60_000)
  }
})
