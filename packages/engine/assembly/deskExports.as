// What the WebAssembly module of the desk exports.

export { closeAllLots, equityOf, matchClose, matchShown, ruin } from "./matchOrders"
export {
  cancelEntries,
  cancelEntry,
  closeLotsNext,
  dropStops,
  dropTargets,
  moveStops,
  moveTargets,
  placeEntry
} from "./placeOrders"
