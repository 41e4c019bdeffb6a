/**
 * All bots: searched, filtered, commanded.
 *
 * Pages are loaded as the list is scrolled.
 */
import type { VNode } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { BotRecord } from "../../api/types.ts"
import { Commands } from "../../parts/commands.tsx"
import { formatDay, formatNumber, words } from "../../parts/format.ts"
import { Empty, Failure } from "../../parts/states.tsx"
import type { Column } from "../../parts/Table.tsx"
import { Mode, State } from "../../parts/values.tsx"
import { VirtualTable } from "../../parts/VirtualTable.tsx"
import { linkTo, setQuery } from "../../shell/route.ts"
import { useEvents } from "../../parts/ask.ts"
import type { PageProps } from "../pages.ts"
import { type BotFilter, useBots } from "./useBots.ts"

const statuses = ["running", "paused", "stopped", "error"]

const columnsWith = (renew: (id: string) => void): ReadonlyArray<Column<BotRecord>> => [
  { name: "Name", show: ({ id, name }) => <a href={linkTo(["bots", id])}>{name}</a> },
  { name: "State", show: ({ status }) => <State name={status} /> },
  {
    name: "Risk gate",
    show: ({ trading_state, trading_state_reason }) =>
      trading_state === "active" ? (
        <span class="faint">open</span>
      ) : (
        <span class="badge warn">{words(trading_state_reason)}</span>
      )
  },
  { name: "Mode", show: ({ mode }) => <Mode mode={mode} /> },
  { name: "Markets", show: ({ symbols }) => symbols.join(", ") },
  { name: "Candles", show: ({ timeframe }) => timeframe },
  {
    name: "Capital",
    isNumber: true,
    show: ({ capital_allocation }) => formatNumber(capital_allocation, 0)
  },
  { name: "Made", show: ({ created_at }) => formatDay(created_at) },
  {
    name: "Commands",
    isWide: true,
    show: (bot) => <Commands bot={bot} isShort onDone={() => renew(bot.id)} />
  }
]

const Filters = (props: {
  readonly filter: BotFilter
  readonly onChange: (filter: BotFilter) => void
}): VNode => {
  const { filter, onChange } = props
  const [name, setName] = useState(filter.name ?? "")
  useEffect(() => {
    if (name === (filter.name ?? "")) return
    const timer = setTimeout(() => onChange({ ...filter, name }), 250)
    return () => clearTimeout(timer)
  }, [name])
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label>
        Search
        <input
          type="search"
          value={name}
          placeholder="part of a name"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label>
        State
        <select
          value={filter.status ?? ""}
          onChange={(event) => onChange({ ...filter, status: event.currentTarget.value })}
        >
          <option value="">all</option>
          {statuses.map((status) => (
            <option key={status} value={status}>
              {status}
            </option>
          ))}
        </select>
      </label>
      <label>
        Mode
        <select
          value={filter.mode ?? ""}
          onChange={(event) => onChange({ ...filter, mode: event.currentTarget.value })}
        >
          <option value="">all</option>
          <option value="paper">paper</option>
          <option value="live">live</option>
        </select>
      </label>
    </form>
  )
}

const Bots = ({ query }: PageProps): VNode => {
  const filter: BotFilter = {
    name: query.get("name") ?? "",
    status: query.get("status") ?? "",
    mode: query.get("mode") ?? ""
  }
  const { bots, fault, isDone, isLoading, loadMore, renew, start } = useBots(filter)
  useEvents(({ type }) => type === "alert.triggered", start)
  const isFiltered = Object.values(filter).some((value) => value !== "")
  return (
    <>
      <h1>Bots</h1>
      <Filters filter={filter} onChange={(next) => setQuery({ ...next })} />
      <p class="lead" role="status">
        {isLoading && bots.length === 0
          ? "Loading…"
          : `${formatNumber(bots.length, 0)}${isDone ? "" : "+"} ${bots.length === 1 ? "bot" : "bots"}`}
      </p>
      {fault === undefined ? null : (
        <Failure title="The list can't be loaded" text={fault} onRetry={start} />
      )}
      {isDone && bots.length === 0 ? (
        <Empty title={isFiltered ? "No bot is like this" : "No bots yet"}>
          {isFiltered
            ? "Change the search or the filters."
            : "A bot runs a strategy on a market. It is made at the page of a strategy."}
        </Empty>
      ) : (
        <VirtualTable
          caption="Bots"
          columns={columnsWith(renew)}
          items={bots}
          keyOf={({ id }) => id}
          onEnd={loadMore}
        />
      )}
    </>
  )
}

export default Bots
