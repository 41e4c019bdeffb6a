// The exports of the kernels' WebAssembly module.

export { sumCloses } from "./averages"
export { prepareAverages, setAverages } from "./crossing"
export { setCandles, setCaps, setCosts, setFunding, setPrices, setRules } from "./market"
export { setTile } from "./market"
export { runProgram, takeSteps } from "./program"
export { recordSideChanges } from "./sideChanges"
export { findExtremes } from "./ranges"
export { findBlocks, invertCloses, sumReturns } from "./tile"
