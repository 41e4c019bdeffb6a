/**
 * Public calls of the engine against loops that are written for just one strategy:
 * `docs/benchmarks.md` has the rows and the flags.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import {
  type Baseline,
  type Baselines,
  changesOf,
  loopDigestOf,
  readBaselines,
  workDigestOf,
  writeBaselines
} from "./loops/baseline.ts"
import { isSlower, judgeLoops, naiveOverOurs } from "./loops/judgeLoops.ts"
import { loopHeading, loopNotes, loopSection, loopTable } from "./loops/loopReport.ts"
import { loopRows } from "./loops/loopRows.ts"
import type { LoopRow } from "./loops/LoopRow.ts"
import {
  loopCandleCount,
  type LoopOutcome,
  type LoopSeries,
  makeLoopSeries,
  runLoopRow
} from "./loops/runLoops.ts"
import { findPython } from "./peers/python/findPython.ts"
import { type PythonPeers, startPythonPeers } from "./peers/python/PythonPeers.ts"
import { machine } from "./report.ts"

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string", default: "5" },
    strict: { type: "boolean", default: false },
    "no-python": { type: "boolean", default: false },
    "write-baseline": { type: "boolean", default: false }
  }
})

const chosenRows = (): ReadonlyArray<LoopRow> => {
  const names = options.only?.split(",") ?? loopRows.map(({ name }) => name)
  const known = loopRows.map(({ name }) => name).join(", ")
  return names.map((name) => {
    const found = loopRows.find((row) => row.name === name)
    if (found === undefined) throw new Error(`There is no row ${name}: rows are ${known}`)
    return found
  })
}

const toPython = async (
  rows: ReadonlyArray<LoopRow>,
  { candles, others }: LoopSeries
): Promise<PythonPeers | null> => {
  if (options["no-python"] || !rows.some(({ hasPython }) => hasPython)) return null
  const found = await findPython()
  if ("python" in found) return startPythonPeers(found, candles, others)
  console.error(`vectorbt is not to be had here: ${found.reason}`)
  return null
}

const toBaseline = ({ figures, row, times }: LoopOutcome, kept: Baselines): Baseline => {
  const { naive, ours, others } = times!
  const vectorbt = others.find(({ name }) => name === "vectorbt")
  const digits = (value: number): number => Number(value.toPrecision(4))
  const ratio = naiveOverOurs(times!)
  return {
    oursNs: ours === null ? null : digits(ours.nsPerUnit),
    naiveNs: digits(naive.nsPerUnit),
    naiveOverOurs: ratio === null ? null : digits(ratio),
    vectorbtOverNaive:
      vectorbt === undefined
        ? (kept[row.name]?.vectorbtOverNaive ?? null)
        : digits(vectorbt.nsPerUnit / naive.nsPerUnit),
    figures: Array.from(figures, (one) => Number(one.toPrecision(10))),
    workDigest: workDigestOf(row),
    loopDigest: loopDigestOf(row),
    measured: `${new Date().toISOString().slice(0, 10)}, ${options.rounds} rounds, ${machine()}`
  }
}

const writeSection = (baselines: Baselines): void => {
  const page = new URL("../../docs/benchmarks.md", import.meta.url)
  const [before = ""] = readFileSync(page, "utf8").split(loopHeading)
  writeFileSync(page, `${before}${loopSection(loopRows, baselines)}`)
}

/** Whether what was found lets the run end well. */
const isEnough = ({ figures, row, times }: LoopOutcome, baselines: Baselines): boolean => {
  if (times === null) return false
  const baseline = baselines[row.name]
  const changes = changesOf(row, figures, baseline)
  for (const change of changes) console.error(`${row.name}: ${change}`)
  if (changes.length > 0) return false
  const { must } = judgeLoops(row, times, baseline)
  return !options.strict || (must.isMet && !isSlower(times, baseline))
}

// Leaving on an interrupt is leaving: the Python process goes too.
process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))

const rows = chosenRows()
console.log(`${machine()}; ${options.rounds} rounds\n`)
const series = makeLoopSeries(loopCandleCount)
const python = await toPython(rows, series)
const outcomes: Array<LoopOutcome> = []
for (const row of rows) {
  console.error(`${row.name}: ${row.work}`)
  outcomes.push(await runLoopRow(row, series, python, Number(options.rounds)))
}
python?.stop()
let baselines = readBaselines()
if (options["write-baseline"] && outcomes.every(({ times }) => times !== null)) {
  const measured = outcomes.map((one) => [one.row.name, toBaseline(one, baselines)] as const)
  baselines = writeBaselines(Object.fromEntries(measured))
  writeSection(baselines)
}
console.log(`${loopTable(outcomes, baselines)}\n\n${loopNotes(outcomes)}`)
const isEach = outcomes.map((one) => isEnough(one, baselines))
process.exitCode = isEach.every(Boolean) ? 0 : 1
