/**
 * All alerts: the condition of each, its last firing, and its commands.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { AlertRecord } from "../../api/types.ts"
import { cooldownText, conditionOf, rearmOf, valueOf } from "../../parts/alertWords.ts"
import { useEvents } from "../../parts/ask.ts"
import { type NameOf, useBotNames } from "../../parts/names.ts"
import { formatMoment, formatNumber } from "../../parts/format.ts"
import { ListView } from "../../parts/ListView.tsx"
import type { Column } from "../../parts/Table.tsx"
import { useOperation } from "../../parts/useOperation.tsx"
import { useList } from "../../parts/useList.ts"
import { State } from "../../parts/values.tsx"
import { linkTo, setQuery } from "../../shell/route.ts"
import type { PageProps } from "../pages.ts"
import { ChangedAlert, NewAlert, Removal } from "./questions.tsx"

/** The state of an alert in a word. */
const stateOf = ({ is_armed, is_enabled }: AlertRecord): string =>
  is_enabled ? (is_armed ? "armed" : "fired") : "disabled"

type Asked = { readonly operation: "change" | "remove"; readonly alert: AlertRecord } | null

const Commands = (props: {
  readonly alert: AlertRecord
  readonly onAsk: (asked: Asked) => void
  readonly onDone: () => void
}): VNode => {
  const { alert, onAsk, onDone } = props
  const condition = conditionOf(alert)
  const { act, fault, isBusy } = useOperation()
  const toggle = () =>
    act(() =>
      call("alerts.update", {
        params: { id: alert.id },
        payload: { is_enabled: !alert.is_enabled }
      }).then(onDone)
    )
  const turned = alert.is_enabled ? "Disable" : "Enable"
  return (
    <div class="commands">
      <button
        type="button"
        class="plain"
        aria-label={`Change: ${condition}`}
        onClick={() => onAsk({ operation: "change", alert })}
      >
        Change
      </button>
      <button
        type="button"
        class="plain"
        aria-label={`${turned}: ${condition}`}
        disabled={isBusy}
        onClick={toggle}
      >
        {turned}
      </button>
      <button
        type="button"
        class="plain"
        aria-label={`Remove: ${condition}`}
        onClick={() => onAsk({ operation: "remove", alert })}
      >
        Remove
      </button>
      {fault}
    </div>
  )
}

const columnsOf = (
  nameOf: NameOf,
  onAsk: (asked: Asked) => void,
  onDone: () => void
): ReadonlyArray<Column<AlertRecord>> => [
  { name: "Condition", isFree: true, show: conditionOf },
  {
    name: "Of",
    isFree: true,
    show: ({ bot_id: bot, metric }) =>
      bot === null ? (
        metric === "kill_switch" ? (
          "the account"
        ) : (
          "the market"
        )
      ) : (
        <a href={linkTo(["bots", bot])}>{nameOf(bot)}</a>
      )
  },
  { name: "State", show: (alert) => <State name={stateOf(alert)} /> },
  {
    name: "Cooldown",
    show: (alert) => <span title={rearmOf(alert.rearm_percent)}>{cooldownText(alert)}</span>
  },
  { name: "Last value", isNumber: true, show: (one) => valueOf(one.metric, one.last_value) },
  { name: "Fired", isNumber: true, show: ({ fired_count: count }) => formatNumber(count, 0) },
  { name: "Last fired", show: ({ last_fired_at: at }) => formatMoment(at) },
  {
    name: "Commands",
    isWide: true,
    show: (alert) => <Commands alert={alert} onAsk={onAsk} onDone={onDone} />
  }
]

const Filters = ({ query }: Pick<PageProps, "query">): VNode => {
  const given = {
    bot: query.get("bot") ?? "",
    kind: query.get("kind") ?? "",
    enabled: query.get("enabled") ?? ""
  }
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        Watches
        <select
          value={given.kind}
          onChange={(event) => setQuery({ ...given, kind: event.currentTarget.value })}
        >
          <option value="">all</option>
          <option value="price">prices</option>
          <option value="performance">bots and the account</option>
        </select>
      </label>
      <label>
        State
        <select
          value={given.enabled}
          onChange={(event) => setQuery({ ...given, enabled: event.currentTarget.value })}
        >
          <option value="">all</option>
          <option value="true">enabled</option>
          <option value="false">disabled</option>
        </select>
      </label>
      {given.bot === "" ? null : (
        <button type="button" class="plain" onClick={() => setQuery({ ...given, bot: "" })}>
          Of one bot: show all
        </button>
      )}
    </form>
  )
}

const useAlerts = (query: URLSearchParams) => {
  const given = (name: string) => {
    const value = query.get(name) ?? ""
    return value === "" ? undefined : value
  }
  const [bot_id, kind, is_enabled] = [given("bot"), given("kind"), given("enabled")]
  return useList(
    (cursor, signal) =>
      call("alerts.list", { query: { limit: 100, cursor, bot_id, kind, is_enabled }, signal }),
    [bot_id, kind, is_enabled]
  )
}

const Alerts = ({ query }: PageProps): VNode => {
  const [isMaking, setIsMaking] = useState(false)
  const [asked, setAsked] = useState<Asked>(null)
  const nameOf = useBotNames()
  const list = useAlerts(query)
  useEvents(({ type }) => type === "alert.triggered", list.start)
  const close = () => setAsked(null)
  const isFiltered = [...query.values()].some((value) => value !== "")
  return (
    <>
      <div class="head">
        <h1>Alerts</h1>
        <button type="button" class="primary" onClick={() => setIsMaking(true)}>
          New alert
        </button>
      </div>
      <Filters query={query} />
      <ListView
        caption="Alerts"
        list={list}
        columns={columnsOf(nameOf, setAsked, list.start)}
        keyOf={({ id }) => id}
        empty={isFiltered ? "No alert is like this" : "No alerts yet"}
      >
        {isFiltered
          ? "Change the filters."
          : "An alert watches a price, a bot or the account. This page shows fired alerts, and webhooks get them."}
      </ListView>
      {isMaking ? (
        <NewAlert
          botId={query.get("bot") ?? ""}
          onDone={list.start}
          onClose={() => setIsMaking(false)}
        />
      ) : null}
      {asked === null ? null : asked.operation === "change" ? (
        <ChangedAlert alert={asked.alert} onDone={list.start} onClose={close} />
      ) : (
        <Removal alert={asked.alert} onDone={list.start} onClose={close} />
      )}
    </>
  )
}

export default Alerts
