// What the WebAssembly module of the desk exports.

export { matchClose, matchShown } from "./matchOrders"
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
export { closeAllLots, equityOf, ruin } from "./settleDesk"
