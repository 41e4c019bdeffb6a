/**
 * Results as one HTML page: plain values in, text out.
 *
 * @since 0.1.0
 */
export { bucketCandles, type PlainCandles } from "./page/bucketCandles.ts"
export { buildBacktestPage, type BacktestPageInput } from "./page/backtestPage.ts"
export { buildSearchPage, type SearchPageInput } from "./page/searchPage.ts"
export type { PageAssets } from "./page/frame.ts"
