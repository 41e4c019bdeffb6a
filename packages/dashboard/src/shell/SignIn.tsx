/**
 * Asks for a key, tries it, and keeps it for this tab.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { RefusedCall, sentenceOf } from "../api/call.ts"
import { base, signedOutBecause, signIn } from "../api/session.ts"

const tryKey = async (secret: string): Promise<void> => {
  const headers = { authorization: `Bearer ${secret}` }
  const response = await fetch(new URL("api/v1/account", base), { headers })
  if (response.ok) return
  const problem = await response.json().catch(() => ({}))
  throw new RefusedCall(response.status, problem as Readonly<Record<string, unknown>>)
}

const messageOf = (error: unknown): string =>
  error instanceof RefusedCall && error.status === 401
    ? "The server does not know this key."
    : sentenceOf(error)

/** The page before somebody signs in. */
export const SignIn = (): VNode => {
  const [secret, setSecret] = useState("")
  const [isTrying, setIsTrying] = useState(false)
  const [fault, setFault] = useState(signedOutBecause.value)
  const submit = (event: Event) => {
    event.preventDefault()
    setIsTrying(true)
    tryKey(secret.trim())
      .then(() => signIn(secret.trim()))
      .catch((error: unknown) => setFault(messageOf(error)))
      .finally(() => setIsTrying(false))
  }
  return (
    <main class="sign-in">
      <form onSubmit={submit}>
        <h1>
          <span class="mark" aria-hidden="true" />
          Candlewick
        </h1>
        <label for="key">API key</label>
        <input
          id="key"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          aria-describedby="key-note"
          value={secret}
          onInput={(event) => setSecret(event.currentTarget.value)}
        />
        {fault === null ? null : (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <button class="primary" disabled={isTrying || secret.trim() === ""}>
          {isTrying ? "Trying the key…" : "Sign in"}
        </button>
        <p id="key-note" class="note">
          The server prints a key when it starts for the first time. It stays in this tab, and is
          forgotten when the tab is closed.
        </p>
      </form>
    </main>
  )
}
