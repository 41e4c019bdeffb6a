/**
 * Positions of all the equity that are never short, filled at closes and counted candle by candle:
 * nothing is left over when one is opened, so equity is a product of prices, and returns are
 * differences of sums. What `allIn.ts` does for all of these, with less.
 *
 * @since 0.1.0
 */
import { firstBeyond } from "./beyond.ts"
import { nextBit } from "./bits.ts"
import {
  cashAt,
  cooldownAfterStopAt,
  cooldownAt,
  cursorAt,
  decisionAt,
  deepestAt,
  entryCountAt,
  entryIndexAt,
  entryPriceAt,
  lastEquityAt,
  liveFromAt,
  peakAt,
  quantityAt,
  squaresAt,
  stopAt,
  stopLevelAt,
  sumAt,
  targetAt,
  targetLevelAt
} from "./layout.ts"
import { isLevel, levelAt } from "./levels.ts"
import {
  blocks,
  close,
  closeAtIndex,
  high,
  low,
  makerRate,
  open,
  returnSums,
  slippageRate,
  takerRate,
  tileEnd,
  tileStart
} from "./market.ts"
import { lesser, readDouble, readWord } from "./memory.ts"
import { writeDouble, writeWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { deeper, findRange, least, most } from "./stretch.ts"
import { walkDrawdown, walkedDeepest, walkedPeak } from "./stretch.ts"

/**
 * One run in a tile that is not the last one; with `isSimple` it has no levels and no cooldown, and
 * with `isListed` besides, `entries` is the address of the candles at which it enters and leaves in
 * turn.
 *
 * The return of the candle in which a position is left is kept until the next one is opened: that
 * may be at the same close.
 *
 * @inline
 */
export function runAtClose(
  isSimple: i32,
  isListed: i32,
  account: i32,
  details: i32,
  entries: i32,
  exits: i32
): void {
  const start: i32 = tileStart
  const length: i32 = tileEnd - start
  const closes: i32 = close + (start << 3)
  let cash: f64 = readDouble(account + cashAt)
  let quantity: f64 = readDouble(account + quantityAt)
  let peak: f64 = readDouble(account + peakAt)
  let deepest: f64 = readDouble(account + deepestAt)
  let trough: f64 = peak
  let sum: f64 = readDouble(account + sumAt)
  let squares: f64 = readDouble(account + squaresAt)
  let entryCount: i32 = readWord(account + entryCountAt)
  let stop: f64 = isSimple === 1 ? 0 : readDouble(details + stopAt)
  let target: f64 = isSimple === 1 ? 0 : readDouble(details + targetAt)
  if (isSimple === 0 && target === 0) target = Infinity
  const cooldown: i32 = isSimple === 1 ? 0 : readWord(details + cooldownAt)
  const stopLevel: i32 = details + stopLevelAt
  const targetLevel: i32 = details + targetLevelAt
  const hasStop: boolean = isSimple === 0 && isLevel(stopLevel)
  const hasTarget: boolean = isSimple === 0 && isLevel(targetLevel)
  // What a purchase and a sale leave of the equity.
  const bought: f64 = 1 / ((1 + slippageRate) * (1 + takerRate))
  const sold: f64 = (1 - slippageRate) * (1 - takerRate)
  // Candles are counted from the beginning of the tile, those before it are -1.
  let decision: i32 = readWord(account + decisionAt) - start
  if (decision < 0) decision = 0
  let entry: i32 = readWord(account + entryIndexAt) - start
  if (entry < -1) entry = -1
  // The candle in which the last position was left, and what it made of the equity before.
  let left: i32 = -1
  let leftRatio: f64 = 1
  let turnAt: i32 = entries

  for (;;) {
    if (quantity === 0) {
      const index: i32 = isListed === 1 ? readWord(turnAt) : nextBit(entries, decision, length)
      turnAt += 4
      if (index >= length) break
      decision = index + 1
      const price: f64 = readDouble(closes + (index << 3))
      if (isSimple === 0) {
        const bid: f64 = price * (1 + slippageRate)
        if (hasStop) {
          stop = levelAt(stopLevel, start + index, price, -1)
          if (!(stop < price)) continue
          if (bid !== price) stop = levelAt(stopLevel, start + index, bid, -1)
        }
        if (hasTarget) {
          target = levelAt(targetLevel, start + index, bid, 1)
          if (!(target > 0)) target = Infinity
        }
      }
      let entryChange: f64 = bought - 1
      if (index === left) entryChange = leftRatio * bought - 1
      else {
        const change: f64 = leftRatio - 1
        sum += change
        squares += change * change
        if (cash > peak) {
          deepest = deeper(deepest, peak, trough)
          peak = cash
          trough = cash
        } else trough = lesser(trough, cash)
      }
      leftRatio = 1
      sum += entryChange
      squares += entryChange * entryChange
      quantity = cash * bought * (1 / price)
      entry = index
      entryCount++
    }

    let to: i32 = isListed === 1 ? readWord(turnAt) : nextBit(exits, decision, length)
    turnAt += 4
    let isTouched: i32 = 0
    if (isSimple === 0) {
      const after: i32 = to < length ? to + 1 : length
      const lowAt: i32 = low + (start << 3)
      const highAt: i32 = high + (start << 3)
      const touched: i32 = firstBeyond(lowAt, highAt, blocks, entry + 1, after, stop, target)
      if (touched < after) {
        isTouched = 1
        to = touched
      }
    }
    const from: i32 = entry > 0 ? entry : 0
    if (to > from) {
      // What came before a position's first close is not its own.
      const one: i32 = returnSums + (entry << 4)
      const other: i32 = returnSums + ((to - 1) << 4)
      sum += readDouble(other) - readDouble(one)
      squares += readDouble(other + 8) - readDouble(one + 8)
      findRange(start + from, start + to)
      const lowest: f64 = quantity * least
      const highest: f64 = quantity * most
      if (highest > peak) {
        deepest = deeper(deepest, peak, trough)
        if (lowest < highest - highest * deepest) {
          walkDrawdown(start + from, start + to, 0, quantity, peak, deepest)
          peak = walkedPeak()
          deepest = walkedDeepest()
        } else peak = highest
        trough = peak
      } else trough = lesser(trough, lowest)
    }
    if (to >= length) break

    let price: f64 = 0
    if (isTouched === 1) {
      const at: i32 = (start + to) << 3
      const first: f64 = readDouble(open + at)
      decision = to + cooldown
      if (first < target && readDouble(low + at) <= stop) {
        price = lesser(stop, first) * sold
        const afterStop: i32 = to + readWord(details + cooldownAfterStopAt)
        if (afterStop > decision) decision = afterStop
      } else price = -lesser(-target, -first) * (1 - makerRate)
    } else {
      price = readDouble(closes + (to << 3)) * sold
      decision = cooldown > 1 ? to + cooldown : to + 1
    }
    cash = quantity * price
    quantity = 0
    left = to
    leftRatio = price * (1 / readDouble(closes + (to << 3) - 8))
  }

  if (quantity === 0) {
    const change: f64 = leftRatio - 1
    sum += change
    squares += change * change
    if (cash > peak) {
      deepest = deeper(deepest, peak, trough)
      peak = cash
      trough = cash
    } else trough = lesser(trough, cash)
    writeDouble(account + cashAt, cash)
    writeDouble(account + lastEquityAt, cash)
  } else {
    writeDouble(account + cashAt, 0)
    writeDouble(account + lastEquityAt, quantity * closeAtIndex(tileEnd - 1))
  }
  writeDouble(account + quantityAt, quantity)
  writeDouble(account + peakAt, peak)
  writeDouble(account + deepestAt, deeper(deepest, peak, trough))
  writeDouble(account + sumAt, sum)
  writeDouble(account + squaresAt, squares)
  writeWord(account + cursorAt, tileEnd)
  writeWord(account + entryCountAt, entryCount)
  writeWord(account + decisionAt, start + decision)
  if (entry >= 0) {
    const bid: f64 = readDouble(closes + (entry << 3)) * (1 + slippageRate)
    writeWord(account + entryIndexAt, start + entry)
    writeWord(account + liveFromAt, start + entry + 1)
    writeDouble(account + entryPriceAt, bid)
  }
  if (isSimple === 0) {
    writeDouble(details + stopAt, stop)
    writeDouble(details + targetAt, target === Infinity ? 0 : target)
  }
}
