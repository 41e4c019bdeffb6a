// What the WebAssembly module of the kernels exports.

export { setCosts, setSeries, setTile } from "./account"
export { runAllIn, setAllIn, setAllInTile } from "./allIn"
export { sumCloses } from "./averages"
export { crossAverages, prepareAverage, setAverages } from "./crossing"
export { compareDoubles } from "./memory"
export { runTile, setMarket, setSpan } from "./positions"
export { andBits, crossBits, findExtremes, orBits, sumReturns, withoutBits } from "./tile"
