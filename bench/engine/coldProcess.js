/**
 * The program that rows 8 and 9 start, as a user of the published engine would write it. It reads a
 * strategy and candles, sweeps a grid of parameters, and prints the results and the largest memory
 * of the process. It is JavaScript because a published program is: Node would have types to take
 * out.
 */
import { runMany } from "@candlewick/engine/fast"
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs"

const [candlesPath, workPath] = /** @type {[string, string]} */ (
  /** @type {unknown} */ (process.argv.slice(2))
)

/** @type {import("./runCold.ts").ColdWork} */
const { columns, definition, fasts, options, slows } = JSON.parse(readFileSync(workPath, "utf8"))
const length = statSync(candlesPath).size / 8 / columns.length

/** @type {Map<string, Float64Array>} */
const known = new Map()

/** A column of the file, read when it is first asked for. @param {string} name */
const column = (name) => {
  const found = known.get(name)
  if (found !== undefined) return found
  const read = new Float64Array(length)
  const file = openSync(candlesPath, "r")
  readSync(file, new Uint8Array(read.buffer), 0, length * 8, columns.indexOf(name) * length * 8)
  closeSync(file)
  known.set(name, read)
  return read
}

const candles = {
  length,
  get time() {
    return column("time")
  },
  get open() {
    return column("open")
  },
  get high() {
    return column("high")
  },
  get low() {
    return column("low")
  },
  get close() {
    return column("close")
  },
  get volume() {
    return column("volume")
  }
}

/**
 * On Linux this is the mark of this program alone. `resourceUsage` counts from before the program
 * was loaded, when the process was a copy of the one that started it.
 */
const peakMemoryMb = () => {
  const status = "/proc/self/status"
  const mark = existsSync(status)
    ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, "utf8"))?.[1]
    : undefined
  return (mark === undefined ? process.resourceUsage().maxRSS : Number(mark)) / 1024
}

const runs = slows.flatMap((slow) => fasts.map((fast) => ({ definition, values: { fast, slow } })))
const figures = runMany(candles, runs, options)
const answer = { figures: Array.from(figures), memoryMb: peakMemoryMb() }
process.stdout.write(JSON.stringify(answer))
