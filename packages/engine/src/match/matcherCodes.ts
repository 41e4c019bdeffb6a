/**
 * The numbers in a matcher: its rules of price, time and size, the purposes of orders, and their
 * ends.
 *
 * @since 0.1.0
 */
import type { i32 } from "./number.ts"

/** The first word of a matcher: the letters CWDK. */
export const matcherMagic: i32 = 0x4b445743

/** The layout that this engine reads and writes. */
export const matcherVersion: i32 = 4

// Where market orders fill.
/** At the open after their decision. */
export const atNextOpen: i32 = 0

/** At the close of their decision, at once. */
export const atClose: i32 = 1

/** At that close when the next candle comes, so that the last decision fills nothing. */
export const atPreviousClose: i32 = 2

// The effect of an entry on lots the other way.
/** It closes them first, the oldest first. */
export const closesOldest: i32 = 0

/** It opens beside them. */
export const opensBeside: i32 = 1

/** It is refused while any lot is open. */
export const opensAlone: i32 = 2

/**
 * The entry is merged into the open lot of its side, and refused while a lot of the other side is
 * open.
 */
export const mergesInto: i32 = 3

// The order of events in a candle.
/** Fills at its open and then fills inside it, exits before entries. */
export const byTime: i32 = 0

/** The queue as it stands, at any price. */
export const byQueue: i32 = 1

/**
 * Stages over all markets that have a candle at a time. Funding of all comes first, then market
 * orders at the opens of all, then the insides of all, then the ends.
 */
export const byStage: i32 = 2

// The price at which the lots of a market are valued when an entry there is sized.
/** The last close before the candle. */
export const valuedAtLastClose: i32 = 0

/** The close of the candle, which is not known at the fill. */
export const valuedAtClose: i32 = 1

/** The price of the fill. */
export const valuedAtFill: i32 = 2

// The fees that a size reserves.
/** The fees of its fill. */
export const feesOfFill: i32 = 0

/** Fees of each unit: the rate of the price before the spread, and a share of the fee per fill. */
export const feesOfUnit: i32 = 1

// The fate of an entry that can't be paid.
/** It is cut to the size that can be paid. */
export const isCut: i32 = 0

/** It is dropped. */
export const isDropped: i32 = 1

// The rounding of part of a lot to the market's step.
/** Down. */
export const roundsDown: i32 = 0

/** To the nearest one, halves to the even one, and to one step at least. */
export const roundsHalfEven: i32 = 1

// Where a stop-limit order fills whose stop the open has passed.
/** At the open, where its limit allows. */
export const gapAtOpen: i32 = 0

/** At its stop. */
export const gapAtStop: i32 = 1

/** At the open; one whose limit is not beyond its stop waits for the next candle. */
export const gapWaits: i32 = 2

// The purpose of an order.
/** It opens a lot. */
export const entryLeg: i32 = 0

/** It closes a lot at the market. */
export const closeLeg: i32 = 1

/** It is the stop of a lot. */
export const stopLeg: i32 = 2

/** It is the target of a lot. */
export const targetLeg: i32 = 3

/** It reduces the position of the other side, in any lots. */
export const exitLeg: i32 = 4

// Flags of an order.
/** Its quantity is given, not its fraction. */
export const hasQuantity: i32 = 1

/** It has a limit. */
export const hasLimit: i32 = 2

/** It has a stop. */
export const hasStop: i32 = 4

/** The lot that it opens gets a stop. */
export const hasStopLoss: i32 = 8

/** The lot that it opens gets a target. */
export const hasTakeProfit: i32 = 16

/** The stop of a stop-limit order was touched. */
export const isTriggered: i32 = 32

/** It has ended, and is swept out of the queue after the pass that goes on. */
export const isOver: i32 = 64

/**
 * The order belongs to a position: an entry adds, an exit reduces, and both end with the position.
 */
export const endsWithPosition: i32 = 128

/** The order's limit holds for the next open alone, where it fills or ends. */
export const isImmediate: i32 = 256

// The kinds of log rows.
/** An order ended without a fill. */
export const endedRow: i32 = 1

/** A lot, or part of it, was closed. */
export const closedRow: i32 = 2

/** A lot was opened. */
export const openedRow: i32 = 3

/** A lot paid funding, or got it. */
export const fundingRow: i32 = 4

// Why a lot was closed.
/** By an order at the market, or by an entry the other way. */
export const bySignal: i32 = 0

/** By its stop. */
export const byStopLoss: i32 = 1

/** By its target. */
export const byTakeProfit: i32 = 2

/** By the host, as no equity was left. */
export const byLiquidation: i32 = 3

/** By the host, as the candles end. */
export const byEndOfData: i32 = 4

/** By its stop, after that had trailed. */
export const byTrailingStop: i32 = 5

/** By its stop, after that had come to the entry. */
export const byBreakEven: i32 = 6

/** By an order, as it was held long enough. */
export const byTimeLimit: i32 = 7

/** By an order of somebody who forces it. */
export const byForceExit: i32 = 8

/** By an order, as trading was stopped. */
export const byKillSwitch: i32 = 9

// Kinds of a level.
/** There is none; of a stop or a target, the order's flags say so, and it is the price itself. */
export const noLevel: i32 = 0

/** A fraction of the entry price, or for a trail of the best price. */
export const fractionLevel: i32 = 1

/** A distance from that price. */
export const distanceLevel: i32 = 2

/** The price itself. */
export const priceLevel: i32 = 3

// Where the kind of a level is in an order's word of kinds, in bits.
/** Of its stop. */
export const stopLossKindAt: i32 = 0

/** Of its target. */
export const takeProfitKindAt: i32 = 2

/** Of the trail. */
export const trailKindAt: i32 = 4

/** Of the trail's activation. */
export const activationKindAt: i32 = 6

/** Of the rule that brings the stop to the entry. */
export const breakEvenKindAt: i32 = 8

// The movement of a lot's stop.
/** It trails. */
export const trails: i32 = 1

/** By a fraction of the best price. */
export const trailsByFraction: i32 = 2

/** From a price on only. */
export const waitsToTrail: i32 = 4

/** It comes to the entry. */
export const breaksEven: i32 = 8

/** Another path through earlier candles had closed the lot. */
export const hasPassed: i32 = 16

// The outcome of an order that ended.
/** Somebody cancelled it. */
export const cancelled: i32 = 1

/** The matcher refused it. */
export const rejected: i32 = 2

/** It was not filled in time. */
export const expired: i32 = 3

// Why an order ended.
/** It was asked for. */
export const askedFor: i32 = 0

/** Its quantity is not above zero. */
export const quantityFault: i32 = 1

/** Its fraction is not above zero and at most one. */
export const fractionFault: i32 = 2

/** Its stop loss is not on the losing side of its price. */
export const stopLossFault: i32 = 3

/** Its take profit is not on the winning side of its price. */
export const takeProfitFault: i32 = 4

/** There is not enough cash. */
export const lacksCash: i32 = 5

/** The market can't be shorted. */
export const lacksShorts: i32 = 6

/** It is below the minimum notional. */
export const lacksNotional: i32 = 7

/** It was not filled in time. */
export const outOfTime: i32 = 8

/** Another of its group was filled. */
export const otherFilled: i32 = 9

/** Nothing is held that it could reduce. */
export const nothingToReduce: i32 = 10

/** Less is held than it would reduce. */
export const noMoreToReduce: i32 = 11

/** A lot is open. */
export const isHeldAlready: i32 = 12

/** The candle has too little volume. */
export const lacksVolume: i32 = 13

/** There is not enough cash for the rest of it. */
export const restLacksCash: i32 = 14

/** There is not enough volume for the rest of it. */
export const restLacksVolume: i32 = 15

/** The position that the order adds to is closed. */
export const positionIsClosed: i32 = 16

// Whether there are shorter candles of a candle.
/** There are none. */
export const noDetail: i32 = 0

/** There are, and the host lays them out where it is asked for them. */
export const detailWaits: i32 = 1

/** They are laid out. */
export const detailIsLaid: i32 = 2

/** The candle after which nothing ends unfilled: there is none. */
export const neverDue: i32 = 2147483647

// The answers of a function of the matcher besides ids.
/** It did nothing, as there is too little room: the host copies the matcher into a larger block. */
export const full: i32 = -1

/** It is done. */
export const done: i32 = 0

/** It did nothing, as it needs the shorter candles of the one that is shown. */
export const needsDetail: i32 = -2
