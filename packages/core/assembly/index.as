// What the WebAssembly module of the kernels exports.

export { setCosts, setSeries, setTile } from "./account"
export { compareDoubles } from "./memory"
export { runTile, setMarket, setSpan } from "./positions"
export { andBits, crossBits, findExtremes, orBits, sumReturns, withoutBits } from "./tile"
