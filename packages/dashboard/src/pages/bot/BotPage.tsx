/**
 * One bot: its state, its candles with fills and orders, its positions, its log, and its distance
 * from its backtest.
 */
import type { VNode } from "preact"
import { useEffect } from "preact/hooks"
import { call, operationPath } from "../../api/call.ts"
import { followInstead, onEvent } from "../../api/stream.ts"
import type { BotRecord, StatusRecord } from "../../api/types.ts"
import { useAsked, useEvents } from "../../parts/ask.ts"
import { Commands } from "../../parts/commands.tsx"
import {
  formatDuration,
  formatMoment,
  formatNumber,
  formatShare,
  sentence,
  valuesOf,
  words
} from "../../parts/format.ts"
import { Shown } from "../../parts/states.tsx"
import { Figure, Mode, Signed, State } from "../../parts/values.tsx"
import { linkTo } from "../../shell/route.ts"
import type { PageProps } from "../pages.ts"
import { BotCandles } from "./BotCandles.tsx"
import { BotEquity } from "./BotEquity.tsx"
import { BotExpected } from "./BotExpected.tsx"
import { BotLog } from "./BotLog.tsx"
import { BotFills, BotPositions } from "./holdings.tsx"

interface Seen {
  readonly bot: BotRecord
  readonly status: StatusRecord
}

const load = async (id: string, signal: AbortSignal): Promise<Seen> => {
  const request = { params: { id }, signal }
  const [bot, status] = await Promise.all([call("bots.get", request), call("bots.status", request)])
  return { bot, status }
}

const Troubles = ({ bot, status }: Seen): VNode | null => {
  const { error, hindrances, mismatch, passed_over: passed } = status
  const texts = [
    ...(error === null ? [] : [sentence(error.message)]),
    ...(mismatch === null ? [] : ["Its books differ from the exchange's."]),
    ...hindrances.map(({ message, since }) => `${sentence(message)} Since ${formatMoment(since)}.`),
    ...(passed === null ? [] : [`${passed.entries} entries were passed over meanwhile.`]),
    ...(bot.warnings ?? []).map(sentence)
  ]
  if (texts.length === 0) return null
  return (
    <section class={`banner ${error === null ? "warn" : "bad"}`} aria-label="Troubles">
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </section>
  )
}

const StrategyLink = ({ bot }: Pick<Seen, "bot">): VNode => {
  const { parameters = {}, strategy_id: id, strategy_version: version } = bot
  const given = Object.entries(parameters)
  const query = version === undefined ? {} : { version: String(version) }
  return (
    <>
      <a href={linkTo(["strategies", id], query)}>
        strategy{version === undefined ? "" : `, version ${version}`}
      </a>
      {given.length === 0 ? "" : ` with ${valuesOf(parameters)}`}
    </>
  )
}

const Head = (props: Seen & { readonly onDone: () => void }): VNode => {
  const { bot, onDone, status } = props
  const { trading_state: gate, trading_state_reason: reason } = status
  return (
    <div class="head">
      <div>
        <p class="crumb">
          <a href={linkTo(["bots"])}>Bots</a>
        </p>
        <h1>{bot.name}</h1>
        <p class="badges">
          <State name={status.status} /> <Mode mode={bot.mode} />{" "}
          {gate === "active" ? null : (
            <span class="badge warn">
              {gate}: {words(reason)}
            </span>
          )}{" "}
          <span class="note">
            {bot.symbols.join(", ")} · {bot.timeframe}
            {bot.exchange === null ? "" : ` · ${bot.exchange}`} ·{" "}
            {formatNumber(bot.capital_allocation, 0)} of capital · <StrategyLink bot={bot} /> ·{" "}
            <a href={linkTo(["alerts"], { bot: bot.id })}>alerts</a>
          </span>
        </p>
      </div>
      <Commands bot={{ ...bot, ...status }} onDone={onDone} />
    </div>
  )
}

const Figures = ({ bot, status }: Seen): VNode => {
  const earned = status.equity - bot.capital_allocation
  return (
    <dl class="figures">
      <Figure name="Equity" note={<Signed value={earned} text={formatNumber(earned)} />}>
        {formatNumber(status.equity)}
      </Figure>
      <Figure name="Cash">{formatNumber(status.cash)}</Figure>
      <Figure name="Day">
        <Signed value={status.daily_pnl} text={formatNumber(status.daily_pnl)} />
      </Figure>
      <Figure name="Drawdown">{formatShare(status.drawdown)}</Figure>
      <Figure
        name="Last candle"
        note={status.is_data_ended ? "the recording has ended" : "market's clock, UTC"}
      >
        {formatMoment(status.last_candle_at)}
      </Figure>
      <Figure
        name="Up"
        note={
          status.data_lag_seconds === null
            ? undefined
            : `data ${formatDuration(status.data_lag_seconds)} old`
        }
      >
        {formatDuration(status.uptime_seconds)}
      </Figure>
    </dl>
  )
}

// A command takes a moment to be carried out.
const looksMs = [300, 1_000, 3_000]

const Body = (props: Seen & { readonly again: () => void }): VNode => {
  const { again, bot, status } = props
  const seen = { bot, status }
  const onDone = () => {
    for (const wait of looksMs) setTimeout(again, wait)
  }
  return (
    <>
      <Head {...seen} onDone={onDone} />
      <Troubles {...seen} />
      <section class="card">
        <Figures {...seen} />
      </section>
      <BotCandles bot={bot} status={status} />
      <BotPositions status={status} />
      <div class="pair">
        <BotEquity id={bot.id} candleAt={status.last_candle_at} />
        <BotExpected id={bot.id} candleAt={status.last_candle_at} />
      </div>
      <BotFills id={bot.id} candleAt={status.last_candle_at} />
    </>
  )
}

const BotPage = ({ rest }: PageProps): VNode => {
  const id = rest[0]!
  const asked = useAsked((signal) => load(id, signal), [id])
  useEvents(() => true, asked.again)
  useEffect(() => followInstead(operationPath("bots.logs", { params: { id } })), [id])
  return (
    <>
      <Shown asked={asked} what="the bot">
        {(seen) => <Body {...seen} again={asked.again} />}
      </Shown>
      {asked.data === undefined ? null : <BotLog id={id} listen={onEvent} />}
    </>
  )
}

export default BotPage
