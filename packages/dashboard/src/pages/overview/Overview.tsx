/**
 * The account at one look: worth and results by mode and currency, halts, exposure, alerts.
 */
import type { VNode } from "preact"
import { call } from "../../api/call.ts"
import type { Answer, Day, OverviewRecord as OverviewData, Performance } from "../../api/types.ts"
import { type Asked, useAsked, useEvents } from "../../parts/ask.ts"
import {
  counted as countOf,
  formatDay,
  formatNumber,
  formatShare,
  sentence,
  words
} from "../../parts/format.ts"
import { useBotNames } from "../../parts/names.ts"
import { Empty, Shown } from "../../parts/states.tsx"
import { Figure, Mode, Signed, State } from "../../parts/values.tsx"
import { linkTo } from "../../shell/route.ts"
import { type WorthGroup, worthGroups } from "./groups.ts"
import { FiredAlerts, Exposure } from "./lists.tsx"
import { Results } from "./Results.tsx"

const daysShown = 30
// Equity by day is summed over all bots: it need not follow each fill.
const daysPauseMs = 30_000

const matters = new Set(["trade.executed", "alert.triggered"])

type Days = Asked<Answer<"portfolio.equity">>

const Halted = ({ overview }: { readonly overview: OverviewData }): VNode | null =>
  overview.is_halted ? (
    <section class="banner bad" role="alert">
      <strong>The account is halted.</strong>{" "}
      {sentence(overview.halted_reason ?? "no reason was given")} No bot enters anything until it is
      resumed.
    </section>
  ) : null

const HeldBack = ({ overview }: { readonly overview: OverviewData }): VNode | null =>
  overview.held_back_count === 0 ? null : (
    <section class="card">
      <h2>
        Held back <span class="count">{overview.held_back_count}</span>
      </h2>
      <ul class="rows">
        {overview.held_back.map((bot) => (
          <li key={bot.id}>
            <a href={linkTo(["bots", bot.id])}>{bot.name}</a> <Mode mode={bot.mode} />{" "}
            <State name={bot.status} />{" "}
            {bot.trading_state === "active" ? null : (
              <span class="badge warn">
                {bot.trading_state}: {words(bot.trading_state_reason)}
              </span>
            )}
            <span class="reason">
              {[bot.error?.message, ...bot.hindrances.map(({ message }) => message)]
                .filter((text) => text !== undefined)
                .map(sentence)
                .join(" ")}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )

const Worth = (props: { readonly worth: Performance; readonly today: Day | undefined }): VNode => {
  const { today, worth } = props
  const { currency } = worth
  return (
    <dl class="figures">
      <Figure name="Equity" note={`${currency}, ${countOf(worth.bot_count, "bot")}`}>
        {formatNumber(worth.equity)}
      </Figure>
      <Figure name="Last day" note={today === undefined ? undefined : formatDay(today.day)}>
        <Signed value={today?.pnl ?? null} text={formatNumber(today?.pnl)} />
      </Figure>
      <Figure name="Return" note={`of ${formatNumber(worth.capital_allocation, 0)} ${currency}`}>
        <Signed value={worth.total_return} text={formatShare(worth.total_return)} />
      </Figure>
      <Figure
        name="Realised"
        note={
          worth.deleted_bot_count === 0
            ? undefined
            : `${countOf(worth.deleted_bot_count, "deleted bot")} too`
        }
      >
        <Signed value={worth.realized_pnl} text={formatNumber(worth.realized_pnl)} />
      </Figure>
      <Figure name="Open" note="unrealised">
        <Signed value={worth.unrealized_pnl} text={formatNumber(worth.unrealized_pnl)} />
      </Figure>
      <Figure name="Fees" note={countOf(worth.trade_count, "fill")}>
        {formatNumber(worth.fees_paid)}
      </Figure>
    </dl>
  )
}

const GroupView = (props: {
  readonly group: WorthGroup<Performance, Day>
  readonly asked: Days
}): VNode => {
  const { days, name, worth } = props.group
  return (
    <section class="card">
      <h2>
        <Mode mode={worth.mode} /> {worth.currency}
      </h2>
      <Worth worth={worth} today={days.at(-1)} />
      <Shown asked={props.asked} what="the results by day">
        {() => (days.length < 2 ? null : <Results name={name} days={days} />)}
      </Shown>
    </section>
  )
}

const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${words(status)}`)
    .join(", ")

const Body = ({ overview }: { readonly overview: OverviewData }): VNode => {
  // They cost the server more than the rest, which is shown before they are asked for.
  const asked = useAsked(
    (signal) => call("portfolio.equity", { query: { days: daysShown }, signal }),
    []
  )
  useEvents(({ type }) => matters.has(type), asked.again, daysPauseMs)
  const nameOf = useBotNames()
  const { paper, live } = overview.bots
  const told = [
    ["live", counted(live)],
    ["paper", counted(paper)]
  ].filter(([, text]) => text !== "")
  return (
    <>
      <Halted overview={overview} />
      <p class="lead">
        {told.length === 0
          ? "No bots yet."
          : told.map(([mode, text]) => `${mode}: ${text}`).join(" · ")}
      </p>
      <HeldBack overview={overview} />
      {overview.performance.length === 0 ? (
        <Empty title="No bot trades yet">
          A bot runs a strategy on paper or live; its worth and results are shown here. It is made
          at the page of <a href={linkTo(["strategies"])}>a strategy</a>.
        </Empty>
      ) : null}
      {worthGroups(overview.performance, asked.data?.data ?? []).map((group) => (
        <GroupView key={group.name} group={group} asked={asked} />
      ))}
      <Exposure exposure={overview.exposure} />
      <FiredAlerts fired={overview.alerts_fired} nameOf={nameOf} />
    </>
  )
}

const Overview = (): VNode => {
  const asked = useAsked((signal) => call("portfolio.overview", { signal }), [])
  useEvents(({ type }) => matters.has(type), asked.again)
  return (
    <>
      <h1>Overview</h1>
      <Shown asked={asked} what="the overview">
        {(overview) => <Body overview={overview} />}
      </Shown>
    </>
  )
}

export default Overview
