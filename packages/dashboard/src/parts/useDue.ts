/**
 * Asks again when something is due, of which the stream shows nothing.
 */
import { useEffect, useRef } from "preact/hooks"
import { nowMs } from "./clock.ts"

const waitsMs = [700, 1_500, 3_000, 6_000, 12_000]

/**
 * The wait until something has moved that is due at these times. It lasts until just after the
 * next, and grows each time while one of them is overdue.
 */
export const waitFor = (
  dueMs: ReadonlyArray<number>,
  atMs: number,
  asked: number
): number | null => {
  if (dueMs.length === 0) return null
  const next = Math.min(...dueMs) - atMs
  const patience = waitsMs[Math.min(asked, waitsMs.length - 1)]!
  return next > 0 ? next + patience : patience
}

/** Calls this after each of these times, in milliseconds; nothing is asked while there is none. */
export const useDue = (dueMs: ReadonlyArray<number>, act: () => void): void => {
  const asked = useRef(0)
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    const wait = waitFor(dueMs, nowMs(), asked.current)
    if (wait === null) {
      asked.current = 0
      return
    }
    // A timer takes no more than 31 bits of milliseconds.
    const timer = setTimeout(
      () => {
        asked.current += 1
        latest.current()
      },
      Math.min(wait, 2 ** 31 - 1)
    )
    return () => clearTimeout(timer)
  })
}
