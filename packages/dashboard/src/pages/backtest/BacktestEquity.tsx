/**
 * The worth of a backtest, and its distance below its highest worth.
 */
import type { VNode } from "preact"
import { useMemo } from "preact/hooks"
import { LineChart } from "../../parts/LineChart.tsx"
import { Empty } from "../../parts/states.tsx"

type Curve = ReadonlyArray<{ readonly time: string; readonly equity: number }>

/** How far each point is below the highest before it, in percent. */
export const drawdownsOf = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
  let highest = -Infinity
  return values.map((value) => {
    highest = Math.max(highest, value)
    return highest > 0 ? (value / highest - 1) * 100 : 0
  })
}

/** Equity and drawdown. */
export const BacktestEquity = ({ curve }: { readonly curve: Curve }): VNode => {
  const drawn = useMemo(() => {
    const values = curve.map(({ equity }) => equity)
    return {
      times: curve.map(({ time }) => Date.parse(time) / 1_000),
      equity: [{ name: "Equity", colour: "accent", values }],
      drawdown: [{ name: "Drawdown, %", colour: "down", values: drawdownsOf(values) }]
    }
  }, [curve])
  return (
    <section class="card">
      <h2>Equity and drawdown</h2>
      {curve.length < 2 ? (
        <Empty title="No equity">It saw fewer than two candles.</Empty>
      ) : (
        <>
          <LineChart label="Equity of the backtest" times={drawn.times} lines={drawn.equity} />
          <LineChart
            label="Drawdown of the backtest"
            times={drawn.times}
            lines={drawn.drawdown}
            height={130}
          />
        </>
      )}
    </section>
  )
}
