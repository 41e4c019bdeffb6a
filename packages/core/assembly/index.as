// What the WebAssembly module of the kernels exports.

export { setCosts, setSeries, setTile } from "./account"
export { setAllIn, setAllInTile } from "./allIn"
export { sumCloses } from "./averages"
export { prepareAverage, setAverages } from "./crossing"
export { setMarket, setSpan } from "./positions"
export { runProgram, takeSteps } from "./program"
export { findBlocks, findExtremes, sumReturns } from "./tile"
