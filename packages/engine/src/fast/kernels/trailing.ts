/**
 * Stops that move: those that trail the best price of a position, and those that go to its entry.
 *
 * The rules are those of `match/levelRules.ts`.
 *
 * @since 0.1.0
 */
import {
  activationLevelAt,
  positionBestAt,
  positionBreakEvenActivationAt,
  breakEvenLevelAt,
  breakEvenLevelOffsetAt,
  positionBreakEvenStopAt,
  positionTrailActivationAt,
  positionTrailDistanceAt,
  trailLevelAt
} from "./layout.ts"
import { isFraction, isLevel, levelAt, levelFor, levelValue } from "./levels.ts"
import { high, low, onTick } from "./market.ts"
import { readDouble, writeDouble } from "./memory.ts"
import { isActivated, isFarther, partAway, trailedStop } from "../../match/levelRules.ts"
import type { f64, i32 } from "../../match/number.ts"

// The run whose turn it is, and its position.
let trailLevel: i32 = 0
let activationLevel: i32 = 0
let breakEvenLevel: i32 = 0
let breakEvenOffset: f64 = 0
let distance: f64 = 0
let activation: f64 = 0
let best: f64 = 0
let breakEvenActivation: f64 = 0
let breakEvenStop: f64 = 0

/** Reads the price that a run's stop follows. */
export function loadTrail(details: i32): void {
  trailLevel = details + trailLevelAt
  activationLevel = details + activationLevelAt
  breakEvenLevel = details + breakEvenLevelAt
  breakEvenOffset = readDouble(details + breakEvenLevelOffsetAt)
  distance = readDouble(details + positionTrailDistanceAt)
  activation = readDouble(details + positionTrailActivationAt)
  best = readDouble(details + positionBestAt)
  breakEvenActivation = readDouble(details + positionBreakEvenActivationAt)
  breakEvenStop = readDouble(details + positionBreakEvenStopAt)
}

/** Puts it back. */
export function saveTrail(details: i32): void {
  writeDouble(details + positionTrailDistanceAt, distance)
  writeDouble(details + positionTrailActivationAt, activation)
  writeDouble(details + positionBestAt, best)
  writeDouble(details + positionBreakEvenActivationAt, breakEvenActivation)
  writeDouble(details + positionBreakEvenStopAt, breakEvenStop)
}

/** Whether stops of this run may move. */
export function isMoving(): boolean {
  return isLevel(trailLevel) || isLevel(breakEvenLevel)
}

/** The tighter of a stop and another level; 0 is none. */
function tightened(stop: f64, level: f64, side: f64): f64 {
  if (!(level > 0)) return stop
  return stop === 0 || isFarther(level, stop, side) ? level : stop
}

function trailed(stop: f64, side: f64): f64 {
  const behind: f64 = trailedStop(best, side, distance, isFraction(trailLevel))
  return tightened(stop, onTick(behind), side)
}

/** The stop of a position that was decided at `index` and opened at a price. */
export function startTrail(index: i32, price: f64, side: f64, stop: f64): f64 {
  distance = 0
  best = price
  if (isLevel(breakEvenLevel)) {
    breakEvenActivation = levelAt(breakEvenLevel, index, price, side)
    breakEvenStop = onTick(partAway(price, side, breakEvenOffset))
  }
  if (!isLevel(trailLevel)) return stop
  const value: f64 = levelValue(trailLevel, index)
  if (!(value > 0)) return stop
  distance = value
  activation = levelFor(activationLevel, index, price, side)
  return activation === 0 ? trailed(stop, side) : stop
}

/** The stop after a candle that did not touch it. */
export function raisedStop(index: i32, side: f64, stop: f64): f64 {
  const reached: f64 = readDouble((side > 0 ? high : low) + (index << 3))
  let raised: f64 = stop
  if (isLevel(breakEvenLevel) && isActivated(reached, breakEvenActivation, side)) {
    raised = tightened(raised, breakEvenStop, side)
  }
  if (distance === 0) return raised
  if (isFarther(reached, best, side)) best = reached
  const trails: boolean = activation === 0 || isActivated(best, activation, side)
  return trails ? trailed(raised, side) : raised
}
