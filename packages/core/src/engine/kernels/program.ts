/**
 * What a tile's runs compute, as a list in memory that is gone through from its beginning to its
 * end: the steps of each run, then its positions.
 *
 * @since 0.1.0
 */
import { runBothWays, runBothWaysSimply, runLong, runLongAtClose } from "./kinds.ts"
import { runLongAtCloseSimply, runLongSimply } from "./kinds.ts"
import { andBits, compareDoubles, copyBits, crossBits, netBits, orBits } from "./bits.ts"
import { crossAverages } from "./crossing.ts"
import {
  andStep,
  averagesStep,
  bothWaysRun,
  bothWaysSimplyRun,
  compareStep,
  crossStep,
  longAtCloseRun,
  longAtCloseSimplyRun,
  longRun,
  longSimplyRun,
  netStep,
  orStep
} from "./layout.ts"
import { candleCount, isDaily, tileEnd } from "./market.ts"
import { readDouble, readWord } from "./memory.ts"
import type { f64, i32 } from "./number.ts"
import { runTile } from "./positions.ts"

/** An address of the list, moved by its stride for each tile. */
function placeAt(at: i32, tile: i32): i32 {
  return readWord(at) + readWord(at + 4) * tile
}

/**
 * Takes steps of 64 bytes each: kind, left and right place, where to, what fails, what is carried,
 * and for averages their periods, the sum of these, and the sum of their inverses.
 */
export function takeSteps(from: i32, count: i32, tile: i32, priceError: f64, sumError: f64): void {
  let at: i32 = from
  for (let step: i32 = 0; step < count; step++) {
    const kind: i32 = readWord(at)
    const left: i32 = placeAt(at + 4, tile)
    const right: i32 = placeAt(at + 12, tile)
    const into: i32 = readWord(at + 20)
    const opposite: i32 = readWord(at + 24)
    const carry: i32 = readWord(at + 28)
    if (kind === averagesStep) {
      const margin: f64 = priceError * readDouble(at + 40) + sumError * readDouble(at + 48)
      const period: i32 = readWord(at + 32)
      crossAverages(period, left, readWord(at + 36), right, margin, carry, into, opposite)
    } else if (kind === compareStep) compareDoubles(left, right, into, opposite)
    else if (kind === crossStep) crossBits(left, right, carry, into, opposite)
    else if (kind === andStep) andBits(left, right, into)
    else if (kind === orStep) orBits(left, right, into)
    else if (kind === netStep) netBits(left, right, into, opposite)
    else copyBits(left, into)
    at += 64
  }
}

/**
 * Takes all runs through a tile. Each is 64 bytes, its steps after it: how many there are, the
 * account, its kind, the places of its four rules, and its details. The address after
 * the last trade comes back.
 */
export function runProgram(
  from: i32,
  count: i32,
  tile: i32,
  priceError: f64,
  sumError: f64,
  trades: i32
): i32 {
  // The loop at closes counts no days, tells no trades, and closes nothing at the end.
  const isWatched: boolean = trades !== 0 || isDaily === 1 || tileEnd === candleCount
  let at: i32 = from
  let tradesAt: i32 = trades
  for (let run: i32 = 0; run < count; run++) {
    const steps: i32 = readWord(at)
    const account: i32 = readWord(at + 4)
    takeSteps(at + 64, steps, tile, priceError, sumError)
    const enterLong: i32 = placeAt(at + 12, tile)
    const exitLong: i32 = placeAt(at + 20, tile)
    const details: i32 = readWord(at + 44)
    let kind: i32 = readWord(at + 8)
    if (isWatched) {
      if (kind === longAtCloseRun) kind = longRun
      else if (kind === longAtCloseSimplyRun) kind = longSimplyRun
    }
    if (kind === longAtCloseSimplyRun) runLongAtCloseSimply(account, details, enterLong, exitLong)
    else if (kind === longAtCloseRun) runLongAtClose(account, details, enterLong, exitLong)
    else if (kind === longSimplyRun) {
      tradesAt = runLongSimply(account, details, enterLong, exitLong, tradesAt)
    } else if (kind === longRun) {
      tradesAt = runLong(account, details, enterLong, exitLong, tradesAt)
    } else {
      const enterShort: i32 = placeAt(at + 28, tile)
      const exitShort: i32 = placeAt(at + 36, tile)
      if (kind === bothWaysSimplyRun) {
        tradesAt = runBothWaysSimply(
          account,
          details,
          enterLong,
          exitLong,
          enterShort,
          exitShort,
          tradesAt
        )
      } else if (kind === bothWaysRun) {
        tradesAt = runBothWays(
          account,
          details,
          enterLong,
          exitLong,
          enterShort,
          exitShort,
          tradesAt
        )
      } else {
        tradesAt = runTile(account, details, enterLong, exitLong, enterShort, exitShort, tradesAt)
      }
    }
    at += 64 + (steps << 6)
  }
  return tradesAt
}
