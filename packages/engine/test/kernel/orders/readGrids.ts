/**
 * Grids of parameters that other software has run, read from the folder in CANDLEWICK_ORACLES.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import type { CandleColumns } from "../../../src/kernel/columns.ts"
import { type CaseData, idsIn, oracles, readCaseCandles } from "../oracleFolder.ts"
import { assertNear } from "./checkTrades.ts"
import type { SourceEngine } from "./sourceEngine.ts"
import type { SourceParameters } from "./sourceStrategies.ts"

export interface GridCase {
  readonly data: CaseData
  readonly strategy: { readonly name: string; readonly fixed_params: SourceParameters }
  readonly grid: Readonly<Record<string, ReadonlyArray<number>>>
  readonly cells: number
  readonly engine: SourceEngine
  readonly best: Readonly<Record<string, Readonly<Record<string, number>>>>
}

export type Cell = Readonly<Record<string, number>>

const folder = join(oracles, "optimize")

/** The grids by their ids; none where the folder is not there. */
export const gridIds: ReadonlyArray<string> = idsIn("optimize")

const readCells = (path: string): ReadonlyArray<Cell> => {
  const [header = "", ...lines] = readFileSync(path, "utf8").trim().split("\n")
  const names = header.split(",")
  return lines.map((line) => {
    const values = line.split(",")
    const valueOf = (index: number) => (values[index] === "" ? Number.NaN : Number(values[index]))
    return Object.fromEntries(names.map((name, index) => [name, valueOf(index)]))
  })
}

export const readGrid = (id: string) => {
  const one = JSON.parse(readFileSync(join(folder, id, "case.json"), "utf8")) as GridCase
  const candles: CandleColumns = readCaseCandles(one.data)
  const wanted = readCells(join(folder, id, "grid.csv"))
  assert.strictEqual(wanted.length, one.cells, "cells")
  return { one, candles, wanted }
}

/** The parameters of a cell. */
export const chosenIn = ({ grid }: GridCase, cell: Cell): Cell =>
  Object.fromEntries(Object.keys(grid).map((name) => [name, cell[name]!]))

/** The source decides from the candle after the first that its indicators know. */
export const warmupOf = ({ n, slow }: Cell): number => n ?? slow! - 1

export const checkCell = (seen: Cell, wanted: Cell, { grid }: GridCase): void => {
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

/** Holds the best of the cells to those of the case. */
export const checkBest = (seen: ReadonlyArray<Cell>, { best }: GridCase): void => {
  for (const [name, { value, ...parameters }] of Object.entries(best)) {
    const able = seen.filter(({ trades }) => trades! > 0)
    // The first of those that are equal.
    const most = able.reduce((first, cell) => (cell[name]! > first[name]! ? cell : first))
    assertNear(most[name]!, value!, `best ${name}`, 1e-8)
    for (const [key, chosen] of Object.entries(parameters)) {
      assert.strictEqual(most[key], chosen, `${key} of the best ${name}`)
    }
  }
}
