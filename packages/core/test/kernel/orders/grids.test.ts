/**
 * Grids of parameters, whose statistics and best cells other software computed.
 *
 * They are read from the folder in CANDLEWICK_ORACLES.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { CandleColumns } from "../../../src/kernel/columns.ts"
import { simulateOrders } from "../../../src/kernel/orders/simulateOrders.ts"
import { readCandles } from "../readCandles.ts"
import { assertNear, toSourceTrades } from "./checkTrades.ts"
import { type SourceEngine, sourceOptions } from "./sourceEngine.ts"
import { sourceStatistics } from "./sourceStatistics.ts"
import { type SourceParameters, sourceStrategies } from "./sourceStrategies.ts"

interface GridCase {
  readonly data: { readonly file: string }
  readonly strategy: { readonly name: string; readonly fixed_params: SourceParameters }
  readonly grid: Readonly<Record<string, ReadonlyArray<number>>>
  readonly cells: number
  readonly engine: SourceEngine
  readonly best: Readonly<Record<string, Readonly<Record<string, number>>>>
}

type Cell = Readonly<Record<string, number>>

const oracles = process.env["CANDLEWICK_ORACLES"] ?? ""
const folder = join(oracles, "optimize")
const isThere = oracles !== "" && existsSync(folder)

const readCells = (path: string): ReadonlyArray<Cell> => {
  const [header = "", ...lines] = readFileSync(path, "utf8").trim().split("\n")
  const names = header.split(",")
  return lines.map((line) => {
    const values = line.split(",")
    const valueOf = (index: number) => (values[index] === "" ? Number.NaN : Number(values[index]))
    return Object.fromEntries(names.map((name, index) => [name, valueOf(index)]))
  })
}

/** The source decides from the candle after the first that its indicators know. */
const warmupOf = ({ n, slow }: Cell): number => n ?? slow! - 1

const runCell = (one: GridCase, candles: CandleColumns, cell: Cell): Cell => {
  const { engine, strategy } = one
  const build = sourceStrategies.get(strategy.name)!
  const chosen = Object.fromEntries(Object.keys(one.grid).map((name) => [name, cell[name]!]))
  const warmup = warmupOf(chosen)
  const options = sourceOptions(engine, warmup + 1)
  const seen = simulateOrders(candles, build({ ...strategy.fixed_params, ...chosen }), options)
  const trades = toSourceTrades(seen, engine)
  return { ...sourceStatistics(candles, seen.equity, trades, warmup), ...chosen }
}

const checkCell = (seen: Cell, wanted: Cell, grid: GridCase["grid"]): void => {
  const where = Object.keys(grid)
    .map((name) => `${name} ${wanted[name]}`)
    .join(", ")
  for (const [name, value] of Object.entries(wanted)) {
    const found = seen[name] ?? Number.NaN
    if (Number.isNaN(value)) {
      // Without a fee the source tells none.
      if (name !== "commissions") assert.isNaN(found, `${name} at ${where}`)
      else assert.strictEqual(found, 0, `${name} at ${where}`)
    } else assertNear(found, value, `${name} at ${where}`, 1e-8)
  }
}

const check = (id: string): void => {
  const one = JSON.parse(readFileSync(join(folder, id, "case.json"), "utf8")) as GridCase
  const candles = readCandles(join(oracles, one.data.file))
  const wanted = readCells(join(folder, id, "grid.csv"))
  assert.strictEqual(wanted.length, one.cells, "cells")
  const seen = wanted.map((cell) => runCell(one, candles, cell))
  wanted.forEach((cell, index) => checkCell(seen[index]!, cell, one.grid))
  for (const [name, { value, ...parameters }] of Object.entries(one.best)) {
    const able = seen.filter(({ trades }) => trades! > 0)
    // The first of those that are equal.
    const best = able.reduce((most, cell) => (cell[name]! > most[name]! ? cell : most))
    assertNear(best[name]!, value!, `best ${name}`, 1e-8)
    for (const [key, chosen] of Object.entries(parameters)) {
      assert.strictEqual(best[key], chosen, `${key} of the best ${name}`)
    }
  }
}

describe("grids of parameters", () => {
  if (!isThere) {
    it("have the cells of other software", (ctx) => ctx.skip("CANDLEWICK_ORACLES names no folder"))
    return
  }
  for (const id of readdirSync(folder)) {
    it(`has the cells of ${id} and its best`, () => check(id), 60_000)
  }
})
