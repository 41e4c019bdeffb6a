/**
 * Chooses events by boxes.
 */
import type { VNode } from "preact"
import { type WebhookEventName, webhookEventNames, eventWords } from "./events.ts"

/** A box for each event. */
export const EventChoice = (props: {
  readonly legend: string
  readonly chosen: ReadonlyArray<WebhookEventName>
  readonly onChange: (chosen: ReadonlyArray<WebhookEventName>) => void
}): VNode => {
  const { chosen, legend, onChange } = props
  const turn = (name: WebhookEventName) =>
    onChange(
      chosen.includes(name)
        ? chosen.filter((one) => one !== name)
        : webhookEventNames.filter((one) => one === name || chosen.includes(one))
    )
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {webhookEventNames.map((name) => (
        <label key={name}>
          <input type="checkbox" checked={chosen.includes(name)} onChange={() => turn(name)} />
          <span>
            {name} <span class="note">{eventWords[name]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
