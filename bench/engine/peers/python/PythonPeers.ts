/**
 * vectorbt and backtesting.py, in a Python process of their own. It answers one question after the
 * other (`serve.py`) and times its own work.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { CandleColumns } from "@candlewick/engine/kernel"
import type { Figures, Trades } from "../../Engine.ts"
import type { FoundPython } from "./findPython.ts"

/** The task of a library. */
export interface PythonWork {
  readonly library: "vectorbt" | "backtesting.py"
  readonly work: "crossing" | "reversal" | "shared_crossing"
  readonly runs: ReadonlyArray<Readonly<Record<string, number>>>
  readonly fee: number
  /** How many of the candles, from the first. */
  readonly candleCount: number
  /** Whether indicators are made beforehand, outside of what is timed. */
  readonly isGivenColumns: boolean
}

/** The result of a library. */
export interface PythonResult {
  /** NaN where the library has no such figure. */
  readonly figures: Figures
  /** The times of the first run. */
  readonly trades: Trades
}

/** A process that runs both libraries. */
export interface PythonPeers {
  readonly result: (work: PythonWork) => Promise<PythonResult>
  /** Milliseconds of processor time that one call takes. */
  readonly ms: (work: PythonWork) => Promise<number>
  readonly stop: () => void
}

interface ResultAnswer {
  readonly figures: ReadonlyArray<number | null>
  readonly trades: Trades
}

const script = fileURLToPath(new URL("serve.py", import.meta.url))
const columnNames = ["time", "open", "high", "low", "close", "volume"] as const

const writeCandles = (folder: string, candles: CandleColumns): void => {
  for (const name of columnNames) {
    writeFileSync(
      join(folder, `${name}.f64`),
      new Uint8Array(Float64Array.from(candles[name]).buffer)
    )
  }
}

/**
 * Starts the process on these candles, and on the closes of a second market where one is given. It
 * ends with this process, if not before.
 */
export const startPythonPeers = (
  { cache, python }: FoundPython,
  candles: CandleColumns,
  others: CandleColumns | null = null
): PythonPeers => {
  const folder = mkdtempSync(join(tmpdir(), "candlewick-bench-"))
  writeCandles(folder, candles)
  if (others !== null) {
    writeFileSync(join(folder, "other.f64"), new Uint8Array(others.close.slice().buffer))
  }
  const child = spawn(python, [script, folder], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NUMBA_CACHE_DIR: cache, PYTHONPYCACHEPREFIX: cache }
  })
  const stop = (): void => {
    process.off("exit", stop)
    child.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  }
  process.on("exit", stop)
  let failure: Error | null = null
  let waiting: {
    readonly done: (line: string) => void
    readonly fail: (error: Error) => void
  } | null
  waiting = null
  const fail = (error: Error): void => {
    failure = error
    waiting?.fail(error)
  }
  child.on("error", fail)
  child.on("exit", (code) => fail(new Error(`Python ended with ${code ?? "a signal"}`)))
  child.stdin.on("error", fail)
  createInterface({ input: child.stdout }).on("line", (line) => waiting?.done(line))

  /** One at a time: nobody asks before the last answer has come. */
  const ask = async (asks: "result" | "ms", work: PythonWork): Promise<string> => {
    if (failure !== null) throw failure
    try {
      return await new Promise((done, fail) => {
        waiting = { done, fail }
        child.stdin.write(`${JSON.stringify({ ...work, asks })}\n`)
      })
    } finally {
      waiting = null
    }
  }

  return {
    result: async (work) => {
      const { figures, trades } = JSON.parse(await ask("result", work)) as ResultAnswer
      return { figures: Float64Array.from(figures, (one) => one ?? Number.NaN), trades }
    },
    ms: async (work) => (JSON.parse(await ask("ms", work)) as { readonly ms: number }).ms,
    stop
  }
}
