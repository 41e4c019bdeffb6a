// Where averages cross: what src/engine/kernels/crossing.ts finds, in blocks of 16-bit numbers.
//
// A block of 32 candles is settled where the least of one average is above the most of the other.
// Averages are rounded to 16 bits by one monotone function; those that are more than one step apart
// are in that order, all others are compared as doubles, and exactly where these are too near.

import { fillAverage } from "./averages"

let close: i32 = 0
let sums: i32 = 0
let tileStart: i32 = 0
let candleCount: i32 = 0
let scale: f64 = 0
let offset: f64 = 0

const leastAt: usize = 4096 + 64
const mostAt: usize = leastAt + 128
const exactAt: i32 = 4096 + 64 + 256
const filledAt: i32 = exactAt + 16384

// 2^52 + 2^51: what is added to it is rounded to an integer in the low bits.
const rounding: f64 = 6755399441055744.0

export function setAverages(
  closeAt: i32,
  sumsAt: i32,
  start: i32,
  count: i32,
  toSteps: f64,
  origin: f64
): void {
  close = closeAt
  sums = sumsAt
  tileStart = start
  candleCount = count
  scale = toSteps
  offset = origin
}

@inline function average(one: usize, other: usize, factor: v128, origin: v128): v128 {
  return f64x2.add(f64x2.mul(f64x2.sub(v128.load(one), v128.load(other)), factor), origin)
}

export function prepareAverage(period: i32, column: i32): void {
  store<f64>(<usize>(column + filledAt), 0)
  const factor = f64x2.splat(scale / <f64>period)
  const origin = f64x2.splat(rounding - offset)
  let one = <usize>sums
  let other = <usize>sums - (<usize>period << 3)
  let into = <usize>column
  const end = into + 4096
  while (into < end) {
    const low = v128.shuffle<u32>(
      average(one, other, factor, origin),
      average(one + 16, other + 16, factor, origin),
      0, 2, 4, 6
    )
    const high = v128.shuffle<u32>(
      average(one + 32, other + 32, factor, origin),
      average(one + 48, other + 48, factor, origin),
      0, 2, 4, 6
    )
    v128.store(into, i16x8.narrow_i32x4_s(low, high))
    into += 16
    one += 64
    other += 64
  }
  let block = <usize>column
  for (let at: usize = 0; at < 128; at += 2) {
    const a = v128.load(block)
    const b = v128.load(block, 16)
    const c = v128.load(block, 32)
    const d = v128.load(block, 48)
    let least = i16x8.min_s(i16x8.min_s(a, b), i16x8.min_s(c, d))
    let most = i16x8.max_s(i16x8.max_s(a, b), i16x8.max_s(c, d))
    least = i16x8.min_s(least, v128.shuffle<u64>(least, least, 1, 0))
    most = i16x8.max_s(most, v128.shuffle<u64>(most, most, 1, 0))
    least = i16x8.min_s(least, v128.shuffle<u32>(least, least, 1, 0, 3, 2))
    most = i16x8.max_s(most, v128.shuffle<u32>(most, most, 1, 0, 3, 2))
    least = i16x8.min_s(least, v128.shuffle<u16>(least, least, 1, 0, 3, 2, 5, 4, 7, 6))
    most = i16x8.max_s(most, v128.shuffle<u16>(most, most, 1, 0, 3, 2, 5, 4, 7, 6))
    store<i16>(<usize>column + leastAt + at, <i16>i16x8.extract_lane_s(least, 0))
    store<i16>(<usize>column + mostAt + at, <i16>i16x8.extract_lane_s(most, 0))
    block += 64
  }
}

/** Sixteen bits: where one is more than a step above the other. */
@inline function above16(one: usize, other: usize, step: v128): u32 {
  return <u32>i8x16.bitmask(
    i8x16.narrow_i16x8_s(
      i16x8.gt_s(v128.load(one), i16x8.add_sat_s(v128.load(other), step)),
      i16x8.gt_s(v128.load(one, 16), i16x8.add_sat_s(v128.load(other, 16), step))
    )
  )
}

@inline function above64(one: usize, other: usize, step: v128): u64 {
  return (
    <u64>above16(one, other, step) |
    (<u64>above16(one + 32, other + 32, step) << 16) |
    (<u64>above16(one + 64, other + 64, step) << 32) |
    (<u64>above16(one + 96, other + 96, step) << 48)
  )
}

@inline function averageAt(period: i32, index: i32): f64 {
  const at = <usize>sums + (<usize>index << 3)
  return (load<f64>(at) - load<f64>(at - (<usize>period << 3))) / <f64>period
}

function fill(period: i32, column: i32): void {
  if (load<f64>(<usize>(column + filledAt)) === 1) return
  store<f64>(<usize>(column + filledAt), 1)
  fillAverage(close, tileStart, candleCount, period, column + exactAt)
}

function exactly(
  period: i32,
  column: i32,
  otherPeriod: i32,
  otherColumn: i32,
  index: i32
): f64 {
  fill(period, column)
  fill(otherPeriod, otherColumn)
  const at = exactAt + (index << 3)
  return load<f64>(<usize>(column + at)) - load<f64>(<usize>(otherColumn + at))
}

export function crossAverages(
  period: i32,
  column: i32,
  otherPeriod: i32,
  otherColumn: i32,
  margin: f64,
  carry: i32,
  up: i32,
  down: i32
): void {
  const zero = i64x2.splat(0)
  for (let at: usize = 0; at < 256; at += 16) {
    v128.store(<usize>up + at, zero)
    v128.store(<usize>down + at, zero)
  }
  const known = max<i32>(period, otherPeriod) - 1 - tileStart
  if (known >= candleCount) return
  const step = i16x8.splat(1)
  const one = <usize>column
  const other = <usize>otherColumn
  const firstBlock = known > 0 ? known >> 5 : -1
  const blocks = (candleCount + 31) >> 5
  let live: u64 = blocks === 64 ? ~(<u64>0) : ((<u64>1) << <u64>blocks) - 1
  if (firstBlock > 0) live &= ~(((<u64>1) << <u64>firstBlock) - 1)
  const settledAbove = above64(one + leastAt, other + mostAt, step)
  const settledBelow = above64(other + leastAt, one + mostAt, step)
  let unsettled = ~(settledAbove | settledBelow)
  if (firstBlock >= 0) unsettled |= (<u64>1) << <u64>firstBlock
  let wasAbove: u32 = load<u32>(<usize>carry) ^ 1
  let wasBelow: u32 = load<u32>(<usize>carry + 4) ^ 1
  // Besides the unsettled ones, those blocks matter that may differ from the one before.
  const first: u64 = wasAbove === wasBelow ? 1 : (settledAbove ^ <u64>wasAbove) & 1
  let todo =
    (unsettled | (unsettled << 1) | ((settledAbove ^ (settledAbove << 1)) & ~(<u64>1)) | first) &
    live
  while (todo !== 0) {
    const block = <i32>ctz<u64>(todo)
    todo &= todo - 1
    let isAbove: u32
    let isBelow: u32
    let known32: i32 = 0
    if ((unsettled >> <u64>block) & 1) {
      const p = one + (<usize>block << 6)
      const q = other + (<usize>block << 6)
      isAbove = above16(p, q, step) | (above16(p + 32, q + 32, step) << 16)
      isBelow = above16(q, p, step) | (above16(q + 32, p + 32, step) << 16)
      let near = ~(isAbove | isBelow)
      if (block === firstBlock) {
        known32 = known & 31
        near &= <u32>-1 << <u32>known32
      }
      while (near !== 0) {
        const bit = <i32>ctz<u32>(near)
        near &= near - 1
        const index = (block << 5) + bit
        if (index >= candleCount) break
        let apart = averageAt(period, index) - averageAt(otherPeriod, index)
        if (abs<f64>(apart) <= margin) {
          apart = exactly(period, column, otherPeriod, otherColumn, index)
        }
        isAbove |= <u32>(apart > 0) << <u32>bit
        isBelow |= <u32>(apart < 0) << <u32>bit
      }
      if (known32 > 0) {
        // Nothing is known before: it counts as both, so that nothing crosses.
        const unknown = ~(<u32>-1 << <u32>known32)
        isAbove |= unknown
        isBelow |= unknown
        wasAbove = 1
        wasBelow = 1
      }
    } else {
      isAbove = (settledAbove >> <u64>block) & 1 ? <u32>-1 : 0
      isBelow = ~isAbove
    }
    store<u32>(<usize>up + (<usize>block << 2), isAbove & ~((isAbove << 1) | wasAbove))
    store<u32>(<usize>down + (<usize>block << 2), isBelow & ~((isBelow << 1) | wasBelow))
    const lastBit: u32 = <u32>(min<i32>(candleCount - (block << 5), 32) - 1)
    wasAbove = (isAbove >> lastBit) & 1
    wasBelow = (isBelow >> lastBit) & 1
  }
  store<u32>(<usize>carry, wasAbove ^ 1)
  store<u32>(<usize>carry + 4, wasBelow ^ 1)
}
