/**
 * The account: its kill switch, and its API keys.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import type { Answer } from "../../api/types.ts"
import { useAsked, useEvents } from "../../parts/ask.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { formatDay, sentence } from "../../parts/format.ts"
import { Shown } from "../../parts/states.tsx"
import { Keys } from "./Keys.tsx"
import { BotLimits } from "./BotLimits.tsx"

type Account = Answer<"account.get">

const Question = (props: {
  readonly isHalted: boolean
  readonly onDone: () => void
  readonly onClose: () => void
}): VNode => {
  const { isHalted, onClose, onDone } = props
  const [reason, setReason] = useState("")
  const act = async () => {
    await (isHalted
      ? call("account.resume")
      : call("account.halt", { payload: reason === "" ? {} : { reason } }))
    onDone()
  }
  return (
    <Confirm
      title={isHalted ? "End the halt" : "Halt the account"}
      operation={isHalted ? "End the halt" : "Halt everything"}
      isDangerous={!isHalted}
      onDo={act}
      onClose={onClose}
    >
      {isHalted ? (
        <p>Bots may enter positions again. One that its own limit halted stays so.</p>
      ) : (
        <>
          <p>
            No bot, paper or live, enters anything any more, and entries that rest are cancelled.
            Exits go on, and stops stay where they are.
          </p>
          <div class="filters">
            <label>
              Reason
              <input
                maxLength={500}
                value={reason}
                onInput={(event) => setReason(event.currentTarget.value)}
              />
            </label>
          </div>
        </>
      )}
    </Confirm>
  )
}

const Switch = (props: { readonly account: Account; readonly again: () => void }): VNode => {
  const { account, again } = props
  const [isAsked, setIsAsked] = useState(false)
  const { halted_reason: reason, is_halted: isHalted } = account
  return (
    <section class="card">
      <div class="card-head wrap">
        <h2>Kill switch</h2>
        <button
          type="button"
          class={isHalted ? "primary" : "danger"}
          onClick={() => setIsAsked(true)}
        >
          {isHalted ? "End the halt" : "Halt the account"}
        </button>
      </div>
      {isHalted ? (
        <div class="banner bad" role="alert">
          <p>
            <strong>The account is halted.</strong>{" "}
            {reason === null ? "No reason was given." : sentence(reason)}
          </p>
        </div>
      ) : (
        <p>It is off: bots enter positions by their own rules and limits.</p>
      )}
      {isAsked ? (
        <Question isHalted={isHalted} onDone={again} onClose={() => setIsAsked(false)} />
      ) : null}
    </section>
  )
}

const AccountPage = (): VNode => {
  const asked = useAsked((signal) => call("account.get", { signal }), [])
  useEvents(({ type }) => type === "alert.triggered", asked.again)
  return (
    <>
      <h1>Account</h1>
      <Shown asked={asked} what="the account">
        {(account) => (
          <>
            <p class="lead">
              {account.name} <code>{account.id}</code> since {formatDay(account.created_at)}
            </p>
            <Switch account={account} again={asked.again} />
          </>
        )}
      </Shown>
      <BotLimits />
      <Keys />
    </>
  )
}

export default AccountPage
