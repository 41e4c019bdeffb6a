/**
 * The result of a backtest as a short text, for a terminal.
 *
 * It computes nothing: each figure is one of the result.
 *
 * @since 0.1.0
 */
import { type MetricName, metrics } from "../language/Metric.ts"
import type { MetricUnit } from "../language/MetricRow.ts"
import type { BacktestResult } from "./backtest.ts"

/** The metrics that the text names, in its order. */
const named = [
  "total_return",
  "cagr",
  "volatility",
  "sharpe",
  "sortino",
  "calmar",
  "max_drawdown",
  "max_drawdown_candles",
  "exposure_time",
  "trades",
  "win_rate",
  "profit_factor",
  "expectancy",
  "average_candles_held",
  "fees_paid"
] as const satisfies ReadonlyArray<MetricName>

const texts: Readonly<Record<MetricUnit, (value: number) => string>> = {
  fraction: (value) => `${(100 * value).toFixed(2)} %`,
  ratio: (value) => value.toFixed(2),
  quote: (value) => value.toFixed(2),
  count: (value) => String(value),
  candles: (value) => `${Number(value.toFixed(1))} candles`
}

const timeText = (ms: number): string =>
  new Date(ms).toISOString().replace("T", " ").replace(":00.000Z", "")

/**
 * A backtest's period, equity and main metrics, a line each.
 *
 * **Details**
 *
 * Times are UTC. Amounts are in the quote currency. A metric without a number is a `-`; `reasons`
 * of the result says why.
 *
 * @category descriptions
 * @since 0.1.0
 */
export const describeResult = ({ equity, metrics: values, time }: BacktestResult): string => {
  const rows: ReadonlyArray<readonly [title: string, text: string]> = [
    ["First candle", timeText(time[0]!)],
    ["Last candle", timeText(time.at(-1)!)],
    ["Candles", String(time.length)],
    ["Equity at the end", equity.at(-1)!.toFixed(2)],
    ...named.map((name) => {
      const value = values[name]
      const { title, unit } = metrics[name]
      return [title, value === null ? "-" : texts[unit](value)] as const
    })
  ]
  const titleWidth = Math.max(...rows.map(([title]) => title.length))
  const textWidth = Math.max(...rows.map(([, text]) => text.length))
  return rows
    .map(([title, text]) => `${title.padEnd(titleWidth)}  ${text.padStart(textWidth)}`)
    .join("\n")
}
