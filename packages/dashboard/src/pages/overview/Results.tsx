/**
 * Equity and the result of each day, as charts and as a table of the same numbers.
 */
import type { VNode } from "preact"
import { useMemo } from "preact/hooks"
import type { Day } from "../../api/types.ts"
import { formatDay, formatNumber } from "../../parts/format.ts"
import { LineChart } from "../../parts/LineChart.tsx"
import { Table } from "../../parts/Table.tsx"
import { Signed } from "../../parts/values.tsx"

/** Equity and results of days, the oldest first. */
export const Results = (props: {
  readonly name: string
  readonly days: ReadonlyArray<Day>
}): VNode => {
  const { days, name } = props
  const drawn = useMemo(
    () => ({
      times: days.map((one) => Date.parse(one.day) / 1_000),
      equity: [{ name: "Equity", colour: "accent", values: days.map(({ equity }) => equity) }],
      pnl: [{ name: "Result", colour: "up", isBars: true, values: days.map(({ pnl }) => pnl) }]
    }),
    [days]
  )
  return (
    <>
      <div class="pair">
        <figure>
          <figcaption>Equity</figcaption>
          <LineChart label={`Equity of ${name} by day`} times={drawn.times} lines={drawn.equity} />
        </figure>
        <figure>
          <figcaption>Result by day</figcaption>
          <LineChart label={`Result of ${name} by day`} times={drawn.times} lines={drawn.pnl} />
        </figure>
      </div>
      <details>
        <summary>The same as a table</summary>
        <Table
          caption={`Days of ${name}`}
          items={days.toReversed()}
          keyOf={(one) => one.day}
          columns={[
            { name: "Day", show: (one) => formatDay(one.day) },
            { name: "Equity", isNumber: true, show: ({ equity }) => formatNumber(equity) },
            {
              name: "Result",
              isNumber: true,
              show: ({ pnl }) => <Signed value={pnl} text={formatNumber(pnl)} />
            }
          ]}
        />
      </details>
    </>
  )
}
