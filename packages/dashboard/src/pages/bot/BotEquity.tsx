/**
 * The worth of a bot, and the measures of it.
 */
import type { VNode } from "preact"
import { useMemo } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { Answer } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { formatNumber, formatShare } from "../../parts/format.ts"
import { LineChart } from "../../parts/LineChart.tsx"
import { Empty, Shown } from "../../parts/states.tsx"
import { Figure, Signed } from "../../parts/values.tsx"

type Performance = Answer<"bots.performance">

const Earned = ({ seen }: { readonly seen: Performance }): VNode => {
  const curve = seen.equity_curve
  const drawn = useMemo(
    () => ({
      times: curve.map(({ time }) => Date.parse(time) / 1_000),
      lines: [{ name: "Equity", colour: "accent", values: curve.map(({ equity }) => equity) }]
    }),
    [curve]
  )
  return (
    <>
      {curve.length < 2 ? (
        <Empty title="No equity yet" />
      ) : (
        <LineChart label="Equity of the bot" times={drawn.times} lines={drawn.lines} />
      )}
      <dl class="figures small">
        <Figure name="Return">
          <Signed value={seen.total_return} text={formatShare(seen.total_return)} />
        </Figure>
        <Figure name="Buy and hold">{formatShare(seen.benchmark.buy_and_hold_return)}</Figure>
        <Figure name="Realised">
          <Signed value={seen.realized_pnl} text={formatNumber(seen.realized_pnl)} />
        </Figure>
        <Figure name="Fees">{formatNumber(seen.fees_paid)}</Figure>
        <Figure name="Won / lost">
          {seen.wins} / {seen.losses}
        </Figure>
        <Figure name="Fills">{formatNumber(seen.trade_count, 0)}</Figure>
      </dl>
    </>
  )
}

/** The worth of a bot. */
export const BotEquity = (props: {
  readonly id: string
  readonly candleAt: string | null
}): VNode => {
  const { candleAt, id } = props
  const asked = useAsked(
    (signal) => call("bots.performance", { params: { id }, signal }),
    [id, candleAt]
  )
  return (
    <section class="card">
      <h2>Performance</h2>
      <Shown asked={asked} what="the performance">
        {(seen) => <Earned seen={seen} />}
      </Shown>
    </section>
  )
}
