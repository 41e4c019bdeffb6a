/**
 * Time that the host of a virtual machine gave to others while one of its processors wanted to run.
 * It makes figures slow and uneven, and nothing in the machine explains it.
 */
import { readFileSync } from "node:fs"
import { cpus } from "node:os"

/** Linux counts the times of its processors in hundredths of a second. */
const msPerTick = 10

/** Milliseconds of all processors that went to others since the machine was started, or null. */
export const stolenMs = (): number | null => {
  try {
    const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n")
    const ticks = Number(line.split(/\s+/)[8])
    return Number.isFinite(ticks) ? ticks * msPerTick : null
  } catch {
    return null
  }
}

/** Begins to watch; what comes back says in percent how much was stolen since, or null. */
export const watchStolen = (): (() => number | null) => {
  const [beganMs, before] = [performance.now(), stolenMs()]
  return () => {
    const now = stolenMs()
    if (now === null || before === null) return null
    return (100 * (now - before)) / ((performance.now() - beganMs) * cpus().length)
  }
}
