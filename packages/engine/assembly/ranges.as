// Ranges of closes: what src/engine/kernels/ranges.ts does, least and most in one instruction.

export function findExtremes(close: i32, count: i32, extremes: i32, stride: i32): void {
  for (let offset: usize = 0; offset < <usize>count; offset++) {
    const price = load<f64>(<usize>close + (offset << 3))
    v128.store(<usize>extremes + (offset << 4), f64x2.replace_lane(f64x2.splat(price), 1, -price))
  }
  let row = <usize>extremes
  for (let half: i32 = 1; half << 1 <= count; half <<= 1) {
    const next = row + <usize>stride
    const width = <usize>half << 4
    const end = <usize>(count - (half << 1) + 1) << 4
    for (let at: usize = 0; at < end; at += 16) {
      const from = row + at
      v128.store(next + at, f64x2.pmin(v128.load(from), v128.load(from + width)))
    }
    row = next
  }
}

export let least: f64 = 0
export let most: f64 = 0

@inline function keep(both: v128): void {
  least = f64x2.extract_lane(both, 0)
  most = -f64x2.extract_lane(both, 1)
}

@inline export function findRange(extremes: i32, stride: i32, from: i32, to: i32): void {
  const level = 31 - clz<i32>(to - from)
  const row = <usize>(extremes + level * stride)
  const other = row + (<usize>(to - (1 << level)) << 4)
  keep(f64x2.pmin(v128.load(row + (<usize>from << 4)), v128.load(other)))
}

export function walkRange(close: i32, count: i32): void {
  const end = <usize>close + (<usize>count << 3)
  let both = f64x2.splat(Infinity)
  for (let at = <usize>close; at < end; at += 8) {
    const price = load<f64>(at)
    both = f64x2.pmin(both, f64x2.replace_lane(f64x2.splat(price), 1, -price))
  }
  keep(both)
}
