/**
 * The candles of a backtest with its fills, a window at a time.
 */
import type { VNode } from "preact"
import { useMemo, useState } from "preact/hooks"
import { useAsked } from "../../parts/ask.ts"
import { CandleChart, type PriceLine } from "../../parts/CandleChart.tsx"
import { type ChartCandle, fetchCandles } from "../../parts/candles.ts"
import { secondsOf } from "../../parts/format.ts"
import { marksOf } from "../../parts/marks.ts"
import { SightNote, useSight } from "../../parts/sight.tsx"
import { Empty, Shown } from "../../parts/states.tsx"
import type { Report } from "./Report.ts"

const candlesShown = 1_000
const noLines: ReadonlyArray<PriceLine> = []

/** So many windows back from the end. */
const windowOf = ({ config }: Report, back: number) => {
  const spanMs = candlesShown * secondsOf(config.timeframe) * 1_000
  const endMs = Date.parse(config.to) - back * spanMs
  const firstMs = Date.parse(config.from)
  const startMs = Math.max(firstMs, endMs - spanMs)
  return {
    from: new Date(startMs).toISOString(),
    to: new Date(endMs).toISOString(),
    isFirst: startMs <= firstMs
  }
}

const Drawn = (props: {
  readonly run: Report
  readonly symbol: string
  readonly candles: ReadonlyArray<ChartCandle>
  readonly onSight: (from: number, to: number) => void
}): VNode => {
  const { candles, onSight, run, symbol } = props
  const marks = useMemo(() => {
    const [first, last] = [candles[0]?.time ?? 0, candles.at(-1)?.time ?? 0]
    const seen = run.trades.filter(({ executed_at, symbol: one }) => {
      const seconds = Date.parse(executed_at) / 1_000
      return one === symbol && seconds >= first && seconds <= last
    })
    return marksOf(seen, candles)
  }, [run.trades, candles, symbol])
  return candles.length === 0 ? (
    <Empty title="No candles here">The series may have been deleted since.</Empty>
  ) : (
    <CandleChart
      label={`Candles of ${symbol} with ${marks.length} fills; the tables below have the numbers`}
      candles={candles}
      marks={marks}
      lines={noLines}
      onSight={onSight}
    />
  )
}

const MarketChoice = (props: {
  readonly symbols: ReadonlyArray<string>
  readonly symbol: string
  readonly onChange: (symbol: string) => void
}): VNode | null => {
  const { onChange, symbol, symbols } = props
  return symbols.length === 1 ? null : (
    <select
      aria-label="Market"
      value={symbol}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {symbols.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  )
}

/** The candles of one of its markets, the last ones first. */
export const MarketChart = ({ run }: { readonly run: Report }): VNode => {
  const { symbols, timeframe } = run.config
  const [symbol, setSymbol] = useState(symbols[0]!)
  const [back, setBack] = useState(0)
  const { from, isFirst, to } = windowOf(run, back)
  const [sight, onSight] = useSight()
  const asked = useAsked(
    (signal) => fetchCandles({ symbol, timeframe, from, to }, signal),
    [symbol, back]
  )
  return (
    <section class="card">
      <div class="card-head wrap">
        <h2>
          {symbol} <SightNote sight={sight} from={from} to={to} />
        </h2>
        <div class="commands">
          <MarketChoice symbols={symbols} symbol={symbol} onChange={setSymbol} />
          <button type="button" class="plain" disabled={isFirst} onClick={() => setBack(back + 1)}>
            Earlier
          </button>
          <button
            type="button"
            class="plain"
            disabled={back === 0}
            onClick={() => setBack(back - 1)}
          >
            Later
          </button>
        </div>
      </div>
      <Shown asked={asked} what="the candles">
        {(candles) => <Drawn run={run} symbol={symbol} candles={candles} onSight={onSight} />}
      </Shown>
    </section>
  )
}
