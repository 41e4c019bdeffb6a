/**
 * Metrics side by side.
 */
import type { VNode } from "preact"
import { formatMetric, words } from "./format.ts"
import { Table } from "./Table.tsx"

/** Metrics by their names. */
export type Metrics = Readonly<Record<string, number | null | undefined>>

const first = [
  "total_return",
  "cagr",
  "sharpe",
  "sortino",
  "calmar",
  "max_drawdown",
  "volatility",
  "win_rate",
  "profit_factor",
  "expectancy",
  "trade_count",
  "position_count",
  "exposure"
]

const place = (name: string): number => {
  const at = first.indexOf(name)
  return at === -1 ? first.length : at
}

/** Metrics of several stretches or runs, a column each. */
export const Measures = (props: {
  readonly caption: string
  readonly columns: ReadonlyArray<readonly [name: string, metrics: Metrics | undefined]>
}): VNode => {
  const given = props.columns.filter(([, metrics]) => metrics !== undefined)
  const names = [...new Set(given.flatMap(([, metrics]) => Object.keys(metrics!)))]
    .filter((name) => given.some(([, metrics]) => typeof metrics![name] === "number"))
    .toSorted((one, other) => place(one) - place(other))
  return (
    <Table
      caption={props.caption}
      items={names}
      keyOf={(name) => name}
      columns={[
        { name: "Metric", show: (name) => words(name) },
        ...given.map(([column, metrics]) => ({
          name: column,
          isNumber: true,
          show: (name: string) => formatMetric(name, metrics![name])
        }))
      ]}
    />
  )
}
