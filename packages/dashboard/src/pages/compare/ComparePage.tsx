/**
 * Two backtests side by side: their equity in one chart, their metrics and settings in one table.
 */
import type { VNode } from "preact"
import { useMemo } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { BacktestResults } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { formatMoment, words } from "../../parts/format.ts"
import { LineChart } from "../../parts/LineChart.tsx"
import { Measures } from "../../parts/measures.tsx"
import { Empty, Shown } from "../../parts/states.tsx"
import { type NameOf, useStrategyNames } from "../../parts/names.ts"
import { Table } from "../../parts/Table.tsx"
import { linkTo } from "../../shell/route.ts"
import type { PageProps } from "../pages.ts"
import { alignReturns } from "./alignReturns.ts"
import { settingText } from "./settingText.ts"

type Two = readonly [BacktestResults, BacktestResults]

const load = (one: string, other: string, signal: AbortSignal): Promise<Two> => {
  const ask = (id: string) => call("backtests.results", { params: { id }, signal })
  return Promise.all([ask(one), ask(other)])
}

/** Settings in which the two differ. */
const Differences = (props: { readonly two: Two; readonly nameOf: NameOf }): VNode => {
  const { nameOf, two } = props
  const [one, other] = two.map(({ config, strategy_id, strategy_version }) => ({
    strategy: nameOf(strategy_id),
    version: strategy_version,
    ...config
  })) as unknown as [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>]
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (name) => settingText(one[name]) !== settingText(other[name])
  )
  return (
    <section class="card">
      <h2>Settings that differ</h2>
      {names.length === 0 ? (
        <Empty title="None">Both ran with the same settings.</Empty>
      ) : (
        <Table
          caption="Settings that differ"
          items={names}
          keyOf={(name) => name}
          columns={[
            { name: "Setting", show: (name) => words(name) },
            { name: "One", isFree: true, show: (name) => settingText(one[name]) },
            { name: "Other", isFree: true, show: (name) => settingText(other[name]) }
          ]}
        />
      )}
    </section>
  )
}

const Equity = ({ two }: { readonly two: Two }): VNode => {
  const drawn = useMemo(() => {
    const [one, other] = two
    const { first, second, times } = alignReturns(one.equity_curve ?? [], other.equity_curve ?? [])
    return {
      times,
      lines: [
        { name: "One, %", colour: "accent", values: first },
        { name: "Other, %", colour: "warn", values: second }
      ]
    }
  }, [two])
  return (
    <section class="card">
      <h2>Return over time, in percent</h2>
      {drawn.times.length < 2 ? (
        <Empty title="No equity" />
      ) : (
        <LineChart
          label="Returns of both backtests"
          times={drawn.times}
          lines={drawn.lines}
          height={300}
        />
      )}
    </section>
  )
}

const Both = ({ two }: { readonly two: Two }): VNode => {
  const nameOf = useStrategyNames()
  return (
    <>
      <ul class="rows">
        {two.map((run, at) => (
          <li key={run.id}>
            <strong>{at === 0 ? "One" : "Other"}</strong>
            <a href={linkTo(["backtests", run.id])}>{formatMoment(run.created_at)}</a>
            <span class="note">
              {nameOf(run.strategy_id)}
              {run.strategy_version === undefined ? "" : `, version ${run.strategy_version}`}
              {run.config === undefined
                ? ""
                : ` · ${run.config.symbols.join(", ")} · ${run.config.timeframe}`}
            </span>
          </li>
        ))}
      </ul>
      <Equity two={two} />
      <div class="pair">
        <section class="card bounded">
          <h2>Metrics</h2>
          <Measures
            caption="Metrics of both"
            columns={[
              ["One", two[0].metrics],
              ["Other", two[1].metrics]
            ]}
          />
        </section>
        <Differences two={two} nameOf={nameOf} />
      </div>
    </>
  )
}

const Asked = (props: { readonly one: string; readonly other: string }): VNode => {
  const { one, other } = props
  const asked = useAsked((signal) => load(one, other, signal), [one, other])
  return (
    <Shown asked={asked} what="the backtests">
      {(two) => <Both two={two} />}
    </Shown>
  )
}

const ComparePage = ({ query }: PageProps): VNode => {
  const [one, other] = [query.get("one"), query.get("other")]
  return (
    <>
      <div>
        <p class="crumb">
          <a href={linkTo(["backtests"])}>Backtests</a>
        </p>
        <h1>Two backtests side by side</h1>
      </div>
      {one === null || other === null ? (
        <Empty title="Two are to be chosen">Choose them in the list of backtests.</Empty>
      ) : (
        <Asked one={one} other={other} />
      )}
    </>
  )
}

export default ComparePage
