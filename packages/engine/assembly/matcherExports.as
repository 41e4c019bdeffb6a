// The exports of the matcher's WebAssembly module.

export { matchClose } from "./marketFills"
export { matchShown } from "./matchOrders"
export { endStages, matchInside, matchOpens } from "./matchStages"
export {
  attachExits,
  cancelEntries,
  cancelEntry,
  closeLotsNext,
  dropStops,
  dropTargets,
  limitLife,
  moveStops,
  moveTargets,
  placeEntry
} from "./placeOrders"
export { fillDirect } from "./directOrders"
export {
  limitReached,
  movedStopReached,
  stopOfLot,
  stopReached,
  stopReasonOfLot,
  targetOfLot,
  targetReached,
  trailTo,
  watchLevels
} from "./reachRules"
export { limitTime, placeExit, withdraw } from "./stageOrders"
export { closeAllLots, committedNotional, equityNow, openNotional, ruin } from "./settleMatcher"
export { endQuiet, isQuiet } from "./quietCandle"
