/**
 * Where a series of candles is shown.
 */
import type { SeriesRecord } from "../../api/types.ts"
import { linkTo } from "../../shell/route.ts"

/** The page of a series. */
export const linkToSeries = ({
  owner,
  symbol,
  timeframe
}: Pick<SeriesRecord, "owner" | "symbol" | "timeframe">): string =>
  linkTo(["series"], { symbol, timeframe, owner })
