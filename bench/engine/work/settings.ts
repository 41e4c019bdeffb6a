/**
 * The settings of the table. Rows 1 to 5 run as the prototype did. Row 10 runs as a backtest does
 * by default, and with costs that ruin nobody.
 */
import type { RunSetting } from "../Engine.ts"

/** All-in at the close, 0.02 % a side, no slippage, long only, Sharpe ratio of the candles. */
export const atClose: RunSetting = {
  capital: 1,
  fill: "close",
  feeRate: 0.0002,
  slippageRate: 0,
  lot: 0,
  tick: 0,
  canShort: false,
  returns: "candle"
}

/**
 * At the next open, 0.1 % a side, 0.05 % slippage, both ways, and a Sharpe ratio of the days.
 * Quantities and prices are on the steps of a market that names none.
 */
export const atNextOpen: RunSetting = {
  capital: 10_000,
  fill: "next_open",
  feeRate: 0.001,
  slippageRate: 0.0005,
  lot: 1e-8,
  tick: 1e-8,
  canShort: true,
  returns: "day"
}

/**
 * The same with costs so small that no run is ruined. A run that has lost all but the price of a
 * lot stops trading, and the rest costs nothing to compute.
 */
export const atNextOpenUnruined: RunSetting = {
  ...atNextOpen,
  feeRate: 1e-6,
  slippageRate: 1e-6
}
