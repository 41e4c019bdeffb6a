/**
 * The offsets of the numbers that only stages over markets need.
 *
 * They are the ends of the header and of its records, and the table of shorter candles.
 *
 * @since 0.1.0
 */
import type { i32 } from "./number.ts"

// The header.
/** Funding that lots paid, less the funding that they got. */
export const fundingPaidAt: i32 = 136

/** Candles in which the path decides the end of a lot. */
export const ambiguousCountAt: i32 = 144

/** 1 where a lot was held after the open in any of the candles that were shown last. */
export const isHeldAt: i32 = 148

/** The number of shorter candles that there is room for. */
export const detailCapacityAt: i32 = 156

/** Where they begin. */
export const detailsAt: i32 = 160

/** The number that is laid out. */
export const detailCountAt: i32 = 164

// A market.
/** Funding of each interval, a fraction of the notional. */
export const fundingRateAt: i32 = 216

/** Milliseconds of that interval, or 0 where there is no funding. */
export const fundingIntervalAt: i32 = 224

/** The largest part of a candle's volume that an order gets. */
export const volumeMaxAt: i32 = 232

/** Slippage of an order as large as the candle's volume. */
export const volumeSlippageAt: i32 = 240

/** Volume of the candle that is shown, or NaN where it is unknown. */
export const volumeAt: i32 = 248

/** Close of the last candle that is over, or NaN before the first. */
export const lastCloseAt: i32 = 256

/** Open time of that candle. */
export const lastTimeAt: i32 = 264

/** 1 where the market has a candle at the time that is shown. */
export const isShownAt: i32 = 272

/** Whether there are shorter candles of the one that is shown. */
export const detailStateAt: i32 = 276

/** Candle in which the last lot was closed, or `none`. */
export const lastExitIndexAt: i32 = 280

/** 1 where a stop closed it. */
export const wasStoppedAt: i32 = 284

/** 1 where the market knows a share of volume. */
export const hasVolumeShareAt: i32 = 288

/** Orders of the queue that are no stops and no targets of lots. */
export const ownOrderCountAt: i32 = 292

/** The first time at which an order ends unfilled, or infinity. */
export const dueTimeAt: i32 = 296

// An order.
/** Why an exit was ordered. */
export const exitReasonAt: i32 = 132

/** The time from which on no candle fills it, or infinity. */
export const untilAt: i32 = 136

// A lot; the two count where `hasPassed` says so.
/** The lowest price at which another path through earlier candles had closed it. */
export const passedLowAt: i32 = 120

/** The highest such price. */
export const passedHighAt: i32 = 128

// A shorter candle.
/** Its open. */
export const detailOpenAt: i32 = 0

/** Its high. */
export const detailHighAt: i32 = 8

/** Its low. */
export const detailLowAt: i32 = 16

/** Bytes of a shorter candle. */
export const detailBytes: i32 = 24
