/**
 * One series of candles: drawn, with its gaps and everything else that stands out in it.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call, operationPath } from "../../api/call.ts"
import type { SeriesFindingsRecord } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { counted, formatDay, formatMoment, formatNumber, formatShare } from "../../parts/format.ts"
import { SaveButton } from "../../parts/SaveButton.tsx"
import { Shown } from "../../parts/states.tsx"
import { Figure } from "../../parts/values.tsx"
import { go, linkTo } from "../../shell/route.ts"
import { Coverage } from "../candles/Coverage.tsx"
import { spanOf } from "../candles/stretches.ts"
import type { PageProps } from "../pages.ts"
import { Findings } from "./Findings.tsx"
import { endAround } from "./series.ts"
import { SeriesCandles } from "./SeriesCandles.tsx"

type Series = SeriesFindingsRecord["series"]

const Removal = (props: { readonly series: Series; readonly onClose: () => void }): VNode => {
  const { symbol, timeframe, candle_count: count } = props.series
  const remove = async () => {
    await call("candles.remove", { query: { symbol, timeframe } })
    go(["candles"])
  }
  return (
    <Confirm
      title={`Remove ${symbol} ${timeframe}`}
      operation="Remove the candles"
      isDangerous
      onDo={remove}
      onClose={props.onClose}
    >
      <p>
        {formatNumber(count, 0)} candles are removed. Results that were made with them stay, and
        can't be made again. A series that a bot follows is not removed.
      </p>
    </Confirm>
  )
}

const Operations = ({ series }: { readonly series: Series }): VNode => {
  const [isRemoving, setIsRemoving] = useState(false)
  const { owner, symbol, timeframe } = series
  return (
    <div class="commands">
      <a class="button" href={linkTo(["import"], { symbol, timeframe })}>
        Import more
      </a>
      <SaveButton
        title="Save as CSV"
        path={operationPath("candles.export", { query: { owner, symbol, timeframe } })}
        name={`${symbol.replace("/", "-")}-${timeframe}.csv`}
        accept="text/csv"
      />
      <button type="button" class="plain" onClick={() => setIsRemoving(true)}>
        Remove
      </button>
      {isRemoving ? <Removal series={series} onClose={() => setIsRemoving(false)} /> : null}
    </div>
  )
}

const Figures = ({ found }: { readonly found: SeriesFindingsRecord }): VNode => {
  const { series } = found
  return (
    <dl class="figures">
      <Figure name="Candles" note={`of ${series.timeframe}`}>
        {formatNumber(series.candle_count, 0)}
      </Figure>
      <Figure name="From" note="open time, UTC">
        {formatDay(series.first_at)}
      </Figure>
      <Figure name="To" note={formatMoment(series.last_at)}>
        {formatDay(series.last_at)}
      </Figure>
      <Figure name="Missing" note={`in ${counted(found.gap_count, "gap")}`}>
        {formatNumber(found.missing_count, 0)}
      </Figure>
      <Figure name="Outliers" note={`usual move ${formatShare(found.usual_move)}`}>
        {formatNumber(found.outlier_count, 0)}
      </Figure>
      <Figure name="Repeats" note="stretches that stood still">
        {formatNumber(found.repeat_count, 0)}
      </Figure>
    </dl>
  )
}

const Head = ({ series }: { readonly series: Series }): VNode => (
  <div class="head">
    <div>
      <p class="crumb">
        <a href={linkTo(["candles"])}>Candles</a>
      </p>
      <h1>
        {series.symbol} {series.timeframe}
      </h1>
      <p class="badges">
        <span class="badge">{series.owner === "shared" ? "shared" : "own"}</span>
        {series.synthetic ? <span class="badge warn">made up</span> : null}
        <span class="note">
          {series.source === null ? "" : `${series.source} · `}
          revision {series.revision ?? 1} · imported {formatMoment(series.updated_at)} · SHA-256{" "}
          <code title={series.hash}>{series.hash.slice(0, 12)}…</code>
        </span>
      </p>
    </div>
    <Operations series={series} />
  </div>
)

const Body = ({ found }: { readonly found: SeriesFindingsRecord }): VNode => {
  const { series } = found
  const [endMs, setEndMs] = useState<number>()
  const span = spanOf([series])
  const show = (at: string) => {
    setEndMs(endAround(at, series.timeframe))
    document.getElementById("drawn")?.scrollIntoView({ block: "center" })
  }
  return (
    <>
      <Head series={series} />
      <section class="card">
        <Figures found={found} />
        {span === null ? null : <Coverage series={series} span={span} isWide />}
      </section>
      <SeriesCandles series={series} endMs={endMs} onMove={setEndMs} />
      <Findings found={found} onShow={show} />
    </>
  )
}

const SeriesPage = ({ query }: PageProps): VNode => {
  const symbol = query.get("symbol") ?? ""
  const timeframe = query.get("timeframe") ?? ""
  const owner = query.get("owner") ?? undefined
  const asked = useAsked(
    (signal) => call("candles.inspect", { query: { symbol, timeframe, owner }, signal }),
    [symbol, timeframe, owner]
  )
  return (
    <Shown asked={asked} what="the series">
      {(found) => <Body found={found} />}
    </Shown>
  )
}

export default SeriesPage
