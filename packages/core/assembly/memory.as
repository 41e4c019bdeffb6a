// What stands in the place of src/engine/kernels/memory.ts where kernels are built for WebAssembly.

@inline export function readDouble(address: i32): f64 {
  return load<f64>(<usize>address)
}

@inline export function writeDouble(address: i32, value: f64): void {
  store<f64>(<usize>address, value)
}

@inline export function readWord(address: i32): i32 {
  return load<i32>(<usize>address)
}

@inline export function writeWord(address: i32, value: i32): void {
  store<i32>(<usize>address, value)
}

@inline export function lowestBit(word: i32): i32 {
  return ctz<i32>(word)
}

@inline export function highestBit(word: i32): i32 {
  return 31 - clz<i32>(word)
}

@inline export function nextBit(bits: i32, from: i32, end: i32): i32 {
  if (bits === 0 || from >= end) return end
  const last = (end - 1) & ~63
  let at = from & ~63
  let word = load<u64>(<usize>(bits + (at >> 3))) & (<u64>-1 << <u64>(from & 63))
  while (word === 0) {
    if (at === last) return end
    at += 64
    word = load<u64>(<usize>(bits + (at >> 3)))
  }
  return min<i32>(at + <i32>ctz<u64>(word), end)
}

@inline export function toInteger(value: f64): i32 {
  return <i32>value
}

@inline export function toDouble(value: i32): f64 {
  return <f64>value
}

@inline export function magnitude(value: f64): f64 {
  return abs<f64>(value)
}

@inline export function roundHalfUp(value: f64): f64 {
  return Math.round(value)
}

@inline export function roundDown(value: f64): f64 {
  return floor<f64>(value)
}

/** Eight bits, one for each of eight masks of doubles. */
@inline function mask8(a: v128, b: v128, c: v128, d: v128): i32 {
  return i8x16.bitmask(
    i8x16.narrow_i16x8_s(
      i16x8.narrow_i32x4_s(
        v128.shuffle<u32>(a, b, 0, 2, 4, 6),
        v128.shuffle<u32>(c, d, 0, 2, 4, 6)
      ),
      i16x8.splat(0)
    )
  )
}

@inline function beyond(low: usize, high: usize, floors: v128, ceilings: v128): v128 {
  return v128.or(f64x2.le(v128.load(low), floors), f64x2.ge(v128.load(high), ceilings))
}

// Reads up to seven candles more than it is asked for: columns are padded.
export function firstBeyond(low: i32, high: i32, count: i32, floor: f64, ceiling: f64): i32 {
  const floors = f64x2.splat(floor)
  const ceilings = f64x2.splat(ceiling)
  let lowAt = <usize>low
  let highAt = <usize>high
  for (let offset = 0; offset < count; offset += 8) {
    const mask = mask8(
      beyond(lowAt, highAt, floors, ceilings),
      beyond(lowAt + 16, highAt + 16, floors, ceilings),
      beyond(lowAt + 32, highAt + 32, floors, ceilings),
      beyond(lowAt + 48, highAt + 48, floors, ceilings)
    )
    if (mask) return min<i32>(offset + ctz<i32>(mask), count)
    lowAt += 64
    highAt += 64
  }
  return count
}

@inline function aboveMask(left: usize, right: usize): i32 {
  return mask8(
    f64x2.gt(v128.load(left), v128.load(right)),
    f64x2.gt(v128.load(left, 16), v128.load(right, 16)),
    f64x2.gt(v128.load(left, 32), v128.load(right, 32)),
    f64x2.gt(v128.load(left, 48), v128.load(right, 48))
  )
}

@inline function notAboveMask(left: usize, right: usize): i32 {
  return mask8(
    f64x2.le(v128.load(left), v128.load(right)),
    f64x2.le(v128.load(left, 16), v128.load(right, 16)),
    f64x2.le(v128.load(left, 32), v128.load(right, 32)),
    f64x2.le(v128.load(left, 48), v128.load(right, 48))
  )
}

export function compareDoubles(
  left: i32,
  right: i32,
  wordCount: i32,
  above: i32,
  notAbove: i32
): void {
  let one = <usize>left
  let other = <usize>right
  for (let word = 0; word < wordCount; word++) {
    let isAbove = 0
    let isNot = 0
    for (let bit = 0; bit < 32; bit += 8) {
      isAbove |= aboveMask(one, other) << bit
      isNot |= notAboveMask(one, other) << bit
      one += 64
      other += 64
    }
    store<i32>(<usize>above + (<usize>word << 2), isAbove)
    store<i32>(<usize>notAbove + (<usize>word << 2), isNot)
  }
}
