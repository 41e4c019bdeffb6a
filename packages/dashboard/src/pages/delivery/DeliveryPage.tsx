/**
 * One delivery: its body as it was signed, and every attempt to bring it.
 */
import type { VNode } from "preact"
import { call } from "../../api/call.ts"
import type { Answer } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { formatMoment, formatNumber } from "../../parts/format.ts"
import { Empty, Shown } from "../../parts/states.tsx"
import { Table } from "../../parts/Table.tsx"
import { useOperation } from "../../parts/useOperation.tsx"
import { useDue } from "../../parts/useDue.ts"
import { State } from "../../parts/values.tsx"
import { linkTo } from "../../shell/route.ts"
import type { PageProps } from "../pages.ts"
import { dueOf } from "../webhook/deliveryTimes.ts"
import { indented } from "./indented.ts"

type Details = Answer<"webhooks.delivery">

const SendAgain = (props: { readonly seen: Details; readonly onDone: () => void }): VNode => {
  const { onDone, seen } = props
  const { act, fault, isBusy } = useOperation()
  const params = { id: seen.webhook_id, delivery: seen.id }
  return (
    <div class="commands">
      {fault}
      <button
        type="button"
        class="primary"
        disabled={isBusy || ["pending", "sending"].includes(seen.status)}
        onClick={() => act(() => call("webhooks.redeliver", { params }).then(onDone))}
      >
        Send again
      </button>
    </div>
  )
}

const Attempts = ({ seen }: { readonly seen: Details }): VNode => (
  <section class="card">
    <h2>
      Attempts <span class="count">{formatNumber(seen.attempts.length, 0)}</span>
    </h2>
    {seen.attempts.length === 0 ? (
      <Empty title="The delivery has no attempt yet">
        {seen.next_attempt_at === null
          ? ""
          : `The first attempt is at ${formatMoment(seen.next_attempt_at)}.`}
      </Empty>
    ) : (
      <Table
        caption="Attempts"
        items={seen.attempts.toReversed()}
        keyOf={({ id }) => id}
        columns={[
          { name: "No.", show: ({ number: no }) => no },
          { name: "Begun", show: ({ started_at: at }) => formatMoment(at) },
          {
            name: "Took, ms",
            isNumber: true,
            show: ({ duration_ms: took }) => formatNumber(took, 0)
          },
          {
            name: "Answer",
            show: ({ error, status }) =>
              status === null ? (
                <span class="fault">{error ?? "none yet"}</span>
              ) : (
                <span class={`badge ${status < 300 ? "good" : "bad"}`}>HTTP {status}</span>
              )
          },
          {
            name: "Answer's text",
            show: ({ response_text: text }) => <code class="told">{text ?? ""}</code>
          }
        ]}
      />
    )}
    {seen.next_attempt_at === null || seen.attempts.length === 0 ? null : (
      <p class="note">The next attempt is at {formatMoment(seen.next_attempt_at)}.</p>
    )}
  </section>
)

const DeliveryPage = ({ query }: PageProps): VNode => {
  const params = { id: query.get("webhook") ?? "", delivery: query.get("delivery") ?? "" }
  const asked = useAsked(
    (signal) => call("webhooks.delivery", { params, signal }),
    [params.id, params.delivery]
  )
  useDue(asked.data === undefined ? [] : dueOf(asked.data), asked.again)
  return (
    <Shown asked={asked} what="the delivery">
      {(seen) => (
        <>
          <div class="head">
            <div>
              <p class="crumb">
                <a href={linkTo(["webhooks", params.id])}>The webhook</a>
              </p>
              <h1>
                {seen.event}, number {formatNumber(seen.sequence, 0)}
              </h1>
              <p class="badges">
                <State name={seen.status} />
                {seen.test ? <span class="badge">sample</span> : null}
                <span class="note">
                  made {formatMoment(seen.created_at)} · <code>{seen.event_id}</code>
                </span>
              </p>
            </div>
            <SendAgain seen={seen} onDone={asked.again} />
          </div>
          <Attempts seen={seen} />
          <section class="card">
            <h2>Body</h2>
            <p class="note">
              Written here with line breaks; the signature is over the bytes as they are sent.
            </p>
            <pre class="json" tabIndex={0} aria-label="Body">
              {indented(seen.body)}
            </pre>
          </section>
        </>
      )}
    </Shown>
  )
}

export default DeliveryPage
