/**
 * The entry that rests: a limit or a stop order that was placed at a close.
 *
 * It rests until a candle reaches it, a rule speaks against it, or its time is over.
 *
 * @since 0.1.0
 */
import { limitPrice, slip, stopPrice } from "../../match/fillRules.ts"
import { partAway } from "../../match/levelRules.ts"
import type { f64, i32 } from "../../match/number.ts"
import { firstBeyond } from "./beyond.ts"
import { hasBit, nextBit } from "./bits.ts"
import {
  entryKindAt,
  entryLifeAt,
  entryOffsetAt,
  limitEntry,
  marketEntry,
  restingAt,
  restingFromAt,
  restingPriceAt
} from "./layout.ts"
import {
  blocks,
  candleCount,
  closeAtIndex,
  high,
  low,
  makerRate,
  onTick,
  open,
  slippageRate,
  takerRate,
  tileEnd,
  tileStart
} from "./market.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"

// The run whose turn it is, and its order: at which close it was placed.
let kind: i32 = 0
let life: i32 = 0
let offset: f64 = 0
let level: f64 = 0
export let restingIndex: i32 = 0

/** The quantity that rests, negative where it sells; 0 where nothing does. */
export let resting: f64 = 0

/** Takes the order out of memory. */
export function loadResting(details: i32): void {
  kind = readWord(details + entryKindAt)
  life = readWord(details + entryLifeAt)
  offset = readDouble(details + entryOffsetAt)
  resting = readDouble(details + restingAt)
  level = readDouble(details + restingPriceAt)
  restingIndex = readWord(details + restingFromAt)
}

/** Puts the order back. */
export function saveResting(details: i32): void {
  writeDouble(details + restingAt, resting)
  writeDouble(details + restingPriceAt, level)
  writeWord(details + restingFromAt, restingIndex)
}

/** Whether entries of this run rest. */
export function rests(): boolean {
  return kind !== marketEntry
}

/** The price of an entry that is ordered at a close: the close, or the price at which it rests. */
export function orderPrice(index: i32, side: f64): f64 {
  const price: f64 = closeAtIndex(index)
  if (kind === marketEntry) return price
  return onTick(partAway(price, kind === limitEntry ? -side : side, offset))
}

/** Places an order at the close of a candle. */
export function placeRestingEntry(index: i32, side: f64, quantity: f64): void {
  resting = side * quantity
  level = orderPrice(index, side)
  restingIndex = index
}

/** Takes the order away. */
export function dropEntry(): void {
  resting = 0
}

/** The last candle that may fill the order. */
export function lastResting(): i32 {
  return life < 0 ? candleCount : restingIndex + life
}

/**
 * The first candle from `from` on at whose close a rule speaks against the order, or the tile's
 * end. The rule exits the order's side, or enters only the other side.
 */
export function firstAgainst(own: i32, other: i32, exits: i32, from: i32): i32 {
  const end: i32 = tileEnd - tileStart
  const left: i32 = nextBit(exits, from - tileStart, end)
  let opposed: i32 = nextBit(other, from - tileStart, end)
  while (opposed < left && hasBit(own, opposed) === 1) {
    opposed = nextBit(other, opposed + 1, end)
  }
  return tileStart + (opposed < left ? opposed : left)
}

/** The first candle from `from` to `last` that reaches the order, or the one after `last`. */
export function firstReached(from: i32, last: i32): i32 {
  const isBelow: boolean = (kind === limitEntry) === resting > 0
  const floor: f64 = isBelow ? level : -Infinity
  const ceiling: f64 = isBelow ? Infinity : level
  const lowAt: i32 = low + (tileStart << 3)
  const highAt: i32 = high + (tileStart << 3)
  const after: i32 = last + 1 - tileStart
  return tileStart + firstBeyond(lowAt, highAt, blocks, from - tileStart, after, floor, ceiling)
}

/** The price at which a candle that reaches the order fills it. */
export function reachedPrice(index: i32): f64 {
  const side: f64 = resting > 0 ? 1 : -1
  const first: f64 = readDouble(open + (index << 3))
  if (kind === limitEntry) return limitPrice(side, level, first)
  return slip(side, stopPrice(side, level, first), slippageRate)
}

/** The rate of its fee. */
export function restingRate(): f64 {
  return kind === limitEntry ? makerRate : takerRate
}
