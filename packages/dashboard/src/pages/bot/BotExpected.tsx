/**
 * The return of the backtest over the bot's own period, the return of the bot, and the reasons for
 * the difference.
 */
import type { VNode } from "preact"
import { call } from "../../api/call.ts"
import type { Expected } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { formatMoment, formatNumber, formatQuantity, words } from "../../parts/format.ts"
import { Shown } from "../../parts/states.tsx"
import { Table } from "../../parts/Table.tsx"
import { Figure, Signed } from "../../parts/values.tsx"

const Causes = ({ seen }: { readonly seen: Expected }): VNode | null => {
  const all = [...Object.entries(seen.causes), ["unexplained", seen.unexplained] as const]
  const shown = all.filter(([, amount]) => amount !== 0)
  return shown.length === 0 ? (
    <p class="note">
      {seen.expected_trade_count === 0 && seen.realized_trade_count === 0
        ? "Neither has a fill yet."
        : seen.difference_count === 0
          ? "It did what its backtest does, fill by fill."
          : "Its fills differ, and earned the same."}
    </p>
  ) : (
    <Table
      caption="Causes of the difference"
      items={shown}
      keyOf={([cause]) => cause}
      columns={[
        { name: "Cause", show: ([cause]) => words(cause) },
        {
          name: `Amount, ${seen.currency}`,
          isNumber: true,
          show: ([, amount]) => <Signed value={amount} text={formatNumber(amount)} />
        }
      ]}
    />
  )
}

const Differences = ({ seen }: { readonly seen: Expected }): VNode | null =>
  seen.differences.length === 0 ? null : (
    <details>
      <summary>{formatNumber(seen.difference_count, 0)} differences</summary>
      <Table
        caption="Differences"
        items={seen.differences.slice(-100).toReversed()}
        keyOf={(one) => JSON.stringify(one)}
        columns={[
          { name: "Expected", show: ({ expected_at }) => formatMoment(expected_at) },
          { name: "Realised", show: ({ realized_at }) => formatMoment(realized_at) },
          { name: "What", show: ({ leg, side, symbol }) => `${side} ${symbol}, ${words(leg)}` },
          { name: "Quantity", isNumber: true, show: (one) => formatQuantity(one.quantity) },
          { name: "Cause", show: ({ cause }) => words(cause ?? "unexplained") },
          {
            name: "Amount",
            isNumber: true,
            show: ({ amount }) => <Signed value={amount} text={formatNumber(amount)} />
          }
        ]}
      />
    </details>
  )

/** Expected and realised results of a bot. */
export const BotExpected = (props: {
  readonly id: string
  readonly candleAt: string | null
}): VNode => {
  const { candleAt, id } = props
  const asked = useAsked(
    (signal) => call("bots.expected", { params: { id }, signal }),
    [id, candleAt]
  )
  return (
    <section class="card">
      <h2>Expected and realised</h2>
      <Shown asked={asked} what="the comparison">
        {(seen) => (
          <>
            <dl class="figures small">
              <Figure name="Expected" note={`${seen.expected_trade_count} fills`}>
                {formatNumber(seen.expected_result)}
              </Figure>
              <Figure name="Realised" note={`${seen.realized_trade_count} fills`}>
                {formatNumber(seen.realized_result)}
              </Figure>
              <Figure name="Difference" note={seen.currency}>
                <Signed value={seen.difference} text={formatNumber(seen.difference)} />
              </Figure>
            </dl>
            <Causes seen={seen} />
            <Differences seen={seen} />
          </>
        )}
      </Shown>
    </section>
  )
}
