// The first candle beyond a level: what src/engine/kernels/beyond.ts finds, eight at a time.

import { mask8 } from "./bits"

@inline function beyond(low: usize, high: usize, floors: v128, ceilings: v128): v128 {
  return v128.or(f64x2.le(v128.load(low), floors), f64x2.ge(v128.load(high), ceilings))
}

@inline function isBeyond(block: usize, floor: f64, ceiling: f64): bool {
  return load<f64>(block) <= floor || load<f64>(block, 8) >= ceiling
}

// Reads up to seven candles more than it is asked for: columns are padded.
export function firstBeyond(
  low: i32,
  high: i32,
  blocks: i32,
  from: i32,
  to: i32,
  floor: f64,
  ceiling: f64
): i32 {
  const floors = f64x2.splat(floor)
  const ceilings = f64x2.splat(ceiling)
  let offset = from
  let blockEnd = offset + 64
  while (offset < to) {
    const lowAt = <usize>low + (<usize>offset << 3)
    const highAt = <usize>high + (<usize>offset << 3)
    const mask = mask8(
      beyond(lowAt, highAt, floors, ceilings),
      beyond(lowAt + 16, highAt + 16, floors, ceilings),
      beyond(lowAt + 32, highAt + 32, floors, ceilings),
      beyond(lowAt + 48, highAt + 48, floors, ceilings)
    )
    if (mask) return min<i32>(offset + ctz<i32>(mask), to)
    offset += 8
    if (offset >= blockEnd) {
      // A long way: blocks that can't have it are passed over.
      if (!isBeyond(<usize>blocks + 512, floor, ceiling)) return to
      let block = offset >> 6
      while (!isBeyond(<usize>blocks + (<usize>block << 4), floor, ceiling)) {
        block++
        offset = block << 6
        if (offset >= to) return to
      }
      blockEnd = (block + 1) << 6
    }
  }
  return to
}
