/**
 * The work of a tile's runs as a list in memory.
 *
 * It is taken from its beginning to its end: the steps of each run, then its positions.
 *
 * @since 0.1.0
 */
import { runBothWays, runBothWaysSimply, runLong, runLongAtClose } from "./kinds.ts"
import { runBothWaysBetweenCrossings, runLongBetweenCrossings } from "./kinds.ts"
import { runLongAtCloseSimply, runLongSimply } from "./kinds.ts"
import {
  andBits,
  compareAbove,
  compareDoubles,
  copyBits,
  crossBits,
  netBits,
  orBits
} from "./bits.ts"
import { crossAverages, listSideChanges } from "./crossing.ts"
import {
  andStep,
  averagesStep,
  bothWaysBetweenCrossingsRun,
  bothWaysRun,
  bothWaysSimplyRun,
  compareStep,
  crossStep,
  decisionAt,
  gridRun,
  longAtCloseRun,
  longAtCloseSimplyRun,
  longBetweenCrossingsRun,
  longRun,
  longSimplyRun,
  netStep,
  orStep,
  positionQuantityAt
} from "./layout.ts"
import { candleCount, isDaily, tileEnd, tileStart, sideChanges } from "./market.ts"
import { runGrid } from "./grid.ts"
import { readDouble, readWord } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"
import { runTile } from "./positions.ts"

/** An address of the list, moved by its stride for each tile. */
function placeAt(at: i32, tile: i32): i32 {
  return readWord(at) + readWord(at + 4) * tile
}

/**
 * Takes steps of 64 bytes each: the kind, the left and the right place, the place of the result,
 * the error, the carried value. Averages add their periods, the sum of these, and the sum of their
 * inverses. Nets add the other places of the left and of the right.
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
    } else if (kind === compareStep) {
      if (opposite === 0) compareAbove(left, right, into)
      else compareDoubles(left, right, into, opposite)
    } else if (kind === crossStep) crossBits(left, right, carry, into, opposite)
    else if (kind === andStep) andBits(left, right, into)
    else if (kind === orStep) orBits(left, right, into)
    else if (kind === netStep) {
      const otherLeft: i32 = placeAt(at + 32, tile)
      const otherRight: i32 = placeAt(at + 40, tile)
      netBits(left, otherLeft, right, otherRight, into, opposite)
    } else copyBits(left, into)
    at += 64
  }
}

/**
 * Lists the candles at which the averages of a run's one step change sides. Returns false where
 * they are not known for certain, where the run may not enter yet, and where the tile is the last
 * one.
 */
function listRunSideChanges(
  account: i32,
  step: i32,
  tile: i32,
  priceError: f64,
  sumError: f64
): boolean {
  if (tileEnd === candleCount || readWord(account + decisionAt) > tileStart) return false
  const margin: f64 = priceError * readDouble(step + 40) + sumError * readDouble(step + 48)
  const left: i32 = placeAt(step + 4, tile)
  const right: i32 = placeAt(step + 12, tile)
  const period: i32 = readWord(step + 32)
  const carry: i32 = readWord(step + 28)
  return listSideChanges(period, left, readWord(step + 36), right, margin, carry, sideChanges)
}

/**
 * Takes a run between the side changes of its one step: the address after the last round trip, or
 * -1 where the side changes are not listed.
 */
function runBetweenCrossings(
  at: i32,
  tile: i32,
  isLongOnly: boolean,
  priceError: f64,
  sumError: f64,
  roundTripsAt: i32
): i32 {
  const account: i32 = readWord(at + 4)
  const step: i32 = at + 64
  const firstRises: i32 = readWord(readWord(step + 28))
  if (!listRunSideChanges(account, step, tile, priceError, sumError)) return -1
  // Whether the first side change is to the long side.
  const isToLong: i32 = placeAt(at + 12, tile) === readWord(step + 20) ? firstRises : firstRises ^ 1
  const held: f64 = readDouble(account + positionQuantityAt)
  // It may be one that changes nothing, as before the first entry.
  const isNone: boolean = isLongOnly
    ? (held !== 0) === (isToLong === 1)
    : isToLong === 1
      ? held > 0
      : held < 0
  const first: i32 = isNone ? sideChanges + 4 : sideChanges
  if (isLongOnly) {
    runLongBetweenCrossings(account, first)
    return roundTripsAt
  }
  const side: f64 = (isToLong === 1) === isNone ? -1 : 1
  return runBothWaysBetweenCrossings(account, readWord(at + 44), first, side, roundTripsAt)
}

/** Takes a run by the bits of its rules: the address after the last round trip. */
function runByRules(at: i32, tile: i32, kind: i32, trades: i32): i32 {
  const account: i32 = readWord(at + 4)
  const details: i32 = readWord(at + 44)
  const long: i32 = placeAt(at + 12, tile)
  const exit: i32 = placeAt(at + 20, tile)
  if (kind === longAtCloseSimplyRun) {
    runLongAtCloseSimply(account, long, exit)
    return trades
  }
  if (kind === longAtCloseRun) {
    runLongAtClose(account, details, long, exit)
    return trades
  }
  if (kind === longSimplyRun) return runLongSimply(account, details, long, exit, trades)
  if (kind === longRun) return runLong(account, details, long, exit, trades)
  if (kind === gridRun) {
    runGrid(account, details)
    return trades
  }
  const short: i32 = placeAt(at + 28, tile)
  const cover: i32 = placeAt(at + 36, tile)
  if (kind === bothWaysSimplyRun) {
    return runBothWaysSimply(account, details, long, exit, short, cover, trades)
  }
  if (kind === bothWaysRun) {
    return runBothWays(account, details, long, exit, short, cover, trades)
  }
  return runTile(account, details, long, exit, short, cover, trades)
}

/** A kind that counts days, reports round trips and closes at the end: loops at closes do not. */
function watchedKind(kind: i32): i32 {
  if (kind === longAtCloseRun) return longRun
  return kind === longAtCloseSimplyRun ? longSimplyRun : kind
}

/**
 * Takes all runs through a tile. Each is 64 bytes, its steps after it: how many there are, the
 * account, its kind, the places of its four rules, and its details. The address after
 * the last round trip comes back.
 */
export function runProgram(
  from: i32,
  count: i32,
  tile: i32,
  priceError: f64,
  sumError: f64,
  trades: i32
): i32 {
  const isWatched: boolean = trades !== 0 || isDaily === 1 || tileEnd === candleCount
  let at: i32 = from
  let roundTripsAt: i32 = trades
  for (let run: i32 = 0; run < count; run++) {
    const steps: i32 = readWord(at)
    let kind: i32 = readWord(at + 8)
    if (kind === longBetweenCrossingsRun || kind === bothWaysBetweenCrossingsRun) {
      const isLongOnly: boolean = kind === longBetweenCrossingsRun
      const isListed: boolean = !(isLongOnly && isWatched)
      const after: i32 = isListed
        ? runBetweenCrossings(at, tile, isLongOnly, priceError, sumError, roundTripsAt)
        : -1
      if (after >= 0) {
        roundTripsAt = after
        at += 128
        continue
      }
      kind = isLongOnly ? longAtCloseSimplyRun : bothWaysSimplyRun
    }
    takeSteps(at + 64, steps, tile, priceError, sumError)
    roundTripsAt = runByRules(at, tile, isWatched ? watchedKind(kind) : kind, roundTripsAt)
    at += 64 + (steps << 6)
  }
  return roundTripsAt
}
