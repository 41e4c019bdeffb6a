/**
 * One backtest: how far it is, its figures and warnings, its equity, and its positions and fills.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call, operationPath } from "../../api/call.ts"
import type { BacktestResults } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { formatDay, formatMoment, formatNumber, formatShare, sentence } from "../../parts/format.ts"
import { Measures, type Metrics } from "../../parts/measures.tsx"
import { ProgressCard, useRun } from "../../parts/runs.tsx"
import { SaveButton } from "../../parts/SaveButton.tsx"
import { Empty, Shown } from "../../parts/states.tsx"
import { useStrategyNames } from "../../parts/names.ts"
import { Figure, Signed, State } from "../../parts/values.tsx"
import { linkTo } from "../../shell/route.ts"
import type { PageProps } from "../pages.ts"
import { MarketChart } from "./MarketChart.tsx"
import { BacktestEquity } from "./BacktestEquity.tsx"
import { Ground } from "./Ground.tsx"
import type { Report } from "./Report.ts"
import { BacktestFills, Positions } from "./traded.tsx"

const CancelButton = (props: { readonly id: string; readonly again: () => void }): VNode => {
  const [isAsked, setIsAsked] = useState(false)
  const cancel = async () => {
    await call("backtests.cancel", { params: { id: props.id } })
    props.again()
  }
  return (
    <div class="commands">
      <button type="button" class="plain" onClick={() => setIsAsked(true)}>
        Cancel
      </button>
      {isAsked ? (
        <Confirm
          title="Cancel the backtest"
          operation="Cancel the backtest"
          isDangerous
          onDo={cancel}
          onClose={() => setIsAsked(false)}
        >
          <p>It has no results then; it can be begun again at any time.</p>
        </Confirm>
      ) : null}
    </div>
  )
}

const Head = (props: { readonly run: BacktestResults; readonly again: () => void }): VNode => {
  const { again, run } = props
  const nameOf = useStrategyNames()
  const { config, strategy_version: version } = run
  return (
    <div class="head">
      <div>
        <p class="crumb">
          <a href={linkTo(["backtests"])}>Backtests</a>
        </p>
        <h1>Backtest of {formatMoment(run.created_at)}</h1>
        <p class="badges">
          <State name={run.status} />{" "}
          <span class="note">
            <a
              href={linkTo(["strategies", run.strategy_id], {
                version: version === undefined ? undefined : String(version)
              })}
            >
              {nameOf(run.strategy_id)}
            </a>
            {version === undefined ? "" : `, version ${version}`}
            {config === undefined
              ? ""
              : ` · ${config.symbols.join(", ")} · ${config.timeframe} · ${formatDay(config.from)} to ${formatDay(config.to)}`}
          </span>
        </p>
      </div>
      {["queued", "running"].includes(run.status) ? (
        <CancelButton id={run.id} again={again} />
      ) : run.status === "completed" ? (
        <div class="commands">
          <SaveButton
            title="Save the report"
            path={operationPath("backtests.report", { params: { id: run.id } })}
            name={`backtest-${run.created_at.slice(0, 10)}.html`}
            accept="text/html"
          />
        </div>
      ) : null}
    </div>
  )
}

const Warnings = ({ run }: { readonly run: BacktestResults }): VNode | null => {
  const { error, replaced_candles: replaced } = run
  const texts = [
    ...(error === null ? [] : [error.message]),
    ...(run.warnings ?? []),
    ...(replaced ?? []).map(({ sentence: text }) => text)
  ]
  return texts.length === 0 ? null : (
    <section class={`banner ${error === null ? "warn" : "bad"}`} aria-label="Warnings">
      {texts.map((text) => (
        <p key={text}>{sentence(text)}</p>
      ))}
    </section>
  )
}

const hasReport = (run: BacktestResults): run is Report =>
  run.config !== undefined && run.metrics !== undefined && run.equity_curve !== undefined

const Figures = ({ run }: { readonly run: Report }): VNode => {
  const metrics: Metrics = run.metrics
  const held = (run.benchmark?.buy_and_hold as Metrics | undefined)?.["total_return"]
  const total = metrics["total_return"] ?? null
  const end = run.equity_curve.at(-1)?.equity
  return (
    <dl class="figures">
      <Figure name="Return" note={`buy and hold ${formatShare(held)}`}>
        <Signed value={total} text={formatShare(total)} />
      </Figure>
      <Figure
        name="Equity"
        note={`from ${formatNumber(run.config.initial_capital)} ${run.currency ?? ""}`}
      >
        {formatNumber(end)}
      </Figure>
      <Figure name="Sharpe">{formatNumber(metrics["sharpe"])}</Figure>
      <Figure name="Largest drawdown">{formatShare(metrics["max_drawdown"])}</Figure>
      <Figure name="Positions" note={`${formatNumber(run.trade_count, 0)} fills`}>
        {formatNumber(run.position_count, 0)}
      </Figure>
      <Figure name="Won" note={`profit factor ${formatNumber(metrics["profit_factor"])}`}>
        {formatShare(metrics["win_rate"], 0)}
      </Figure>
    </dl>
  )
}

const Results = ({ run }: { readonly run: Report }): VNode => (
  <>
    <section class="card">
      <Figures run={run} />
    </section>
    <BacktestEquity curve={run.equity_curve} />
    <MarketChart run={run} />
    <div class="pair">
      <section class="card bounded">
        <h2>Metrics</h2>
        <Measures
          caption="Metrics"
          columns={[
            ["Strategy", run.metrics],
            ["Buy and hold", run.benchmark?.buy_and_hold]
          ]}
        />
      </section>
      <Ground run={run} />
    </div>
    <Positions positions={run.positions} count={run.position_count ?? run.positions.length} />
    <BacktestFills trades={run.trades} count={run.trade_count ?? run.trades.length} />
  </>
)

const BacktestPage = ({ rest }: PageProps): VNode => {
  const id = rest[0]!
  const asked = useAsked((signal) => call("backtests.results", { params: { id }, signal }), [id])
  const note = useRun(id, asked.data, asked.again)
  return (
    <Shown asked={asked} what="the backtest">
      {(run) => (
        <>
          <Head run={run} again={asked.again} />
          {note === undefined ? null : <ProgressCard note={note} what="the backtest" />}
          <Warnings run={run} />
          {hasReport(run) ? (
            <Results run={run} />
          ) : (
            <Empty title="No results">
              {["queued", "running"].includes(run.status)
                ? "They are shown here as soon as it is over."
                : "It ended without any."}
            </Empty>
          )}
        </>
      )}
    </Shown>
  )
}

export default BacktestPage
