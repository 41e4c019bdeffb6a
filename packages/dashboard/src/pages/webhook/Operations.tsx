/**
 * The operations on an endpoint: a sample, a change, a replay, a new secret, its end.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { Webhook } from "../../api/types.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { formatMoment, words } from "../../parts/format.ts"
import { go } from "../../shell/route.ts"
import { Change } from "./Change.tsx"
import { ReplayQuestion } from "./ReplayQuestion.tsx"
import type { Suggested } from "./Suggested.ts"

type Operation = "sample" | "change" | "replay" | "turn" | "secret" | "remove"

interface Told {
  readonly hook: Webhook
  readonly suggested: Suggested | null
  readonly onChange: () => void
  readonly onSecret: (secret: string) => void
  readonly onSuggest: (suggested: Suggested | null) => void
}

const Sample = (props: Told & { readonly onClose: () => void }): VNode => {
  const { hook, onChange, onClose } = props
  const [event, setEvent] = useState(hook.events[0]!)
  const send = async () => {
    await call("webhooks.test", { params: { id: hook.id }, payload: { event } })
    onChange()
  }
  return (
    <Confirm title="Send a sample" operation="Send" onDo={send} onClose={onClose}>
      <p>It is made up, marked as a test, and signed as any other.</p>
      <div class="fields">
        <label>
          Event
          <select
            value={event}
            onChange={({ currentTarget }) => setEvent(currentTarget.value as typeof event)}
          >
            {hook.events.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </div>
    </Confirm>
  )
}

const overlaps: Readonly<Record<string, string>> = {
  "0": "not at all: someone else knows it",
  "3600": "an hour",
  "86400": "a day",
  "604800": "a week"
}

const NewSecret = (props: Told & { readonly onClose: () => void }): VNode => {
  const { hook, onChange, onClose, onSecret } = props
  const [overlap, setOverlap] = useState("86400")
  const rotate = async () => {
    const params = { id: hook.id }
    const payload = { overlap_seconds: Number(overlap) }
    const { secret } = await call("webhooks.rotateSecret", { params, payload })
    onSecret(secret)
    onChange()
  }
  return (
    <Confirm title="Make a new secret" operation="Make it" onDo={rotate} onClose={onClose}>
      <p>The new one signs at once, and is shown once. The old one signs beside it for a while.</p>
      <div class="fields">
        <label>
          The old one still signs for
          <select value={overlap} onChange={(event) => setOverlap(event.currentTarget.value)}>
            {["0", "3600", "86400", "604800"].map((value) => (
              <option key={value} value={value}>
                {overlaps[value]}
              </option>
            ))}
          </select>
        </label>
      </div>
    </Confirm>
  )
}

const Turn = (props: Told & { readonly onClose: () => void }): VNode => {
  const { hook, onChange, onClose, onSuggest } = props
  const isOff = hook.status === "disabled"
  const turn = async () => {
    const payload = { status: isOff ? ("active" as const) : ("disabled" as const) }
    const changed = await call("webhooks.change", { params: { id: hook.id }, payload })
    onSuggest(changed.suggested_replay ?? null)
    onChange()
  }
  return (
    <Confirm
      title={isOff ? "Enable the webhook" : "Disable the webhook"}
      operation={isOff ? "Enable" : "Disable"}
      isDangerous={!isOff}
      onDo={turn}
      onClose={onClose}
    >
      <p>
        {isOff
          ? "Past failures are forgiven. A replay sends the events that it missed."
          : "It gets no more events. A replay can send the missed ones later."}
      </p>
    </Confirm>
  )
}

const Removal = (props: Told & { readonly onClose: () => void }): VNode => {
  const remove = async () => {
    await call("webhooks.remove", { params: { id: props.hook.id } })
    go(["webhooks"])
  }
  return (
    <Confirm
      title="Remove the webhook"
      operation="Remove"
      isDangerous
      onDo={remove}
      onClose={props.onClose}
    >
      <p>Its open deliveries are cancelled, and its log of deliveries is gone.</p>
    </Confirm>
  )
}

const Question = (
  props: Told & { readonly operation: Operation; readonly onClose: () => void }
): VNode => {
  const { operation, ...told } = props
  switch (operation) {
    case "sample":
      return <Sample {...told} />
    case "change":
      return <Change hook={told.hook} onDone={told.onChange} onClose={told.onClose} />
    case "replay":
      return (
        <ReplayQuestion
          id={told.hook.id}
          suggested={told.suggested}
          onDone={() => {
            told.onSuggest(null)
            told.onChange()
          }}
          onClose={told.onClose}
        />
      )
    case "turn":
      return <Turn {...told} />
    case "secret":
      return <NewSecret {...told} />
    case "remove":
      return <Removal {...told} />
  }
}

/** Buttons for the operations on an endpoint. */
export const Operations = (told: Told): VNode => {
  const { hook, suggested } = told
  const [asked, setAsked] = useState<Operation | null>(null)
  const titles: Readonly<Record<Operation, string>> = {
    sample: "Send a sample",
    change: "Change",
    replay: "Replay",
    turn: hook.status === "disabled" ? "Enable" : "Disable",
    secret: "New secret",
    remove: "Remove"
  }
  return (
    <div>
      <div class="commands">
        {(Object.keys(titles) as ReadonlyArray<Operation>).map((operation) => (
          <button
            key={operation}
            type="button"
            class={operation === "sample" ? "primary" : "plain"}
            onClick={() => setAsked(operation)}
          >
            {titles[operation]}
          </button>
        ))}
      </div>
      {suggested === null ? null : (
        <p class="note" role="status">
          It has missed deliveries since {formatMoment(suggested.since)}: Replay sends what is{" "}
          {words(suggested.mode)}.
        </p>
      )}
      {asked === null ? null : (
        <Question {...told} operation={asked} onClose={() => setAsked(null)} />
      )}
    </div>
  )
}
