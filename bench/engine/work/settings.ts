/**
 * The two settings of the table: rows 1 to 5 as the prototype ran, row 10 as a backtest is by
 * default.
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
 * At the next open, 0.1 % a side, 0.05 % slippage, both ways, Sharpe ratio of the days, quantities and
 * prices on the steps of a market that names none.
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
 * The same with a lot so small that what costs leave of the capital always pays for one: who can't
 * pay for a lot any more has nothing left to compute.
 */
export const withEndlessLots: RunSetting = { ...atNextOpen, lot: 1e-60 }
