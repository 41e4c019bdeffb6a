/**
 * The part of the drawn candles that a chart has in sight.
 */
import type { VNode } from "preact"
import { useCallback, useState } from "preact/hooks"
import { formatMoment } from "./format.ts"

/** The times of the first and the last candle in sight, in seconds. */
export type Sight = readonly [from: number, to: number]

/** The part that a chart has in sight, and the callback by which the chart reports it. */
export const useSight = (): readonly [
  sight: Sight | undefined,
  onSight: (from: number, to: number) => void
] => {
  const [sight, setSight] = useState<Sight>()
  const onSight = useCallback(
    (from: number, to: number) =>
      setSight((before) => (before?.[0] === from && before[1] === to ? before : [from, to])),
    []
  )
  return [sight, onSight]
}

const momentOf = (seconds: number): string => formatMoment(new Date(seconds * 1_000).toISOString())

/** The part in sight of the candles that a chart can be moved over. */
export const SightNote = (props: {
  readonly sight: Sight | undefined
  readonly from: string
  readonly to: string
}): VNode => {
  const { from, sight, to } = props
  const all = `${formatMoment(from)} to ${formatMoment(to)}`
  return (
    <span class="count">
      {sight === undefined ? all : `${momentOf(sight[0])} to ${momentOf(sight[1])}, of ${all}`}
    </span>
  )
}
