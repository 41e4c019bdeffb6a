/**
 * The kinds of run that are all in, each with a loop of its own.
 *
 * `allIn.ts` has the loop for all runs. `roundTripsAtClose.ts`, `levelTouches.ts`, `longAtClose.ts`
 * and `sideChanges.ts` have simpler loops where fills are at closes. `sideChangesBothWays.ts` has
 * one where sides only change.
 *
 * @since 0.1.0
 */
import { runAllIn } from "./allIn.ts"
import { stopTouchesAt, targetTouchesAt } from "./layout.ts"
import { isDaily, sideChanges } from "./market.ts"
import { readWord } from "./memory.ts"
import type { f64, i32 } from "../../match/number.ts"
import { listRoundTripsWithSharedLevels } from "./levelTouches.ts"
import { listRoundTripsByRules, listRoundTripsWithLevels } from "./roundTripsAtClose.ts"
import { countSideChanges } from "./sideChanges.ts"
import { countSideChangesBothWays } from "./sideChangesBothWays.ts"

/** Takes a run that may be short, with levels, through the tile; the next round trip's address. */
export function runBothWays(
  account: i32,
  details: i32,
  longEntries: i32,
  longExits: i32,
  shortEntries: i32,
  shortExits: i32,
  trades: i32
): i32 {
  return runAllIn(
    0,
    1,
    0,
    0,
    account,
    details,
    longEntries,
    longExits,
    shortEntries,
    shortExits,
    trades
  )
}

/** The same of a run that only follows its rules. */
export function runBothWaysSimply(
  account: i32,
  details: i32,
  longEntries: i32,
  longExits: i32,
  shortEntries: i32,
  shortExits: i32,
  trades: i32
): i32 {
  return runAllIn(
    1,
    1,
    0,
    0,
    account,
    details,
    longEntries,
    longExits,
    shortEntries,
    shortExits,
    trades
  )
}

/** The same where the candles at which it changes sides are listed. */
export function runBothWaysBetweenCrossings(
  account: i32,
  details: i32,
  changesAt: i32,
  firstSide: f64,
  trades: i32
): i32 {
  let at: i32 = changesAt
  let side: f64 = firstSide
  if (trades === 0 && isDaily === 1) {
    at = countSideChangesBothWays(account, changesAt, firstSide)
    if (at === 0) return 0
    // The remaining case is a short that may be liquidated: its reversal is to the long side.
    side = 1
  }
  return runAllIn(1, 1, 1, side, account, details, at, 0, 0, 0, trades)
}

/** The same of a run that is never short. */
export function runLong(account: i32, details: i32, entries: i32, exits: i32, trades: i32): i32 {
  return runAllIn(0, 0, 0, 0, account, details, entries, exits, 0, 0, trades)
}

/** The same of a run that is never short and only follows its rules. */
export function runLongSimply(
  account: i32,
  details: i32,
  entries: i32,
  exits: i32,
  trades: i32
): i32 {
  return runAllIn(1, 0, 0, 0, account, details, entries, exits, 0, 0, trades)
}

/** The same for a run that is never short, is filled at closes, and lists no round trips. */
export function runLongAtClose(account: i32, details: i32, entries: i32, exits: i32): void {
  if (readWord(details + stopTouchesAt) !== 0 || readWord(details + targetTouchesAt) !== 0) {
    listRoundTripsWithSharedLevels(account, details, entries, exits)
  } else listRoundTripsWithLevels(account, details, entries, exits)
}

/** The same of a run that only follows its rules, too. */
export function runLongAtCloseSimply(account: i32, entries: i32, exits: i32): void {
  listRoundTripsByRules(account, entries, exits)
  countSideChanges(account, sideChanges)
}

/** The same where the candles at which it enters and exits are listed. */
export function runLongBetweenCrossings(account: i32, changesAt: i32): void {
  countSideChanges(account, changesAt)
}
