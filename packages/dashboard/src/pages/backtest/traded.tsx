/**
 * The closed positions and the fills of a backtest.
 */
import type { VNode } from "preact"
import {
  formatMoment,
  formatNumber,
  formatShare,
  formatPrice,
  formatQuantity,
  words
} from "../../parts/format.ts"
import { Empty } from "../../parts/states.tsx"
import type { Column } from "../../parts/Table.tsx"
import { Signed } from "../../parts/values.tsx"
import { VirtualTable } from "../../parts/VirtualTable.tsx"
import type { Report } from "./Report.ts"

type Position = Report["positions"][number]
type Fill = Report["trades"][number]
interface Numbered<A> {
  readonly at: number
  readonly item: A
}

const numbered = <A,>(items: ReadonlyArray<A>): ReadonlyArray<Numbered<A>> =>
  items.map((item, at) => ({ at, item }))

const positionColumns: ReadonlyArray<Column<Numbered<Position>>> = [
  { name: "No.", isNumber: true, show: ({ at }) => at + 1 },
  { name: "Market", show: ({ item }) => `${item.symbol} ${item.direction}` },
  { name: "Opened", show: ({ item }) => formatMoment(item.entry_at) },
  { name: "At", isNumber: true, show: ({ item }) => formatPrice(item.entry_price) },
  { name: "Closed", show: ({ item }) => formatMoment(item.exit_at) },
  { name: "At ", isNumber: true, show: ({ item }) => formatPrice(item.exit_price) },
  { name: "Quantity", isNumber: true, show: ({ item }) => formatQuantity(item.quantity) },
  {
    name: "Result",
    isNumber: true,
    show: ({ item }) => <Signed value={item.pnl} text={formatNumber(item.pnl)} />
  },
  { name: "Return", isNumber: true, show: ({ item }) => formatShare(item.return) },
  {
    name: "Ended by",
    show: ({ item }) => `${words(item.exit_reason)}${item.is_ambiguous ? ", ambiguous" : ""}`
  }
]

const fillColumns: ReadonlyArray<Column<Numbered<Fill>>> = [
  { name: "No.", isNumber: true, show: ({ at }) => at + 1 },
  { name: "Time", show: ({ item }) => formatMoment(item.executed_at) },
  { name: "Market", show: ({ item }) => item.symbol },
  { name: "Side", show: ({ item }) => item.side },
  { name: "Leg", show: ({ item }) => words(item.leg) },
  { name: "Quantity", isNumber: true, show: ({ item }) => formatQuantity(item.amount) },
  { name: "Price", isNumber: true, show: ({ item }) => formatPrice(item.price) },
  { name: "Fee", isNumber: true, show: ({ item }) => formatNumber(item.fee, 4) }
]

const Listed = <A,>(props: {
  readonly title: string
  readonly items: ReadonlyArray<A>
  readonly count: number
  readonly columns: ReadonlyArray<Column<Numbered<A>>>
}): VNode => {
  const { columns, count, items, title } = props
  return (
    <section class="card low">
      <h2>
        {title}{" "}
        <span class="count">
          {formatNumber(count, 0)}
          {items.length < count ? `, the first ${formatNumber(items.length, 0)} are shown` : ""}
        </span>
      </h2>
      {items.length === 0 ? (
        <Empty title={`No ${title.toLowerCase()}`} />
      ) : (
        <VirtualTable
          caption={title}
          columns={columns}
          items={numbered(items)}
          keyOf={({ at }) => String(at)}
          onEnd={() => undefined}
        />
      )}
    </section>
  )
}

/** The closed positions, the oldest first. */
export const Positions = (props: {
  readonly positions: ReadonlyArray<Position>
  readonly count: number
}): VNode => (
  <Listed title="Positions" items={props.positions} count={props.count} columns={positionColumns} />
)

/** The fills, the oldest first. */
export const BacktestFills = (props: {
  readonly trades: ReadonlyArray<Fill>
  readonly count: number
}): VNode => <Listed title="Fills" items={props.trades} count={props.count} columns={fillColumns} />
