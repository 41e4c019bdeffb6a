// Bits of a tile: what src/engine/kernels/bits.ts does, four words or two doubles at a time.

import { bitsBytes } from "./tileLayout"

const wordBytes: usize = <usize>bitsBytes

// Shifts are by what is left of a number above the width of what is shifted. Address 0 needs no
// question: memory is zero there.

@inline export function nextBit(bits: i32, from: i32, end: i32): i32 {
  if (from >= end) return end
  const block = from >> 5
  const first = load<u32>(<usize>bits + (<usize>block << 2)) & (<u32>-1 << <u32>from)
  const later = load<u64>(<usize>bits, wordBytes) & (<u64>-2 << <u64>(<u32>block))
  const words = later | (<u64>(first !== 0) << <u64>(<u32>block))
  if (words === 0) return end
  const at = <i32>ctz<u64>(words)
  const word = select<u32>(first, load<u32>(<usize>bits + (<usize>at << 2)), at === block)
  return min<i32>((at << 5) + <i32>ctz<u32>(word), end)
}

/** The same where it is likely to be among the next 57: that many can be asked at once. */
@inline export function nextBitSoon(bits: i32, from: i32, end: i32): i32 {
  const soon = load<u64>(<usize>bits + <usize>(from >> 3)) >> <u64>(from & 7)
  return soon === 0 || from >= end ? nextBit(bits, from, end) : min<i32>(from + <i32>ctz<u64>(soon), end)
}

@inline export function hasBit(bits: i32, offset: i32): i32 {
  return <i32>((load<u32>(<usize>bits + (<usize>(offset >> 5) << 2)) >> <u32>offset) & 1)
}

/** Which of sixteen words are 0, at their place among 64. */
@inline function zerosAmong(a: v128, b: v128, c: v128, d: v128, at: usize): u64 {
  const words = i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d))
  return <u64>i8x16.bitmask(i8x16.eq(words, i8x16.splat(0))) << <u64>(at >> 2)
}

export function andBits(left: i32, right: i32, into: i32): void {
  for (let at: usize = 0; at < wordBytes; at += 16) {
    const words = v128.and(v128.load(<usize>left + at), v128.load(<usize>right + at))
    v128.store(<usize>into + at, words)
  }
}

export function orBits(left: i32, right: i32, into: i32): void {
  for (let at: usize = 0; at < wordBytes; at += 16) {
    const words = v128.or(v128.load(<usize>left + at), v128.load(<usize>right + at))
    v128.store(<usize>into + at, words)
  }
}

export function copyBits(from: i32, into: i32): void {
  let zeros: u64 = 0
  for (let at: usize = 0; at < wordBytes; at += 64) {
    const one = <usize>from + at
    const other = <usize>into + at
    const a = v128.load(one)
    const b = v128.load(one, 16)
    const c = v128.load(one, 32)
    const d = v128.load(one, 48)
    v128.store(other, a)
    v128.store(other, b, 16)
    v128.store(other, c, 32)
    v128.store(other, d, 48)
    zeros |= zerosAmong(a, b, c, d, at)
  }
  store<u64>(<usize>into, ~zeros, wordBytes)
}

@inline function both(one: i32, other: i32, at: usize): v128 {
  return v128.and(v128.load(<usize>one + at), v128.load(<usize>other + at))
}

@inline function either(one: i32, other: i32, at: usize): v128 {
  return v128.or(v128.load(<usize>one + at), v128.load(<usize>other + at))
}

/** Stores one without the other; what was stored comes back. */
@inline function storeWithout(one: v128, other: v128, into: i32, at: usize): v128 {
  const words = v128.andnot(one, other)
  v128.store(<usize>into + at, words)
  return words
}

export function netBits(
  left: i32,
  otherLeft: i32,
  right: i32,
  otherRight: i32,
  into: i32,
  opposite: i32
): void {
  let zeros: u64 = 0
  let otherZeros: u64 = 0
  for (let at: usize = 0; at < wordBytes; at += 64) {
    const a = both(left, otherLeft, at)
    const b = both(left, otherLeft, at + 16)
    const c = both(left, otherLeft, at + 32)
    const d = both(left, otherLeft, at + 48)
    const e = either(right, otherRight, at)
    const f = either(right, otherRight, at + 16)
    const g = either(right, otherRight, at + 32)
    const h = either(right, otherRight, at + 48)
    zeros |= zerosAmong(
      storeWithout(a, e, into, at),
      storeWithout(b, f, into, at + 16),
      storeWithout(c, g, into, at + 32),
      storeWithout(d, h, into, at + 48),
      at
    )
    otherZeros |= zerosAmong(
      storeWithout(e, a, opposite, at),
      storeWithout(f, b, opposite, at + 16),
      storeWithout(g, c, opposite, at + 32),
      storeWithout(h, d, opposite, at + 48),
      at
    )
  }
  store<u64>(<usize>into, ~zeros, wordBytes)
  store<u64>(<usize>opposite, ~otherZeros, wordBytes)
}

export function crossBits(
  above: i32,
  notAbove: i32,
  carry: i32,
  crossed: i32,
  notCrossed: i32
): void {
  let wasAbove = <u64>load<u32>(<usize>carry)
  let wasNot = <u64>load<u32>(<usize>carry + 4)
  for (let at: usize = 0; at < wordBytes; at += 8) {
    const isAbove = load<u64>(<usize>above + at)
    const isNot = load<u64>(<usize>notAbove + at)
    const beforeAbove = (isAbove << 1) | wasAbove
    const beforeNot = (isNot << 1) | wasNot
    store<u64>(<usize>crossed + at, isAbove & beforeNot)
    store<u64>(
      <usize>notCrossed + at,
      (isNot & (beforeAbove | beforeNot)) | (isAbove & beforeAbove)
    )
    wasAbove = isAbove >> 63
    wasNot = isNot >> 63
  }
  store<u32>(<usize>carry, <u32>wasAbove)
  store<u32>(<usize>carry + 4, <u32>wasNot)
  copyBits(crossed, crossed)
  copyBits(notCrossed, notCrossed)
}

/** Eight bits, one for each of eight masks of doubles. */
@inline export function mask8(a: v128, b: v128, c: v128, d: v128): i32 {
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

export function compareAbove(left: i32, right: i32, above: i32): void {
  let one = <usize>left
  let other = <usize>right
  let anyAbove: u64 = 0
  for (let word = 0; word < 64; word++) {
    let isAbove = 0
    for (let bit = 0; bit < 32; bit += 8) {
      isAbove |= aboveMask(one, other) << bit
      one += 64
      other += 64
    }
    store<i32>(<usize>above + (<usize>word << 2), isAbove)
    anyAbove |= <u64>(isAbove !== 0) << <u64>word
  }
  store<u64>(<usize>above, anyAbove, wordBytes)
}

export function compareDoubles(left: i32, right: i32, above: i32, notAbove: i32): void {
  let one = <usize>left
  let other = <usize>right
  let anyAbove: u64 = 0
  let anyNot: u64 = 0
  for (let word = 0; word < 64; word++) {
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
    anyAbove |= <u64>(isAbove !== 0) << <u64>word
    anyNot |= <u64>(isNot !== 0) << <u64>word
  }
  store<u64>(<usize>above, anyAbove, wordBytes)
  store<u64>(<usize>notAbove, anyNot, wordBytes)
}
