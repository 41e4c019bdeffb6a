// Lows and highs of a tile as floats, for what is only asked whether it may be so.

import { floatBytes } from "./tileLayout"

/** More than a float's rounding. */
export const above: f64 = 1.0000002384185791

/** Less than it. */
export const below: f64 = 0.9999997615814209

/** Candles as floats: lows rounded down, highs rounded up. */
@inline export function storeFloats(low: usize, high: usize, count: i32, floats: usize): void {
  const up = f64x2.splat(above)
  const down = f64x2.splat(below)
  for (let offset: usize = 0; offset < <usize>count; offset += 4) {
    const at = offset << 3
    const into = floats + (offset << 2)
    const lows = f32x4.demote_f64x2_zero(f64x2.mul(v128.load(low + at), down))
    const otherLows = f32x4.demote_f64x2_zero(f64x2.mul(v128.load(low + at, 16), down))
    const highs = f32x4.demote_f64x2_zero(f64x2.mul(v128.load(high + at), up))
    const otherHighs = f32x4.demote_f64x2_zero(f64x2.mul(v128.load(high + at, 16), up))
    v128.store(into, v128.shuffle<u64>(lows, otherLows, 0, 2))
    v128.store(into + <usize>floatBytes, v128.shuffle<u64>(highs, otherHighs, 0, 2))
  }
}
