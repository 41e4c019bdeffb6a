/**
 * Asks which deliveries of an endpoint are to be sent again.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { PayloadOf } from "../../api/types.ts"
import { nowMs } from "../../parts/clock.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { fromField, toField } from "../../parts/timeField.ts"
import type { Suggested } from "./Suggested.ts"

type Mode = PayloadOf<"webhooks.replay">["mode"]

const modes: Readonly<Record<Mode, string>> = {
  undelivered: "all that did not arrive",
  failed: "failed deliveries",
  missing: "deliveries never tried",
  all: "all, once more"
}

const dayMs = 86_400_000

/** Asks which deliveries are to be sent again. */
export const ReplayQuestion = (props: {
  readonly id: string
  readonly suggested: Suggested | null
  readonly onDone: () => void
  readonly onClose: () => void
}): VNode => {
  const { id, onClose, onDone, suggested } = props
  const [since, setSince] = useState(() =>
    toField(suggested?.since ?? new Date(nowMs() - dayMs).toISOString())
  )
  const [until, setUntil] = useState("")
  const [mode, setMode] = useState<Mode>(suggested?.mode ?? "undelivered")
  const replay = async () => {
    await call("webhooks.replay", {
      params: { id },
      payload: {
        mode,
        since: fromField(since),
        ...(until === "" ? {} : { until: fromField(until) })
      }
    })
    onDone()
  }
  return (
    <Confirm title="Replay deliveries" operation="Replay" onDo={replay} onClose={onClose}>
      <p>
        They are sent with the same ids, so that a receiver knows what it has. 14 days are kept.
      </p>
      <div class="fields">
        <label class="whole">
          Deliveries
          <select value={mode} onChange={(event) => setMode(event.currentTarget.value as Mode)}>
            {(["undelivered", "failed", "missing", "all"] as const).map((one) => (
              <option key={one} value={one}>
                {modes[one]}
              </option>
            ))}
          </select>
        </label>
        <label>
          Since, UTC
          <input
            type="datetime-local"
            required
            value={since}
            onInput={(event) => setSince(event.currentTarget.value)}
          />
        </label>
        <label>
          Until, UTC; now if empty
          <input
            type="datetime-local"
            value={until}
            onInput={(event) => setUntil(event.currentTarget.value)}
          />
        </label>
      </div>
    </Confirm>
  )
}
