/**
 * Room for the curves that a result does not hand out, for the next run to use again.
 *
 * Getting new memory takes longer than writing it.
 */
import type { Curves } from "../kernel/curves.ts"

type Inner = Omit<Curves, "equity">

/** Candles up to which room is kept. */
const keptMax = 4 * 1_048_576

let idle: Inner | null = null

/** Curves of so many candles; equity is new, and the result's. */
export const takeCurves = (count: number): Curves => {
  const kept = idle !== null && idle.held.length >= count ? idle : null
  if (kept !== null) idle = null
  const { held, notional } = kept ?? {
    notional: new Float64Array(count),
    held: new Uint8Array(count)
  }
  return {
    equity: new Float64Array(count),
    notional: notional.subarray(0, count),
    held: held.subarray(0, count)
  }
}

/** Keeps the memory of these curves for the next run; they must not be read from here on. */
export const giveBackCurves = (curves: Curves): void => {
  const held = new Uint8Array(curves.held.buffer)
  if (held.length > keptMax) return
  idle = { held, notional: new Float64Array(curves.notional.buffer) }
}
