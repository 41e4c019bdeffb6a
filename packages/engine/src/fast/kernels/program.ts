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
import {
  programEntryBytes,
  runAccountAt,
  runDetailsAt,
  runEnterLongAt,
  runEnterShortAt,
  runExitLongAt,
  runExitShortAt,
  runKindAt,
  runStepCountAt,
  stepKeptValueAt,
  stepIntoAt,
  stepInverseSumAt,
  stepKindAt,
  stepLeftAt,
  stepOppositeAt,
  stepOtherLeftAt,
  stepOtherPeriodAt,
  stepOtherRightAt,
  stepPeriodAt,
  stepPeriodSumAt,
  stepRightAt
} from "./programLayout.ts"

/** An address of the list, moved by its stride for each tile. */
function placeAt(at: i32, tile: i32): i32 {
  return readWord(at) + readWord(at + 4) * tile
}

/**
 * Takes the steps of a run, or those that runs share, through a tile. `programLayout.ts` has their
 * bytes.
 */
export function takeSteps(from: i32, count: i32, tile: i32, priceError: f64, sumError: f64): void {
  let at: i32 = from
  for (let step: i32 = 0; step < count; step++) {
    const kind: i32 = readWord(at + stepKindAt)
    const left: i32 = placeAt(at + stepLeftAt, tile)
    const right: i32 = placeAt(at + stepRightAt, tile)
    const into: i32 = readWord(at + stepIntoAt)
    const opposite: i32 = readWord(at + stepOppositeAt)
    const carry: i32 = readWord(at + stepKeptValueAt)
    if (kind === averagesStep) {
      const margin: f64 =
        priceError * readDouble(at + stepPeriodSumAt) + sumError * readDouble(at + stepInverseSumAt)
      const period: i32 = readWord(at + stepPeriodAt)
      crossAverages(
        period,
        left,
        readWord(at + stepOtherPeriodAt),
        right,
        margin,
        carry,
        into,
        opposite
      )
    } else if (kind === compareStep) {
      if (opposite === 0) compareAbove(left, right, into)
      else compareDoubles(left, right, into, opposite)
    } else if (kind === crossStep) crossBits(left, right, carry, into, opposite)
    else if (kind === andStep) andBits(left, right, into)
    else if (kind === orStep) orBits(left, right, into)
    else if (kind === netStep) {
      const otherLeft: i32 = placeAt(at + stepOtherLeftAt, tile)
      const otherRight: i32 = placeAt(at + stepOtherRightAt, tile)
      netBits(left, otherLeft, right, otherRight, into, opposite)
    } else copyBits(left, into)
    at += programEntryBytes
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
  const margin: f64 =
    priceError * readDouble(step + stepPeriodSumAt) + sumError * readDouble(step + stepInverseSumAt)
  const left: i32 = placeAt(step + stepLeftAt, tile)
  const right: i32 = placeAt(step + stepRightAt, tile)
  const period: i32 = readWord(step + stepPeriodAt)
  const carry: i32 = readWord(step + stepKeptValueAt)
  return listSideChanges(
    period,
    left,
    readWord(step + stepOtherPeriodAt),
    right,
    margin,
    carry,
    sideChanges
  )
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
  const account: i32 = readWord(at + runAccountAt)
  const step: i32 = at + programEntryBytes
  const firstRises: i32 = readWord(readWord(step + stepKeptValueAt))
  if (!listRunSideChanges(account, step, tile, priceError, sumError)) return -1
  // Whether the first side change is to the long side.
  const isToLong: i32 =
    placeAt(at + runEnterLongAt, tile) === readWord(step + stepIntoAt) ? firstRises : firstRises ^ 1
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
  return runBothWaysBetweenCrossings(
    account,
    readWord(at + runDetailsAt),
    first,
    side,
    roundTripsAt
  )
}

/** Takes a run by the bits of its rules: the address after the last round trip. */
function runByRules(at: i32, tile: i32, kind: i32, trades: i32): i32 {
  const account: i32 = readWord(at + runAccountAt)
  const details: i32 = readWord(at + runDetailsAt)
  const long: i32 = placeAt(at + runEnterLongAt, tile)
  const exit: i32 = placeAt(at + runExitLongAt, tile)
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
  const short: i32 = placeAt(at + runEnterShortAt, tile)
  const cover: i32 = placeAt(at + runExitShortAt, tile)
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
 * Takes all runs through a tile, each with the steps after it. `programLayout.ts` has their bytes.
 * The address after the last round trip comes back.
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
    const steps: i32 = readWord(at + runStepCountAt)
    let kind: i32 = readWord(at + runKindAt)
    if (kind === longBetweenCrossingsRun || kind === bothWaysBetweenCrossingsRun) {
      const isLongOnly: boolean = kind === longBetweenCrossingsRun
      const isListed: boolean = !(isLongOnly && isWatched)
      const after: i32 = isListed
        ? runBetweenCrossings(at, tile, isLongOnly, priceError, sumError, roundTripsAt)
        : -1
      if (after >= 0) {
        roundTripsAt = after
        at += 2 * programEntryBytes
        continue
      }
      kind = isLongOnly ? longAtCloseSimplyRun : bothWaysSimplyRun
    }
    takeSteps(at + programEntryBytes, steps, tile, priceError, sumError)
    roundTripsAt = runByRules(at, tile, isWatched ? watchedKind(kind) : kind, roundTripsAt)
    at += programEntryBytes * (1 + steps)
  }
  return roundTripsAt
}
