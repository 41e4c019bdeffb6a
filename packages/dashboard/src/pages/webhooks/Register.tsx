/**
 * Registers an endpoint, for a program or for a chat.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { PayloadOf, Webhook } from "../../api/types.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { EventChoice } from "./EventChoice.tsx"
import { type WebhookEventName, webhookEventNames } from "./events.ts"

type Format = Webhook["format"]

const formats: Readonly<Record<Format, string>> = {
  candlewick: "signed JSON, for a program",
  slack: "a message in Slack",
  discord: "a message in Discord",
  telegram: "a message in Telegram"
}

const addresses: Readonly<Record<Format, string>> = {
  candlewick: "https://example.com/hooks/candlewick",
  slack: "https://hooks.slack.com/services/…",
  discord: "https://discord.com/api/webhooks/…",
  telegram: "https://api.telegram.org/bot…/sendMessage"
}

interface Draft {
  readonly url: string
  readonly format: Format
  readonly chat: string
  readonly description: string
  readonly events: ReadonlyArray<WebhookEventName>
}

const requestOf = (draft: Draft): PayloadOf<"webhooks.register"> => {
  const [first, ...others] = draft.events
  return {
    url: draft.url.trim(),
    events: [first!, ...others],
    format: draft.format,
    ...(draft.format === "telegram" ? { chat_id: draft.chat.trim() } : {}),
    ...(draft.description.trim() === "" ? {} : { description: draft.description.trim() })
  }
}

const Fields = (props: {
  readonly draft: Draft
  readonly onChange: (changes: Partial<Draft>) => void
}): VNode => {
  const { draft, onChange } = props
  return (
    <div class="fields">
      <label class="whole">
        It gets
        <select
          value={draft.format}
          onChange={(event) => onChange({ format: event.currentTarget.value as Format })}
        >
          {(Object.keys(formats) as ReadonlyArray<Format>).map((format) => (
            <option key={format} value={format}>
              {formats[format]}
            </option>
          ))}
        </select>
      </label>
      <label class="whole">
        Address
        <input
          type="url"
          required
          maxLength={2048}
          spellcheck={false}
          placeholder={addresses[draft.format]}
          value={draft.url}
          onInput={(event) => onChange({ url: event.currentTarget.value })}
        />
      </label>
      {draft.format === "telegram" ? (
        <label class="whole">
          Chat
          <input
            required
            placeholder="-1001234567890 or @channel"
            value={draft.chat}
            onInput={(event) => onChange({ chat: event.currentTarget.value })}
          />
        </label>
      ) : null}
      <label class="whole">
        Note
        <input
          maxLength={500}
          placeholder="its purpose"
          value={draft.description}
          onInput={(event) => onChange({ description: event.currentTarget.value })}
        />
      </label>
    </div>
  )
}

/** Asks for an endpoint; `onDone` gets its id and its secret, which is shown once. */
export const Register = (props: {
  readonly onDone: (id: string, secret: string) => void
  readonly onClose: () => void
}): VNode => {
  const [draft, setDraft] = useState<Draft>({
    url: "",
    format: "candlewick",
    chat: "",
    description: "",
    events: webhookEventNames
  })
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  const register = async () => {
    if (draft.events.length === 0) throw new Error("Choose one event at least.")
    const { id, secret } = await call("webhooks.register", { payload: requestOf(draft) })
    props.onDone(id, secret)
  }
  return (
    <Confirm
      title="Register a webhook"
      operation="Register"
      onDo={register}
      onClose={props.onClose}
    >
      <Fields draft={draft} onChange={change} />
      <EventChoice
        legend="Events to send"
        chosen={draft.events}
        onChange={(events) => change({ events })}
      />
    </Confirm>
  )
}
