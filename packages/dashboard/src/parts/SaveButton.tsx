/**
 * Saves an answer of the server as a file.
 */
import type { VNode } from "preact"
import { useState } from "preact/hooks"
import { sentenceOf } from "../api/call.ts"
import { save } from "./save.ts"

/** A button that asks for a path, and saves the answer under this name. */
export const SaveButton = (props: {
  readonly title: string
  readonly path: string
  readonly name: string
  readonly accept: string
}): VNode => {
  const { accept, name, path, title } = props
  const [isBusy, setIsBusy] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  const act = () => {
    setIsBusy(true)
    setFault(null)
    save(path, name, accept)
      .catch((error: unknown) => setFault(sentenceOf(error)))
      .finally(() => setIsBusy(false))
  }
  return (
    <>
      <button type="button" class="plain" disabled={isBusy} onClick={act}>
        {isBusy ? "Saving…" : title}
      </button>
      {fault === null ? null : (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </>
  )
}
