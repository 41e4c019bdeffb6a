/**
 * Where the numbers of a log row are: words that all kinds have, then an ended order as it was, or
 * numbers of a closing.
 *
 * @since 0.1.0
 */
import type { i32 } from "./number.ts"

/** The kind of the row. */
export const rowKindAt: i32 = 0

/** The market that it was in. */
export const rowMarketAt: i32 = 4

/** The candle that it was in. */
export const rowIndexAt: i32 = 8

/** Why. */
export const rowReasonAt: i32 = 12

/** The outcome of an order that ended, or 1 where a closing has a better path. */
export const rowOutcomeAt: i32 = 16

/** Id of the lot that was closed. */
export const rowLotAt: i32 = 20

/** Candle in which the lot was opened. */
export const rowEntryIndexAt: i32 = 24

/** Number of the lot's tag. */
export const rowTagAt: i32 = 28

/** 1 where the lot was long, -1 where it was short. */
export const rowDirectionAt: i32 = 32

/** 1 where the lot had a stop, and 2 where it had a target. */
export const rowLevelsAt: i32 = 36

/** The order that ended, as it was. */
export const rowOrderAt: i32 = 40

/** Units that were closed. */
export const rowQuantityAt: i32 = 40

/** Price at which the lot was opened. */
export const rowEntryPriceAt: i32 = 48

/** Open time of that candle. */
export const rowEntryTimeAt: i32 = 56

/** Price of the closing. */
export const rowPriceAt: i32 = 64

/** Open time of its candle. */
export const rowTimeAt: i32 = 72

/** Fees of both sides. */
export const rowFeesAt: i32 = 80

/** The result, net of fees. */
export const rowPnlAt: i32 = 88

/** The result had the candle gone the best way. */
export const rowBestPnlAt: i32 = 96

/** The stop that the lot had. */
export const rowStopLossAt: i32 = 104

/** The target that it had. */
export const rowTakeProfitAt: i32 = 112

/** Fee of the fill alone. */
export const rowFeeAt: i32 = 120

/** The result had the candle gone the worst way. */
export const rowWorstPnlAt: i32 = 128

/** Id of the exit that filled, or 0 where the lot's own stop or target closed it. */
export const rowOrderIdAt: i32 = 136

/** 1 where the market had no lot before an opening, or has none after a closing. */
export const rowIsWholeAt: i32 = 140

/** Funding that was paid. */
export const rowAmountAt: i32 = 88

/** Bytes of a log row. */
export const rowBytes: i32 = 184
