/**
 * All trials of a search, sorted by any column, and the map of the best of them.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call, operationPath } from "../../api/call.ts"
import type { TrialRecord } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { formatMetric, formatNumber, formatParameter, words } from "../../parts/format.ts"
import { ListView } from "../../parts/ListView.tsx"
import { SaveButton } from "../../parts/SaveButton.tsx"
import { Shown } from "../../parts/states.tsx"
import type { Column } from "../../parts/Table.tsx"
import { useList } from "../../parts/useList.ts"
import { Heat } from "./Heat.tsx"

const metricsShown = ["total_return", "sharpe", "max_drawdown", "win_rate"]

const columnsOf = (names: ReadonlyArray<string>): ReadonlyArray<Column<TrialRecord>> => [
  { name: "Trial", isNumber: true, show: ({ index }) => index },
  ...names.map((name) => ({
    name: words(name),
    isNumber: true,
    show: ({ parameters }: TrialRecord) => formatParameter(parameters[name])
  })),
  { name: "Objective", isNumber: true, show: ({ objective }) => formatNumber(objective, 4) },
  {
    name: "Positions",
    isNumber: true,
    show: ({ position_count }) => formatNumber(position_count, 0)
  },
  ...metricsShown.map((name) => ({
    name: words(name),
    isNumber: true,
    show: ({ metrics }: TrialRecord) =>
      formatMetric(name, (metrics as Readonly<Record<string, number | null>>)[name])
  })),
  { name: "Eligible", show: ({ is_eligible }) => (is_eligible ? "yes" : "no") }
]

const pagesOfMap = 5

/** The best trials, as many as the map shows. */
const loadBest = async (id: string, signal: AbortSignal): Promise<ReadonlyArray<TrialRecord>> => {
  const all: Array<TrialRecord> = []
  let cursor: string | undefined
  for (let page = 0; page < pagesOfMap; page++) {
    const query = { limit: 100, cursor }
    const found = await call("optimizations.trials", { params: { id }, query, signal })
    all.push(...found.data)
    if (!found.has_more) break
    cursor = found.next_cursor ?? undefined
  }
  return all
}

/** All trials, and the map of the best. */
export const Trials = (props: {
  readonly id: string
  readonly names: ReadonlyArray<string>
}): VNode => {
  const { id, names } = props
  const [sort, setSort] = useState("objective")
  const best = useAsked((signal) => loadBest(id, signal), [id])
  const list = useList(
    (cursor, signal) =>
      call("optimizations.trials", { params: { id }, query: { limit: 100, cursor, sort }, signal }),
    [id, sort]
  )
  const sorts = ["objective", "index", "position_count", ...metricsShown]
  return (
    <>
      <Shown asked={best} what="the map">
        {(trials) => <Heat trials={trials} names={names} />}
      </Shown>
      <section class="card">
        <div class="card-head">
          <h2>Trials</h2>
          <div class="commands">
            <SaveButton
              title="Save as CSV"
              path={operationPath("optimizations.exportTrials", { params: { id } })}
              name="trials.csv"
              accept="text/csv"
            />
            <label>
              Sorted by{" "}
              <select value={sort} onChange={(event) => setSort(event.currentTarget.value)}>
                {[...sorts, ...names.map((name) => `parameters.${name}`)].map((name) => (
                  <option key={name} value={name}>
                    {words(name)}
                  </option>
                ))}
              </select>
            </label>
          </div>
        </div>
        <ListView
          caption="Trials"
          list={list}
          columns={columnsOf(names)}
          keyOf={({ index }) => String(index)}
          empty="No trials"
        />
      </section>
    </>
  )
}
