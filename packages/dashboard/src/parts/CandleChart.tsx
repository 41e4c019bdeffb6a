/**
 * Candles with fills and price lines, drawn by Lightweight Charts.
 */
import {
  CandlestickSeries,
  type CandlestickData,
  createChart,
  createSeriesMarkers,
  type IChartApi,
  type ISeriesApi,
  LineStyle,
  type SeriesMarker,
  type UTCTimestamp
} from "lightweight-charts"
import type { VNode } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { colour, isDark } from "../shell/theme.ts"
import type { ChartCandle } from "./candles.ts"

/** A fill on a chart. */
export interface Mark {
  /** In seconds. */
  readonly time: number
  readonly isBuy: boolean
  readonly text: string
}

/** A line at a price. */
export interface PriceLine {
  readonly price: number
  readonly title: string
  readonly kind: "order" | "stop" | "target" | "entry"
}

// Where more candles are in sight, texts of marks lie across them.
const barsForTexts = 40

// The width of a candle with its distance from the next, at first.
const barPx = 6.5

const colours: Readonly<Record<PriceLine["kind"], string>> = {
  order: "accent",
  stop: "down",
  target: "up",
  entry: "text-2"
}

const chartIn = (element: HTMLElement): IChartApi =>
  createChart(element, {
    autoSize: true,
    // A browser without a locale of its own would be refused as one.
    localization: { locale: "en-US" },
    layout: {
      background: { color: colour("surface") },
      textColor: colour("text-2"),
      fontFamily: "system-ui, sans-serif",
      fontSize: 11,
      // The logo adds a style that the page's policy refuses; the footer has the link.
      attributionLogo: false
    },
    grid: { vertLines: { visible: false }, horzLines: { color: colour("line") } },
    rightPriceScale: { borderVisible: false },
    timeScale: {
      borderVisible: false,
      timeVisible: true,
      secondsVisible: false,
      minBarSpacing: 0.01
    }
  })

const markOf = (hasText: boolean, { isBuy, text, time }: Mark): SeriesMarker<UTCTimestamp> => ({
  time: time as UTCTimestamp,
  position: isBuy ? "belowBar" : "aboveBar",
  shape: isBuy ? "arrowUp" : "arrowDown",
  color: colour(isBuy ? "up" : "down"),
  ...(hasText ? { text } : {})
})

/** Draws marks, with their texts while few candles are in sight. */
const drawMarks = (
  chart: IChartApi,
  series: ISeriesApi<"Candlestick">,
  marks: ReadonlyArray<Mark>
): void => {
  const drawn = createSeriesMarkers(
    series,
    marks.map((mark) => markOf(false, mark))
  )
  let hasTexts = false
  chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
    const isNear = range !== null && range.to - range.from <= barsForTexts
    if (isNear === hasTexts) return
    hasTexts = isNear
    drawn.setMarkers(marks.map((mark) => markOf(isNear, mark)))
  })
}

const tellSight = (
  chart: IChartApi,
  candles: ReadonlyArray<ChartCandle>,
  onSight: (from: number, to: number) => void
): void => {
  const at = (index: number) => candles[Math.max(0, Math.min(candles.length - 1, index))]!.time
  chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
    if (range !== null) onSight(at(Math.ceil(range.from)), at(Math.floor(range.to)))
  })
}

const digitsOf = (candles: ReadonlyArray<ChartCandle>): number => {
  const last = candles.at(-1)?.close ?? 1
  return last >= 1_000 ? 2 : last >= 10 ? 3 : 5
}

/** Candles with fills and price lines. */
export const CandleChart = (props: {
  readonly label: string
  readonly candles: ReadonlyArray<ChartCandle>
  readonly marks: ReadonlyArray<Mark>
  readonly lines: ReadonlyArray<PriceLine>
  /** Called with the times of the first and the last candle in sight, in seconds. */
  readonly onSight?: (from: number, to: number) => void
}): VNode => {
  const { candles, label, lines, marks, onSight } = props
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const chart = chartIn(box.current!)
    const precision = digitsOf(candles)
    const series = chart.addSeries(CandlestickSeries, {
      upColor: colour("up"),
      downColor: colour("down"),
      wickUpColor: colour("up"),
      wickDownColor: colour("down"),
      borderVisible: false,
      priceFormat: { type: "price", precision, minMove: 10 ** -precision }
    })
    series.setData(candles as unknown as Array<CandlestickData<UTCTimestamp>>)
    drawMarks(chart, series, marks)
    for (const { kind, price, title } of lines) {
      series.createPriceLine({
        price,
        title,
        color: colour(colours[kind]),
        lineWidth: 1,
        lineStyle: LineStyle.Dashed,
        axisLabelVisible: true
      })
    }
    if (onSight !== undefined) tellSight(chart, candles, onSight)
    const from = candles.length - Math.round(box.current!.clientWidth / barPx)
    chart.timeScale().setVisibleLogicalRange({ from, to: candles.length + 4 })
    return () => chart.remove()
  }, [candles, marks, lines, onSight, isDark.value])
  return <div class="chart candles" ref={box} role="img" aria-label={label} />
}
