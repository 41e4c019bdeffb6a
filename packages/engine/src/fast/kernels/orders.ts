/**
 * The quantity that an entry orders at a close.
 *
 * @since 0.1.0
 */
import type { f64, i32 } from "../../match/number.ts"
import { orderQuantity } from "./account.ts"
import {
  annualizingAt,
  sizeKindAt,
  sizeValueAt,
  stopLevelAt,
  trailLevelAt,
  volatilityColumnAt,
  volatilitySize
} from "./layout.ts"
import { isLevel, stopDistance } from "./levels.ts"
import { readDouble, readWord } from "./memory.ts"
import { orderPrice } from "./resting.ts"

// The run whose turn it is.
let stopLevel: i32 = 0
let kind: i32 = 0
let value: f64 = 0
let volatilityColumn: i32 = 0
let annualizing: f64 = 0

/** Takes the size of a run's entries out of memory. */
export function loadSize(details: i32): void {
  // Without a stop of its own, an order may lose as far as its stop trails.
  stopLevel = isLevel(details + stopLevelAt) ? details + stopLevelAt : details + trailLevelAt
  kind = readWord(details + sizeKindAt)
  value = readDouble(details + sizeValueAt)
  volatilityColumn = readWord(details + volatilityColumnAt)
  annualizing = readDouble(details + annualizingAt)
}

/** The quantity to order at the close of a candle for a side, or 0. */
export function orderAt(index: i32, side: f64): f64 {
  if (side === 0) return 0
  const price: f64 = orderPrice(index, side)
  let distance: f64 = 0
  if (isLevel(stopLevel)) {
    distance = stopDistance(stopLevel, index, price, side)
    if (!(distance > 0)) return 0
  }
  let volatility: f64 = 0
  if (kind === volatilitySize) {
    volatility = readDouble(volatilityColumn + (index << 3)) * annualizing
  }
  return orderQuantity(index, price, kind, value, distance, volatility)
}
