/**
 * One endpoint: its health, its deliveries, and its replays.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { Webhook } from "../../api/types.ts"
import { useAsked } from "../../parts/ask.ts"
import { counted, formatMoment, formatNumber, words } from "../../parts/format.ts"
import { Shown } from "../../parts/states.tsx"
import { Figure, State } from "../../parts/values.tsx"
import { linkTo } from "../../shell/route.ts"
import type { PageProps } from "../pages.ts"
import { Secret } from "../webhooks/Webhooks.tsx"
import { Operations } from "./Operations.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { Replays } from "./Replays.tsx"
import type { Suggested } from "./Suggested.ts"

const Trouble = ({ hook }: { readonly hook: Webhook }): VNode | null => {
  const { disabled_at, disabled_reason: reason, failing_since: since, held_until: held } = hook
  if (hook.status === "disabled") {
    return (
      <section class="banner bad" role="alert">
        The webhook is disabled since {formatMoment(disabled_at)}
        {reason === null ? "" : ` (${words(reason)})`}: the server sends it no event until you
        enable it.
      </section>
    )
  }
  return since === null ? null : (
    <section class="banner warn" role="alert">
      The webhook fails since {formatMoment(since)}: {counted(hook.consecutive_failures, "failure")}{" "}
      in a row.
      {held === null ? "" : ` The server sends it no event before ${formatMoment(held)}.`}
    </section>
  )
}

const Facts = ({ hook }: { readonly hook: Webhook }): VNode => (
  <section class="card">
    <dl class="figures">
      <Figure name="Taken last">{formatMoment(hook.last_success_at)}</Figure>
      <Figure name="Failed last" note={`${formatNumber(hook.consecutive_failures, 0)} in a row`}>
        {formatMoment(hook.last_failure_at)}
      </Figure>
      <Figure name="At once" note="requests">
        {formatNumber(hook.max_concurrency, 0)}
      </Figure>
      <Figure name="Rate" note="requests a second">
        {hook.rate_per_second === null ? "usual" : formatNumber(hook.rate_per_second, 1)}
      </Figure>
      <Figure
        name="Secret"
        note={
          hook.previous_secret_expires_at === null
            ? "its last letters"
            : `the one before signs until ${formatMoment(hook.previous_secret_expires_at)}`
        }
      >
        …{hook.secret_hint.slice(-4)}
      </Figure>
    </dl>
    <p class="note">
      It is told of {hook.events.join(", ")}
      {hook.payload === "extended" ? ", with id and type beside the envelope" : ""}.
      {Object.keys(hook.headers).length === 0
        ? ""
        : ` Its requests carry ${Object.keys(hook.headers).join(", ")}.`}
    </p>
  </section>
)

const WebhookPage = ({ query, rest }: PageProps): VNode => {
  const id = rest[0]!
  const [secret, setSecret] = useState<string | null>(null)
  const [suggested, setSuggested] = useState<Suggested | null>(null)
  const [count, setCount] = useState(0)
  const asked = useAsked((signal) => call("webhooks.get", { params: { id }, signal }), [id])
  const renew = () => {
    asked.again()
    setCount((before) => before + 1)
  }
  return (
    <Shown asked={asked} what="the webhook">
      {(hook) => (
        <>
          <div class="head">
            <div>
              <p class="crumb">
                <a href={linkTo(["webhooks"])}>Webhooks</a>
              </p>
              <h1 class="url">{hook.url}</h1>
              <p class="badges">
                <State name={hook.status} />
                <span class="badge">
                  {hook.format === "candlewick" ? "signed JSON" : hook.format}
                </span>
                <span class="note">{hook.description ?? ""}</span>
              </p>
            </div>
            <Operations
              hook={hook}
              suggested={suggested}
              onChange={renew}
              onSecret={setSecret}
              onSuggest={setSuggested}
            />
          </div>
          {secret === null ? null : <Secret text={secret} />}
          <Trouble hook={hook} />
          <Facts hook={hook} />
          <Deliveries id={id} query={query} count={count} onSent={asked.again} />
          <Replays id={id} count={count} />
        </>
      )}
    </Shown>
  )
}

export default WebhookPage
