/**
 * Where the numbers of a matcher are, in bytes from where its header or one of its records begins.
 *
 * A matcher is one block: a header, then a table each of markets, orders, lots and log rows.
 * Records of a table are equally long, so a record is named by its slot: its distance from where
 * the table begins. Slots stay the same when the host copies a matcher into a larger block.
 *
 * @since 0.1.0
 */
import type { i32 } from "./number.ts"

/** The slot of nothing. */
export const none: i32 = -1

// The header.
/** Says that the block is a matcher. */
export const magicAt: i32 = 0

/** The layout that the block was written in. */
export const versionAt: i32 = 4

/** The length of the block. */
export const bytesAt: i32 = 8

/** The number of markets. */
export const marketCountAt: i32 = 12

/** The number of orders that there is room for. */
export const orderCapacityAt: i32 = 16

/** The number of lots that there is room for. */
export const lotCapacityAt: i32 = 20

/** The number of log rows that there is room for. */
export const logCapacityAt: i32 = 24

/** Where the orders begin. */
export const ordersAt: i32 = 28

/** Where the lots begin. */
export const lotsAt: i32 = 32

/** Where the log begins. */
export const logAt: i32 = 36

/** Orders at rest, those included that ended in the pass that goes on. */
export const orderCountAt: i32 = 40

/** Open lots. */
export const lotCountAt: i32 = 44

/** Log rows that the host has not drained. */
export const logCountAt: i32 = 48

/** The first free order record. */
export const freeOrderAt: i32 = 52

/** The first free lot record. */
export const freeLotAt: i32 = 56

/** The last id that was given; orders and lots share their ids. */
export const lastIdAt: i32 = 60

/** Where market orders fill. */
export const fillAt: i32 = 64

/** The effect of an entry on lots the other way. */
export const nettingAt: i32 = 68

/** The order of events in a candle. */
export const sequenceAt: i32 = 72

/** The price at which lots are valued when an entry is sized. */
export const sizingPriceAt: i32 = 76

/** The fees that a size reserves. */
export const feeReserveAt: i32 = 80

/** The fate of an entry that can't be paid. */
export const shortfallAt: i32 = 84

/** The rounding of part of a lot. */
export const portionRoundingAt: i32 = 88

/** Where a stop-limit order fills whose stop the open has passed. */
export const stopLimitGapAt: i32 = 92

/** 1 where the target of a stop entry may fill on the candle of the entry. */
export const targetOnStopEntryAt: i32 = 96

/** Cash. */
export const cashAt: i32 = 104

/** Fees of all fills. */
export const feesPaidAt: i32 = 112

/** Results of closed lots, net of fees. */
export const realizedPnlAt: i32 = 120

/** Notional of all fills. */
export const turnoverAt: i32 = 128

/** Bytes of the header; `stageLayout.ts` has the rest of its numbers. */
export const headerBytes: i32 = 168

// A market: its steps and costs, the candle that is shown, and the ends of its lists.
/** Step of quantities, or 0. */
export const lotStepAt: i32 = 0

/** The inverse of that step where it is a whole number, else 0. */
export const lotInverseAt: i32 = 8

/** Fee of market and stop fills, a fraction of their notional. */
export const takerRateAt: i32 = 16

/** Fee of limit and target fills, the same. */
export const makerRateAt: i32 = 24

/** Fee of each fill. */
export const feePerFillAt: i32 = 32

/** The fraction by which market and stop fills are worse than their price. */
export const slippageRateAt: i32 = 40

/** The same of entries of every kind. */
export const entrySpreadAt: i32 = 48

/** Largest notional of all lots over equity. */
export const leverageAt: i32 = 56

/** Open of the candle that is shown. */
export const openAt: i32 = 64

/** Its high. */
export const highAt: i32 = 72

/** Its low. */
export const lowAt: i32 = 80

/** Its close. */
export const closeAt: i32 = 88

/** Its open time. */
export const timeAt: i32 = 96

/** Close of the candle before the one that is shown. */
export const previousCloseAt: i32 = 104

/** Open time of that candle. */
export const previousTimeAt: i32 = 112

/** No order and no lot is touched by a candle that stays above this price and below the next. */
export const watchedBelowAt: i32 = 120

/** The price that it stays below. */
export const watchedAboveAt: i32 = 128

/** 1 where the two are those of the queue as it is. */
export const isWatchedAt: i32 = 136

/** Index of the candle that is shown. */
export const candleIndexAt: i32 = 140

/** Index of the one before it. */
export const previousIndexAt: i32 = 144

/** First order of the queue. */
export const firstOrderAt: i32 = 148

/** Last order of the queue. */
export const lastOrderAt: i32 = 152

/** The oldest lot. */
export const firstLotAt: i32 = 156

/** The newest lot. */
export const lastLotAt: i32 = 160

/** Orders of the queue that close lots at the market. */
export const closeCountAt: i32 = 164

/** Orders that ended and were not swept out of the queue yet. */
export const overCountAt: i32 = 168

/** 1 where an entry may open a short. */
export const canShortAt: i32 = 172

/** Where the market is in the table. */
export const marketIndexAt: i32 = 176

/** Step of prices, or 0. */
export const tickAt: i32 = 184

/** The inverse of that step where it is a whole number, else 0. */
export const tickInverseAt: i32 = 192

/** The least notional of an entry, or 0. */
export const minNotionalAt: i32 = 200

/** The first candle after which an order ends unfilled, or the largest word. */
export const dueAt: i32 = 208

/** Bytes of a market; `stageLayout.ts` has the rest of its numbers. */
export const marketBytes: i32 = 304

// An order. Its flags say which of its numbers count.
/** Units. */
export const quantityAt: i32 = 0

/** The fraction of the size that can be opened. */
export const fractionAt: i32 = 8

/** Its limit. */
export const limitAt: i32 = 16

/** Its stop. */
export const stopAt: i32 = 24

/** The stop of the lot that it opens. */
export const stopLossAt: i32 = 32

/** The target of that lot. */
export const takeProfitAt: i32 = 40

/** Its id. */
export const orderIdAt: i32 = 48

/** 1 where it buys, -1 where it sells. */
export const sideAt: i32 = 52

/** Its purpose. */
export const legAt: i32 = 56

/** Its parts and its state, as flags. */
export const flagsAt: i32 = 60

/** Slot of the lot that it closes. */
export const orderLotAt: i32 = 64

/** Candle on which it was placed. */
export const placedAt: i32 = 68

/** First candle on which it fills. */
export const liveFromAt: i32 = 72

/** Number of its tag, 0 where it has none. */
export const orderTagAt: i32 = 76

/** The order after it, or the next free record. */
export const nextOrderAt: i32 = 80

/** The order before it. */
export const previousOrderAt: i32 = 84

/** The distance by which the stop of the lot that it opens trails. */
export const trailAt: i32 = 88

/** The level from which on it does. */
export const activationAt: i32 = 96

/** The level from which on that stop is at the entry. */
export const breakEvenAt: i32 = 104

/** The distance beyond the entry, as a fraction of it. */
export const breakEvenOffsetAt: i32 = 112

/** The kinds of these levels and of stop and target: see `kindOf`. */
export const levelKindsAt: i32 = 120

/** The candle after which it ends if it was not filled, or `none`. */
export const expiresAt: i32 = 124

/** The group of orders of which one is filled, or 0. */
export const groupAt: i32 = 128

/** Bytes of an order; `stageLayout.ts` has the rest of its numbers. */
export const orderBytes: i32 = 144

// A lot: the part of a position that one entry opened.
/** Units, negative for a short. */
export const heldAt: i32 = 0

/** Price at which it was opened. */
export const entryPriceAt: i32 = 8

/** Open time of that candle. */
export const entryTimeAt: i32 = 16

/** Fees of its entry, less those of parts that were closed. */
export const entryFeesAt: i32 = 24

/** Id of the order that opened it. */
export const lotIdAt: i32 = 32

/** Candle in which it was opened. */
export const entryIndexAt: i32 = 36

/** Number of its tag. */
export const lotTagAt: i32 = 40

/** Slot of its stop order. */
export const stopOrderAt: i32 = 44

/** Slot of its target order. */
export const targetOrderAt: i32 = 48

/** First candle on which its stop fills. */
export const stopFromAt: i32 = 52

/** First candle on which its target fills. */
export const targetFromAt: i32 = 56

/** The lot after it, or the next free record. */
export const nextLotAt: i32 = 60

/** The lot before it. */
export const previousLotAt: i32 = 64

/** The distance by which its stop trails. */
export const trailDistanceAt: i32 = 72

/** The price from which on it does. */
export const trailActivationAt: i32 = 80

/** The best price since it was opened. */
export const bestAt: i32 = 88

/** The price from which on its stop is at the entry. */
export const breakEvenActivationAt: i32 = 96

/** That stop. */
export const breakEvenStopAt: i32 = 104

/** The flags that it has. */
export const movesAt: i32 = 112

/** Why its stop lies where it does. */
export const stopReasonAt: i32 = 116

/** Bytes of a lot; `stageLayout.ts` has the rest of its numbers. */
export const lotBytes: i32 = 136
