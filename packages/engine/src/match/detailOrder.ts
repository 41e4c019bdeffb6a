/**
 * The first of the shorter candles inside the shown one that reaches an order.
 *
 * @since 0.1.0
 */
import { matcher } from "./matcherRecords.ts"
import { detailIsLaid } from "./matcherCodes.ts"
import { flagsAt, highAt, isWatchedAt, liveFromAt, lowAt, openAt } from "./matcherLayout.ts"
import { passesLimit, passesStop } from "./fillRules.ts"
import { restingPrice } from "./restingPrice.ts"
import { readDouble, readWord, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { setRange } from "./passage.ts"
import {
  detailBytes,
  detailCountAt,
  detailHighAt,
  detailLowAt,
  detailOpenAt,
  detailsAt,
  detailStateAt
} from "./stageLayout.ts"

/** The price at which the order that was asked for last fills there; NaN where none reaches it. */
export let priceInside: f64 = NaN

/** Resting orders are shown the whole candle of a market. */
export function showCandle(market: i32): void {
  setRange(readDouble(market + openAt), readDouble(market + highAt), readDouble(market + lowAt))
}

/** Whether the shorter candles of the one that is shown are laid out. */
export function isDetailed(market: i32): boolean {
  return readWord(market + detailStateAt) === detailIsLaid
}

/** The open of the shorter candle of this number; that of the whole candle where there is none. */
export function detailOpenOf(market: i32, nth: i32): f64 {
  if (nth >= readWord(matcher + detailCountAt)) return readDouble(market + openAt)
  return readDouble(matcher + readWord(matcher + detailsAt) + nth * detailBytes + detailOpenAt)
}

/** The price that an order would fill at; nothing is triggered by the question. */
export function priceAsked(market: i32, order: i32): f64 {
  const flags: i32 = readWord(order + flagsAt)
  const liveFrom: i32 = readWord(order + liveFromAt)
  const isWatched: i32 = readWord(market + isWatchedAt)
  const price: f64 = restingPrice(market, order)
  writeWord(order + flagsAt, flags)
  writeWord(order + liveFromAt, liveFrom)
  writeWord(market + isWatchedAt, isWatched)
  return price
}

/** The number of the shorter candle that reaches an order first; their count where none does. */
export function reachedIn(market: i32, order: i32): i32 {
  const first: i32 = matcher + readWord(matcher + detailsAt)
  const count: i32 = readWord(matcher + detailCountAt)
  let nth: i32 = 0
  priceInside = NaN
  while (nth < count) {
    const at: i32 = first + nth * detailBytes
    const high: f64 = readDouble(at + detailHighAt)
    setRange(readDouble(at + detailOpenAt), high, readDouble(at + detailLowAt))
    priceInside = priceAsked(market, order)
    // NaN differs from itself.
    if (priceInside === priceInside) break
    nth += 1
  }
  showCandle(market)
  return nth
}

/**
 * The number of the shorter candle that reaches a stop or a target of an exit's side first; their
 * count where none does.
 */
export function exitReachedIn(side: f64, price: f64, isTarget: boolean): i32 {
  const first: i32 = matcher + readWord(matcher + detailsAt)
  const count: i32 = readWord(matcher + detailCountAt)
  const extremeAt: i32 = isTarget === (side === -1) ? detailHighAt : detailLowAt
  for (let nth: i32 = 0; nth < count; nth++) {
    const reached: f64 = readDouble(first + nth * detailBytes + extremeAt)
    if (isTarget ? passesLimit(side, price, reached) : passesStop(side, price, reached)) return nth
  }
  return count
}
