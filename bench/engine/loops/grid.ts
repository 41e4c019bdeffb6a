/**
 * A grid of 20 lines between two prices, arithmetic or geometric.
 *
 * Once a close is above a free line, an order rests there and buys an equal part of the capital.
 * The lot is sold one line above, from the next candle on, and the line is free again.
 */
import type { CandleColumns } from "@candlewick/engine/kernel"
import { dayEndOf, type LoopResult, makeDays, toResult } from "./LoopResult.ts"
import { capital, makerRate, onLot, onTick } from "./market.ts"
import { TradeLog } from "./TradeLog.ts"

/** Lines of a grid, the highest of which only sells. */
export const lineCount = 20

/** The part of the capital that all lines together may hold; the rest pays fees. */
export const usedPart = 0.99

/** The lowest and the highest line. */
export interface GridValues {
  readonly lowest: number
  readonly highest: number
  readonly isGeometric: boolean
}

/** The prices of the lines, the lowest first: equally far apart, or by equal ratios. */
export const gridLines = ({ highest, isGeometric, lowest }: GridValues): Float64Array =>
  Float64Array.from({ length: lineCount }, (_, nth) => {
    const part = nth / (lineCount - 1)
    return onTick(
      isGeometric ? lowest * (highest / lowest) ** part : lowest + (highest - lowest) * part
    )
  })

/** The quantity that each line but the highest buys. */
export const lineQuantities = (lines: Float64Array): Float64Array =>
  lines.subarray(0, -1).map((line) => onLot((capital * usedPart) / (lineCount - 1) / line))

const free = 0
const buys = 1
const holds = 2

/** The next lines that a high sells, a low buys, and a close takes into use. */
const readNext = (lines: Float64Array, states: Uint8Array, next: Float64Array): void => {
  next.set([Infinity, -Infinity, Infinity])
  for (let nth = states.length - 1; nth >= 0; nth--) {
    if (states[nth] === holds) next[0] = lines[nth + 1]!
    else if (states[nth] === free) next[2] = lines[nth]!
    else if (next[1] === -Infinity) next[1] = lines[nth]!
  }
}

/** Runs one set; an entry is a buy at a line. */
export const gridLoop = (
  { close, high, length, low, open, time }: CandleColumns,
  values: GridValues
): LoopResult => {
  const lines = gridLines(values)
  const quantities = lineQuantities(lines)
  const { length: lineCount } = quantities
  const states = new Uint8Array(lineCount)
  const next = new Float64Array(3)
  const entryIndex = new Int32Array(lineCount)
  const entryPrice = new Float64Array(lineCount)
  const days = makeDays(time)
  const trades = new TradeLog()
  let cash = capital
  let held = 0
  let entryCount = 0
  let equity = capital
  let peak = capital
  let deepest = 0
  let dayEnd = dayEndOf(time[0]!)
  let dayCount = 0
  readNext(lines, states, next)
  for (let index = 0; index < length; index++) {
    if (time[index]! >= dayEnd) {
      days[dayCount++] = equity
      dayEnd = dayEndOf(time[index]!)
    }
    if (high[index]! >= next[0]! || low[index]! <= next[1]!) {
      for (let nth = 0; nth < lineCount; nth++) {
        if (states[nth] === holds && high[index]! >= lines[nth + 1]!) {
          const price = Math.max(lines[nth + 1]!, open[index]!)
          cash += quantities[nth]! * price * (1 - makerRate)
          held -= quantities[nth]!
          trades.add(entryIndex[nth]!, index, entryPrice[nth]!, price)
          states[nth] = free
        } else if (states[nth] === buys && low[index]! <= lines[nth]!) {
          const price = Math.min(lines[nth]!, open[index]!)
          cash -= quantities[nth]! * price * (1 + makerRate)
          held += quantities[nth]!
          entryIndex[nth] = index
          entryPrice[nth] = price
          states[nth] = holds
          entryCount++
        }
      }
      readNext(lines, states, next)
    }
    if (close[index]! > next[2]!) {
      for (let nth = 0; nth < lineCount && close[index]! > lines[nth]!; nth++) {
        if (states[nth] === free) states[nth] = buys
      }
      readNext(lines, states, next)
    }
    equity = cash + held * close[index]!
    if (equity > peak) peak = equity
    const drawdown = 1 - equity / peak
    if (drawdown > deepest) deepest = drawdown
  }
  return toResult(capital, equity, days, dayCount, deepest, entryCount, trades)
}
