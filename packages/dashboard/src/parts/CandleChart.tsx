/**
 * Candles with fills and price lines, drawn by Lightweight Charts.
 */
import {
  CandlestickSeries,
  type CandlestickData,
  createChart,
  createSeriesMarkers,
  type IChartApi,
  LineStyle,
  type SeriesMarker,
  type UTCTimestamp
} from "lightweight-charts"
import type { VNode } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { colour, isDark } from "../shell/theme.ts"
import type { Candle } from "./candles.ts"

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

// Texts of marks that are nearer to one another cover each other.
const barsApart = 16

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

/** Which marks have so much room about them that their texts can be read. */
const roomOf = (
  marks: ReadonlyArray<Mark>,
  candles: ReadonlyArray<Candle>
): ReadonlyArray<boolean> => {
  const places = new Map(candles.map(({ time }, at) => [time, at]))
  const at = marks.map(({ time }) => places.get(time) ?? 0)
  const isFar = (one: number | undefined, other: number): boolean =>
    one === undefined || Math.abs(other - one) >= barsApart
  return at.map((place, index) => isFar(at[index - 1], place) && isFar(at[index + 1], place))
}

const digitsOf = (candles: ReadonlyArray<Candle>): number => {
  const last = candles.at(-1)?.close ?? 1
  return last >= 1_000 ? 2 : last >= 10 ? 3 : 5
}

/** Candles with fills and price lines. */
export const CandleChart = (props: {
  readonly label: string
  readonly candles: ReadonlyArray<Candle>
  readonly marks: ReadonlyArray<Mark>
  readonly lines: ReadonlyArray<PriceLine>
}): VNode => {
  const { candles, label, lines, marks } = props
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
    const hasRoom = roomOf(marks, candles)
    createSeriesMarkers(
      series,
      marks.map((mark, at) => markOf(hasRoom[at] === true, mark))
    )
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
    chart.timeScale().setVisibleLogicalRange({ from: candles.length - 160, to: candles.length + 6 })
    return () => chart.remove()
  }, [candles, marks, lines, isDark.value])
  return <div class="chart candles" ref={box} role="img" aria-label={label} />
}
