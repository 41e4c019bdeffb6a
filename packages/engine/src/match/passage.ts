/**
 * The stretch of prices that orders are shown: a candle, its open alone, or its close.
 *
 * @since 0.1.0
 */
import type { f64, i32 } from "./number.ts"

/** Price at which the stretch begins. */
export let rangeOpen: f64 = 0

/** Its highest price. */
export let rangeHigh: f64 = 0

/** Its lowest price. */
export let rangeLow: f64 = 0

/** Whether market orders fill in it. */
export let fillsMarket: boolean = false

/** Price of market orders. */
export let marketPrice: f64 = 0

/** Candle of their fills. */
export let marketIndex: i32 = 0

/** Open time of that candle. */
export let marketTime: f64 = 0

/** Whether orders with a price are looked at, and exits of market entries are live at once. */
export let showsCandle: boolean = false

/** The prices that follow are these. */
export function setRange(open: f64, high: f64, low: f64): void {
  rangeOpen = open
  rangeHigh = high
  rangeLow = low
}

/** Market orders fill, at this price and on this candle. */
export function setMarketFill(price: f64, index: i32, time: f64): void {
  fillsMarket = true
  marketPrice = price
  marketIndex = index
  marketTime = time
}

/** Market orders wait. */
export function setNoMarketFill(): void {
  fillsMarket = false
}

/** Whether a candle is shown, not its close alone. */
export function setShowsCandle(isShown: boolean): void {
  showsCandle = isShown
}
