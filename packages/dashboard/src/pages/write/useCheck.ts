/**
 * The server's answer on a definition while it is written; nothing is kept.
 */
import { useEffect, useState } from "preact/hooks"
import { call, type FieldFault, RefusedCall, sentenceOf } from "../../api/call.ts"
import type { Answer, PayloadOf } from "../../api/types.ts"

/** The server's answer. */
export interface Checked {
  readonly sentences: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
  readonly faults: ReadonlyArray<FieldFault>
  /** A failure that names no field. */
  readonly problem: string | undefined
  readonly isFine: boolean
}

const nothing: Checked = {
  sentences: [],
  warnings: [],
  faults: [],
  problem: undefined,
  isFine: false
}

const pauseMs = 250

const fine = ({ description, warnings }: Answer<"strategyChecks.check">): Checked => ({
  ...nothing,
  sentences: description,
  warnings,
  isFine: true
})

const refused = (error: unknown): Checked => {
  const faults = error instanceof RefusedCall ? error.faults : []
  return { ...nothing, faults, problem: faults.length === 0 ? sentenceOf(error) : undefined }
}

/** Checks a definition shortly after each change; one that is no JSON is null. */
export const useCheck = (name: string, definition: unknown): Checked => {
  const [checked, setChecked] = useState(nothing)
  const written = JSON.stringify(definition)
  useEffect(() => {
    if (definition === null) {
      setChecked({ ...nothing, problem: "This is no JSON yet." })
      return
    }
    const abort = new AbortController()
    const timer = setTimeout(() => {
      const payload = { name: name || "a draft", definition } as PayloadOf<"strategyChecks.check">
      call("strategyChecks.check", { payload, signal: abort.signal }).then(
        (answer) => setChecked(fine(answer)),
        (error: unknown) => {
          if (!abort.signal.aborted) setChecked(refused(error))
        }
      )
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [name, written])
  return checked
}
