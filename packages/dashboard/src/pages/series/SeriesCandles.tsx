/**
 * The candles of a series, a window at a time.
 */
import type { VNode } from "preact"
import { useMemo } from "preact/hooks"
import type { SeriesRecord } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { CandleChart, type Mark, type PriceLine } from "../../parts/CandleChart.tsx"
import { fetchCandles } from "../../parts/candles.ts"
import { formatMoment } from "../../parts/format.ts"
import { SightNote, useSight } from "../../parts/sight.tsx"
import { Empty, Shown } from "../../parts/states.tsx"
import { windowAt } from "./series.ts"

const noMarks: ReadonlyArray<Mark> = []
const noLines: ReadonlyArray<PriceLine> = []

const useWindow = (series: SeriesRecord, endMs: number | undefined) =>
  useMemo(() => {
    const { first_at, last_at, timeframe } = series
    return first_at === null || last_at === null
      ? null
      : windowAt({ first_at, last_at, timeframe }, endMs)
  }, [series, endMs])

/** A window of candles, with buttons that move it. */
export const SeriesCandles = (props: {
  readonly series: SeriesRecord
  readonly endMs: number | undefined
  readonly onMove: (endMs: number) => void
}): VNode => {
  const { endMs, onMove, series } = props
  const { owner, symbol, timeframe } = series
  const window = useWindow(series, endMs)
  const [sight, onSight] = useSight()
  const asked = useAsked(
    async (signal) =>
      window === null
        ? []
        : fetchCandles({ symbol, timeframe, owner, from: window.from, to: window.to }, signal),
    [symbol, timeframe, owner, window?.from, window?.to]
  )
  if (window === null) return <Empty title="The series has no candles" />
  const { from, isFirst, isLast, to } = window
  const spanMs = Date.parse(to) - Date.parse(from)
  return (
    <section class="card" id="drawn">
      <div class="card-head wrap">
        <h2>
          Drawn <SightNote sight={sight} from={from} to={to} />
        </h2>
        <div class="commands">
          <button
            type="button"
            class="plain"
            disabled={isFirst}
            onClick={() => onMove(Date.parse(from))}
          >
            Earlier
          </button>
          <button
            type="button"
            class="plain"
            disabled={isLast}
            onClick={() => onMove(Date.parse(to) + spanMs)}
          >
            Later
          </button>
        </div>
      </div>
      <Shown asked={asked} what="the candles">
        {(candles) =>
          candles.length === 0 ? (
            <Empty title="No candles in this stretch">It lies within a gap.</Empty>
          ) : (
            <CandleChart
              label={`Candles of ${symbol}, ${timeframe}, from ${formatMoment(from)} to ${formatMoment(to)}`}
              candles={candles}
              marks={noMarks}
              lines={noLines}
              onSight={onSight}
            />
          )
        }
      </Shown>
    </section>
  )
}
