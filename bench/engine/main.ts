/**
 * The engine against its targets, its rivals and a naive loop.
 *
 *   npm run bench                  the whole table, and how cost grows
 *   npm run bench -- --row 3       one row
 *   npm run bench -- --costs       only how cost grows
 *   npm run bench -- --quick       small sizes: does everything run and agree? Gates are not judged
 *   npm run bench -- --no-python   without vectorbt and backtesting.py
 *   npm run bench -- --write       the whole, and into docs/benchmarks.md
 *
 * Ends with 1 where a gate is missed, or where results differ.
 */
import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { benchmarkCandles } from "./candles.ts"
import { costOverCandles, costOverDensity } from "./costs.ts"
import { keepMeasured } from "./elsewhere.ts"
import { judge } from "./judge.ts"
import { ours } from "./ours.ts"
import { formatNumber } from "./format.ts"
import { findPython } from "./peers/python/findPython.ts"
import { type PythonPeers, startPythonPeers } from "./peers/python/PythonPeers.ts"
import {
  comparisonTable,
  type Judged,
  machine,
  measuredNow,
  remarks,
  targetTable,
  toPage
} from "./report.ts"
import type { Row } from "./rows/Row.ts"
import { rows } from "./rows/rows.ts"
import { fullSizes, quickSizes } from "./sizes.ts"
import { watchStolen } from "./stolenTime.ts"

const { values: options } = parseArgs({
  options: {
    row: { type: "string" },
    costs: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    "no-python": { type: "boolean", default: false },
    write: { type: "boolean", default: false }
  }
})
const sizes = options.quick ? quickSizes : fullSizes
const wanted = options.costs
  ? []
  : rows.filter(({ number }) => options.row === undefined || String(number) === options.row)
if (wanted.length === 0 && !options.costs) {
  throw new Error(`There is no row ${options.row}: rows are 1 to ${rows.length}`)
}
if (options.write && (options.quick || options.row !== undefined || options.costs)) {
  throw new Error("Only the whole table is written to the documentation")
}

console.log(`${machine()}; ${sizes.name} size; ours is ${ours.name}\n`)
const candles = benchmarkCandles(sizes.candles)
const readStolen = watchStolen()

const toPython = async (): Promise<PythonPeers | null> => {
  if (options["no-python"] || !wanted.some(({ hasPython }) => hasPython)) return null
  const found = await findPython()
  if ("python" in found) return startPythonPeers(found, candles)
  console.error(`vectorbt and backtesting.py are not to be had here: ${found.reason}`)
  return null
}

// Leaving on an interrupt is leaving: what was started ends, and temporary files go.
process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))
const python = await toPython()

/** One row's error doesn't take the others' figures away. */
const runRow = async (row: Row): Promise<Judged> => {
  try {
    const result = await row.run({ candles, engine: ours, sizes, python })
    return { row, result, verdict: judge(result, sizes.name === "full") }
  } catch (error) {
    console.error(error)
    return {
      row,
      result: { comparisons: [], timed: null, notes: [String(error)] },
      verdict: "failed"
    }
  }
}

const judged: Array<Judged> = []
for (const row of wanted) {
  const startedMs = performance.now()
  judged.push(await runRow(row))
  const seconds = (performance.now() - startedMs) / 1000
  console.error(`row ${row.number}: ${judged.at(-1)?.verdict}, ${seconds.toFixed(0)} s`)
}
python?.stop()
if (judged.length > 0) {
  console.log(`\n${targetTable(judged)}\n\n${remarks(judged)}\n\n${comparisonTable(judged)}\n`)
}
if (options.row === undefined) {
  const density = await costOverDensity(candles, ours, sizes)
  console.log(`Cost over the density of trades\n\n${density}\n`)
  const overCandles = await costOverCandles(ours, sizes)
  console.log(`Cost over the number of candles\n\n${overCandles}\n`)
  const stolen = readStolen()
  if (stolen !== null) console.log(`${formatNumber(stolen)} % of the time was stolen by the host`)
  if (options.write) {
    writeFileSync(
      new URL("../../docs/benchmarks.md", import.meta.url),
      toPage(sizes, ours.name, judged, { density, candles: overCandles }, stolen)
    )
    keepMeasured(measuredNow(judged))
  }
}
const isEnough = ({ verdict }: Judged): boolean => verdict === "met" || verdict === "not judged"
process.exitCode = judged.every(isEnough) ? 0 : 1
