/**
 * The fields of an alert.
 */
import type { VNode } from "preact"
import type { BotRecord } from "../../api/types.ts"
import {
  type AlertMetric,
  type AlertOp,
  isState,
  metricWords,
  opWords
} from "../../parts/alertWords.ts"
import { type AlertDraft, draftOf, subjectOf } from "./alertDraft.ts"

interface Fields {
  readonly draft: AlertDraft
  readonly onChange: (draft: AlertDraft) => void
}

const cooldowns: ReadonlyArray<readonly [seconds: number, text: string]> = [
  [0, "each time"],
  [60, "every minute"],
  [900, "every 15 minutes"],
  [3_600, "every hour"],
  [86_400, "every day"]
]

/** How often an alert fires at most. */
export const Calm = ({ draft, onChange }: Fields): VNode => (
  <>
    <label>
      Fires at most
      <select
        value={draft.cooldownSeconds === null ? "" : String(draft.cooldownSeconds)}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...draft, cooldownSeconds: value === "" ? null : Number(value) })
        }
      >
        <option value="">as is usual</option>
        {cooldowns.map(([seconds, text]) => (
          <option key={seconds} value={seconds}>
            {text}
          </option>
        ))}
      </select>
    </label>
    <label class="check whole">
      <input
        type="checkbox"
        checked={draft.once}
        onChange={(event) => onChange({ ...draft, once: event.currentTarget.checked })}
      />
      <span>Tell it once, and disable it then</span>
    </label>
  </>
)

/** The comparison of an alert. */
export const Threshold = ({ draft, onChange }: Fields): VNode | null =>
  isState(draft.metric) ? null : (
    <>
      <label>
        Fires when it
        <select
          value={draft.op}
          onChange={(event) => onChange({ ...draft, op: event.currentTarget.value as AlertOp })}
        >
          {(Object.keys(opWords) as ReadonlyArray<AlertOp>).map((op) => (
            <option key={op} value={op}>
              {opWords[op]}
            </option>
          ))}
        </select>
      </label>
      <label>
        Threshold, {metricWords[draft.metric][1]}
        <input
          type="number"
          step="any"
          required
          value={draft.threshold}
          onInput={(event) => onChange({ ...draft, threshold: event.currentTarget.valueAsNumber })}
        />
      </label>
    </>
  )

const Subject = (props: Fields & { readonly bots: ReadonlyArray<BotRecord> }): VNode | null => {
  const { bots, draft, onChange } = props
  const subject = subjectOf(draft.metric)
  if (subject === "account") return null
  if (subject === "market") {
    return (
      <label>
        Market
        <input
          required
          placeholder="BTC/USDT"
          spellcheck={false}
          value={draft.symbol}
          onInput={(event) => onChange({ ...draft, symbol: event.currentTarget.value })}
        />
      </label>
    )
  }
  return (
    <label>
      Bot
      <select
        required
        value={draft.botId}
        onChange={(event) => onChange({ ...draft, botId: event.currentTarget.value })}
      >
        <option value="">choose one</option>
        {draft.botId === "" || bots.some(({ id }) => id === draft.botId) ? null : (
          <option value={draft.botId}>{draft.botId.slice(0, 12)}…</option>
        )}
        {bots.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** All fields of a new alert. */
export const AlertFields = (props: Fields & { readonly bots: ReadonlyArray<BotRecord> }): VNode => {
  const { draft, onChange } = props
  return (
    <div class="fields">
      <label>
        Watches whether, or how high
        <select
          value={draft.metric}
          onChange={(event) =>
            onChange(draftOf(event.currentTarget.value as AlertMetric, draft.botId))
          }
        >
          {(Object.keys(metricWords) as ReadonlyArray<AlertMetric>).map((metric) => (
            <option key={metric} value={metric}>
              {metricWords[metric][0]}
            </option>
          ))}
        </select>
      </label>
      <Subject {...props} />
      <Threshold draft={draft} onChange={onChange} />
      <Calm draft={draft} onChange={onChange} />
    </div>
  )
}
