/**
 * The stretches of time that a series covers, as a strip.
 */
import type { VNode } from "preact"
import type { SeriesRecord } from "../../api/types.ts"
import { counted, formatDay } from "../../parts/format.ts"
import { type Span, stretchesOf } from "./stretches.ts"

const widthMin = 0.004

/** A strip of time, filled where the series has candles. */
export const Coverage = (props: {
  readonly series: Pick<SeriesRecord, "first_at" | "last_at" | "gaps" | "gap_count">
  readonly span: Span
  readonly isWide?: boolean
}): VNode => {
  const { isWide, series, span } = props
  const label =
    `From ${formatDay(series.first_at)} to ${formatDay(series.last_at)}, ` +
    `with ${counted(series.gap_count, "gap")}`
  return (
    <svg
      class={isWide === true ? "coverage wide" : "coverage"}
      viewBox="0 0 1 1"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {stretchesOf(series, span).map(([from, to]) => (
        <rect key={from} x={from} y={0} width={Math.max(widthMin, to - from)} height={1} />
      ))}
    </svg>
  )
}
