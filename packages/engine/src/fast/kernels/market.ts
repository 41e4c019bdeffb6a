/**
 * The state that all runs share: candles, the fill and cost of entries and exits, and the tile
 * whose turn it is.
 *
 * @since 0.1.0
 */
import { fillMarket, inverseOf, roundToStep, unitCost } from "../../match/fillRules.ts"
import { toDouble } from "../../match/arithmetic.ts"
import { readDouble, readWord } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"
import { mostOfAllAt } from "./tileLayout.ts"

// Addresses of columns; 0 for columns that no run needs. Opens, highs and lows need not be there
// but for the tile's candles, and the open after them.
export let open: i32 = 0
export let high: i32 = 0
export let low: i32 = 0
export let close: i32 = 0
export let candleCount: i32 = 0
export let dayEnds: i32 = 0
export let dayCount: i32 = 0

// Whether returns are daily, fills are at the close, shorts are allowed, and the last position is
// closed at the end.
export let isDaily: i32 = 0
export let fillsAtClose: i32 = 0
export let canShort: i32 = 0
export let closesAtEnd: i32 = 0

export let takerRate: f64 = 0
export let makerRate: f64 = 0
export let feePerFill: f64 = 0
export let slippageRate: f64 = 0
export let lot: f64 = 0
export let minNotional: f64 = 0

/** Whether that is so of this market, as 1 or 0: see `isStepped`. */
export let hasSteps: i32 = 0

/** The `inverseOf` of the lot. */
export let lotInverse: f64 = 0

/** Largest notional of the position over equity. */
export let leverage: f64 = 1

/** The part of its worth that a position pays as funding. */
export let fundingRate: f64 = 0

// Of each candle, the next one at whose open funding is due, and how often it is due there; 0 where
// there is none.
let fundingDues: i32 = 0
let fundingCounts: i32 = 0

/** The part of the equity that is ordered; the rest is put by for costs. */
export let orderedShare: f64 = 0
export let exposureMax: f64 = Infinity
export let riskMax: f64 = Infinity
let tick: f64 = 0
let tickInverse: f64 = 0

// The tile, and its computed columns; extremes are 0 where they were not computed.
export let tileStart: i32 = 0
export let tileEnd: i32 = 0
export let returnSums: i32 = 0
export let extremes: i32 = 0
export let extremesStride: i32 = 0
export let blocks: i32 = 0

/** Where 1 / close of each candle of the tile is, that of the candle before it first; or 0. */
export let inverses: i32 = 0

/** The records of `sideChanges.ts` for the tile, or 0 without them. */
export let sideChangeRecords: i32 = 0

/** Room for the candles of a tile at which averages change sides, or at which rules trade. */
export let sideChanges: i32 = 0

/** Where closes and the ends of days are. */
export function setCandles(closeAt: i32, count: i32, dayEndsAt: i32, days: i32): void {
  close = closeAt
  candleCount = count
  dayEnds = dayEndsAt
  dayCount = days
}

/** Where the other prices of the tile are. */
export function setPrices(openAt: i32, highAt: i32, lowAt: i32): void {
  open = openAt
  high = highAt
  low = lowAt
}

/** The kind of entries and exits, and the returns that count. */
export function setRules(countsDays: i32, atClose: i32, shorts: i32, atEnd: i32): void {
  isDaily = countsDays
  fillsAtClose = atClose
  canShort = shorts
  closesAtEnd = atEnd
}

/** Whether quantities are on lots, or orders have a least notional. */
export function isStepped(lotStep: f64, notionalMin: f64): boolean {
  return lotStep !== 0 || notionalMin !== 0
}

/** The costs of fills, and the steps of prices and quantities. */
export function setCosts(
  taker: f64,
  maker: f64,
  perFill: f64,
  slippage: f64,
  tickStep: f64,
  lotStep: f64,
  notionalMin: f64
): void {
  takerRate = taker
  makerRate = maker
  feePerFill = perFill
  slippageRate = slippage
  tick = tickStep
  tickInverse = inverseOf(tickStep)
  lot = lotStep
  lotInverse = inverseOf(lotStep)
  minNotional = notionalMin
  hasSteps = isStepped(lotStep, notionalMin) ? 1 : 0
  orderedShare = 1 / unitCost(1, taker + slippage)
}

/** The largest notional and the largest loss at a stop, as fractions of equity. */
export function setCaps(exposure: f64, risk: f64, notional: f64): void {
  exposureMax = exposure
  riskMax = risk
  leverage = notional
}

/** The funding of the market, and where the candles are at whose opens it is due, or 0. */
export function setFunding(rate: f64, dues: i32, counts: i32): void {
  fundingRate = rate
  fundingDues = dues
  fundingCounts = counts
}

/** The candles whose turn it is, and the addresses of their columns. */
export function setTile(
  start: i32,
  end: i32,
  sumsAt: i32,
  extremesAt: i32,
  stride: i32,
  blocksAt: i32,
  inversesAt: i32,
  sideChangeRecordsAt: i32,
  changesAt: i32
): void {
  tileStart = start
  tileEnd = end
  returnSums = sumsAt
  extremes = extremesAt
  extremesStride = stride
  blocks = blocksAt
  inverses = inversesAt
  sideChangeRecords = sideChangeRecordsAt
  sideChanges = changesAt
}

/**
 * Whether equity may come to nothing in this tile, or so near to it that rounding counts: it is
 * compared at the tile's highest price.
 */
export function mayBeUsedUp(cash: f64, quantity: f64): boolean {
  return !(cash + quantity * readDouble(blocks + mostOfAllAt) > 1e-9 * cash)
}

/** The close of a candle. */
export function closeAtIndex(index: i32): f64 {
  return readDouble(close + (index << 3))
}

/**
 * The price of a market order in a candle: its open, or its close where fills are there.
 *
 * @inline
 */
export function marketPriceIn(index: i32): f64 {
  return fillMarket(readDouble((fillsAtClose === 1 ? close : open) + (index << 3)))
}

/**
 * The candle that fills a market order that was decided at a close.
 *
 * @inline
 */
export function fillIndexOf(index: i32): i32 {
  return index + 1 - fillsAtClose
}

/** The next candle from this one on at whose open funding is due, after the last where none is. */
export function fundingDueFrom(index: i32): i32 {
  if (fundingDues === 0 || index >= candleCount) return candleCount
  return readWord(fundingDues + (index << 2))
}

/** The number of times that funding is due at the open of a candle. */
export function fundingCountAt(index: i32): f64 {
  return toDouble(readWord(fundingCounts + (index << 2)))
}

/** The last candle of a day, or the end of the series. */
export function dayEndOf(day: i32): i32 {
  return day < dayCount ? readWord(dayEnds + (day << 2)) : candleCount
}

/** A level on the nearest tick, or 0 where that is no price. */
export function onTick(price: f64): f64 {
  const level: f64 = roundToStep(price, tick, tickInverse)
  return level > 0 && level < Infinity ? level : 0
}
