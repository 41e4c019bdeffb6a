/**
 * Saves an answer of the server as a file.
 */
import type { VNode } from "preact"
import { save } from "./save.ts"
import { useOperation } from "./useOperation.tsx"

/** A button that asks for a path, and saves the answer under this name. */
export const SaveButton = (props: {
  readonly title: string
  readonly path: string
  readonly name: string
  readonly accept: string
}): VNode => {
  const { accept, name, path, title } = props
  const { act, fault, isBusy } = useOperation()
  return (
    <>
      <button
        type="button"
        class="plain"
        disabled={isBusy}
        onClick={() => act(() => save(path, name, accept))}
      >
        {isBusy ? "Saving…" : title}
      </button>
      {fault}
    </>
  )
}
