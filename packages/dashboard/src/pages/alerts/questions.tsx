/**
 * Asks for a new alert, for other thresholds of one, and before one is removed.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { AlertRecord } from "../../api/types.ts"
import { conditionOf } from "../../parts/alertWords.ts"
import { useAsked } from "../../parts/ask.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { sentence } from "../../parts/format.ts"
import {
  alertChangesOf,
  type AlertDraft,
  alertRequestOf,
  conditionIn,
  draftFrom,
  draftOf,
  missingParts
} from "./alertDraft.ts"
import { AlertFields, Calm, Threshold } from "./AlertFields.tsx"

interface Question {
  readonly onDone: () => void
  readonly onClose: () => void
}

const Said = ({ draft }: { readonly draft: AlertDraft }): VNode => (
  <p class="note" role="status">
    {missingParts(draft) ?? sentence(`it fires when ${conditionOf(conditionIn(draft))}`)}
  </p>
)

/** Asks for a new alert. */
export const NewAlert = (props: Question & { readonly botId: string }): VNode => {
  const [draft, setDraft] = useState<AlertDraft>(() =>
    props.botId === "" ? draftOf("price") : draftOf("drawdown", props.botId)
  )
  const bots = useAsked((signal) => call("bots.list", { query: { limit: 100 }, signal }), [])
  const make = async () => {
    const missing = missingParts(draft)
    if (missing !== undefined) throw new Error(missing)
    await call("alerts.create", { payload: alertRequestOf(draft) })
    props.onDone()
  }
  return (
    <Confirm title="A new alert" operation="Create" onDo={make} onClose={props.onClose}>
      <AlertFields draft={draft} bots={bots.data?.data ?? []} onChange={setDraft} />
      <Said draft={draft} />
    </Confirm>
  )
}

/** Asks for other thresholds of an alert. */
export const ChangedAlert = (props: Question & { readonly alert: AlertRecord }): VNode => {
  const { alert, onClose, onDone } = props
  const [draft, setDraft] = useState(() => draftFrom(alert))
  const change = async () => {
    await call("alerts.update", { params: { id: alert.id }, payload: alertChangesOf(draft) })
    onDone()
  }
  return (
    <Confirm title="Change the alert" operation="Change" onDo={change} onClose={onClose}>
      <p>It is armed again with that.</p>
      <div class="fields">
        <Threshold draft={draft} onChange={setDraft} />
        <Calm draft={draft} onChange={setDraft} />
      </div>
      <Said draft={draft} />
    </Confirm>
  )
}

/** Asks before an alert is removed. */
export const Removal = (props: Question & { readonly alert: AlertRecord }): VNode => {
  const remove = async () => {
    await call("alerts.remove", { params: { id: props.alert.id } })
    props.onDone()
  }
  return (
    <Confirm
      title="Remove the alert"
      operation="Remove"
      isDangerous
      onDo={remove}
      onClose={props.onClose}
    >
      <p>{sentence(`no alert fires any more when ${conditionOf(props.alert)}`)}</p>
    </Confirm>
  )
}
