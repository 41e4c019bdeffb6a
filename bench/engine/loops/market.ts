/**
 * The market that the loops trade on: its steps and costs, for the engine as options and for the
 * loops as numbers.
 */

/** Equity at the start. */
export const capital = 10_000

/** Fees of limit and of other fills, and how far the latter slip, as parts of the price. */
export const makerRate = 0.0001
export const takerRate = 0.0002
export const slippageRate = 0.00005

const tick = 0.01
const lot = 0.00001
const lotsInOne = 100_000

/** The engine's options for it; positions that are open at the end stay open. */
export const marketOptions = {
  capital,
  fees: { maker: makerRate, taker: takerRate },
  slippage: slippageRate,
  endOfData: "open",
  market: { tick, lot }
} as const

/** The nearest price that an order may have. */
export const onTick = (price: number): number => Math.round(price / tick) / 100

/** The largest quantity on lots that is not above this one, but for rounding. */
export const onLot = (quantity: number): number =>
  Math.floor(quantity * lotsInOne * (1 + 1e-12)) / lotsInOne
