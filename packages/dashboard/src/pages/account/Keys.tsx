/**
 * The API keys of the account: listed, issued with chosen scopes, and revoked.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { KeyRecord, PayloadOf } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { formatDay, formatMoment } from "../../parts/format.ts"
import { Shown } from "../../parts/states.tsx"
import { Table } from "../../parts/Table.tsx"
import { State } from "../../parts/values.tsx"

type Kind = "reads" | "trades" | "all"
type KeyRequest = PayloadOf<"account.issueKey">

const reading = ["bots:read", "strategies:read", "market:read"] as const
const requestOf = (name: string, kind: Kind): KeyRequest => {
  switch (kind) {
    case "reads":
      return { name, scopes: reading }
    case "trades":
      return { name, scopes: [...reading, "bots:write", "bots:execute", "strategies:run"] }
    case "all":
      return { name }
  }
}

const kinds: Readonly<Record<Kind, string>> = {
  reads: "reads",
  trades: "reads, and commands bots",
  all: "all that this key may"
}

const Issue = (props: {
  readonly onIssued: (secret: string) => void
  readonly onClose: () => void
}): VNode => {
  const [name, setName] = useState("")
  const [kind, setKind] = useState<Kind>("reads")
  const issue = async () => {
    const { secret } = await call("account.issueKey", { payload: requestOf(name, kind) })
    props.onIssued(secret)
  }
  return (
    <Confirm title="Issue a key" operation="Issue" onDo={issue} onClose={props.onClose}>
      <p>It has at most the rights of the key that you signed in with. Its text is shown once.</p>
      <div class="filters">
        <label>
          Name
          <input
            required
            maxLength={100}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label>
          Rights
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
            {(["reads", "trades", "all"] as const).map((one) => (
              <option key={one} value={one}>
                {kinds[one]}
              </option>
            ))}
          </select>
        </label>
      </div>
    </Confirm>
  )
}

const KeyTable = (props: {
  readonly keys: ReadonlyArray<KeyRecord>
  readonly onRevoke: (key: KeyRecord) => void
}): VNode => (
  <Table
    caption="API keys"
    items={props.keys}
    keyOf={({ id }) => id}
    columns={[
      { name: "Name", show: ({ name }) => name },
      {
        name: "State",
        show: ({ revoked_at: at }) => <State name={at === null ? "issued" : "revoked"} />
      },
      { name: "Last used", show: ({ last_used_at: at }) => formatMoment(at) },
      { name: "Expires", show: ({ expires_at: at }) => formatDay(at) },
      { name: "Scopes", isNumber: true, show: ({ scopes }) => scopes.length },
      {
        name: "Command",
        show: (key) =>
          key.revoked_at === null ? (
            <button
              type="button"
              class="plain"
              aria-label={`Revoke ${key.name}`}
              onClick={() => props.onRevoke(key)}
            >
              Revoke
            </button>
          ) : (
            "–"
          )
      }
    ]}
  />
)

/** The keys, the newest first. */
export const Keys = (): VNode => {
  const asked = useAsked(
    (signal) => call("account.listKeys", { query: { limit: 100 }, signal }),
    []
  )
  const [secret, setSecret] = useState<string | null>(null)
  const [isIssuing, setIsIssuing] = useState(false)
  const [revoked, setRevoked] = useState<KeyRecord | null>(null)
  const revoke = async ({ id }: KeyRecord) => {
    await call("account.revokeKey", { params: { id } })
    asked.again()
  }
  const onIssued = (text: string) => {
    setSecret(text)
    asked.again()
  }
  return (
    <section class="card">
      <div class="card-head wrap">
        <h2>API keys</h2>
        <button type="button" class="plain" onClick={() => setIsIssuing(true)}>
          Issue a key
        </button>
      </div>
      {secret === null ? null : (
        <div class="banner warn" role="status">
          <p>
            Copy the key now, it is not shown again: <code class="secret">{secret}</code>
          </p>
        </div>
      )}
      <Shown asked={asked} what="the keys">
        {({ data }) => <KeyTable keys={data} onRevoke={setRevoked} />}
      </Shown>
      {isIssuing ? <Issue onIssued={onIssued} onClose={() => setIsIssuing(false)} /> : null}
      {revoked === null ? null : (
        <Confirm
          title={`Revoke ${revoked.name}`}
          operation="Revoke"
          isDangerous
          onDo={() => revoke(revoked)}
          onClose={() => setRevoked(null)}
        >
          <p>The server refuses this key from then on. This can't be undone.</p>
        </Confirm>
      )}
    </section>
  )
}
