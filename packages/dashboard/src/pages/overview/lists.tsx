/**
 * The positions of the bots in each market, and the alerts that fired last.
 */
import type { VNode } from "preact"
import type { OverviewRecord } from "../../api/types.ts"
import { conditionOf, valueOf } from "../../parts/alertWords.ts"
import { formatMoment, formatNumber, formatShare } from "../../parts/format.ts"
import type { NameOf } from "../../parts/names.ts"
import { Empty } from "../../parts/states.tsx"
import { Table } from "../../parts/Table.tsx"
import { Mode, Signed } from "../../parts/values.tsx"
import { linkTo } from "../../shell/route.ts"

/** The positions of the bots, by mode and market. */
export const Exposure = (props: { readonly exposure: OverviewRecord["exposure"] }): VNode => (
  <section class="card">
    <h2>Exposure</h2>
    {props.exposure.length === 0 ? (
      <Empty title="No open positions" />
    ) : (
      <Table
        caption="Exposure by market"
        items={props.exposure}
        keyOf={({ currency, mode, symbol }) => `${mode} ${currency} ${symbol}`}
        columns={[
          { name: "Market", show: ({ symbol }) => symbol },
          { name: "Mode", show: ({ mode }) => <Mode mode={mode} /> },
          { name: "Bots", isNumber: true, show: ({ bot_count }) => bot_count },
          { name: "Long", isNumber: true, show: ({ long_value }) => formatNumber(long_value) },
          { name: "Short", isNumber: true, show: ({ short_value }) => formatNumber(short_value) },
          {
            name: "Net",
            isNumber: true,
            show: ({ currency, net_value }) => (
              <Signed value={net_value} text={`${formatNumber(net_value)} ${currency}`} />
            )
          },
          {
            name: "Share of equity",
            isNumber: true,
            show: ({ share_of_equity }) => formatShare(share_of_equity, 1)
          }
        ]}
      />
    )}
  </section>
)

/** The alerts that fired last. */
export const FiredAlerts = (props: {
  readonly fired: OverviewRecord["alerts_fired"]
  readonly nameOf: NameOf
}): VNode => (
  <section class="card">
    <div class="card-head">
      <h2>Alerts that fired</h2>
      <a href={linkTo(["alerts"])}>All alerts</a>
    </div>
    {props.fired.length === 0 ? (
      <Empty title="No alert has fired" />
    ) : (
      <Table
        caption="Alerts that fired last"
        items={props.fired}
        keyOf={({ id }) => id}
        columns={[
          { name: "Fired", show: ({ last_fired_at }) => formatMoment(last_fired_at) },
          {
            name: "Alert",
            show: conditionOf
          },
          { name: "Value", isNumber: true, show: (one) => valueOf(one.metric, one.last_value) },
          { name: "Times", isNumber: true, show: ({ fired_count }) => fired_count },
          {
            name: "Bot",
            show: ({ bot_id }) =>
              bot_id === null ? "–" : <a href={linkTo(["bots", bot_id])}>{props.nameOf(bot_id)}</a>
          }
        ]}
      />
    )}
  </section>
)
