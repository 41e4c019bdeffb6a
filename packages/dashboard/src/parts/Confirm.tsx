/**
 * Asks before something is done that money hangs on.
 */
import type { ComponentChildren, VNode } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { sentenceOf } from "../api/call.ts"

/** A question with one operation behind it. */
export const Confirm = (props: {
  readonly title: string
  readonly operation: string
  readonly isDangerous?: boolean
  readonly onDo: () => Promise<unknown>
  readonly onClose: () => void
  readonly children?: ComponentChildren
}): VNode => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isBusy, setIsBusy] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const submit = (event: Event) => {
    event.preventDefault()
    setIsBusy(true)
    setFault(null)
    props.onDo().then(
      () => props.onClose(),
      (error: unknown) => {
        setFault(sentenceOf(error))
        setIsBusy(false)
      }
    )
  }
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onClose={props.onClose}>
      <form onSubmit={submit}>
        <h2 id="confirm-title">{props.title}</h2>
        {props.children}
        {fault === null ? null : (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <div class="actions">
          <button type="button" class="plain" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button class={props.isDangerous === true ? "danger" : "primary"} disabled={isBusy}>
            {isBusy ? "Working…" : props.operation}
          </button>
        </div>
      </form>
    </dialog>
  )
}
