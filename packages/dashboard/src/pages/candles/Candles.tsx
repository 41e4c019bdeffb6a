/**
 * All series of candles, with the stretch of time that each covers and where candles are missing.
 */
import type { VNode } from "preact"
import { useMemo } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { SeriesRecord } from "../../api/types.ts"
import { formatDay, formatNumber } from "../../parts/format.ts"
import { ListView } from "../../parts/ListView.tsx"
import type { Column } from "../../parts/Table.tsx"
import { useList } from "../../parts/useList.ts"
import { linkTo, setQuery } from "../../shell/route.ts"
import type { PageProps } from "../pages.ts"
import { Coverage } from "./Coverage.tsx"
import { linkToSeries } from "./linkToSeries.ts"
import { spanOf } from "./stretches.ts"

const Gaps = ({ series }: { readonly series: SeriesRecord }): VNode =>
  series.gap_count === 0 ? (
    <span class="faint">none</span>
  ) : (
    <a href={linkToSeries(series)}>{formatNumber(series.gap_count, 0)}</a>
  )

const Origin = ({ series }: { readonly series: SeriesRecord }): VNode => (
  <>
    {series.owner === "shared" ? "shared" : <span class="badge busy">own</span>}
    {series.synthetic ? (
      <>
        {" "}
        <span class="badge warn">made up</span>
      </>
    ) : null}
    {series.source === null ? null : (
      <span class="note url" title={series.source}>
        {series.source.replace(/^https?:\/\//, "")}
      </span>
    )}
  </>
)

const columnsOf = (all: ReadonlyArray<SeriesRecord>): ReadonlyArray<Column<SeriesRecord>> => {
  const span = spanOf(all)
  return [
    {
      name: "Market",
      show: (series) => (
        <a href={linkToSeries(series)} aria-label={`${series.symbol} ${series.timeframe}`}>
          {series.symbol}
        </a>
      )
    },
    { name: "Candle", show: ({ timeframe }) => timeframe },
    { name: "Candles", isNumber: true, show: (series) => formatNumber(series.candle_count, 0) },
    { name: "From", show: ({ first_at: at }) => formatDay(at) },
    { name: "To", show: ({ last_at: at }) => formatDay(at) },
    {
      name: "Covers",
      show: (series) => (span === null ? null : <Coverage series={series} span={span} />)
    },
    { name: "Gaps", isNumber: true, show: (series) => <Gaps series={series} /> },
    { name: "Whose", isFree: true, show: (series) => <Origin series={series} /> },
    { name: "Imported", show: ({ updated_at: at }) => formatDay(at) }
  ]
}

const Filters = ({ query }: Pick<PageProps, "query">): VNode => {
  const given = { symbol: query.get("symbol") ?? "", synthetic: query.get("synthetic") ?? "" }
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label>
        Market
        <input
          type="search"
          value={given.symbol}
          placeholder="BTC/USDT"
          onChange={(event) =>
            setQuery({ ...given, symbol: event.currentTarget.value.trim().toUpperCase() })
          }
        />
      </label>
      <label>
        Candles
        <select
          value={given.synthetic}
          onChange={(event) => setQuery({ ...given, synthetic: event.currentTarget.value })}
        >
          <option value="">all</option>
          <option value="false">real</option>
          <option value="true">made up</option>
        </select>
      </label>
    </form>
  )
}

const Candles = ({ query }: PageProps): VNode => {
  const [symbol, synthetic] = [query.get("symbol") ?? "", query.get("synthetic") ?? ""]
  const list = useList(
    (cursor, signal) =>
      call("candles.list", {
        query: {
          limit: 100,
          cursor,
          symbol: symbol === "" ? undefined : symbol,
          synthetic: synthetic === "" ? undefined : synthetic
        },
        signal
      }),
    [symbol, synthetic]
  )
  const columns = useMemo(() => columnsOf(list.items), [list.items])
  const isFiltered = symbol !== "" || synthetic !== ""
  return (
    <>
      <div class="head">
        <h1>Candles</h1>
        <a class="button primary" href={linkTo(["import"])}>
          Import candles
        </a>
      </div>
      <Filters query={query} />
      <ListView
        caption="Series of candles"
        list={list}
        columns={columns}
        keyOf={({ owner, symbol: market, timeframe }) => `${owner} ${market} ${timeframe}`}
        empty={isFiltered ? "No series is like this" : "No candles yet"}
      >
        {isFiltered
          ? "A market is written as BTC/USDT."
          : "Import a file of an exchange or a chart: CSV, JSON or Parquet, packed or not."}
      </ListView>
    </>
  )
}

export default Candles
