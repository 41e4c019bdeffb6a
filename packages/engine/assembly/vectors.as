// Indicators over whole columns: what src/kernel/indicators computes, in the same order of
// additions, two candles an instruction.
//
// An average that follows its input waits for itself at every candle. So a column is cut in four
// stretches that are followed side by side, each from a state of its own. `pair` takes the candles
// of two stretches, `apart` bytes from each other. A mean begins anew after each period, so there
// the stretches are periods. An output without a reader has the address 0.

@inline function pair(address: usize, apart: usize): v128 {
  return v128.load_lane<u64>(address + apart, v128.load_splat<u64>(address), 1)
}

@inline function storePair(address: usize, apart: usize, values: v128): void {
  v128.store_lane<u64>(address, values, 0)
  v128.store_lane<u64>(address + apart, values, 1)
}

@inline function follow(average: v128, value: v128, weight: v128): v128 {
  return f64x2.add(average, f64x2.mul(weight, f64x2.sub(value, average)))
}

export function followAverage(
  source: usize,
  into: usize,
  apart: usize,
  count: i32,
  weight: f64,
  states: usize
): void {
  const part = f64x2.splat(weight)
  const further = apart << 1
  let one = v128.load(states)
  let two = v128.load(states, 16)
  const end = source + (<usize>count << 3)
  while (source < end) {
    one = follow(one, pair(source, apart), part)
    two = follow(two, pair(source + further, apart), part)
    storePair(into, apart, one)
    storePair(into + further, apart, two)
    source += 8
    into += 8
  }
  v128.store(states, one)
  v128.store(states, two, 16)
}

@inline function gainShare(gain: v128, loss: v128, hundred: v128, zero: v128): v128 {
  const sum = f64x2.add(gain, loss)
  return v128.andnot(f64x2.div(f64x2.mul(hundred, gain), sum), f64x2.eq(sum, zero))
}

export function followMoves(
  source: usize,
  into: usize,
  apart: usize,
  count: i32,
  weight: f64,
  states: usize
): void {
  const part = f64x2.splat(weight)
  const further = apart << 1
  const half = f64x2.splat(0.5)
  const hundred = f64x2.splat(100)
  const zero = f64x2.splat(0)
  let gain = v128.load(states)
  let otherGain = v128.load(states, 16)
  let loss = v128.load(states, 32)
  let otherLoss = v128.load(states, 48)
  let before = pair(source - 8, apart)
  let otherBefore = pair(source - 8 + further, apart)
  const end = source + (<usize>count << 3)
  while (source < end) {
    const value = pair(source, apart)
    const change = f64x2.sub(value, before)
    before = value
    const size = f64x2.abs(change)
    gain = follow(gain, f64x2.mul(f64x2.add(change, size), half), part)
    loss = follow(loss, f64x2.mul(f64x2.sub(size, change), half), part)
    storePair(into, apart, gainShare(gain, loss, hundred, zero))
    const otherValue = pair(source + further, apart)
    const otherChange = f64x2.sub(otherValue, otherBefore)
    otherBefore = otherValue
    const otherSize = f64x2.abs(otherChange)
    otherGain = follow(otherGain, f64x2.mul(f64x2.add(otherChange, otherSize), half), part)
    otherLoss = follow(otherLoss, f64x2.mul(f64x2.sub(otherSize, otherChange), half), part)
    storePair(into + further, apart, gainShare(otherGain, otherLoss, hundred, zero))
    source += 8
    into += 8
  }
  v128.store(states, gain)
  v128.store(states, otherGain, 16)
  v128.store(states, loss, 32)
  v128.store(states, otherLoss, 48)
}

/** The candle's range and the gap before it. */
@inline function trueRange(
  high: v128,
  low: v128,
  before: v128,
  half: v128
): v128 {
  const above = f64x2.sub(before, high)
  const below = f64x2.sub(low, before)
  const gaps = f64x2.add(
    f64x2.add(above, f64x2.abs(above)),
    f64x2.add(below, f64x2.abs(below))
  )
  return f64x2.add(f64x2.sub(high, low), f64x2.mul(gaps, half))
}

export function followRanges(
  high: usize,
  low: usize,
  close: usize,
  into: usize,
  apart: usize,
  count: i32,
  weight: f64,
  states: usize
): void {
  const part = f64x2.splat(weight)
  const further = apart << 1
  let one = v128.load(states)
  let two = v128.load(states, 16)
  const half = f64x2.splat(0.5)
  let before = pair(close - 8, apart)
  let otherBefore = pair(close - 8 + further, apart)
  const end = high + (<usize>count << 3)
  while (high < end) {
    const range = trueRange(pair(high, apart), pair(low, apart), before, half)
    one = follow(one, range, part)
    before = pair(close, apart)
    storePair(into, apart, one)
    const otherHigh = pair(high + further, apart)
    const otherLow = pair(low + further, apart)
    const otherRange = trueRange(otherHigh, otherLow, otherBefore, half)
    two = follow(two, otherRange, part)
    otherBefore = pair(close + further, apart)
    storePair(into + further, apart, two)
    high += 8
    low += 8
    close += 8
    into += 8
  }
  v128.store(states, one)
  v128.store(states, two, 16)
}

export function followDifference(
  source: usize,
  differences: usize,
  averages: usize,
  histogram: usize,
  apart: usize,
  count: i32,
  fastWeight: f64,
  slowWeight: f64,
  signalWeight: f64,
  states: usize
): void {
  const fastPart = f64x2.splat(fastWeight)
  const slowPart = f64x2.splat(slowWeight)
  const signalPart = f64x2.splat(signalWeight)
  const further = apart << 1
  let fast = v128.load(states)
  let otherFast = v128.load(states, 16)
  let slow = v128.load(states, 32)
  let otherSlow = v128.load(states, 48)
  let signal = v128.load(states, 64)
  let otherSignal = v128.load(states, 80)
  for (let at: usize = 0, end = <usize>count << 3; at < end; at += 8) {
    const value = pair(source + at, apart)
    fast = follow(fast, value, fastPart)
    slow = follow(slow, value, slowPart)
    const difference = f64x2.sub(fast, slow)
    signal = follow(signal, difference, signalPart)
    const otherValue = pair(source + at + further, apart)
    otherFast = follow(otherFast, otherValue, fastPart)
    otherSlow = follow(otherSlow, otherValue, slowPart)
    const otherDifference = f64x2.sub(otherFast, otherSlow)
    otherSignal = follow(otherSignal, otherDifference, signalPart)
    if (differences !== 0) {
      storePair(differences + at, apart, difference)
      storePair(differences + at + further, apart, otherDifference)
    }
    if (averages !== 0) {
      storePair(averages + at, apart, signal)
      storePair(averages + at + further, apart, otherSignal)
    }
    if (histogram !== 0) {
      storePair(histogram + at, apart, f64x2.sub(difference, signal))
      storePair(histogram + at + further, apart, f64x2.sub(otherDifference, otherSignal))
    }
  }
  v128.store(states, fast)
  v128.store(states, otherFast, 16)
  v128.store(states, slow, 32)
  v128.store(states, otherSlow, 48)
  v128.store(states, signal, 64)
  v128.store(states, otherSignal, 80)
}

/** Whether one of the values is not a number. */
export function hasGap(source: usize, count: i32): bool {
  let gaps = i64x2.splat(0)
  const end = source + (<usize>count << 3)
  while (source + 32 <= end) {
    const a = v128.load(source)
    const b = v128.load(source, 16)
    gaps = v128.or(gaps, v128.or(f64x2.ne(a, a), f64x2.ne(b, b)))
    source += 32
  }
  while (source < end) {
    const value = v128.load_splat<u64>(source)
    gaps = v128.or(gaps, f64x2.ne(value, value))
    source += 8
  }
  return v128.any_true(gaps)
}

// 2^52 + 2^51: what is added to it is rounded to a whole number. Doubles (scale 0) are shifted by 0.
// A vector that is not known beforehand stays in its register, and is not made anew in every loop.
@inline function shiftOf(scale: f64): v128 {
  return f64x2.splat(scale === 0 ? 0 : 6755399441055744.0)
}

/** Whether all values are whole numbers at a scale, and none is above `max`. */
export function areWhole(source: usize, count: i32, scale: f64, max: f64): bool {
  let odd = i64x2.splat(0)
  const factor = f64x2.splat(scale)
  const shift = shiftOf(scale)
  const most = f64x2.splat(max)
  const end = source + (<usize>count << 3)
  for (; source < end; source += 16) {
    const value = source + 16 <= end ? v128.load(source) : v128.load_splat<u64>(source)
    const scaled = f64x2.mul(value, factor)
    const whole = f64x2.sub(f64x2.add(scaled, shift), shift)
    odd = v128.or(odd, f64x2.ne(f64x2.div(whole, factor), value))
    odd = v128.or(odd, f64x2.gt(f64x2.abs(scaled), most))
  }
  return !v128.any_true(odd)
}

@inline function toWhole(value: v128, scale: v128, by: v128): v128 {
  return f64x2.sub(f64x2.add(f64x2.mul(value, scale), by), by)
}

/** The means of four periods; `isWhole` is known where this is written out. */
@inline function meanGroup(
  source: usize,
  into: usize,
  apart: usize,
  period: i32,
  isWhole: bool,
  scale: f64
): void {
  const factor = f64x2.splat(scale)
  const shift = shiftOf(scale)
  const divisor = f64x2.splat(isWhole ? <f64>period * scale : <f64>period)
  const further = apart << 1
  let from = source
  let to = into
  let one = f64x2.splat(0)
  let two = f64x2.splat(0)
  for (let at = from - apart + 8; at <= from; at += 8) {
    const value = pair(at, apart)
    const other = pair(at + further, apart)
    one = f64x2.add(one, isWhole ? toWhole(value, factor, shift) : value)
    two = f64x2.add(two, isWhole ? toWhole(other, factor, shift) : other)
  }
  storePair(to, apart, f64x2.div(one, divisor))
  storePair(to + further, apart, f64x2.div(two, divisor))
  for (const last = from + apart - 8; from < last;) {
    from += 8
    to += 8
    const change = f64x2.sub(pair(from, apart), pair(from - apart, apart))
    one = f64x2.add(one, isWhole ? toWhole(change, factor, shift) : change)
    const other = from + further
    const otherChange = f64x2.sub(pair(other, apart), pair(other - apart, apart))
    two = f64x2.add(two, isWhole ? toWhole(otherChange, factor, shift) : otherChange)
    storePair(to, apart, f64x2.div(one, divisor))
    storePair(to + further, apart, f64x2.div(two, divisor))
  }
}

/**
 * Means over groups of four whole periods from `block` on; returns the block after the last. Sums
 * are of whole numbers at a scale, or of doubles (0).
 */
export function meanBlocks(
  source: usize,
  into: usize,
  block: i32,
  end: i32,
  period: i32,
  scale: f64
): i32 {
  const apart = <usize>period << 3
  for (; block + 4 * period <= end; block += 4 * period) {
    const offset = <usize>block << 3
    if (scale === 0) meanGroup(source + offset, into + offset, apart, period, false, 0)
    else meanGroup(source + offset, into + offset, apart, period, true, scale)
  }
  return block
}

/** Deviation of the values of the window that ends at `last` from their mean. */
function windowDeviation(last: usize, period: i32): f64 {
  const first = last - (<usize>period << 3) + 8
  let sum: f64 = 0
  for (let at = first; at <= last; at += 8) sum += load<f64>(at)
  const mean = sum / <f64>period
  let squares: f64 = 0
  for (let at = first; at <= last; at += 8) {
    const deviation = load<f64>(at) - mean
    squares += deviation * deviation
  }
  return sqrt<f64>(squares * (1 / <f64>period))
}

/** The deviations, those windows by themselves of which too little is left to be trusted. */
@inline function deviationsOf(
  left: v128,
  gathered: v128,
  share: v128,
  last: usize,
  apart: usize,
  period: i32
): v128 {
  let deviations = f64x2.sqrt(f64x2.mul(left, share))
  const trusted = f64x2.ge(left, f64x2.mul(gathered, f64x2.splat(1e-3)))
  if (!i64x2.all_true(trusted)) {
    if (i64x2.extract_lane(trusted, 0) === 0) {
      deviations = f64x2.replace_lane(deviations, 0, windowDeviation(last, period))
    }
    if (i64x2.extract_lane(trusted, 1) === 0) {
      deviations = f64x2.replace_lane(deviations, 1, windowDeviation(last + apart, period))
    }
  }
  return deviations
}

/**
 * Bands over groups of four whole periods from `block` on; returns the block after the last. The
 * middle's sums are of whole numbers at a scale, or of doubles (0).
 */
export function bandBlocks(
  source: usize,
  middle: usize,
  upper: usize,
  lower: usize,
  block: i32,
  end: i32,
  period: i32,
  deviations: f64,
  scale: f64
): i32 {
  // Doubles times 1, and shifted by 0, are what they were.
  const factor = f64x2.splat(scale === 0 ? 1 : scale)
  const shift = shiftOf(scale)
  const divisor = f64x2.splat(<f64>period)
  const wholeDivisor = f64x2.mul(divisor, factor)
  const share = f64x2.splat(1 / <f64>period)
  const wide = f64x2.splat(deviations)
  const apart = <usize>period << 3
  const further = apart << 1
  for (; block + 4 * period <= end; block += 4 * period) {
    const first = <usize>block << 3
    let from = source + first
    let total = f64x2.splat(0)
    let otherTotal = f64x2.splat(0)
    for (let at = from - apart + 8; at <= from; at += 8) {
      total = f64x2.add(total, pair(at, apart))
      otherTotal = f64x2.add(otherTotal, pair(at + further, apart))
    }
    const origin = f64x2.div(total, divisor)
    const otherOrigin = f64x2.div(otherTotal, divisor)
    let sum = f64x2.splat(0)
    let squares = f64x2.splat(0)
    let otherSum = f64x2.splat(0)
    let otherSquares = f64x2.splat(0)
    for (let at = from - apart + 8; at <= from; at += 8) {
      const deviation = f64x2.sub(pair(at, apart), origin)
      const otherDeviation = f64x2.sub(pair(at + further, apart), otherOrigin)
      sum = f64x2.add(sum, deviation)
      otherSum = f64x2.add(otherSum, otherDeviation)
      squares = f64x2.add(squares, f64x2.mul(deviation, deviation))
      otherSquares = f64x2.add(otherSquares, f64x2.mul(otherDeviation, otherDeviation))
    }
    let gathered = squares
    let otherGathered = otherSquares
    if (scale !== 0) {
      total = f64x2.splat(0)
      otherTotal = f64x2.splat(0)
      for (let at = from - apart + 8; at <= from; at += 8) {
        total = f64x2.add(total, toWhole(pair(at, apart), factor, shift))
        otherTotal = f64x2.add(otherTotal, toWhole(pair(at + further, apart), factor, shift))
      }
    }
    let center = f64x2.div(total, wholeDivisor)
    let otherCenter = f64x2.div(otherTotal, wholeDivisor)
    let room = f64x2.mul(wide, f64x2.sqrt(f64x2.mul(squares, share)))
    let otherRoom = f64x2.mul(wide, f64x2.sqrt(f64x2.mul(otherSquares, share)))
    let intoMiddle: usize = middle === 0 ? <usize>0 : middle + first
    let intoUpper: usize = upper === 0 ? <usize>0 : upper + first
    let intoLower: usize = lower === 0 ? <usize>0 : lower + first
    const last = from + apart - 8
    while (true) {
      if (middle !== 0) {
        storePair(intoMiddle, apart, center)
        storePair(intoMiddle + further, apart, otherCenter)
        intoMiddle += 8
      }
      if (upper !== 0) {
        storePair(intoUpper, apart, f64x2.add(center, room))
        storePair(intoUpper + further, apart, f64x2.add(otherCenter, otherRoom))
        intoUpper += 8
      }
      if (lower !== 0) {
        storePair(intoLower, apart, f64x2.sub(center, room))
        storePair(intoLower + further, apart, f64x2.sub(otherCenter, otherRoom))
        intoLower += 8
      }
      if (from === last) break
      from += 8
      const value = pair(from, apart)
      const before = pair(from - apart, apart)
      const entering = f64x2.sub(value, origin)
      const leaving = f64x2.sub(before, origin)
      const square = f64x2.mul(entering, entering)
      total = f64x2.add(total, toWhole(f64x2.sub(value, before), factor, shift))
      sum = f64x2.add(sum, f64x2.sub(entering, leaving))
      squares = f64x2.add(squares, f64x2.sub(square, f64x2.mul(leaving, leaving)))
      gathered = f64x2.add(gathered, square)
      const left = f64x2.sub(squares, f64x2.mul(f64x2.mul(sum, sum), share))
      room = f64x2.mul(wide, deviationsOf(left, gathered, share, from, apart, period))
      center = f64x2.div(total, wholeDivisor)
      const other = from + further
      const otherValue = pair(other, apart)
      const otherBefore = pair(other - apart, apart)
      const otherEntering = f64x2.sub(otherValue, otherOrigin)
      const otherLeaving = f64x2.sub(otherBefore, otherOrigin)
      const otherSquare = f64x2.mul(otherEntering, otherEntering)
      const otherChange = f64x2.sub(otherValue, otherBefore)
      otherTotal = f64x2.add(otherTotal, toWhole(otherChange, factor, shift))
      otherSum = f64x2.add(otherSum, f64x2.sub(otherEntering, otherLeaving))
      const otherMore = f64x2.sub(otherSquare, f64x2.mul(otherLeaving, otherLeaving))
      otherSquares = f64x2.add(otherSquares, otherMore)
      otherGathered = f64x2.add(otherGathered, otherSquare)
      const otherSpread = f64x2.mul(f64x2.mul(otherSum, otherSum), share)
      const otherLeft = f64x2.sub(otherSquares, otherSpread)
      const otherDeviations = deviationsOf(otherLeft, otherGathered, share, other, apart, period)
      otherRoom = f64x2.mul(wide, otherDeviations)
      otherCenter = f64x2.div(otherTotal, wholeDivisor)
    }
  }
  return block
}
