/**
 * All searches for parameters, with how far each is.
 */
import type { VNode } from "preact"
import { call } from "../../api/call.ts"
import type { Search } from "../../api/types.ts"
import { useEvents } from "../../parts/ask.ts"
import { formatMoment, formatNumber, formatShare } from "../../parts/format.ts"
import { ListView } from "../../parts/ListView.tsx"
import { type NameOf, useStrategyNames } from "../../parts/names.ts"
import type { Column } from "../../parts/Table.tsx"
import { useList } from "../../parts/useList.ts"
import { State } from "../../parts/values.tsx"
import { linkTo } from "../../shell/route.ts"

const columnsWith = (nameOf: NameOf): ReadonlyArray<Column<Search>> => [
  {
    name: "Asked for",
    show: ({ created_at, id }) => <a href={linkTo(["searches", id])}>{formatMoment(created_at)}</a>
  },
  { name: "State", show: ({ status }) => <State name={status} /> },
  { name: "Done", isNumber: true, show: ({ progress }) => formatShare(progress, 0) },
  {
    name: "Trials",
    isNumber: true,
    show: ({ completed_trials: done, total_trials: all }) =>
      all === null ? formatNumber(done, 0) : `${formatNumber(done, 0)} / ${formatNumber(all, 0)}`
  },
  {
    name: "Best so far",
    isNumber: true,
    show: ({ best_so_far: best }) => formatNumber(best?.objective, 3)
  },
  {
    name: "Strategy",
    show: ({ strategy_id: id, strategy_version: version }) => (
      <a href={linkTo(["strategies", id])}>
        {nameOf(id)}
        {version === undefined ? "" : `, version ${version}`}
      </a>
    )
  }
]

const matters = new Set(["run.progress", "run.ended", "strategy.optimized"])

const Searches = (): VNode => {
  const nameOf = useStrategyNames()
  const list = useList(
    (cursor, signal) => call("optimizations.list", { query: { limit: 100, cursor }, signal }),
    []
  )
  useEvents(({ type }) => matters.has(type), list.start)
  return (
    <>
      <h1>Searches</h1>
      <ListView
        caption="Searches"
        list={list}
        columns={columnsWith(nameOf)}
        keyOf={({ id }) => id}
        empty="No searches yet"
      >
        A search tries parameters of a strategy; it is begun at the page of the strategy.
      </ListView>
    </>
  )
}

export default Searches
