/**
 * Lines or bars over time, drawn by uPlot; the same numbers stand in a table beside it for readers
 * who see no picture.
 */
import type { VNode } from "preact"
import { useEffect, useRef } from "preact/hooks"
import uPlot from "uplot"
import { colour, isDark } from "../shell/theme.ts"
import { formatNumber } from "./format.ts"

/** One line of a chart. */
export interface Line {
  readonly name: string
  readonly values: ReadonlyArray<number | null>
  /** The name of a colour of the style sheet. */
  readonly colour: string
  readonly isBars?: boolean
}

const digitsOf = (values: ReadonlyArray<number>): number => {
  const step = Math.abs((values[1] ?? 1) - (values[0] ?? 0))
  return step >= 1 ? 0 : step >= 0.01 ? 2 : 4
}

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ")

/** A tick's time: the clock within days, the day within months, else the month and its year. */
const tickOf = (seconds: number, stepSeconds: number): string => {
  const time = new Date(seconds * 1_000)
  const month = months[time.getUTCMonth()]!
  if (stepSeconds >= 28 * 86_400) return `${month} ${time.getUTCFullYear()}`
  return stepSeconds >= 86_400 ? `${time.getUTCDate()} ${month}` : time.toISOString().slice(11, 16)
}

const axisOf = (side: "time" | "value"): uPlot.Axis => ({
  stroke: colour("text-2"),
  font: "11px system-ui, sans-serif",
  grid: { stroke: colour("line"), width: 1, show: side === "value" },
  ticks: { show: false },
  ...(side === "value"
    ? {
        size: 58,
        values: (_chart, values) => values.map((value) => formatNumber(value, digitsOf(values)))
      }
    : {
        size: 30,
        space: 72,
        values: (_chart, values) =>
          values.map((value) => tickOf(value, (values[1] ?? 0) - (values[0] ?? 0)))
      })
})

/** Bars above zero in one colour, below it in another. */
const barPaths = (): uPlot.Series => {
  const colours = {
    unit: 3,
    values: (chart: uPlot, at: number) =>
      (chart.data[at] as ReadonlyArray<number>).map((value) => colour(value >= 0 ? "up" : "down"))
  }
  // The library exports its enum of units as a type alone.
  const disp = { fill: colours, stroke: colours } as never
  return { paths: uPlot.paths.bars!({ size: [0.7, 24], disp }), points: { show: false } }
}

const seriesOf = (line: Line): uPlot.Series => ({
  label: line.name,
  value: (_chart, value) => formatNumber(value),
  ...(line.isBars === true
    ? { ...barPaths(), fill: colour("up"), stroke: colour("up"), width: 0 }
    : { stroke: colour(line.colour), width: 1.5, points: { show: false } })
})

/** Has the legend show the last values while the pointer is elsewhere. */
const showLast = (chart: uPlot): void => {
  if (chart.cursor.idx == null) chart.setLegend({ idx: chart.data[0].length - 1 }, false)
}

const optionsOf = (lines: ReadonlyArray<Line>, width: number, height: number): uPlot.Options => ({
  width,
  height,
  tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), "Etc/UTC"),
  series: [{ label: "Time", value: "{YYYY}-{MM}-{DD} {HH}:{mm}" }, ...lines.map(seriesOf)],
  axes: [axisOf("time"), axisOf("value")],
  cursor: { y: false, points: { size: 6 } },
  legend: { show: true, live: true },
  hooks: { setCursor: [showLast], ready: [showLast] },
  padding: [8, 8, 0, 0]
})

/** Lines or bars over times in seconds. */
export const LineChart = (props: {
  readonly label: string
  readonly times: ReadonlyArray<number>
  readonly lines: ReadonlyArray<Line>
  readonly height?: number
}): VNode => {
  const { height = 220, label, lines, times } = props
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = box.current!
    const data = [times, ...lines.map(({ values }) => values)] as unknown as uPlot.AlignedData
    const chart = new uPlot(optionsOf(lines, element.clientWidth, height), data, element)
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [times, lines, height, isDark.value])
  return <div class="chart" ref={box} role="img" aria-label={label} />
}
