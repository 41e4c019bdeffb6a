/**
 * The first candle beyond a level, for hosts without SIMD. Where kernels are built for WebAssembly,
 * `assembly/beyond.as` stands in this file's place.
 *
 * @since 0.1.0
 */
import { readDouble } from "./memory.ts"
import { leastOfAllAt } from "./tileLayout.ts"

const isBeyond = (block: number, floor: number, ceiling: number): boolean =>
  readDouble(block) <= floor || readDouble(block + 8) >= ceiling

/**
 * Returns the offset of the first candle from `from` to before `to` whose low is at most `floor` or
 * whose high is at least `ceiling`. Returns `to` without one. Blocks of 64 candles that can't have
 * it are passed over.
 */
export function firstBeyond(
  low: number,
  high: number,
  blocks: number,
  from: number,
  to: number,
  floor: number,
  ceiling: number
): number {
  if (!isBeyond(blocks + leastOfAllAt, floor, ceiling)) return to
  let offset = from
  while (offset < to) {
    if ((offset & 63) === 0 && !isBeyond(blocks + ((offset >> 6) << 4), floor, ceiling)) {
      offset += 64
      continue
    }
    const at = offset << 3
    if (readDouble(low + at) <= floor || readDouble(high + at) >= ceiling) return offset
    offset++
  }
  return to
}

/** The same as a part of the loop that spends its time on it: calls are not free there. */
export { firstBeyond as firstBeyondHere }
