/**
 * Two curves of equity on one axis of time.
 */

/** Equity over time. */
export type Curve = ReadonlyArray<{ readonly time: string; readonly equity: number }>

const returnsOf = (curve: Curve, times: ReadonlyArray<number>): ReadonlyArray<number | null> => {
  const points = curve.map(({ equity, time }) => [Date.parse(time) / 1_000, equity] as const)
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return times.map(() => null)
  let at = 0
  return times.map((time) => {
    if (time < first[0] || time > last[0]) return null
    while (at + 1 < points.length && points[at + 1]![0] <= time) at += 1
    return (points[at]![1] / first[1] - 1) * 100
  })
}

/** Returns of both in percent at every time of either; null outside of a curve. */
export const alignReturns = (one: Curve, other: Curve) => {
  const all = [...one, ...other].map(({ time }) => Date.parse(time) / 1_000)
  const times = [...new Set(all)].toSorted((first, second) => first - second)
  return { times, first: returnsOf(one, times), second: returnsOf(other, times) }
}
