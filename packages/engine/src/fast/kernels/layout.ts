/**
 * The offsets of a run's numbers, in bytes from the beginning of its account or its details.
 *
 * The codes of steps and of kinds of runs are here too.
 *
 * @since 0.1.0
 */
import type { i32 } from "../../match/number.ts"

// The account: the values that change with every position. Doubles first, then words.
/** Cash, without the position. */
export const accountCashAt: i32 = 0

/** Quantity of the position, negative for a short. */
export const positionQuantityAt: i32 = 8

/** Equity at the last candle that was counted. */
export const lastEquityAt: i32 = 16

/** The highest equity so far. */
export const peakAt: i32 = 24

/** The deepest fall of equity so far, a part of its peak. */
export const deepestAt: i32 = 32

/** Sum of the returns. */
export const sumAt: i32 = 40

/** Sum of their squares. */
export const squaresAt: i32 = 48

/** Equity at the end of the last day. */
export const dayEquityAt: i32 = 56

/** Price at which the position was opened. */
export const positionEntryPriceAt: i32 = 64

/** Price at which the equity of the position is used up, or 0. */
export const liquidationAt: i32 = 72

/** The first candle that was not counted yet. */
export const cursorAt: i32 = 80

/** The first day that was not counted yet. */
export const dayAt: i32 = 84

/** Candle in which the position was opened. */
export const positionEntryIndexAt: i32 = 88

/** Number of positions that were opened. */
export const entryCountAt: i32 = 92

/** The first candle at whose close something may be decided. */
export const decisionAt: i32 = 96

/** The first candle that may touch a level of the position. */
export const positionLiveFromAt: i32 = 100

/** Number of entries that were not ordered, as too little was left of them. */
export const tooSmallAt: i32 = 104

/** The first candle at whose open the position may have funding to pay. */
export const dueFromAt: i32 = 108

/** The costs that the position paid so far: the fee of its entry, and funding. */
export const paidAt: i32 = 112

/** Bytes of an account. */
export const accountBytes: i32 = 128

// The details: levels of the position, and the permissions of the run.
/** Price of the stop of the position, or 0. */
export const positionStopAt: i32 = 0

/** Price of its target, or 0. */
export const positionTargetAt: i32 = 8

/** Whether the equity is used up: `isRepeated` or `isRuined`, or 0. */
export const isLiquidatedAt: i32 = 16

/** The stop of new positions. */
export const stopLevelAt: i32 = 24

/** Their target. */
export const targetLevelAt: i32 = 40

/** The base of their size. */
export const sizeKindAt: i32 = 56

/** The size of that part. */
export const sizeValueAt: i32 = 64

/** Candles after which a position is left, or -1. */
export const timeLimitAt: i32 = 72

/** Candles without a position after one was left. */
export const cooldownAt: i32 = 76

/** The same after a stop. */
export const cooldownAfterStopAt: i32 = 80

/** The distance by which a stop trails. */
export const trailLevelAt: i32 = 88

/** The price from which on it does. */
export const activationLevelAt: i32 = 104

/** The price from which on the stop is at the entry. */
export const breakEvenLevelAt: i32 = 120

/** The distance beyond the entry, as a fraction of it. */
export const breakEvenLevelOffsetAt: i32 = 136

/** The distance by which the stop of the position trails, or 0. */
export const positionTrailDistanceAt: i32 = 144

/** The price from which on it does, or 0. */
export const positionTrailActivationAt: i32 = 152

/** The best price since the position was opened. */
export const positionBestAt: i32 = 160

/** The price from which on its stop is at the entry. */
export const positionBreakEvenActivationAt: i32 = 168

/** That stop. */
export const positionBreakEvenStopAt: i32 = 176

/**
 * Where the candles that touch its stop are kept by the candle of the entry, or 0 where it is no
 * stop of many runs.
 */
export const stopTouchesAt: i32 = 184

/** The same of its target. */
export const targetTouchesAt: i32 = 188

/** The kind of order of entries. */
export const entryKindAt: i32 = 192

/** Candles that an order rests, or -1 where it rests until it is filled. */
export const entryLifeAt: i32 = 196

/** The distance of an order from the close, a part of it. */
export const entryOffsetAt: i32 = 200

/** The quantity of the order at rest, negative where it sells; 0 where none is. */
export const restingAt: i32 = 208

/** The price of the order at rest. */
export const restingPriceAt: i32 = 216

/** The candle at whose close it was placed. */
export const restingFromAt: i32 = 224

/** The column of the volatility that a size depends on. */
export const volatilityColumnAt: i32 = 228

/** The volatility of a year is so many times that of a candle. */
export const annualizingAt: i32 = 232

/** The number of safety orders of a position. */
export const safetyCountAt: i32 = 240

/** The number of filled safety orders. */
export const safetyFilledAt: i32 = 244

/** The distance of the first safety order from the first entry price, a part of that price. */
export const safetyDistanceAt: i32 = 248

/** Each distance from the order before is so many times the distance before it. */
export const safetyDistanceFactorAt: i32 = 256

/** Each notional is so many times the notional before it. */
export const safetySizeFactorAt: i32 = 264

/** The notional of the first safety order, or 0 where it is that of the first entry. */
export const safetyNotionalAt: i32 = 272

/** Where price and quantity of each safety order are. */
export const safetyListAt: i32 = 280

/** The candle at whose close the safety orders were placed. */
export const safetyFromAt: i32 = 284

/** The number of a grid's lines that buy. */
export const lineCountAt: i32 = 288

/** Where the lines are. */
export const lineListAt: i32 = 292

/** Bytes of a run's details. */
export const runDetailsBytes: i32 = 296

// A line of a grid that buys: doubles one after the other, and the line above it after it.
/** The price of the line. */
export const linePriceAt: i32 = 0

/** The quantity that the line has bought, or would buy. */
export const lineQuantityAt: i32 = 8

/** Whether the line is free, rests or holds. */
export const lineStateAt: i32 = 16

/** Bytes of a line. */
export const lineBytes: i32 = 24

// The fates of a run whose equity is used up.
/** A short may be liquidated, or an order cut: the plain path repeats the run. */
export const isRepeated: i32 = 1

/** The run has lost everything in that period, and nothing changes after it. */
export const isRuined: i32 = 2

// Kinds of an entry.
/** At the next open, or at the close. */
export const marketEntry: i32 = 0

/** A limit order. */
export const limitEntry: i32 = 1

/** A stop order. */
export const stopEntry: i32 = 2

// A level: its value, then its kind and the column that it is read from.
/** Kind of a level, after its value: none, a fraction, a distance, a price. */
export const levelKindAt: i32 = 8

/** The column that it is read from. */
export const levelColumnAt: i32 = 12

// Kinds of a size.
/** A part of equity. */
export const equitySize: i32 = 0

/** As much as costs a part of equity at the stop. */
export const riskSize: i32 = 1

/** The quantity that an amount of money buys. */
export const notionalSize: i32 = 2

/** A quantity. */
export const quantitySize: i32 = 3

/** A quantity whose volatility a year is this part of equity. */
export const volatilitySize: i32 = 4

// A round trip as it is written: doubles one after the other.
/** Candle in which it was opened. */
export const roundTripEntryIndexAt: i32 = 0

/** Candle in which it was closed. */
export const roundTripExitIndexAt: i32 = 8

/** Price at which it was opened. */
export const roundTripEntryPriceAt: i32 = 16

/** Price at which it was closed. */
export const roundTripExitPriceAt: i32 = 24

/** Its quantity, negative for a short. */
export const roundTripQuantityAt: i32 = 32

/** Why it was closed. */
export const roundTripReasonAt: i32 = 40

/** Fees of both sides, and the funding paid, less the funding got. */
export const roundTripFeesAt: i32 = 48

/** Bytes of a round trip. */
export const roundTripBytes: i32 = 56

// Why a position was closed.
/** A rule says so. */
export const closedByRule: i32 = 0

/** Its stop was touched. */
export const closedByStop: i32 = 1

/** Its target was touched. */
export const closedByTarget: i32 = 2

/** It was held as long as it may be. */
export const closedByTimeLimit: i32 = 3

/** The candles end. */
export const closedByEnd: i32 = 4

/** The equity was used up. */
export const closedByLiquidation: i32 = 5

// The operations of a step.
/** Where one series is above another, and where it is not. */
export const compareStep: i32 = 0

/** Where bits begin to hold. */
export const crossStep: i32 = 1

/** Both at once, as a part of a rule. */
export const andStep: i32 = 2

/** One or the other, as a part of a rule. */
export const orStep: i32 = 3

/** One without the other, and the other without the one. */
export const netStep: i32 = 4

/** Where averages cross. */
export const averagesStep: i32 = 5

/** The same bits, with the known facts about their words. */
export const copyStep: i32 = 6

// The loop that a run takes through a tile: `kinds.ts` has all but the first.
/** Any size and any side, in `positions.ts`. */
export const generalRun: i32 = 0

/** All in, long and short. */
export const bothWaysRun: i32 = 1

/** The same, by its rules alone. */
export const bothWaysSimplyRun: i32 = 2

/** All in, never short. */
export const longRun: i32 = 3

/** The same, by its rules alone. */
export const longSimplyRun: i32 = 4

/** All in, never short, filled at closes. */
export const longAtCloseRun: i32 = 5

/** The same, by its rules alone. */
export const longAtCloseSimplyRun: i32 = 6

/** The same between the crossings of two averages. */
export const longBetweenCrossingsRun: i32 = 7

/** All in, long and short in turn, from one crossing of two averages to the next. */
export const bothWaysBetweenCrossingsRun: i32 = 8

/** The lines of a grid, each a lot of its own. */
export const gridRun: i32 = 9
