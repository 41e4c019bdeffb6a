/**
 * All strategies, with their verdicts.
 */
import type { VNode } from "preact"
import { call } from "../../api/call.ts"
import type { StrategyRecord } from "../../api/types.ts"
import { useEvents } from "../../parts/ask.ts"
import { formatDay, words } from "../../parts/format.ts"
import { ListView } from "../../parts/ListView.tsx"
import type { Column } from "../../parts/Table.tsx"
import { useList } from "../../parts/useList.ts"
import { State } from "../../parts/values.tsx"
import { VerdictBadge } from "../../parts/verdict.tsx"
import { linkTo, setQuery } from "../../shell/route.ts"
import type { PageProps } from "../pages.ts"
import { GenerateButton } from "./Generate.tsx"

const columns: ReadonlyArray<Column<StrategyRecord>> = [
  { name: "Name", show: ({ id, name }) => <a href={linkTo(["strategies", id])}>{name}</a> },
  { name: "State", show: ({ status }) => <State name={status} /> },
  { name: "Verdict", show: ({ verdict }) => <VerdictBadge verdict={verdict} /> },
  { name: "Origin", show: ({ origin }) => origin },
  { name: "Markets", show: ({ symbols }) => symbols.join(", ") },
  { name: "Candles", show: ({ timeframe }) => timeframe },
  { name: "Objective", show: ({ objective }) => (objective === null ? "–" : words(objective)) },
  { name: "Version", isNumber: true, show: ({ version }) => version },
  { name: "Made", show: ({ created_at }) => formatDay(created_at) }
]

const given = (value: string | null): string | undefined =>
  value === null || value === "" ? undefined : value

const Strategies = ({ query }: PageProps): VNode => {
  const [name, origin] = [given(query.get("name")), given(query.get("origin"))]
  const list = useList(
    (cursor, signal) =>
      call("strategies.list", { query: { limit: 100, cursor, name, origin }, signal }),
    [name, origin]
  )
  useEvents(({ type }) => type === "strategy.generated" || type === "run.ended", list.start)
  return (
    <>
      <div class="head">
        <h1>Strategies</h1>
        <div class="commands">
          <a class="plain button" href={linkTo(["write"])}>
            Write
          </a>
          <GenerateButton onStarted={list.start} />
        </div>
      </div>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label>
          Search
          <input
            type="search"
            value={name ?? ""}
            placeholder="part of a name"
            onChange={(event) => setQuery({ name: event.currentTarget.value, origin })}
          />
        </label>
        <label>
          Origin
          <select
            value={origin ?? ""}
            onChange={(event) => setQuery({ name, origin: event.currentTarget.value })}
          >
            <option value="">all</option>
            <option value="generated">generated</option>
            <option value="written">written</option>
          </select>
        </label>
      </form>
      <ListView
        caption="Strategies"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty="No strategies here"
      >
        A strategy is generated from an objective, or written by hand.
      </ListView>
    </>
  )
}

export default Strategies
