/**
 * The most memory that this process has had resident.
 */
import { existsSync, readFileSync } from "node:fs"

const status = "/proc/self/status"

/**
 * On Linux the mark of this program alone: what `resourceUsage` tells counts from before the
 * program was loaded, when the process was a copy of the one that started it.
 */
export const peakMemoryMb = (): number => {
  const mark = existsSync(status)
    ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, "utf8"))?.[1]
    : undefined
  return (mark === undefined ? process.resourceUsage().maxRSS : Number(mark)) / 1024
}
