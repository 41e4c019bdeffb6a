/**
 * Changes the events, the note and the pace of an endpoint.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { Webhook } from "../../api/types.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { EventChoice } from "../webhooks/EventChoice.tsx"

/** Asks for the changes. */
export const Change = (props: {
  readonly hook: Webhook
  readonly onDone: () => void
  readonly onClose: () => void
}): VNode => {
  const { hook, onClose, onDone } = props
  const [events, setEvents] = useState(hook.events)
  const [note, setNote] = useState(hook.description ?? "")
  const [atOnce, setAtOnce] = useState(hook.max_concurrency)
  const change = async () => {
    const [first, ...others] = events
    if (first === undefined) throw new Error("Choose one event at least.")
    await call("webhooks.change", {
      params: { id: hook.id },
      payload: {
        events: [first, ...others],
        description: note.trim() === "" ? null : note.trim(),
        max_concurrency: atOnce
      }
    })
    onDone()
  }
  return (
    <Confirm title="Change the webhook" operation="Change" onDo={change} onClose={onClose}>
      <EventChoice legend="Events to send" chosen={events} onChange={setEvents} />
      <div class="fields">
        <label>
          Note
          <input
            maxLength={500}
            value={note}
            onInput={(event) => setNote(event.currentTarget.value)}
          />
        </label>
        <label>
          Requests at once
          <input
            type="number"
            min={1}
            max={16}
            required
            value={atOnce}
            onInput={(event) => setAtOnce(event.currentTarget.valueAsNumber)}
          />
        </label>
      </div>
    </Confirm>
  )
}
