/**
 * Open positions, working orders and fills of a bot, as tables.
 */
import type { VNode } from "preact"
import { call } from "../../api/call.ts"
import type { StatusRecord, ListedOrderRecord, TradeRecord } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import {
  formatMoment,
  formatNumber,
  formatPrice,
  formatQuantity,
  words
} from "../../parts/format.ts"
import { Empty, Shown } from "../../parts/states.tsx"
import { type Column, Table } from "../../parts/Table.tsx"
import { Signed, State } from "../../parts/values.tsx"

type Position = StatusRecord["open_positions"][number]

const stopWords = { venue: "at the exchange", local: "here", none: "none" } as const

const positionColumns: ReadonlyArray<Column<Position>> = [
  { name: "Market", show: ({ symbol }) => symbol },
  { name: "Side", show: ({ direction }) => direction },
  { name: "Quantity", isNumber: true, show: (one) => formatQuantity(one.quantity) },
  { name: "Entry", isNumber: true, show: ({ entry_price }) => formatPrice(entry_price) },
  { name: "Price", isNumber: true, show: (one) => formatPrice(one.price) },
  { name: "Value", isNumber: true, show: ({ value }) => formatNumber(value) },
  {
    name: "Result",
    isNumber: true,
    show: ({ unrealized_pnl }) => (
      <Signed value={unrealized_pnl} text={formatNumber(unrealized_pnl)} />
    )
  },
  { name: "Stop", isNumber: true, show: ({ stop_price }) => formatPrice(stop_price) },
  { name: "Target", isNumber: true, show: ({ target_price }) => formatPrice(target_price) },
  {
    name: "Stop is kept",
    show: ({ protection }) => (protection === undefined ? "–" : stopWords[protection])
  }
]

const orderColumns: ReadonlyArray<Column<ListedOrderRecord>> = [
  { name: "Decided at", show: ({ candle_time }) => formatMoment(candle_time) },
  { name: "Market", show: ({ symbol }) => symbol },
  { name: "Side", show: ({ side }) => side },
  { name: "For", show: ({ leg }) => words(leg) },
  { name: "Type", show: ({ type }) => words(type) },
  {
    name: "Quantity",
    isNumber: true,
    show: (order) => `${formatQuantity(order.filled_quantity)} / ${formatQuantity(order.quantity)}`
  },
  { name: "Limit", isNumber: true, show: ({ limit_price }) => formatPrice(limit_price) },
  { name: "Stop", isNumber: true, show: ({ stop_price }) => formatPrice(stop_price) },
  { name: "State", show: ({ status }) => <State name={status} /> }
]

const fillColumns: ReadonlyArray<Column<TradeRecord>> = [
  { name: "Time", show: ({ executed_at }) => formatMoment(executed_at) },
  { name: "Market", show: ({ symbol }) => symbol },
  { name: "Side", show: ({ side }) => side },
  { name: "For", show: ({ leg }) => words(leg) },
  { name: "Position", show: ({ position_effect }) => position_effect },
  { name: "Quantity", isNumber: true, show: ({ amount }) => formatQuantity(amount) },
  { name: "Price", isNumber: true, show: (fill) => formatPrice(fill.price) },
  {
    name: "Fee",
    isNumber: true,
    show: ({ fee, fee_currency }) => `${formatNumber(fee)} ${fee_currency}`
  },
  {
    name: "Result",
    isNumber: true,
    show: ({ realized_pnl: pnl }) =>
      pnl === null ? "–" : <Signed value={pnl} text={formatNumber(pnl)} />
  }
]

/** The positions of a bot, and its open orders. */
export const BotPositions = ({ status }: { readonly status: StatusRecord }): VNode => (
  <>
    <section class="card">
      <h2>Positions</h2>
      {status.open_positions.length === 0 ? (
        <Empty title="The bot holds no position" />
      ) : (
        <Table
          caption="Open positions"
          columns={positionColumns}
          items={status.open_positions}
          keyOf={({ symbol }) => symbol}
        />
      )}
    </section>
    {status.open_orders.length === 0 ? null : (
      <section class="card">
        <h2>Working orders</h2>
        <Table
          caption="Working orders"
          columns={orderColumns}
          items={status.open_orders}
          keyOf={({ id }) => id}
        />
      </section>
    )}
  </>
)

/** The newest fills of a bot. */
export const BotFills = (props: {
  readonly id: string
  readonly candleAt: string | null
}): VNode => {
  const { candleAt, id } = props
  const asked = useAsked(
    (signal) => call("bots.trades", { params: { id }, query: { limit: 50 }, signal }),
    [id, candleAt]
  )
  return (
    <section class="card bounded">
      <h2>Fills</h2>
      <Shown asked={asked} what="the fills">
        {({ data, has_more }) =>
          data.length === 0 ? (
            <Empty title="No fills yet" />
          ) : (
            <>
              <Table
                caption="Fills, the newest first"
                columns={fillColumns}
                items={data}
                keyOf={(fill) => fill.id}
              />
              {has_more ? <p class="note">The newest 50 are shown.</p> : null}
            </>
          )
        }
      </Shown>
    </section>
  )
}
