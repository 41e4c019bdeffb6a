/**
 * The windows of walking forward: the choice on one stretch, and its result on the next.
 */
import type { VNode } from "preact"
import type { SearchResults } from "../../api/types.ts"
import {
  formatDay,
  formatMetric,
  formatNumber,
  formatShare,
  valuesOf,
  words
} from "../../parts/format.ts"
import { type Column, Table } from "../../parts/Table.tsx"
import { Figure, Signed } from "../../parts/values.tsx"

type Walk = NonNullable<SearchResults["walk_forward"]>
type WalkWindow = Walk["windows"][number]

const spanOf = ({ from, last_candle_at: to }: WalkWindow["trained"]): string =>
  `${formatDay(from)} to ${formatDay(to)}`

const columnsOf = (objective: string): ReadonlyArray<Column<WalkWindow>> => [
  { name: "Chosen on", show: ({ trained }) => spanOf(trained) },
  { name: "Used on", show: ({ tested }) => spanOf(tested) },
  {
    name: "Parameters",
    isFree: true,
    show: ({ parameters }) => (parameters === null ? "none was eligible" : valuesOf(parameters))
  },
  {
    name: `${words(objective)} where chosen`,
    isNumber: true,
    show: (one) => formatMetric(objective, one.objective_in_sample)
  },
  {
    name: "where used",
    isNumber: true,
    show: (one) => formatMetric(objective, one.objective_out_of_sample)
  },
  {
    name: "Return",
    isNumber: true,
    show: ({ out_of_sample: used }) => {
      const value = used?.metrics["total_return"] ?? null
      return <Signed value={value} text={formatShare(value)} />
    }
  }
]

/** The results of walking forward, where the search was asked for it. */
export const WalkForward = ({ search }: { readonly search: SearchResults }): VNode | null => {
  const { config, walk_forward: walk } = search
  if (walk === undefined || config === undefined) return null
  return (
    <section class="card">
      <h2>Walking forward</h2>
      <dl class="figures">
        <Figure name="Return" note="of all windows, one after the other">
          <Signed value={walk.total_return} text={formatShare(walk.total_return)} />
        </Figure>
        <Figure name="Windows" note={walk.mode}>
          {formatNumber(walk.windows.length, 0)}
        </Figure>
        <Figure name="With a profit">{formatShare(walk.profitable_rate, 0)}</Figure>
        <Figure name="Left where used" note={`of the ${words(config.objective)} where chosen`}>
          {formatShare(walk.retained_rate, 0)}
        </Figure>
      </dl>
      <Table
        caption="Windows of walking forward"
        columns={columnsOf(config.objective)}
        items={walk.windows}
        keyOf={({ tested }) => tested.from}
      />
    </section>
  )
}
