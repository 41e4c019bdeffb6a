// The first candle beyond a level: what src/engine/kernels/beyond.ts finds, sixteen at a time.
//
// `findBlocks` of `tile.as` leaves lows and highs as floats, too, after the blocks. They and the
// levels are rounded towards one another: what is not beyond as floats is not beyond.

import { above, below } from "./floats"
import { floatBytes, floatsAt, leastOfAllAt } from "./tileLayout"

@inline function beyond(lows: usize, floors: v128, ceilings: v128): v128 {
  const highs = lows + <usize>floatBytes
  return v128.or(f32x4.le(v128.load(lows), floors), f32x4.ge(v128.load(highs), ceilings))
}

/** Sixteen bits, one for each candle that may be beyond. */
@inline function mayBeBeyond(lows: usize, floors: v128, ceilings: v128): i32 {
  return i8x16.bitmask(
    i8x16.narrow_i16x8_s(
      i16x8.narrow_i32x4_s(
        beyond(lows, floors, ceilings),
        beyond(lows + 16, floors, ceilings)
      ),
      i16x8.narrow_i32x4_s(
        beyond(lows + 32, floors, ceilings),
        beyond(lows + 48, floors, ceilings)
      )
    )
  )
}

@inline function isBeyond(block: usize, floor: f64, ceiling: f64): bool {
  return load<f64>(block) <= floor || load<f64>(block, 8) >= ceiling
}

@inline export function firstBeyondHere(
  low: i32,
  high: i32,
  blocks: i32,
  from: i32,
  to: i32,
  floor: f64,
  ceiling: f64
): i32 {
  const floors = f32x4.splat(<f32>(floor * above))
  const ceilings = f32x4.splat(<f32>(ceiling * below))
  const floats = <usize>blocks + <usize>floatsAt
  let offset = from
  let blockEnd = offset + 64
  while (offset < to) {
    // A bit for the end of the way stands behind those of the candles.
    let mask =
      mayBeBeyond(floats + (<usize>offset << 2), floors, ceilings) | (1 << min<i32>(to - offset, 16))
    for (;;) {
      const ahead = ctz<i32>(mask)
      if (ahead === 16) break
      const at = offset + ahead
      const isLow = load<f64>(<usize>low + (<usize>at << 3)) <= floor
      const isHigh = load<f64>(<usize>high + (<usize>at << 3)) >= ceiling
      if (<i32>isLow | <i32>isHigh | <i32>(at >= to)) return at
      mask &= mask - 1
    }
    offset += 16
    if (offset >= blockEnd) {
      // A long way: blocks that can't have it are passed over.
      if (!isBeyond(<usize>blocks + <usize>leastOfAllAt, floor, ceiling)) return to
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

export function firstBeyond(
  low: i32,
  high: i32,
  blocks: i32,
  from: i32,
  to: i32,
  floor: f64,
  ceiling: f64
): i32 {
  return firstBeyondHere(low, high, blocks, from, to, floor, ceiling)
}
