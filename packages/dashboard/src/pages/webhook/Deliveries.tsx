/**
 * The log of deliveries to an endpoint, the newest first.
 */
import type { VNode } from "preact"
import { useEffect } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { DeliveryRecord } from "../../api/types.ts"
import { useEvents } from "../../parts/ask.ts"
import { formatMoment, formatNumber, words } from "../../parts/format.ts"
import { ListView } from "../../parts/ListView.tsx"
import type { Column } from "../../parts/Table.tsx"
import { useDue } from "../../parts/useDue.ts"
import { useList } from "../../parts/useList.ts"
import { State } from "../../parts/values.tsx"
import { linkTo, setQuery } from "../../shell/route.ts"
import type { PageProps } from "../pages.ts"
import { webhookEventNames } from "../webhooks/events.ts"
import { answerOf, dueOf } from "./deliveryTimes.ts"

const statuses = ["pending", "sending", "retrying", "succeeded", "failed", "cancelled", "skipped"]

const columnsOf = (id: string): ReadonlyArray<Column<DeliveryRecord>> => [
  {
    name: "Made",
    show: ({ created_at: at, id: delivery }) => (
      <a href={linkTo(["delivery"], { webhook: id, delivery })}>{formatMoment(at)}</a>
    )
  },
  {
    name: "Event",
    show: ({ event, test }) => (
      <>
        {event} {test ? <span class="badge">sample</span> : null}
      </>
    )
  },
  { name: "State", show: ({ status }) => <State name={status} /> },
  {
    name: "Attempts",
    isNumber: true,
    show: ({ attempts }) => formatNumber(attempts.length, 0)
  },
  { name: "Last answer", show: (delivery) => answerOf(delivery.attempts) },
  { name: "Next attempt", show: ({ next_attempt_at: at }) => formatMoment(at) },
  { name: "Number", isNumber: true, show: ({ sequence }) => formatNumber(sequence, 0) }
]

const Filters = (props: { readonly status: string; readonly event: string }): VNode => {
  const { event: name, status } = props
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        State
        <select
          value={status}
          onChange={({ currentTarget }) => setQuery({ event: name, status: currentTarget.value })}
        >
          <option value="">all</option>
          {statuses.map((one) => (
            <option key={one} value={one}>
              {words(one)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Event
        <select
          value={name}
          onChange={({ currentTarget }) => setQuery({ status, event: currentTarget.value })}
        >
          <option value="">all</option>
          {webhookEventNames.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
    </form>
  )
}

/** The log of deliveries; `count` changes where something was sent. */
export const Deliveries = (props: {
  readonly id: string
  readonly query: PageProps["query"]
  readonly count: number
  readonly onSent: () => void
}): VNode => {
  const { count, id, onSent, query } = props
  const [status, event] = [query.get("status") ?? "", query.get("event") ?? ""]
  const list = useList(
    (cursor, signal) =>
      call("webhooks.deliveries", {
        params: { id },
        query: {
          limit: 100,
          cursor,
          status: status === "" ? undefined : status,
          event: event === "" ? undefined : event
        },
        signal
      }),
    [id, status, event]
  )
  const renew = () => {
    list.start()
    onSent()
  }
  useEffect(() => {
    if (count > 0) list.start()
  }, [count])
  useEvents(({ type }) => (webhookEventNames as ReadonlyArray<string>).includes(type), renew)
  // The stream says nothing about the outcome of a delivery.
  useDue(list.items.flatMap(dueOf), renew)
  const isFiltered = status !== "" || event !== ""
  return (
    <section class="card low">
      <div class="card-head wrap">
        <h2>Deliveries</h2>
        <Filters status={status} event={event} />
      </div>
      <ListView
        caption="Deliveries"
        list={list}
        columns={columnsOf(id)}
        keyOf={({ id: delivery }) => delivery}
        empty={isFiltered ? "No delivery is like this" : "Nothing was sent yet"}
      >
        {isFiltered ? "Change the filters." : "A sample shows whether the address takes it."}
      </ListView>
    </section>
  )
}
