/**
 * The lines of a grid: each buys where the price falls to it, and sells one line above from the
 * next candle on. The rules are those of `kernel/ladder/ladderLines.ts`.
 *
 * A line that is cut to the cash, or that is too small, ends the run here. So does a candle that
 * uses up the equity. The plain path then repeats the run.
 *
 * @since 0.1.0
 */
import { greater, lesser, toDouble } from "../../match/arithmetic.ts"
import { floorToStep, limitPrice, passesLimit, passesStop } from "../../match/fillRules.ts"
import { payableOf, slip } from "../../match/fillRules.ts"
import type { f64, i32 } from "../../match/number.ts"
import {
  addingPower,
  buyLot,
  cash,
  holdUntil,
  loadAccount,
  payFundingTimes,
  quantity,
  ruinPrice,
  saveAccount,
  sellLot,
  waitUntil
} from "./account.ts"
import { firstBeyond } from "./beyond.ts"
import {
  decisionAt,
  dueFromAt,
  equitySize,
  isLiquidatedAt,
  isRepeated,
  lineBytes,
  lineCountAt,
  lineListAt,
  linePriceAt,
  lineQuantityAt,
  lineStateAt,
  notionalSize,
  sizeKindAt,
  sizeValueAt
} from "./layout.ts"
import {
  blocks,
  candleCount,
  closeAtIndex,
  closesAtEnd,
  fundingCountAt,
  fundingDueFrom,
  fundingRate,
  high,
  lot,
  lotInverse,
  low,
  makerRate,
  minNotional,
  open,
  slippageRate,
  takerRate,
  tileEnd,
  tileStart
} from "./market.ts"
import { readDouble, readWord, writeDouble, writeWord } from "./memory.ts"
import { fits } from "./safety.ts"

// The states of a line.
const isFree: i32 = 0
const rests: i32 = 1
const holds: i32 = 2

// The run whose turn it is: its lines, and where the last of them ends.
let details: i32 = 0
let first: i32 = 0
let end: i32 = 0
let dueFrom: i32 = 0
let isOver: i32 = 0

// The next price at which a line sells, the next at which one buys, and the lowest that is free.
let sellsAt: f64 = Infinity
let buysAt: f64 = -Infinity
let freeAt: f64 = Infinity
let heldCount: i32 = 0

function readLines(): void {
  sellsAt = Infinity
  buysAt = -Infinity
  freeAt = Infinity
  heldCount = 0
  for (let line: i32 = first; line < end; line += lineBytes) {
    const state: f64 = readDouble(line + lineStateAt)
    if (state === toDouble(holds)) {
      heldCount++
      sellsAt = lesser(sellsAt, readDouble(line + lineBytes + linePriceAt))
    } else if (state === toDouble(rests)) {
      buysAt = greater(buysAt, readDouble(line + linePriceAt))
    } else freeAt = lesser(freeAt, readDouble(line + linePriceAt))
  }
}

/** Counts the candles before `to`, in which nothing is bought or sold any more. */
function advance(to: i32): void {
  if (quantity === 0) waitUntil(to)
  else holdUntil(to, 1, 1)
}

function giveUp(): void {
  isOver = isRepeated
}

/** The first candle from `from` on that may concern a line, or the tile's end. */
function firstEvent(from: i32): i32 {
  let floor: f64 = buysAt
  if (quantity > 0) floor = greater(floor, ruinPrice())
  const ceiling: f64 = lesser(sellsAt, freeAt)
  const lows: i32 = low + (tileStart << 3)
  const highs: i32 = high + (tileStart << 3)
  const after: i32 = tileEnd - tileStart
  return tileStart + firstBeyond(lows, highs, blocks, from - tileStart, after, floor, ceiling)
}

/** Sells the units of each line that holds where the candle reaches the line above it. */
function sell(index: i32): void {
  const highest: f64 = readDouble(high + (index << 3))
  const opened: f64 = readDouble(open + (index << 3))
  for (let line: i32 = first; line < end; line += lineBytes) {
    if (readDouble(line + lineStateAt) !== toDouble(holds)) continue
    const level: f64 = readDouble(line + lineBytes + linePriceAt)
    if (!passesLimit(-1, level, highest)) continue
    heldCount--
    const amount: f64 = readDouble(line + lineQuantityAt)
    sellLot(limitPrice(-1, level, opened), amount, makerRate, heldCount === 0)
    writeDouble(line + lineStateAt, toDouble(isFree))
  }
}

/** Buys at the lines that rest and that the candle reaches. */
function buy(index: i32): void {
  const lowest: f64 = readDouble(low + (index << 3))
  const opened: f64 = readDouble(open + (index << 3))
  for (let line: i32 = first; line < end; line += lineBytes) {
    if (readDouble(line + lineStateAt) !== toDouble(rests)) continue
    const level: f64 = readDouble(line + linePriceAt)
    if (!passesLimit(1, level, lowest)) continue
    const price: f64 = limitPrice(1, level, opened)
    const amount: f64 = readDouble(line + lineQuantityAt)
    const payable: f64 = payableOf(amount, price, makerRate, addingPower(index), lot, lotInverse)
    if (payable < amount || amount * price < minNotional) return giveUp()
    buyLot(price, amount, makerRate)
    heldCount++
    writeDouble(line + lineStateAt, toDouble(holds))
  }
}

/** The quantity that a line orders at its price. */
function wantedAt(price: f64, equity: f64): f64 {
  const kind: i32 = readWord(details + sizeKindAt)
  const value: f64 = readDouble(details + sizeValueAt)
  if (kind === equitySize) return (equity * value) / price
  return kind === notionalSize ? value / price : value
}

/** Rests an order at each free line under the close, the nearest first. */
function place(index: i32): void {
  const close: f64 = closeAtIndex(index)
  const equity: f64 = cash + quantity * close
  let spoken: f64 = quantity * close
  for (let line: i32 = first; line < end; line += lineBytes) {
    if (readDouble(line + lineStateAt) !== toDouble(rests)) continue
    spoken += readDouble(line + linePriceAt) * readDouble(line + lineQuantityAt)
  }
  for (let line: i32 = end - lineBytes; line >= first; line -= lineBytes) {
    if (readDouble(line + lineStateAt) !== toDouble(isFree)) continue
    const price: f64 = readDouble(line + linePriceAt)
    if (!(close > price)) continue
    const amount: f64 = floorToStep(wantedAt(price, equity), lot, lotInverse)
    if (!fits(amount, price, equity, spoken, 0)) return giveUp()
    writeDouble(line + lineQuantityAt, amount)
    writeDouble(line + lineStateAt, toDouble(rests))
    spoken += amount * price
  }
}

/** Pays the funding that is due up to the open of a candle. */
function payUntil(index: i32): void {
  let due: i32 = fundingDueFrom(dueFrom)
  while (due <= index) {
    advance(due)
    payFundingTimes(readDouble(open + (due << 3)), fundingRate, fundingCountAt(due))
    dueFrom = due + 1
    due = fundingDueFrom(dueFrom)
  }
}

/** Takes the lines through a candle; false where the run gives up. */
function take(index: i32): boolean {
  payUntil(index)
  advance(index)
  if (quantity > 0) {
    const ruin: f64 = ruinPrice()
    if (ruin > 0 && passesStop(-1, ruin, readDouble(low + (index << 3)))) {
      giveUp()
      return false
    }
  }
  sell(index)
  buy(index)
  if (isOver === 0 && closeAtIndex(index) > freeNow()) place(index)
  readLines()
  return isOver === 0
}

/** The lowest line that is free. */
function freeNow(): f64 {
  readLines()
  return freeAt
}

/** Sells all that is held at the last close. */
function sellAll(): void {
  const price: f64 = slip(-1, closeAtIndex(candleCount - 1), slippageRate)
  advance(candleCount - 1)
  for (let line: i32 = first; line < end; line += lineBytes) {
    if (readDouble(line + lineStateAt) !== toDouble(holds)) continue
    heldCount--
    sellLot(price, readDouble(line + lineQuantityAt), takerRate, heldCount === 0)
  }
}

/** Takes the lines of a run through the tile. */
export function runGrid(account: i32, ofRun: i32): void {
  isOver = readWord(ofRun + isLiquidatedAt)
  if (isOver !== 0) return
  details = ofRun
  first = readWord(ofRun + lineListAt)
  end = first + readWord(ofRun + lineCountAt) * lineBytes
  dueFrom = readWord(account + dueFromAt)
  loadAccount(account, 0)
  readLines()
  const decision: i32 = readWord(account + decisionAt)
  let from: i32 = decision > tileStart ? decision : tileStart
  while (from < tileEnd) {
    const due: i32 = quantity > 0 ? fundingDueFrom(dueFrom) : candleCount
    const event: i32 = firstEvent(from)
    // A payment moves the price at which equity is used up.
    if (due < event && due < tileEnd) {
      payUntil(due)
      from = due
      continue
    }
    if (event >= tileEnd) break
    if (quantity === 0 && dueFrom <= event) dueFrom = event + 1
    if (!take(event)) break
    from = event + 1
  }
  if (isOver === 0 && tileEnd === candleCount && closesAtEnd === 1) sellAll()
  advance(tileEnd)
  saveAccount()
  writeWord(account + decisionAt, tileEnd > decision ? tileEnd : decision)
  writeWord(account + dueFromAt, dueFrom)
  writeWord(ofRun + isLiquidatedAt, isOver)
}
