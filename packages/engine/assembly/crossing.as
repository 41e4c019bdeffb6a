// Where averages cross: what src/engine/kernels/crossing.ts finds, in blocks of 16-bit numbers.
//
// A block of 32 candles is settled where the least of one average is above the most of the other.
// One monotone function rounds averages to 16 bits. Averages more than one step apart are in that
// order. All others are compared as doubles, and exactly where the doubles are too near.

import { fillAverage } from "./averages"
import { beyondAt as beyondsAt, bitsBytes, exactAt as exactsAt, exactHead } from "./tileLayout"
import { leastAt as leastsAt, tileLength, tileWords } from "./tileLayout"

let close: i32 = 0
let sums: i32 = 0
let tileStart: i32 = 0
let candleCount: i32 = 0
let scale: f64 = 0
let offset: f64 = 0

// Where what is kept of an average is, and of bits, as immediate offsets.
const leastAt: usize = <usize>leastsAt
const beyondAt: usize = <usize>beyondsAt
const exactAt: usize = <usize>exactsAt
const wordBytes: usize = <usize>bitsBytes

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

function prepareAverage(period: i32, column: i32): void {
  const factor = f64x2.splat(scale / <f64>period)
  const origin = f64x2.splat(rounding - offset)
  let one = <usize>sums
  let other = <usize>sums - (<usize>period << 3)
  let into = <usize>column
  const end = into + (<usize>tileLength << 1)
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
  for (let at: usize = 0; at < <usize>tileWords << 1; at += 2) {
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
    store<i16>(<usize>column + beyondAt + at, <i16>(i16x8.extract_lane_s(most, 0) + 1))
    block += 64
  }
}

export function prepareAverages(list: i32, count: i32): void {
  const end = <usize>list + <usize>count * 12
  for (let at = <usize>list; at < end; at += 12) {
    const column = load<i32>(at, 4)
    const exact = load<i32>(at, 8)
    store<i32>(<usize>column + exactAt, exact)
    store<f64>(<usize>exact, 0)
    prepareAverage(load<i32>(at), column)
  }
}

/** Sixteen bits: where one is more than a step above the other. */
@inline function above16(one: usize, other: usize, step: v128): u32 {
  return <u32>i8x16.bitmask(
    i8x16.narrow_i16x8_s(
      i16x8.gt_s(i16x8.sub_sat_s(v128.load(one), v128.load(other)), step),
      i16x8.gt_s(i16x8.sub_sat_s(v128.load(one, 16), v128.load(other, 16)), step)
    )
  )
}

/** Sixteen blocks: where the least of one is more than a step above the most of the other. */
@inline function over16(one: usize, other: usize): u32 {
  return <u32>i8x16.bitmask(
    i8x16.narrow_i16x8_s(
      i16x8.gt_s(v128.load(one, leastAt), v128.load(other, beyondAt)),
      i16x8.gt_s(v128.load(one, leastAt + 16), v128.load(other, beyondAt + 16))
    )
  )
}

@inline function over64(one: usize, other: usize): u64 {
  return (
    <u64>over16(one, other) |
    (<u64>over16(one + 32, other + 32) << 16) |
    (<u64>over16(one + 64, other + 64) << 32) |
    (<u64>over16(one + 96, other + 96) << 48)
  )
}

@inline function averageAt(period: i32, index: i32): f64 {
  const at = <usize>sums + (<usize>index << 3)
  return (load<f64>(at) - load<f64>(at - (<usize>period << 3))) / <f64>period
}

function exactOf(period: i32, column: i32): i32 {
  const exact = load<i32>(<usize>column + exactAt)
  if (load<f64>(<usize>exact) === 0) {
    store<f64>(<usize>exact, 1)
    fillAverage(close, tileStart, candleCount, period, exact + exactHead)
  }
  return exact + exactHead
}

// The inputs of the comparison: one pair of averages after the other.
let onePeriod: i32 = 0
let oneColumn: i32 = 0
let otherPeriod: i32 = 0
let otherColumn: i32 = 0
let margin: f64 = 0

/** The sign of one average less the other, where 16 bits are too few. */
function compareAt(index: i32): f64 {
  const apart = averageAt(onePeriod, index) - averageAt(otherPeriod, index)
  if (abs<f64>(apart) > margin) return apart
  const at = index << 3
  const value = load<f64>(<usize>(exactOf(onePeriod, oneColumn) + at))
  return value - load<f64>(<usize>(exactOf(otherPeriod, otherColumn) + at))
}

/** Thirty-two bits: where one is more than a step above the other. */
@inline function above32(one: usize, other: usize, step: v128): u32 {
  return above16(one, other, step) | (above16(one + 32, other + 32, step) << 16)
}

/** Thirty-two bits: where a difference is negative. */
@inline function signs32(a: v128, b: v128, c: v128, d: v128): u32 {
  return (
    <u32>i8x16.bitmask(i8x16.narrow_i16x8_s(a, b)) |
    (<u32>i8x16.bitmask(i8x16.narrow_i16x8_s(c, d)) << 16)
  )
}

/** Whether one of these differences, which saturate at eight bits, is of one step at most. */
@inline function isNear(ab: v128, cd: v128): bool {
  const least = i8x16.min_u(i8x16.abs(ab), i8x16.abs(cd))
  return v128.any_true(i8x16.le_u(least, i8x16.splat(1)))
}

/** Sixteen bits that are all set where a difference is of one step at most. */
@inline function nearMask(difference: v128): v128 {
  return i16x8.eq(i16x8.shr_u(i16x8.abs(difference), 1), i16x8.splat(0))
}

@inline function near32(a: v128, b: v128, c: v128, d: v128): u32 {
  return signs32(nearMask(a), nearMask(b), nearMask(c), nearMask(d))
}

/** The blocks whose candles are not settled by the ranges of their averages. */
let unsettled: u64 = 0

/** The settled blocks in which one average is above the other, and below it. */
let settledAbove: u64 = 0
let settledBelow: u64 = 0

/** Writes events that are at the first candle of a block. */
function writeFirsts(blocks: u64, into: i32, words: u64): void {
  store<u64>(<usize>into, words | blocks, wordBytes)
  let todo = blocks
  while (todo !== 0) {
    store<u32>(<usize>into + (<usize>ctz<u64>(todo) << 2), 1)
    todo &= todo - 1
  }
}

/**
 * Returns a bit for each candle of a block at which one average is above the other. Returns less
 * than 0 where they are equal at one of the candles.
 */
@inline function sidesOf(one: usize, other: usize, block: usize): i64 {
  const p = one + (block << 6)
  const q = other + (block << 6)
  // Negative where one is above the other.
  const a = i16x8.sub_sat_s(v128.load(q), v128.load(p))
  const b = i16x8.sub_sat_s(v128.load(q, 16), v128.load(p, 16))
  const c = i16x8.sub_sat_s(v128.load(q, 32), v128.load(p, 32))
  const d = i16x8.sub_sat_s(v128.load(q, 48), v128.load(p, 48))
  const ab = i8x16.narrow_i16x8_s(a, b)
  const cd = i8x16.narrow_i16x8_s(c, d)
  let isAbove = <u32>i8x16.bitmask(ab) | (<u32>i8x16.bitmask(cd) << 16)
  if (isNear(ab, cd)) {
    let near = near32(a, b, c, d)
    isAbove &= ~near
    while (near !== 0) {
      const bit = <i32>ctz<u32>(near)
      near &= near - 1
      const index = <i32>(block << 5) + bit
      if (index >= candleCount) break
      const apart = compareAt(index)
      if (apart === 0) return -1
      isAbove |= <u32>(apart > 0) << <u32>bit
    }
  }
  return <i64><u64>isAbove
}

/**
 * Where the averages are never equal and known from the beginning: what is not above is below. So
 * one bit a block says what the last candle of each was. False where they are equal somewhere.
 */
function crossSurely(carry: i32, up: i32, down: i32): bool {
  const one = <usize>oneColumn
  const other = <usize>otherColumn
  const lastBlock = (candleCount - 1) >> 5
  // A block's bit: whether one was above at the last candle before it.
  let entered = (settledAbove << 1) | <u64>(load<u32>(<usize>carry) ^ 1)
  let upWords: u64 = 0
  let downWords: u64 = 0
  let lastAbove: u32 = 0
  let todo = unsettled
  while (todo !== 0) {
    const block = <usize>ctz<u64>(todo)
    const blockBit = todo & (0 - todo)
    todo ^= blockBit
    const sides = sidesOf(one, other, block)
    if (sides < 0) return false
    const isAbove = <u32>sides
    const before = (isAbove << 1) | <u32>((entered & blockBit) !== 0)
    const changes = isAbove ^ before
    const rises = changes & isAbove
    const falls = changes & before
    store<u32>(<usize>up + (block << 2), rises)
    store<u32>(<usize>down + (block << 2), falls)
    upWords |= select<u64>(blockBit, 0, rises !== 0)
    downWords |= select<u64>(blockBit, 0, falls !== 0)
    // The bit that is shifted out of the last block is the tile's last candle.
    entered |= select<u64>(blockBit << 1, 0, <i32>isAbove < 0)
    lastAbove = isAbove
  }
  const firsts = ~unsettled & (<u64>-1 >> <u64>(63 - lastBlock))
  writeFirsts(firsts & settledAbove & ~entered, up, upWords)
  writeFirsts(firsts & settledBelow & entered, down, downWords)
  const isLastSettled = ((unsettled >> <u64>lastBlock) & 1) === 0
  const last: u32 = isLastSettled
    ? <u32>(settledAbove >> <u64>lastBlock) & 1
    : (lastAbove >> <u32>((candleCount - 1) & 31)) & 1
  store<u32>(<usize>carry, last ^ 1)
  store<u32>(<usize>carry + 4, last)
  return true
}

/**
 * Lists the candles at which the sign of one average less the other changes, one after the other. The
 * end of the tile follows twice. False where they are equal somewhere; nothing is carried then.
 */
function listSurely(carry: i32, into: i32): bool {
  const one = <usize>oneColumn
  const other = <usize>otherColumn
  let isLastAbove: u32 = load<u32>(<usize>carry) ^ 1
  // A block's bit: whether one was above at the last candle before it.
  let entered = (settledAbove << 1) | <u64>isLastAbove
  const settled = settledAbove | settledBelow
  // Settled blocks after settled ones, that change at their first candle.
  const jumps = settled & ((settled << 1) | 1) & (settledAbove ^ entered)
  let at = <usize>into
  let todo = unsettled | jumps
  while (todo !== 0) {
    const block = <usize>ctz<u64>(todo)
    const blockBit = todo & (0 - todo)
    const first = <i32>(block << 5)
    todo ^= blockBit
    if ((jumps & blockBit) !== 0) {
      store<i32>(at, first)
      at += 4
      continue
    }
    const sides = sidesOf(one, other, block)
    if (sides < 0) return false
    const isAbove = <u32>sides
    let sideChanges = isAbove ^ ((isAbove << 1) | <u32>((entered & blockBit) !== 0))
    // Each possible entry is written, and counts if it is there.
    store<i32>(at, first + <i32>ctz<u32>(sideChanges))
    at += <usize>(sideChanges !== 0) << 2
    sideChanges &= sideChanges - 1
    while (sideChanges !== 0) {
      store<i32>(at, first + <i32>ctz<u32>(sideChanges))
      at += 4
      sideChanges &= sideChanges - 1
    }
    isLastAbove = isAbove >> 31
    const next = blockBit << 1
    entered |= select<u64>(next, 0, isLastAbove !== 0)
    store<i32>(at, first + 32)
    at += <usize>((select<u64>(settledBelow, settledAbove, isLastAbove !== 0) & next) !== 0) << 2
  }
  store<i32>(at, candleCount)
  store<i32>(at, candleCount, 4)
  if (settled >> 63) isLastAbove = <u32>(settledAbove >> 63)
  store<u32>(<usize>carry, isLastAbove ^ 1)
  store<u32>(<usize>carry + 4, isLastAbove)
  return true
}

/** The same where averages are not known from the beginning, or equal somewhere. */
function crossInDoubt(known: i32, carry: i32, up: i32, down: i32): void {
  const one = <usize>oneColumn
  const other = <usize>otherColumn
  const step = i16x8.splat(1)
  const lastBlock = (candleCount - 1) >> 5
  const firstBlock = known > 0 ? known >> 5 : 0
  let wasAbove: u32 = load<u32>(<usize>carry) ^ 1
  let wasBelow: u32 = load<u32>(<usize>carry + 4) ^ 1
  let upWords: u64 = 0
  let downWords: u64 = 0
  for (let block = firstBlock; block <= lastBlock; block++) {
    const p = one + (<usize>block << 6)
    const q = other + (<usize>block << 6)
    let isAbove = above32(p, q, step)
    let isBelow = above32(q, p, step)
    const unknown: u32 = known > block << 5 ? ~(<u32>-1 << <u32>(known & 31)) : 0
    let near = ~(isAbove | isBelow | unknown)
    while (near !== 0) {
      const bit = <i32>ctz<u32>(near)
      near &= near - 1
      const index = (block << 5) + bit
      if (index >= candleCount) break
      const apart = compareAt(index)
      isAbove |= <u32>(apart > 0) << <u32>bit
      isBelow |= <u32>(apart < 0) << <u32>bit
    }
    if (unknown !== 0) {
      // Nothing is known before: it counts as both, so that nothing crosses.
      isAbove |= unknown
      isBelow |= unknown
      wasAbove = 1
      wasBelow = 1
    }
    const rises = isAbove & ~((isAbove << 1) | wasAbove)
    const falls = isBelow & ~((isBelow << 1) | wasBelow)
    store<u32>(<usize>up + (<usize>block << 2), rises)
    store<u32>(<usize>down + (<usize>block << 2), falls)
    upWords |= <u64>(rises !== 0) << <u64>block
    downWords |= <u64>(falls !== 0) << <u64>block
    const last: u32 = <u32>min<i32>(candleCount - 1 - (block << 5), 31)
    wasAbove = (isAbove >> last) & 1
    wasBelow = (isBelow >> last) & 1
  }
  store<u64>(<usize>up, upWords, wordBytes)
  store<u64>(<usize>down, downWords, wordBytes)
  store<u32>(<usize>carry, wasAbove ^ 1)
  store<u32>(<usize>carry + 4, wasBelow ^ 1)
}

/** The pair to compare from here on, and whether the average above was known all the way. */
function setPair(
  period: i32,
  column: i32,
  secondPeriod: i32,
  secondColumn: i32,
  nearest: f64,
  carry: i32
): bool {
  onePeriod = period
  oneColumn = column
  otherPeriod = secondPeriod
  otherColumn = secondColumn
  margin = nearest
  const isKnown = max<i32>(period, secondPeriod) - 1 <= tileStart
  if (!isKnown || load<u32>(<usize>carry) === load<u32>(<usize>carry + 4)) return false
  const one = <usize>column
  const other = <usize>secondColumn
  settledAbove = over64(one, other)
  settledBelow = over64(other, one)
  unsettled = ~(settledAbove | settledBelow) & (<u64>-1 >> <u64>(63 - ((candleCount - 1) >> 5)))
  return true
}

/** The candles at which averages change sides, if that is beyond doubt in the whole tile. */
export function listSideChanges(
  period: i32,
  column: i32,
  secondPeriod: i32,
  secondColumn: i32,
  nearest: f64,
  carry: i32,
  into: i32
): bool {
  if (!setPair(period, column, secondPeriod, secondColumn, nearest, carry)) return false
  return listSurely(carry, into)
}

export function crossAverages(
  period: i32,
  column: i32,
  secondPeriod: i32,
  secondColumn: i32,
  nearest: f64,
  carry: i32,
  up: i32,
  down: i32
): void {
  const zero = i64x2.splat(0)
  for (let at: usize = 0; at < wordBytes; at += 16) {
    v128.store(<usize>up + at, zero)
    v128.store(<usize>down + at, zero)
  }
  store<u64>(<usize>up, 0, wordBytes)
  store<u64>(<usize>down, 0, wordBytes)
  const known = max<i32>(period, secondPeriod) - 1 - tileStart
  if (known >= candleCount) return
  if (setPair(period, column, secondPeriod, secondColumn, nearest, carry)) {
    if (crossSurely(carry, up, down)) return
  }
  crossInDoubt(known, carry, up, down)
}
