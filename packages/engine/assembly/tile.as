// The values that src/fast/kernels/tile.ts computes for all runs of a tile, two doubles an
// instruction.

import { storeFloats } from "./floats"
import { floatsAt, leastOfAllAt, mostOfAllAt } from "./tileLayout"

/** Takes the change of one candle into the sums of changes and of their squares. */
@inline function addChange(both: v128, change: v128, into: usize): v128 {
  const sums = f64x2.add(both, v128.shuffle<u64>(change, f64x2.mul(change, change), 0, 3))
  v128.store(into, sums)
  return sums
}

export function sumReturns(close: i32, count: i32, hasBefore: i32, sums: i32): void {
  const one = f64x2.splat(1)
  let both = f64x2.splat(0)
  let at = <usize>close
  let into = <usize>sums
  const end = at + (<usize>count << 3)
  if (hasBefore === 0 && count > 0) {
    const price = load<f64>(at)
    both = addChange(both, f64x2.splat(price / price - 1), into)
    at += 8
    into += 16
  }
  while (at + 16 <= end) {
    const changes = f64x2.sub(f64x2.div(v128.load(at), v128.load(at - 8)), one)
    both = addChange(both, v128.shuffle<u64>(changes, changes, 0, 0), into)
    both = addChange(both, v128.shuffle<u64>(changes, changes, 1, 1), into + 16)
    at += 16
    into += 32
  }
  if (at < end) addChange(both, f64x2.splat(load<f64>(at) / load<f64>(at - 8) - 1), into)
}

export function invertCloses(close: i32, count: i32, hasBefore: i32, inverses: i32): void {
  const one = f64x2.splat(1)
  let at = <usize>close
  let into = <usize>inverses
  const end = at + (<usize>count << 3)
  if (hasBefore === 1) store<f64>(into - 8, 1 / load<f64>(at - 8))
  while (at + 16 <= end) {
    v128.store(into, f64x2.div(one, v128.load(at)))
    at += 16
    into += 16
  }
  if (at < end) store<f64>(into, 1 / load<f64>(at))
}

@inline function leastOf(values: v128): f64 {
  return f64x2.extract_lane(f64x2.pmin(values, v128.shuffle<u64>(values, values, 1, 0)), 0)
}

@inline function mostOf(values: v128): f64 {
  return f64x2.extract_lane(f64x2.pmax(values, v128.shuffle<u64>(values, values, 1, 0)), 0)
}

export function findBlocks(low: i32, high: i32, count: i32, blocks: i32): void {
  storeFloats(<usize>low, <usize>high, count, <usize>blocks + <usize>floatsAt)
  let leastOfAll = f64x2.splat(Infinity)
  let mostOfAll = f64x2.splat(-Infinity)
  let into = <usize>blocks
  for (let offset = 0; offset < count; offset += 64) {
    let lowAt = <usize>low + (<usize>offset << 3)
    let highAt = <usize>high + (<usize>offset << 3)
    const end = lowAt + (<usize>min<i32>(64, count - offset) << 3)
    let least = f64x2.splat(Infinity)
    let otherLeast = least
    let most = f64x2.splat(-Infinity)
    let otherMost = most
    while (lowAt + 32 <= end) {
      least = f64x2.pmin(least, v128.load(lowAt))
      otherLeast = f64x2.pmin(otherLeast, v128.load(lowAt, 16))
      most = f64x2.pmax(most, v128.load(highAt))
      otherMost = f64x2.pmax(otherMost, v128.load(highAt, 16))
      lowAt += 32
      highAt += 32
    }
    while (lowAt < end) {
      least = f64x2.pmin(least, v128.load_splat<u64>(lowAt))
      most = f64x2.pmax(most, v128.load_splat<u64>(highAt))
      lowAt += 8
      highAt += 8
    }
    least = f64x2.pmin(least, otherLeast)
    most = f64x2.pmax(most, otherMost)
    leastOfAll = f64x2.pmin(leastOfAll, least)
    mostOfAll = f64x2.pmax(mostOfAll, most)
    store<f64>(into, leastOf(least))
    store<f64>(into, mostOf(most), 8)
    into += 16
  }
  store<f64>(<usize>blocks + <usize>leastOfAllAt, leastOf(leastOfAll))
  store<f64>(<usize>blocks + <usize>mostOfAllAt, mostOf(mostOfAll))
}
