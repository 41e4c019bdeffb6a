/**
 * Starts a process that sweeps pairs of averages, and compares what it says with the naive loop.
 * The process loads the engine as it is published, compiled: `npm run bench` builds it first.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { StrategyDefinition } from "@candlewick/core"
import type { EngineOptions } from "@candlewick/engine/fast"
import { type CandleColumns, columnNames } from "@candlewick/engine/kernel"
import { writeColdCandles } from "./coldCandles.ts"
import { compareFigures, type Comparison } from "./compare.ts"
import { toOptions } from "./fastEngine.ts"
import { figuresAt } from "./figuresAt.ts"
import { naiveSma } from "./naive/columns.ts"
import { naiveCrossing } from "./naive/crossing.ts"
import { sampleIndices } from "./sampleIndices.ts"
import { crossingRuns, sweepGrid } from "./work/crossing.ts"
import { atClose } from "./work/settings.ts"

const run = promisify(execFile)
const script = fileURLToPath(new URL("coldProcess.js", import.meta.url))

/** The inputs of the process besides candles. */
export interface ColdWork {
  /** Names of the columns in the candles' file. */
  readonly columns: ReadonlyArray<string>
  readonly definition: StrategyDefinition
  readonly options: EngineOptions
  readonly fasts: ReadonlyArray<number>
  readonly slows: ReadonlyArray<number>
}

interface ColdAnswer {
  readonly figures: ReadonlyArray<number>
  readonly memoryMb: number
}

/** The times of several processes, one after the other. */
export interface ColdRuns {
  readonly comparison: Comparison
  readonly pairCount: number
  /** From the start of the process to its end. */
  readonly ms: ReadonlyArray<number>
  readonly memoryMb: ReadonlyArray<number>
}

/** Starts as many processes as there are rounds. */
export const runCold = async (
  candles: CandleColumns,
  counts: { readonly fast: number; readonly slow: number },
  rounds: number
): Promise<ColdRuns> => {
  const folder = mkdtempSync(join(tmpdir(), "candlewick-bench-"))
  try {
    const path = join(folder, "candles.f64")
    writeColdCandles(path, candles)
    const grid = sweepGrid(counts.fast, counts.slow)
    const runs = crossingRuns(grid)
    const { definition } = runs[0]!
    const options = toOptions(atClose)
    const work: ColdWork = { ...grid, columns: columnNames, definition, options }
    const workPath = join(folder, "work.json")
    writeFileSync(workPath, JSON.stringify(work))
    const ms: Array<number> = []
    const answers: Array<ColdAnswer> = []
    for (let round = 0; round < rounds; round++) {
      const started = performance.now()
      const { stdout } = await run(
        process.execPath,
        ["--conditions=built", script, path, workPath],
        { maxBuffer: 1 << 26 }
      )
      ms.push(performance.now() - started)
      answers.push(JSON.parse(stdout) as ColdAnswer)
    }
    const [first] = answers
    const { figures } = first!
    const checked = sampleIndices(runs.length, 4)
    const expected = new Float64Array(checked.length * 4)
    checked.forEach((index, at) => {
      const fast = naiveSma(candles.close, runs[index]!.values.fast)
      const slow = naiveSma(candles.close, runs[index]!.values.slow)
      naiveCrossing(candles.close, fast, slow, atClose.feeRate, expected, at * 4)
    })
    return {
      comparison: compareFigures("naive", figuresAt(Float64Array.from(figures), checked), expected),
      pairCount: runs.length,
      ms,
      memoryMb: answers.map(({ memoryMb }) => memoryMb)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
