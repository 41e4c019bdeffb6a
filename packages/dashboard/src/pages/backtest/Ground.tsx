/**
 * The ground of a backtest: its candles, its costs, and the effect of their ambiguity.
 */
import type { VNode } from "preact"
import { formatDay, formatNumber, formatShare, words } from "../../parts/format.ts"
import { Table } from "../../parts/Table.tsx"
import type { Report } from "./Report.ts"

const costsOf = ({ config }: Report): string => {
  const { fees, fill, slippage } = config
  const paid =
    fees === null
      ? "Fees come from its markets"
      : `Fees are ${formatShare(fees.maker, 3)} as maker and ${formatShare(fees.taker, 3)} as taker`
  const slipped =
    slippage === null
      ? "slippage is that of its markets"
      : `slippage is ${formatShare(slippage, 3)}`
  return `${paid}, ${slipped}. Orders are filled at the ${fill === "close" ? "close" : "next open"}.`
}

const ambiguityOf = (run: Report): string | null => {
  const { ambiguous_candle_count: count, best_path_return: best, worst_path_return: worst } = run
  if (count === undefined || count === 0) return null
  return (
    `In ${formatNumber(count, 0)} candles stop and target were both touched. ` +
    `Its return would be ${formatShare(worst)} at worst and ${formatShare(best)} at best.`
  )
}

/** Candles, costs and parameters. */
export const Ground = ({ run }: { readonly run: Report }): VNode => {
  const ambiguity = ambiguityOf(run)
  const parameters = Object.entries(run.config.parameters)
  return (
    <section class="card">
      <h2>It rests on</h2>
      <Table
        caption="Candles of the backtest"
        items={run.data_quality ?? []}
        keyOf={({ symbol, timeframe }) => `${symbol} ${timeframe}`}
        columns={[
          {
            name: "Candles",
            show: ({ symbol, synthetic, timeframe }) => (
              <>
                {symbol} {timeframe} {synthetic ? <span class="badge warn">synthetic</span> : null}
              </>
            )
          },
          {
            name: "Count",
            isNumber: true,
            show: ({ candle_count: count }) => formatNumber(count, 0)
          },
          { name: "Gaps", isNumber: true, show: ({ gap_count: count }) => formatNumber(count, 0) },
          { name: "From", show: ({ first_at: at }) => formatDay(at) },
          { name: "To", show: ({ last_at: at }) => formatDay(at) }
        ]}
      />
      <p>{costsOf(run)}</p>
      {parameters.length === 0 ? null : (
        <p>
          Parameters: {parameters.map(([name, value]) => `${words(name)} ${value}`).join(", ")}.
        </p>
      )}
      {ambiguity === null ? null : <p>{ambiguity}</p>}
      {run.engine_version === undefined ? null : <p class="note">Engine {run.engine_version}</p>}
    </section>
  )
}
