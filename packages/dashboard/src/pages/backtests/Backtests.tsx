/**
 * All backtests with their main metrics; two of them are chosen to be looked at side by side.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { ListedBacktest } from "../../api/types.ts"
import { useEvents } from "../../parts/ask.ts"
import { formatMoment, formatNumber, formatShare } from "../../parts/format.ts"
import { ListView } from "../../parts/ListView.tsx"
import { type NameOf, useStrategyNames } from "../../parts/names.ts"
import type { Column } from "../../parts/Table.tsx"
import { useList } from "../../parts/useList.ts"
import { Signed, State } from "../../parts/values.tsx"
import { go, linkTo } from "../../shell/route.ts"

type Metrics = Readonly<Record<string, number | null | undefined>>

const metricsOf = ({ metrics }: ListedBacktest): Metrics => metrics ?? {}

const asked: ReadonlyArray<Column<ListedBacktest>> = [
  {
    name: "Asked for",
    show: ({ created_at, id }) => <a href={linkTo(["backtests", id])}>{formatMoment(created_at)}</a>
  },
  {
    name: "State",
    show: ({ progress, status }) => (
      <>
        <State name={status} /> {status === "running" ? formatShare(progress, 0) : ""}
      </>
    )
  }
]

const measured: ReadonlyArray<Column<ListedBacktest>> = [
  {
    name: "Return",
    isNumber: true,
    show: (one) => {
      const value = metricsOf(one)["total_return"] ?? null
      return <Signed value={value} text={formatShare(value)} />
    }
  },
  {
    name: "Sharpe",
    isNumber: true,
    show: (one) => formatNumber(metricsOf(one)["sharpe"])
  },
  {
    name: "Drawdown",
    isNumber: true,
    show: (one) => formatShare(metricsOf(one)["max_drawdown"])
  },
  {
    name: "Positions",
    isNumber: true,
    show: (one) => formatNumber(metricsOf(one)["trades"], 0)
  },
  {
    name: "Won",
    isNumber: true,
    show: (one) => formatShare(metricsOf(one)["win_rate"], 0)
  }
]

const strategyColumn = (nameOf: NameOf): Column<ListedBacktest> => ({
  name: "Strategy",
  show: ({ strategy_id: id, strategy_version: version }) => (
    <>
      <a href={linkTo(["strategies", id])}>{nameOf(id)}</a>
      {version === undefined ? "" : <span class="note"> version {version}</span>}
    </>
  )
})

const chooseColumn = (
  chosen: ReadonlyArray<string>,
  choose: (id: string) => void
): Column<ListedBacktest> => ({
  name: "Compare",
  show: ({ created_at, id, status }) => (
    <input
      type="checkbox"
      aria-label={`Compare the one of ${formatMoment(created_at)}`}
      disabled={status !== "completed"}
      checked={chosen.includes(id)}
      onChange={() => choose(id)}
    />
  )
})

const matters = new Set(["run.progress", "run.ended", "backtest.complete"])

const Backtests = (): VNode => {
  const [chosen, setChosen] = useState<ReadonlyArray<string>>([])
  const nameOf = useStrategyNames()
  const list = useList(
    (cursor, signal) => call("backtests.list", { query: { limit: 100, cursor }, signal }),
    []
  )
  useEvents(({ type }) => matters.has(type), list.start)
  // A third choice takes the place of the first.
  const choose = (id: string) =>
    setChosen((before) =>
      before.includes(id) ? before.filter((one) => one !== id) : [...before.slice(-1), id]
    )
  return (
    <>
      <div class="head">
        <h1>Backtests</h1>
        <div class="commands">
          <button
            type="button"
            class="plain"
            disabled={chosen.length !== 2}
            onClick={() => go(["compare"], { one: chosen[0], other: chosen[1] })}
          >
            Compare two
          </button>
        </div>
      </div>
      <ListView
        caption="Backtests"
        list={list}
        columns={[...asked, strategyColumn(nameOf), ...measured, chooseColumn(chosen, choose)]}
        keyOf={({ id }) => id}
        empty="No backtests yet"
      >
        A backtest is begun at the page of a strategy.
      </ListView>
    </>
  )
}

export default Backtests
