/**
 * All webhook endpoints, with how each of them does.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { Webhook } from "../../api/types.ts"
import { formatMoment, formatNumber, words } from "../../parts/format.ts"
import { ListView } from "../../parts/ListView.tsx"
import type { Column } from "../../parts/Table.tsx"
import { useList } from "../../parts/useList.ts"
import { State } from "../../parts/values.tsx"
import { linkTo } from "../../shell/route.ts"
import { Register } from "./Register.tsx"

const columns: ReadonlyArray<Column<Webhook>> = [
  {
    name: "Address",
    show: ({ id, url }) => (
      <a class="url" href={linkTo(["webhooks", id])} title={url}>
        {url}
      </a>
    )
  },
  {
    name: "State",
    show: ({ disabled_reason: reason, status }) => (
      <>
        <State name={status} />
        {reason === null ? null : <span class="note"> {words(reason)}</span>}
      </>
    )
  },
  { name: "Gets", show: ({ format }) => (format === "candlewick" ? "signed JSON" : format) },
  {
    name: "Events",
    show: ({ events }) => (
      <span title={events.join(", ")}>
        {events.length === 1 ? events[0] : `${formatNumber(events.length, 0)} kinds`}
      </span>
    )
  },
  { name: "Taken last", show: ({ last_success_at: at }) => formatMoment(at) },
  { name: "Failed last", show: ({ last_failure_at: at }) => formatMoment(at) },
  {
    name: "Failures in a row",
    isNumber: true,
    show: ({ consecutive_failures: count }) => formatNumber(count, 0)
  },
  {
    name: "Note",
    show: ({ description }) => <span class="note">{description ?? ""}</span>
  }
]

/** A secret that is shown once. */
export const Secret = ({ text }: { readonly text: string }): VNode => (
  <div class="banner warn" role="status">
    <p>
      Copy the signing secret now, it is not shown again: <code class="secret">{text}</code>
    </p>
  </div>
)

const Webhooks = (): VNode => {
  const [isAsked, setIsAsked] = useState(false)
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string } | null>(null)
  const list = useList(
    (cursor, signal) => call("webhooks.list", { query: { limit: 100, cursor }, signal }),
    []
  )
  const onDone = (id: string, secret: string) => {
    setMade({ id, secret })
    list.start()
  }
  return (
    <>
      <div class="head">
        <h1>Webhooks</h1>
        <button type="button" class="primary" onClick={() => setIsAsked(true)}>
          Register a webhook
        </button>
      </div>
      {made === null ? null : <Secret text={made.secret} />}
      <ListView
        caption="Webhooks"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty="No webhooks yet"
      >
        A webhook is told of fills, alerts and results as they happen: a program by signed JSON, a
        chat by a message.
      </ListView>
      {isAsked ? <Register onDone={onDone} onClose={() => setIsAsked(false)} /> : null}
    </>
  )
}

export default Webhooks
