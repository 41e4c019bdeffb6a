/**
 * An operation behind a button that asks nothing before: busy while it is done, and with its fault.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { sentenceOf } from "../api/call.ts"

/** An operation, with its state. */
export interface OperationState {
  readonly act: (work: () => Promise<unknown>) => void
  readonly isBusy: boolean
  /** Why it was not done, to be shown beside the button. */
  readonly fault: VNode | null
}

/** An operation that is not begun yet. */
export const useOperation = (): OperationState => {
  const [isBusy, setIsBusy] = useState(false)
  const [text, setText] = useState<string | null>(null)
  const act = (work: () => Promise<unknown>) => {
    setIsBusy(true)
    setText(null)
    work()
      .catch((error: unknown) => setText(sentenceOf(error)))
      .finally(() => setIsBusy(false))
  }
  const fault =
    text === null ? null : (
      <span class="fault" role="alert">
        {text}
      </span>
    )
  return { act, isBusy, fault }
}
