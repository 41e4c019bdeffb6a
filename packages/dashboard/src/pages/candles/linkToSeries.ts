/**
 * Where a series of candles is shown.
 */
import type { CandleSeries } from "../../api/types.ts"
import { linkTo } from "../../shell/route.ts"

/** The page of a series. */
export const linkToSeries = ({
  owner,
  symbol,
  timeframe
}: Pick<CandleSeries, "owner" | "symbol" | "timeframe">): string =>
  linkTo(["series"], { symbol, timeframe, owner })
